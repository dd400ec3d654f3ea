#!/usr/bin/env bats
# Options that change what is measured: roots, arrival patterns, buffer sets, persistent requests, the self test.

load lib

short=("${quick[@]}" "${work[@]}")

@test "other roots than 0 are measured and checked" {
    for name in ibcast igather iscatterv ireduce; do
        measure 2 ovl_$name -m 64:64 "${short[@]}" --root 1 -f
        rows | grep -q ' ok '
    done
    for name in iscatterv ireduce; do
        measure 3 ovl_$name -m 64:64 "${short[@]}" --root 2 -f
        rows | grep -q ' ok '
    done
}

@test "arrival patterns: recorded, and the work is delayed too" {
    for skew in none random:200 one-late:200 ascending:200; do
        measure 2 ovl_ialltoall -m 8:8 "${short[@]}" --skew $skew --json "$BATS_TEST_TMPDIR/r.jsonl"
        grep -q "\"skew\":\"$skew\"" "$BATS_TEST_TMPDIR/r.jsonl"
    done
    # One rank is 20 ms late: the communication of the others cannot be shorter.
    drive 2 ovl_ibarrier "${short[@]}" --skew one-late:20000 --json "$BATS_TEST_TMPDIR/late.jsonl"
    cells "$BATS_TEST_TMPDIR/late.jsonl" comm_seconds | awk '{ exit !($1 >= 0.015) }'
}

@test "buffer sets are all checked" {
    measure 2 ovl_ialltoall -m 64:64 "${short[@]}" --rotate 5 -f --json "$BATS_TEST_TMPDIR/r.jsonl"
    grep -q '"rotate":5' "$BATS_TEST_TMPDIR/r.jsonl"
}

@test "persistent requests where the library has them" {
    for name in ialltoall ibcast ireduce ineighbor_alltoallw ibarrier; do
        case $name in ibarrier) size=() ;; *) size=(-m 64:64) ;; esac
        drive 2 ovl_$name "${size[@]}" "${short[@]}" --persistent --json "$BATS_TEST_TMPDIR/$name.jsonl"
        if [ "$code" = 5 ]; then
            says "no persistent form of"
            one_line
        else
            code_is "${measured[@]}"
            grep -q '"persistent":true' "$BATS_TEST_TMPDIR/$name.jsonl"
        fi
    done
}

# bats test_tags=long
@test "the self test tells the errors of every share and size, the theft, and how ranks start" {
    drive 1 ovl_null --self-test -i 8:8 -x 0
    code_is 0 1 # a busy machine misses a bound: what is tested is what is told
    [ "$(grep -cE '^ *(0|0\.25|0\.5|0\.75|1)( +(-|-?[0-9.]+)){8}' <<<"$out")" = 5 ]
    [ "$(grep -cE '^ *0\.[135]( +(-|-?[0-9.]+)){3}( +MISSED)?$' <<<"$out")" = 3 ]
    [ "$(grep -cE '^ *(100|400|1600) us +(-|-?[0-9.]+)  (ok|few|drifting|ci_not_reached|invalid)' <<<"$out")" = 3 ]
    if [ "$code" = 1 ]; then grep -q 'MISSED' <<<"$out"; else absent MISSED "$out"; fi
}

# bats test_tags=long
@test "the self test of dpu mode tells errors too, and no value that is none" {
    LIMIT=240 drive 3 ovl_ialltoall --mode dpu --workers 1 --self-test -i 6:6 -x 0
    code_is 0 1
    [ "$(grep -cE '^ *(0|0\.25|0\.5|0\.75|1)( +(-|-?[0-9.]+)){8}' <<<"$out")" = 5 ]
    absent 'inf|nan' "$out"
}

@test "secrets of the launcher stay out of records and tables" {
    export SLURM_JWT=geheim-1 OMPI_MCA_secret_word=geheim-2 UCX_Api_Token=geheim-3 FI_PASSWORD=geheim-4 MPICH_CREDENTIALS=geheim-5 \
        MV2_KEY_FILE=geheim-6 SLURM_JOB_NAME=harmless
    measure 1 ovl_null -i 6:6 -x 0 --max-time 2 --json "$BATS_TEST_TMPDIR/r.jsonl"
    absent geheim "$out$(cat "$BATS_TEST_TMPDIR/r.jsonl")"
    grep -q '"SLURM_JOB_NAME":"harmless"' "$BATS_TEST_TMPDIR/r.jsonl"
    # A record of an older version may hold one: it is not shown on.
    sed 's/"SLURM_JOB_NAME":"harmless"/"SLURM_JWT":"geheim-7"/' "$BATS_TEST_TMPDIR/r.jsonl" >"$BATS_TEST_TMPDIR/old.jsonl"
    for call in "show" "report -o $BATS_TEST_TMPDIR/page.html" "export --to csv"; do
        # shellcheck disable=SC2086
        "$OVL_BIN/ovl" ${call%% *} "$BATS_TEST_TMPDIR/old.jsonl" $([ "$call" = "${call#* }" ] || echo "${call#* }") \
            >>"$BATS_TEST_TMPDIR/shown" 2>&1
    done
    [ -s "$BATS_TEST_TMPDIR/page.html" ]
    absent geheim "$(cat "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/page.html")"
}

@test "options that name a file are known: one that shapes the work is a row of cli/input_options.c" {
    for program in ovl_ialltoall ovl_fft3d ovl_halo ovl_hpl ovl_noise ovl_serve ovl_train; do
        [ ! -x "$OVL_BIN/$program" ] || "$OVL_BIN/$program" --help | grep -oE -- '--[a-z-]+ FILE'
    done | sort -u >"$BATS_TEST_TMPDIR/named"
    diff "$BATS_TEST_TMPDIR/named" - <<'END'
--buckets FILE
--dpu-map FILE
--edges FILE
--gradients FILE
--json FILE
--timeline FILE
--trace FILE
--wisdom FILE
--work-from FILE
END
}

@test "no program's --help names an option twice" {
    for program in "$OVL_BIN"/ovl_*; do
        [[ "$program" != */ovl_carrier ]] || continue # it has no options
        run "$program" --help
        [ "$status" -eq 0 ]
        [[ "$output" == *--help* ]]
        names=$(grep -oE '^ {2,6}(-., )?--[a-z0-9-]+' <<<"$output" | grep -oE -- '--.*')
        [ -z "$(sort <<<"$names" | uniq -d)" ] || { echo "$program: $(sort <<<"$names" | uniq -d)"; false; }
    done
}

@test "ranks with other options, or another program, measure nothing" {
    two_programs || skip "$no_two_programs"
    beside() { drive 1 "$1" "${quick[@]}" -m 64:64 : -n 1 "$OVL_BIN/$2" "${quick[@]}" "${@:3}"; code_is 3; }
    beside ovl_ialltoall ovl_ialltoall -m 64:64 --skew one-late:20
    says 'rank 1 has other options than rank 0: skew is "one-late:20" there, and "none" at rank 0; give all ranks the same'
    [ -z "$(rows)" ]
    beside ovl_ibcast ovl_ibcast -m 64:64 -k 1
    says 'root is 1 there, and 0 at rank 0'
    beside ovl_ialltoall ovl_ialltoall -m 64:128
    says 'rank 1 has other options than rank 0: '
    beside ovl_ibcast ovl_iscatter -m 64:64
    says 'program is "iscatter" there, and "ibcast" at rank 0'
    # The file is rank 0's alone, and so is what it prints meanwhile.
    drive 1 ovl_ibcast "${quick[@]}" -m 64:64 --json "$BATS_TEST_TMPDIR/a.jsonl" : -n 1 "$OVL_BIN/ovl_ibcast" "${quick[@]}" -m 64:64 \
        --quiet --json "$BATS_TEST_TMPDIR/b.jsonl"
    code_is 0 2
}
