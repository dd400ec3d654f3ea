#!/usr/bin/env bats
# ovl_noise as a user runs it: its table and verdict, the record, wrong calls, signals. What it finds is the machine's: a
# busy one is not quiet, and that is no fault.
# None of its tests looks at a time.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    record=$BATS_TEST_TMPDIR/r.jsonl
}

# The last line is a verdict, and goes with the exit code.
verdict() {
    local line
    line=$(grep '^# verdict   ' <<<"$out" | tail -n 1)
    echo "verdict: $line"
    [ "$(tail -n 1 <<<"$out")" = "$line" ]
    case $code in
    0) [ "$line" = "# verdict   quiet" ] ;;
    2) grep -qE '^# verdict   (oversubscribed|clocks|noisy|stolen|starts|uneven|network): .' <<<"$line" ;;
    *) return 1 ;;
    esac
}

@test "one line for each node, one verdict, and the same again from the record" {
    measure 2 ovl_noise --time 2 -f --json "$record"
    verdict
    [ "$(grep -c '^# node ' <<<"$out")" = 4 ]
    grep -qE '^# starts    [0-9]+: the latest rank is late by ' <<<"$out"
    grep -q '^# trips     1 pair of ranks, all on one node: ' <<<"$out"
    grep -qE '^# clock     [a-z-]+, read by (vDSO|a system call)$' <<<"$out"
    "$OVL_BIN/ovl" show -f "$record" | diff out -
    ends 0 "$OVL_BIN/ovl" validate "$record"
    [ "$out" = "$record: 1 run, 0 cells, 1 node, ok" ]
    [ "$(grep -c '"record":"node"' "$record")" = 1 ]
    grep -qF "$(awk -F '"' '/define OVL_RECORD_SCHEMA/ { print "\"schema\":\"" $2 "\"" }' "$OVL_TOP/src/record/record.h")" "$record"
}

@test "one rank has no round trips and wants none" {
    measure 1 ovl_noise --time 1
    verdict
    absent '^# trips' "$out"
    absent 'unfinished' "$out"
}

@test "more ranks than cores are said to be" {
    ranks=$(($(nproc) + 1))
    [ "$ranks" -le 5 ] || skip "too many cores to crowd"
    exits 2 "$ranks" ovl_noise --time 1
    grep -qE "^# verdict   oversubscribed: $ranks ranks on [0-9]+ cores;" <<<"$out"
}

@test "quiet prints nothing, and the record is whole" {
    measure 2 ovl_noise --time 1 -q --json "$record"
    [ -z "$out" ]
    "$OVL_BIN/ovl" validate "$record"
}

@test "the verdict follows from the numbers, not from a stored word" {
    measure 1 ovl_noise --time 1 -q --json "$record"
    absent 'verdict|noisy' "$(grep -v '"record":"run"' "$record")"
    sed -i 's/"ranks_on_machine":1,"cores":[0-9]*/"ranks_on_machine":1,"cores":64/
        s/"lost_fraction":[0-9.e-]*/"lost_fraction":0.25/; s/"system_call":true/"system_call":false/' "$record"
    ends 0 "$OVL_BIN/ovl" show "$record"
    grep -q '^# verdict   noisy: node .* loses 25.0 % to detours' out
}

@test "commands that need cells say so in one line, and pass over it beside cells" {
    measure 1 ovl_noise --time 1 -q --json "$record"
    cp "$OVL_TOP/tests/cli/data/ibarrier.jsonl" cells.jsonl
    for call in "export --to junit" "report -o r.html" "compare cells.jsonl"; do
        # shellcheck disable=SC2086
        ends 3 "$OVL_BIN/ovl" $call "$record"
        [ "$(grep -c 'a record of ovl_noise, which has no cells: `ovl show` prints it' err)" = 1 ]
    done
    ends 4 "$OVL_BIN/ovl" plot -o charts "$record"
    says 'no cell in these files'
    ends 3 "$OVL_BIN/ovl" show --format omb "$record"
    says 'OMB has no noise'
    "$OVL_BIN/ovl" export --to csv cells.jsonl >alone
    "$OVL_BIN/ovl" export --to csv cells.jsonl "$record" >beside
    cmp alone beside
}

# bats test_tags=long
@test "a signal ends it, and what was measured is kept" {
    # shellcheck disable=SC2086
    timeout -k 5 60 $OVL_MPIEXEC -n 1 "$OVL_BIN/ovl_noise" --time 50 --json "$record" \
        >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null 3>&- &
    job=$!
    for _ in $(seq 100); do
        pid=$(ps -eo pid,args | awk -v file="$record" '$2 ~ /ovl_noise$|valgrind/ && index($0, file) {print $1; exit}')
        [ -n "$pid" ] && [ -s "$record" ] && break
        sleep 0.1
    done
    [ -n "$pid" ]
    sleep 2
    kill -TERM "$pid"
    code=0
    wait "$job" || code=$?
    cat "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
    code_is 2
    grep -q '^ovl_noise: interrupted by SIGTERM; what was measured is kept$' "$BATS_TEST_TMPDIR/err"
    grep -q '"status":"interrupted"' "$record"
    grep -q 'unfinished: not measured: starts$' "$BATS_TEST_TMPDIR/out"
    "$OVL_BIN/ovl" validate "$record"
    ends 0 "$OVL_BIN/ovl" show "$record"
    grep -q '^# interrupted: the run ended early; what is above was measured$' out
}

@test "a record that was cut short is shown as far as it goes" {
    measure 1 ovl_noise --time 1 -q --json "$record"
    sed -i '/"record":"end"/d' "$record"
    ends 0 "$OVL_BIN/ovl" show "$record"
    grep -q 'unfinished: not measured: starts$' out
    grep -q '^# truncated: ' out
}

@test "between nodes there is a row for each, and pairs of nodes" {
    out=$("$OVL_TOP/scripts/cluster" run --nodes 3 -- ovl_noise --time 2 -f --json "$record" 2>"$BATS_TEST_TMPDIR/err") && code=0 || code=$?
    echo "$out"
    cat "$BATS_TEST_TMPDIR/err"
    [ "$code" != 5 ] || skip "no emulated cluster here"
    code_is "${measured[@]}"
    verdict
    [ "$(grep -c '^  node[1-3] ' <<<"$out")" = 12 ]
    grep -q '^# trips     3 pairs of nodes: ' <<<"$out"
    for pair in node1-node2 node2-node3 node1-node3; do grep -qE "^  $pair, (ring|across): " <<<"$out"; done
    [ "$(grep -c '"record":"node"' "$record")" = 3 ]
    "$OVL_BIN/ovl" validate "$record"
}

@test "a worker has no work here, and would be noise itself" {
    two_programs || skip "$no_two_programs"
    drive 2 ovl_noise --time 1 : -n 1 "$OVL_BIN/ovl_worker"
    [ $code = 3 ]
    grep -qx 'ovl_noise: there is no work for ovl_worker here: leave it out' "$BATS_TEST_TMPDIR/err"
}
