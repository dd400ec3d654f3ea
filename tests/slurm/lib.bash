# What the tests under Slurm share. They run inside scripts/beds/slurm; a line "# bed: KEY=VALUE..." at the head of a file has
# settings of slurm.conf, and SLURM_BED_ variables, for the cluster it runs in (scripts/check/run-tests).

load ../cli/lib

# figure TEXT: a line that the suite prints also where all is well.
figure() { echo "# figure: $*" >&3; }

now() { date +%s.%N; }

# seconds_since TIME: with two digits.
seconds_since() { awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.2f", to - from }'; }

# bounded COMMAND...: its outputs in $out and $err, its exit code in $code. TERM comes first: srun then ends its step.
# LIMIT is how many seconds it has (60).
bounded() {
    code=0
    timeout -k 5 "${LIMIT:-60}" "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || code=$?
    out=$(cat "$BATS_TEST_TMPDIR/out")
    err=$(grep -E '^(ovl_|cell )' "$BATS_TEST_TMPDIR/err" || true)
    echo "exit $code"; echo "$out"; cat "$BATS_TEST_TMPDIR/err"
}

# within SECONDS CONDITION...: until the condition holds; false when it does not in that time.
within() {
    local tries=$(($1 * 10))
    shift
    for ((; tries > 0; tries--)); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}

# driver_and_worker OPTION...: a driver's rank and a worker on each node, in the background, as soon as there is a record
# of the kind SIGN (cell); $job is srun's id. srun itself takes the words of SRUN.
driver_and_worker() {
    file=$BATS_TEST_TMPDIR/r.jsonl
    rm -f "$file"
    printf '%s\n' "0,2 $OVL_BIN/ovl_ialltoall --mode host,dpu --workers 0 -m 1K:1M -i 20:20 $* --json $file" \
        "1,3 $OVL_BIN/ovl_worker" >"$BATS_TEST_TMPDIR/programs"
    # shellcheck disable=SC2086
    timeout -k 5 60 "${four[@]}" ${SRUN:-} --multi-prog "$BATS_TEST_TMPDIR/programs" >"$BATS_TEST_TMPDIR/out" \
        2>"$BATS_TEST_TMPDIR/err" </dev/null 3>&- &
    job=$!
    within 30 grep -qs "\"record\":\"${SIGN:-cell}\"" "$file"
}

# finish: what srun and its steps said, in $code and $err.
finish() {
    code=0
    wait "$job" || code=$?
    err=$(cat "$BATS_TEST_TMPDIR/err")
    echo "exit $code"; echo "$err"
}

# nothing_runs [JOB]: neither steps (of that job) nor processes.
nothing_runs() {
    [ -z "$(squeue -h -s ${1:+-j "$1"})$(running ovl_ialltoall)$(running ovl_worker)" ]
}

# nothing_left [SECONDS [JOB]]: neither steps nor processes after a moment (10 s); $left is how long it took.
nothing_left() {
    local since
    since=$(now)
    if within "${1:-10}" nothing_runs "${2:-}"; then
        left=$(seconds_since "$since")
        return 0
    fi
    squeue -s
    pgrep -af 'ovl_(ialltoall|worker)' || true
    return 1
}

four=(srun -N2 --ntasks-per-node=2 --mpi=pmi2)

# sound FILE: the record is whole, what it says follows from its samples, and every byte was right.
sound() {
    "$OVL_BIN/ovl" validate "$1" || [ $? = 2 ] || return 1
    grep -q '"record":"end".*"status":"complete"' "$1" || { echo "no end of a complete run"; return 1; }
    grep -q '"record":"cell"' "$1" || { echo "no cells"; return 1; }
    [ "$(grep -c '"record":"cell"' "$1")" = "$(grep -c '"validated":true' "$1")" ] || { echo "not validated"; return 1; }
}

# nodes_of FILE: their names, and which of them each rank was on.
nodes_of() {
    grep -o '"hosts":\[.*"rank_hosts":\[[^]]*\]' "$1" | grep -o '{"name":"[^"]*","cpu"\|"rank_hosts":.*' |
        sed 's/{"name":"\([^"]*\)".*/\1/; s/"rank_hosts"://' | xargs
}
