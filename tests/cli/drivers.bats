#!/usr/bin/env bats
# The drivers as a user runs them: every row of the table, every format, good and bad calls.

load lib

sizeless="ibarrier null"

# all_rows: every driver, without the ovl_ before its name; sized_rows: those with a message.
all_rows() { "$OVL_BIN/ovl" list | sed -nE 's/^  ovl_([a-z_]+) +(MPI_|nothing).*/\1/p'; }
sized_rows() { all_rows | grep -vxE "${sizeless// /|}"; }

@test "every driver measures and validates alone and at 3 ranks; dropped.bats has two" {
    [ "$(sized_rows | wc -l)" -ge 19 ]
    for name in $(sized_rows); do
        many=3 # which take their time on two cores: of two forms of one call the one with counts
        ! sized_rows | grep -qx "${name}v" || many=2
        for ranks in - $many; do
            alone=()
            [ $name$ranks != p2p- ] || alone=(--pairs ring) # a pair is two ranks
            measure $ranks ovl_$name "${alone[@]}" -m 4,16 "${quick[@]}" "${work[@]}" -f
            [ "$(rows | awk '{print $1}' | xargs)" = "4 16" ]
            [ "$(rows | grep -c ' ok ')" = 2 ] # the data column
        done
    done
}

# Other tests let a busy machine make cells invalid; a driver that made all of them invalid would pass those.
@test "a measurement comes out ok on one of eight tries" {
    [ -z "${OVL_VALGRIND:-}" ] || skip "valgrind takes the time that is measured"
    for _ in 1 2 3 4 5 6 7 8; do
        rm -f "$BATS_TEST_TMPDIR/r.jsonl"
        measure 2 ovl_ialltoall -m 64K:64K -i 15:120 --max-time 4 --ci 20 --json "$BATS_TEST_TMPDIR/r.jsonl"
        grep -q '"status":"ok","marks":\[[^]]*\],"reason":null,"validated":true' "$BATS_TEST_TMPDIR/r.jsonl" || continue
        [ "$code" = 0 ]
        [ -z "$err" ]
        rows | grep -qE ' ok(, uneven)?(, noisy)?(, W/C)?$'
        grep -qE '"steal_fraction":(null|0|[01]\.[0-9e-]+)' "$BATS_TEST_TMPDIR/r.jsonl"
        grep -qE '"autocorrelation":-?[0-9]' "$BATS_TEST_TMPDIR/r.jsonl"
        "$OVL_BIN/ovl" validate "$BATS_TEST_TMPDIR/r.jsonl"
        return 0
    done
    drive 2 ovl_noise --time 4
    [ "$code" = 0 ] || skip "this machine is not quiet: $(tail -n 1 <<<"$out")"
    return 1
}

# bats test_tags=long
@test "uneven parts, many ranks, large messages" {
    measure 5 ovl_ireduce_scatter -m 16:16 "${quick[@]}" "${work[@]}" -f
    measure 6 ovl_ialltoall -m 8:8 "${quick[@]}" "${work[@]}"
    grep -q '# warning   oversubscribed\|# machine.* [6-9] cores\|# machine.* [0-9][0-9]* cores' <<<"$out"
    measure 2 ovl_allreduce -m 4M:4M "${quick[@]}" -f
    rows | grep -q ' ok '
}

# hwloc makes the machine up; the processors that ranks may run on are real.
on_machine() { # DESCRIPTION
    # shellcheck disable=SC2086
    HWLOC_SYNTHETIC=$1 timeout -k 5 60 taskset -c 0,1 $OVL_MPIEXEC -n 2 "$OVL_BIN/ovl_null" -i 6:6 "${work[@]}" \
        --json "$BATS_TEST_TMPDIR/r.jsonl" >"$BATS_TEST_TMPDIR/table" 2>&1 || true
    grep '^# machine' "$BATS_TEST_TMPDIR/table"
    grep -o '"warnings":\[[^]]*\]' "$BATS_TEST_TMPDIR/r.jsonl" | head -1
    rm "$BATS_TEST_TMPDIR/r.jsonl"
}

@test "ranks on hardware threads of one core, and ranks that are not bound, are told" {
    [[ $OVL_MPI == MPICH* ]] || skip "the launcher binds ranks by itself"
    grep -qx "WITH_HWLOC := hwloc" "$OVL_BUILD/config.mk" || skip "this build has no hwloc"
    taskset -c 0,1 true || skip "processors 0 and 1 are not ours"
    [[ $(on_machine "core:1 pu:2") == *"2 ranks on 1 cores: the hardware threads of a core slow each other down"* ]]
    [[ $(on_machine "core:1 pu:2") != *"not bound"* ]]
    [[ $(on_machine "core:2 pu:1") == *'"ranks are not bound to cores (mpiexec -bind-to core)"'* ]]
    [[ $(on_machine "core:2 pu:1") != *"hardware threads"* ]]
    [[ $(on_machine "core:4 pu:1") != *"not bound"* ]] # two of four
    [[ $(on_machine "core:2 pu:2") == *", 2 cores with 4 hardware threads, "* ]]
    [[ $(on_machine "core:4 pu:1") == *", 4 cores, "* ]]
}

@test "the record says on which node each rank was" {
    measure 3 ovl_null "${quick[@]}" "${work[@]}" --json "$BATS_TEST_TMPDIR/r.jsonl"
    grep -q '"rank_hosts":\[0,0,0\]' "$BATS_TEST_TMPDIR/r.jsonl"
}

@test "variables that ranks have otherwise, and nodes that are one machine, are told" {
    local ovl="$OVL_BIN/ovl_null"
    drive 2 ovl_null "${quick[@]}" --json r.jsonl
    grep -q '"environment_differs":\[\],' r.jsonl
    two_programs || skip "$no_two_programs"
    OMP_NUM_THREADS=1 timeout 60 $OVL_MPIEXEC -n 1 "$ovl" "${quick[@]}" --json d.jsonl : \
        -n 2 env OMP_NUM_THREADS=2 OMP_PLACES=cores "$ovl" "${quick[@]}" --json d.jsonl >out </dev/null || [ $? = 2 ]
    grep -q '"environment_differs":\["OMP_NUM_THREADS","OMP_PLACES"\],' d.jsonl
    grep -q '"OMP_NUM_THREADS":"1"' d.jsonl
    grep -q '2 of 3 ranks have other variables than rank 0: OMP_NUM_THREADS and more' out
    case $OVL_MPI in MPICH*) ;; *) skip "no variable makes two nodes of this machine" ;; esac
    MPIR_CVAR_NUM_CLIQUES=2 MPIR_CVAR_ODD_EVEN_CLIQUES=1 timeout 60 $OVL_MPIEXEC -n 2 "$ovl" "${quick[@]}" >out </dev/null || [ $? = 2 ]
    grep -q '2 nodes on 1 machine: what goes between nodes of one machine crosses no network' out
}

@test "sizes by default for which there is no memory are left out, and told; what was asked for is refused" {
    drive 2 ovl_ialltoall -M 15 -i 6:6 --json few.jsonl
    grep -q '^# warning   from 4 on, 2 ranks need more than --mem-limit 15: those sizes are left out$' out
    grep -q '"sizes_bytes":\[1,2\]' few.jsonl
    [ "$(grep -c '"record":"cell"' few.jsonl)" = 2 ]
    [ "$("$OVL_BIN/ovl" validate few.jsonl)" = "few.jsonl: 1 run, 2 cells, ok" ]
    sed 's/"sizes_bytes":\[1,2\]/"sizes_bytes":[1,4]/' few.jsonl >other.jsonl
    ends 4 "$OVL_BIN/ovl" validate other.jsonl
    [[ "$out" == *"/size_bytes: 2, which is none of the run's /sizes_bytes"* ]]
    # What has room may not be missing.
    sed 's/"15"/"16"/; s/"mem_limit":15/"mem_limit":16/' few.jsonl >lacks.jsonl
    ends 4 "$OVL_BIN/ovl" validate lacks.jsonl
    [[ "$out" == *"the run lacks the cell of 4 bytes"* ]]
}

@test "drivers without a message have one cell" {
    for name in $sizeless; do
        measure 2 ovl_$name "${quick[@]}" "${work[@]}" --json "$BATS_TEST_TMPDIR/r.jsonl"
        [ "$(rows | wc -l)" = 1 ]
        grep -q '"size_bytes":null' "$BATS_TEST_TMPDIR/r.jsonl"
    done
}

# bats test_tags=long
@test "every kernel runs" {
    for kernel in fma triad dgemm sleep; do
        drive 1 ovl_ialltoall -m 8:8 "${quick[@]}" --compute $kernel --compute-us 2000
        if "$OVL_BIN/ovl" list | grep -q "$kernel.*built without"; then code_is 5; else code_is "${measured[@]}"; fi
    done
}

@test "work too short for a kernel's units is refused by cell" {
    exits 2 1 ovl_ialltoall -m 8:8 "${quick[@]}" --compute sleep --compute-us 10
    says "too short"
    says "--compute-us"
    [ "$(rows | grep -c invalid)" = 1 ]
}

@test "ratios are cells of their own" {
    measure 1 ovl_ialltoall -m 64K:64K "${quick[@]}" --compute-ratio 0.5,1,2 -f
    grep -q '^# warning   one rank: nothing is communicated' <<<"$out"
    [ "$(rows | awk '{print $3}' | xargs)" = "0.5 1 2" ]
}

@test "of one rank nothing is claimed" {
    exits 2 1 ovl_ialltoall -m 64K:64K "${quick[@]}" --json r.jsonl
    grep -q '^# warning   one rank: nothing is communicated' <<<"$out"
    [ "$(rows | awk '{ print $7 $8 }' | sort -u)" = -- ]
    "$OVL_BIN/ovl" export --to csv r.jsonl 2>left >csv || true
    grep -qE ',no: (one rank|invalid)$' csv
    exits 2 1 ovl_ialltoall -m 64K:64K "${quick[@]}" --format omb
    [ -z "$(rows)" ]
    grep -qE '^# 65536 *(one rank: nothing is communicated|invalid)' <<<"$out"
    exits 2 1 ovl_ibcast -m 64K:64K "${quick[@]}"
    exits 3 2 ovl_ialltoall -m 16:16 --group 1
    says "--group 1: one rank alone communicates with nobody; give 2 or more"
    measure 1 ovl_null "${quick[@]}" --compute-us 100
}

@test "test calls are timed" {
    measure 2 ovl_ialltoall -m 64K:64K "${quick[@]}" -t 4 --json "$BATS_TEST_TMPDIR/r.jsonl"
    grep -q '"test_calls":4' "$BATS_TEST_TMPDIR/r.jsonl"
}

@test "help and version of every program, and each of its options in its page" {
    cd "$BATS_TEST_TMPDIR"
    for program in "$OVL_BIN"/ovl_*; do
        name=${program##*/} page=$OVL_TOP/man/${program##*/}.1
        case $name in ovl_carrier | ovl_worker) continue ;; esac
        out=$("$program" --help 2>err)
        [ ! -s err ]
        grep -q "mpiexec -n RANKS $name" <<<"$out"
        grep -qE "^$name [0-9]+\.[0-9]+\.[0-9]+ \(" <("$program" --version)
        if [ $name = ovl_null ]; then page=$OVL_BUILD/share/man/man1/ovl_bench.1; fi # the page of all drivers
        [ -e "$page" ] || continue
        options=$(sed -n 's/^ \{1,6\}\(-., \)\?--\([a-z-]*\).*/\2/p' <<<"$out")
        [ "$(wc -w <<<"$options")" -ge 6 ]
        for option in $options; do
            grep -Eq "^\.It (.* )?Fl -$option( |\$)" "$page" || { echo "$page has no --$option"; return 1; }
        done
    done
    exits 0 2 ovl_null --version
    [ "$(grep -c '^ovl_null ' <<<"$out")" = 1 ]
    [ "$(grep -vc '^ovl_null \|^BLAS: ' <<<"$out")" = 0 ]
}

@test "a damaged byte is found and its place named" {
    shim=$OVL_SHIM/corrupt.so
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    # One of each shape; dropped.bats has all drivers.
    for name in ialltoall ialltoallw ibcast igather iscatterv iallgatherv allreduce ireduce ireduce_scatter ineighbor_alltoall p2p; do
        case $name in igather* | iscatter* | ireduce) root=(--root 1) ;; *) root=() ;; esac
        PRELOAD="$shim:$OVL_SHIM/yield.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=5"
        exits 4 2 ovl_$name "${root[@]}" -m 64:64 "${quick[@]}" "${work[@]}" --json "$BATS_TEST_TMPDIR/$name.jsonl"
        says "ovl_$name: wrong data: host, 64 bytes, rank 1, byte"
        grep -q '"validated":false' "$BATS_TEST_TMPDIR/$name.jsonl"
        grep -q '"status":"invalid"' "$BATS_TEST_TMPDIR/$name.jsonl"
        grep -q '"record":"end"' "$BATS_TEST_TMPDIR/$name.jsonl"
    done
    PRELOAD="$shim OVL_CORRUPT_RANK=0 OVL_CORRUPT_BYTE=100 OVL_CORRUPT_CALL=blocking"
    exits 4 2 ovl_ialltoall -m 64:64 "${quick[@]}" "${work[@]}"
    says "wrong data: blocking twin, 64 bytes, rank 0, byte 100 of the receive buffer (byte 36 of rank 1)"
    PRELOAD="$shim OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=5"
    exits 4 2 ovl_ialltoall -m 64:64 "${quick[@]}" "${work[@]}" -c --format omb
    grep -qE '^# 64 +Fail: wrong data$' <<<"$out"
    [ -z "$(rows)" ]
}

# bats test_tags=long
@test "a byte that is damaged after the first check, or only where a test call completes, is found after the samples" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    file="$BATS_TEST_TMPDIR/r.jsonl"
    for how in wait blocking test; do
        PRELOAD="$OVL_SHIM/corrupt.so:$OVL_SHIM/yield.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=5 OVL_CORRUPT_CALL=$how"
        [ $how = test ] || PRELOAD+=" OVL_CORRUPT_AFTER=5"
        exits 4 2 ovl_ialltoall -m 64:64 --compute sleep --compute-us 1000 -t 8 -i 6:6 -x 0 --json "$file"
        says "ovl_ialltoall: wrong data: "
        says "rank 1, byte 5 of the receive buffer"
        says "(after the last sample)"
        grep -q '"validated":false' "$file"
        grep -q '"status":"invalid"' "$file"
        rm "$file"
    done
}

@test "a byte that is damaged where the rank's thread completes the operation is found" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    file="$BATS_TEST_TMPDIR/r.jsonl"
    PRELOAD="$OVL_SHIM/corrupt.so:$OVL_SHIM/yield.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=5 OVL_CORRUPT_CALL=test"
    exits 4 2 ovl_ialltoall --mode thread --thread-idle yield -m 64:64 --compute sleep --compute-us 20000 -i 6:6 -x 0 --json "$file"
    says "ovl_ialltoall: wrong data: "
    grep -q '"validated":false' "$file"
}

# hidden_of FILE: what its last cell hid of what could be hidden, as a busy machine may leave the work too short.
hidden_of() { cells "$1" overlap_ratio | tail -n 1; }

@test "the known truth is told (f = 1 and f = 0)" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    # Far apart on any machine: how close each is to its truth is for make truth, on a quiet one. Another program can
    # still take the core for a whole cell, so there are three tries.
    for _ in 1 2 3; do
        for f in 0 1; do
            PRELOAD="$OVL_SHIM/synthetic.so OVL_SYNTHETIC_FRACTION=$f OVL_SYNTHETIC_NS_PER_BYTE=100"
            measure 1 ovl_ialltoall -m 64K:64K -i 10:10 --no-validation --compute-ratio 1 --json "$BATS_TEST_TMPDIR/$f.jsonl"
        done
        low=$(hidden_of "$BATS_TEST_TMPDIR/0.jsonl")
        high=$(hidden_of "$BATS_TEST_TMPDIR/1.jsonl")
        awk -v l="$low" -v h="$high" 'BEGIN { exit !(l < 0.4 && h > 0.6) }' && return 0
    done
    return 1
}

@test "records: appended, on disk after each cell, with an end" {
    file=$BATS_TEST_TMPDIR/r.jsonl
    measure 2 ovl_ibcast -m 1:4 "${quick[@]}" "${work[@]}" --json "$file" --quiet
    [ -z "$out" ]
    drive 1 ovl_ibcast -m 1:2 "${quick[@]}" "${work[@]}" --json "$file" --quiet
    [ "$(grep -c '"record":"run"' "$file")" = 2 ]
    [ "$(grep -c '"record":"cell"' "$file")" = 5 ]
    [ "$(grep -c '"record":"end"' "$file")" = 2 ]
    "$OVL_BIN/ovl" validate "$file"
    "$OVL_BIN/ovl" show --separate "$file" >"$BATS_TEST_TMPDIR/shown"
    [ "$(grep -vcE '^#|^$' "$BATS_TEST_TMPDIR/shown")" = 5 ]
}

@test "what ovl show prints is what the driver printed" {
    file=$BATS_TEST_TMPDIR/r.jsonl
    measure 2 ovl_iallgather -m 1:4 "${quick[@]}" "${work[@]}" --json "$file" -f
    "$OVL_BIN/ovl" show -f "$file" >"$BATS_TEST_TMPDIR/shown"
    diff "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/shown"
}

@test "progress only when asked for or on a terminal" {
    drive 1 ovl_ialltoall -m 1:2 "${quick[@]}" "${work[@]}"
    absent '^cell ' "$err"
    drive 1 ovl_ialltoall -m 1:2 "${quick[@]}" "${work[@]}" --progress
    says "cell 1 of 2, 1 bytes"
    says "cell 2 of 2, 2 bytes, at least"
}

@test "words and variables that are no UTF-8 are in the record, as far as JSON can hold them" {
    cd "$BATS_TEST_TMPDIR"
    odd=$'caf\xe9'
    timeout 60 "$OVL_BIN/ovl_null" -i 6:6 --max-time 0.2 --quiet --json $odd || [ $? = 2 ]
    SLURM_JOB_NAME=$odd timeout 60 "$OVL_BIN/ovl_null" -i 6:6 --max-time 0.2 --quiet --work-from $odd --json a.jsonl || [ $? = 2 ]
    grep -q '"--work-from","caf?","--json","a.jsonl"' a.jsonl
    grep -q '"work_from":"caf?"' a.jsonl
    grep -q '"SLURM_JOB_NAME":"caf?"' a.jsonl
    "$OVL_BIN/ovl" validate a.jsonl
}

@test "same seed, same work and order; the record says all options" {
    file=$BATS_TEST_TMPDIR/r.jsonl
    drive 1 ovl_ialltoall -m 8:8 "${quick[@]}" "${work[@]}" --seed 9 --json "$file"
    grep -q '"seed":9' "$file"
    for key in message_size iterations warmup num_test_calls check_data mode compute_ratio compute_us ci max_time; do
        grep -q "\"$key\":" "$file"
    done
}

@test "a cell without a block, and a run without the sizes that have no room, are as validate wants them" {
    cd "$BATS_TEST_TMPDIR"
    exits 2 2 ovl_ialltoall -m 1K:1K --compute sleep --compute-us 100 --max-time 0.3 --json none.jsonl
    grep -q '"blocks":0,' none.jsonl
    # Of a broadcast the largest size that fits is that of the limit itself, and none below one that is there may be lacking.
    measure 2 ovl_ibcast -M 1K --mode host -i 6:6 --max-time 0.05 --json bcast.jsonl
    "$OVL_BIN/ovl" validate bcast.jsonl
    for size in 1024 512; do
        sed '/"record":"cell"/{/"size_bytes":'$size'[,.]/d}' bcast.jsonl >less.jsonl
        sed -i "s/\"cells\":[0-9]*/\"cells\":$(grep -c '"record":"cell"' less.jsonl)/" less.jsonl
        ends 4 "$OVL_BIN/ovl" validate less.jsonl
        [[ $out$err == *"the run lacks the cell of $size bytes in mode host"* ]]
    done
    measure 2 ovl_ineighbor_alltoall -M 1K -i 6:6 --max-time 0.1 --json few.jsonl
    "$OVL_BIN/ovl" validate none.jsonl few.jsonl
}
