#!/usr/bin/env bats
# Kinds of messages: types, operations, derived datatypes, in place, pairs of ranks, parts of the ranks.

load lib

record() { echo "$BATS_TEST_TMPDIR/r.jsonl"; }

# measures RANKS CELLS PROGRAM OPTION...: so many cells come out, each with its data checked and right.
measures() {
    local ranks=$1 cells=$2
    shift 2
    measure "$ranks" "$@" "${quick[@]}" "${work[@]}" -f --json "$(record)"
    [ "$(rows | grep -c ' ok ')" = "$cells" ] || { echo "not $cells cells with right data"; return 1; }
}

# bats test_tags=long
@test "reductions by every operation, on every type, by host and workers" {
    local ops=(sum min max prod) types=(int8 int16 int32 int64 float double) programs=(allreduce ireduce ireduce_scatter ireduce_scatter_block)
    for i in 0 1 2 3 4 5; do
        measures 3 4 ovl_${programs[i % 4]} -T "${types[i]}" --op "${ops[(i + 1) % 4]}" -m 24,3000 --mode host,dpu --workers 1
        measures 3 4 ovl_${programs[(i + 1) % 4]} -T "${types[i]}" --op "${ops[i % 4]}" --in-place -m 24,3000 --mode host,dpu --workers 1
    done
    "$OVL_BIN/ovl" validate "$(record)"
    grep -q '"datatype":"MPI_INT16_T"' "$(record)"
    grep -q '"op":"prod"' "$(record)"
}

@test "in place and in blocks: what collectives move" {
    for name in ialltoall iallgatherv igather iscatterv; do
        measures 3 4 ovl_$name --in-place -m 8,24K --mode host,dpu --workers 1
        measures 3 2 ovl_$name --in-place -D 3:5 -T int16 -m 60,6000
    done
    measures 2 2 ovl_ialltoallw -D 1:2 -T double -m 80,8000
    measures 4 2 ovl_ineighbor_alltoallv -D 1:2 -T double -m 80,8000
    measures 2 2 ovl_ibcast -D 4:4 -m 8:16
}

@test "pairs of ranks, by host and workers" {
    for kind in one-way two-way ring neighbours; do
        measures 3 4 ovl_p2p --pairs $kind -m 64,20K --mode host,dpu --workers 1
    done
    measures 3 1 ovl_p2p --pairs two-way -m 64:64 # the last one is idle
    grep -qFx '# operation MPI_CHAR; two-way' <<<"$out"
    measures 1 1 ovl_p2p --pairs neighbours -m 64:64
    measures 2 2 ovl_p2p --pairs neighbours --persistent -D 2:3 -m 64,20K
    # Different kinds are different points.
    "$OVL_BIN/ovl" show "$(record)" | grep -q 'two-way'
}

# bats test_tags=long
@test "neighbours on a grid of any dimensions, and in a graph" {
    for ranks in 1 2 3 4 6; do
        measures $ranks 1 ovl_ineighbor_alltoall --dims 3 -m 3K:3K
    done
    measures 4 4 ovl_ineighbor_allgatherv --dims 1 -m 64,20K --mode host,thread
    measures 4 1 ovl_ineighbor_alltoall --dims 2 -m 64:64
    grep -q '"dims":3' "$(record)"
    # A ring, one way; a rank that only receives, one that only sends, and one that sends to itself, with a rank alone.
    printf '%s\n' '# a ring' 0,1 '1 2' '2 , 3 # the last' '' 3,0 >"$BATS_TEST_TMPDIR/ring"
    printf '%s\n' 2,0 1,0 1,2 2,2 2,1 >"$BATS_TEST_TMPDIR/some"
    echo 0,0 >"$BATS_TEST_TMPDIR/self"
    for name in allgather allgatherv alltoall alltoallv alltoallw; do
        measures 4 2 ovl_ineighbor_$name --edges "$BATS_TEST_TMPDIR/ring" -m 64,20K
        measures 4 1 ovl_ineighbor_$name --edges "$BATS_TEST_TMPDIR/some" -D 3:5 -T int16 -m 60:60
    done
    measures 1 1 ovl_ineighbor_alltoall --edges "$BATS_TEST_TMPDIR/self" -m 1K:1K
    measures 5 1 ovl_ineighbor_alltoall --edges "$BATS_TEST_TMPDIR/some" --group 3 -m 1K:1K
    printf '%s\n' 0,0 0,1 >"$BATS_TEST_TMPDIR/two"
    measures 2 1 ovl_ineighbor_alltoallv --edges "$BATS_TEST_TMPDIR/two" --persistent -m 1K:1K
    "$OVL_BIN/ovl" validate "$(record)"
    grep -q "\"input_files\":{\"edges\":\"$(sha256sum <"$BATS_TEST_TMPDIR/ring" | cut -d' ' -f1)\"" "$(record)"
    # What is no graph of these ranks is one line.
    for bad in '0,1|0,2|:2: give FROM,TO, two ranks of 0 to 1, such as 0,1' '0,1|1;0|:2: give FROM,TO' '0,1,|:1: give FROM,TO' \
        '0,-1|:1: give FROM,TO' '1,0|0,1|1,0|:3: the edge 1,0 is there twice' '# none|: it has no edge' \
        '0,0|1,1|: no edge leads to another rank'; do
        tr '|' '\n' <<<"${bad%|*}" >"$BATS_TEST_TMPDIR/bad"
        drive 2 ovl_ineighbor_alltoall --edges "$BATS_TEST_TMPDIR/bad" "${quick[@]}"
        code_is 3
        says "/bad${bad##*|}"
    done
}

@test "work is taken from a record of the same operation only" {
    measure 2 ovl_p2p --pairs one-way -m 1K:1K "${quick[@]}" --json "$(record)"
    for kind in one-way two-way; do
        drive 2 ovl_p2p --pairs $kind --mode dpu --engine mpi -m 1K:1K "${quick[@]}" --work-from "$(record)"
        [ $kind = two-way ] || code_is "${measured[@]}"
    done
    code_is 3
    says "no host cell of p2p"
}

@test "communicators of some ranks, alone and all at once" {
    measures 3 1 ovl_ialltoall --group 2 -m 1K:1K
    measures 4 2 ovl_iallgather --group 2:cyclic --multi -m 1K:1K --mode host,dpu --workers 1
    measures 4 2 ovl_ibcast --group 3 --root 2 -m 1K:1K --mode host,dpu --workers 1
    grep -q '"group":"2:cyclic"' "$(record)"
    grep -q '"multi":true' "$(record)"
}

@test "damage is found in them, and between blocks, where no operation may write" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    damaged() { # BYTE PROGRAM OPTION...
        PRELOAD="$OVL_SHIM/corrupt.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=$1"
        shift
        drive 2 "$@" "${quick[@]}" "${work[@]}"
    }
    printf '%s\n' 0,1 1,0 >"$BATS_TEST_TMPDIR/both"
    for call in "allreduce -T int16 --op max" "ireduce_scatter -T double --op prod" "allreduce -T int64 --op min --in-place" \
        "ialltoall --in-place" "iallgather --in-place -T int32" "p2p --pairs neighbours" "ialltoall -D 4:6" \
        "ineighbor_alltoall --dims 3" "ineighbor_alltoall --edges $BATS_TEST_TMPDIR/both"; do
        # shellcheck disable=SC2086
        damaged 6 ovl_$call -m 64:64
        code_is 4
        says "wrong data: host, 64 bytes, rank 1, byte"
    done
    damaged 5 ovl_ialltoall -D 4:6 -m 64:64
    code_is 4
    says "byte 5 of the receive buffer, which is between blocks of the message"
}

@test "the last lines say what was found and what to try" {
    measures 2 2 ovl_ialltoall -m 1K,3K
    grep -qE '^# finding   host: ' <<<"$out"
    [ "$(tail -n 2 <<<"$out" | cut -c1-12 | xargs)" = "# finding # next" ]
    "$OVL_BIN/ovl" show -f "$(record)" | grep -E '^# (finding|next) ' >"$BATS_TEST_TMPDIR/again"
    grep -E '^# (finding|next) ' <<<"$out" | diff - "$BATS_TEST_TMPDIR/again"
}

@test "a library that took LD_PRELOAD away is told, and that hwloc is told of another machine" {
    echo '#include <stdlib.h>
    __attribute__((constructor)) static void hide(void) { unsetenv("LD_PRELOAD"); }' >"$BATS_TEST_TMPDIR/hide.c"
    cc -shared -fPIC -o "$BATS_TEST_TMPDIR/hide.so" "$BATS_TEST_TMPDIR/hide.c"
    PRELOAD="$BATS_TEST_TMPDIR/hide.so HWLOC_THISSYSTEM=1" HWLOC_SYNTHETIC="pack:1 core:1024 pu:1" measures 1 1 ovl_ialltoall -m 1K:1K
    grep -q "^# set .*LD_PRELOAD=[^ ]*hide.so" <<<"$out"
    grep -q "^# set .*HWLOC_SYNTHETIC=" <<<"$out"
    grep -q "^# warning .*HWLOC_SYNTHETIC is set: cores and bindings may be those of another machine" <<<"$out"
}
