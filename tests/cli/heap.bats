#!/usr/bin/env bats
# `ovl offload --heap`: allocations of an unmodified program that workers map, byte by byte, and where there are none.
# None of its tests looks at a time.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    [ -e "$OVL_BUILD/lib/libovl_heap.so" ] || skip "this build is not on MPICH, which alone is served"
    program=$OVL_BUILD/tests/heap
}

# offload CODE RANKS OPTION... -- ARGUMENT...: the program under ovl offload, its report in r.jsonl.
offload() {
    local code=$1 ranks=$2 options=()
    shift 2
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    rm -f r.jsonl
    # shellcheck disable=SC2086
    ends "$code" "$OVL_BIN/ovl" offload --min 0 --report r.jsonl "${options[@]}" -- $OVL_MPIEXEC -n "$ranks" "$program" "${@:2}"
}

# reports NAME VALUE...: so the record has it.
reports() {
    local name value
    while [ $# -gt 0 ]; do
        name=$1 value=$(grep -o "\"$1\":[0-9]*" r.jsonl | cut -d: -f2)
        [ "$value" = "$2" ] || { echo "$name: $value, not $2"; return 1; }
        shift 2
    done
}

# The program has 54 buffers of 96 KiB for each rank, six of which malloc's relatives align so that the heap has them not.
@test "buffers of all of malloc's relatives are mapped, beside threads and forks, and no byte is wrong" {
    for ranks in 2 3; do
        all=$((54 * ranks * ranks * 96 * 1024)) aligned=$((6 * ranks * ranks * 96 * 1024))
        offload 0 $ranks --path cma --
        grep -qx fine out
        reports mapped_bytes 0 staged_bytes $all heap_ranks 0 packed 0
        for words in '' fork; do
            # shellcheck disable=SC2086
            offload 0 $ranks --path cma --heap 64K -- $words
            grep -qx fine out
            reports mapped_bytes $((all - aligned)) staged_bytes $aligned heap_ranks $ranks packed 0
            # shellcheck disable=SC2086
            offload 0 $ranks --path bounce --heap 64K -- $words
            grep -qx fine out
            reports mapped_bytes $all staged_bytes 0 heap_ranks $ranks packed $((6 * ranks))
        done
    done
    "$OVL_BIN/ovl" validate r.jsonl
    "$OVL_BIN/ovl" show r.jsonl | tee shown
    grep -qx '  memory: workers addressed 45.6 M of buffers, and copied 0 B; heap at 3 ranks' shown
    # The buffers are larger than SIZE, or they are not.
    offload 0 2 --path cma --heap 1M --
    reports mapped_bytes 0 staged_bytes $((54 * 4 * 96 * 1024)) heap_ranks 2
    # Two nodes, each with workers of its own.
    OVL_OFFLOAD_NODE_RANKS=1 offload 0 2 --path cma --heap 64K -- fork
    grep -qx fine out
    reports mapped_bytes $((48 * 4 * 96 * 1024)) heap_ranks 2
}

# bats test_tags=long
@test "random programs do the same on the heap" {
    program=$OVL_BUILD/tests/random
    for seed in 1 2 3; do
        offload 0 2 --heap 4K -- $seed 100
        "$OVL_BIN/ovl" validate r.jsonl
    done
}

@test "where there is no heap it is said, and the program runs as it would without" {
    # shellcheck disable=SC2086
    ends 0 env OVL_OFFLOAD_HEAP=64K OVL_OFFLOAD_MIN=0 LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so:$LD_PRELOAD" $OVL_MPIEXEC -n 2 "$program"
    grep -qx fine out
    [ "$(grep -c '^ovl offload: OVL_OFFLOAD_HEAP is set, and LD_PRELOAD does not name libovl_heap.so' err)" = 1 ]
    absent 'heap at' "$err"
    # Other programs that the libraries are loaded into notice nothing.
    ends 0 "$OVL_BIN/ovl" offload --heap 4K -- sh -c 'echo "$(seq 100000 | sort -n | tail -n 1)"'
    grep -qx 100000 out
    for words in '--heap 0' '--heap some' '--heap -1' --heap; do
        # shellcheck disable=SC2086
        ends 3 "$OVL_BIN/ovl" offload $words -- true
        says --heap
        one_line
    done
}
