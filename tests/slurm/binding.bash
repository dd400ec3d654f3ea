# What tests of bindings share.

null=("$OVL_BIN/ovl_null" -i 6:6 -x 0 --max-time 5 --compute-us 50 --json r.jsonl)

# bind OPTION...: a driver by srun with these, its record in r.jsonl.
bind() {
    rm -f r.jsonl
    bounded srun --mpi=pmi2 "$@" "${null[@]}"
    code_is "${measured[@]}"
    grep -o '"binding":\[[^]]*\]\|"cores":[^,]*,"physical_cores":[^,]*' r.jsonl
    warnings
}

binding() { grep -o '"binding":\[[^]]*\]' r.jsonl | grep -o '"[0-9][^"]*"' | tr -d '"'; }

warnings() { grep -o '"warnings":\[[^]]*\]' r.jsonl | head -n 1; }

warns() { grep -qF -- "\"$1\"" <<<"$(warnings)" || { echo "no warning: $1"; return 1; }; }

with_hwloc() { grep -qx "WITH_HWLOC := hwloc" "$OVL_BUILD/config.mk" || skip "this build has no hwloc"; }
