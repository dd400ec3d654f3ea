#!/usr/bin/env bats
# dpu mode as a user runs it: workers by --workers and as programs of their own, what the record proves, and what is
# said when a worker is missing, stopped, killed, or not allowed to reach a rank's memory.

load lib

offloaded="ialltoall ialltoallv ibcast allreduce ireduce iallgather iallgatherv ireduce_scatter ireduce_scatter_block igather igatherv
    iscatter iscatterv p2p"

# beside RANKS WORKERS PROGRAM OPTION...: with ovl_worker started beside it, by $WORKER when that is set.
beside() { drive "$1" "$3" "${@:4}" : -n "$2" ${WORKER:-} "$OVL_BIN/ovl_worker"; }

record() { echo "$BATS_TEST_TMPDIR/r.jsonl"; }

# Of a cell line in mode dpu: the workers did one operation for each rank and post, and said so.
proven() {
    local lines
    lines=$(grep '"record":"cell"' "$(record)" | grep '"mode":"dpu"')
    [ -n "$lines" ]
    absent '"worker_ops":(0|null)' "$lines"
    absent '"validated":false' "$lines"
    [ "$(grep -c '"engine":{"name":"worker"' <<<"$lines")" = "$(grep -c . <<<"$lines")" ]
}

# By the second path one of each kind: the engine's unit tests play every operation by either.
@test "every offloaded operation measures beside host mode and validates; lists, sums, roots and pairs by both paths" {
    for path in shm cma; do
        [ $path = shm ] || offloaded="ialltoallv allreduce iscatter p2p"
        for name in $offloaded; do
            measure 3 ovl_$name --mode host,dpu --workers 1 --path $path -m 4K,32K -i 6:6 -x 0 --max-time 2 \
                "${work[@]}" -f --json "$(record)"
            [ "$(rows | awk '{print $2}' | sort | uniq -c | xargs)" = "2 dpu 2 host" ]
            [ "$(rows | grep -c ' ok ')" = 4 ]
        done
        proven
        grep -q "\"path\":\"$path\"" "$(record)"
    done
    "$OVL_BIN/ovl" validate "$(record)"
}

# bats test_tags=long
@test "--algorithm chooses how workers do it, and the record says so" {
    for name in bruck hierarchical ring; do
        measure 4 ovl_iallgather --mode dpu --algorithm $name -m 1K:1K "${quick[@]}" "${work[@]}" --json "$(record)"
        grep '"mode":"dpu"' "$(record)" | grep -q "\"algorithm\":\"$name\""
    done
    for size in 4 64K; do
        measure 4 ovl_iallgather --mode dpu -m $size:$size "${quick[@]}" "${work[@]}" --json "$(record)2"
    done
    grep '"size_bytes":4,' "$(record)2" | grep -q '"algorithm":"bruck"'
    grep '"size_bytes":65536,' "$(record)2" | grep -q '"algorithm":"ring"'
    proven
    "$OVL_BIN/ovl" validate "$(record)" "$(record)2"
    [ "$("$OVL_BIN/ovl" show "$(record)" | grep -c ' dpu ')" = 3 ]
}

@test "ovl list --algorithms names each with the sizes at which it is chosen" {
    ends 0 "$OVL_BIN/ovl" list --algorithms
    grep -Eq '^ialltoall +bruck +up to 256 bytes to each rank, from 8 ranks on' out
    grep -Eq '^ialltoall +pairwise +otherwise' out
    grep -q 'J. Bruck' out
}

@test "no offload_efficiency where host data were wrong" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    PRELOAD="$OVL_SHIM/corrupt.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=5"
    exits 4 3 ovl_ialltoall --mode host,dpu --workers 1 -m 4K:4K "${quick[@]}" "${work[@]}" --json "$(record)"
    [ "$(grep -c '"status":"invalid"' "$(record)")" = 2 ]
    [ "$(grep -c '"offload_efficiency":null' "$(record)")" = 2 ]
    "$OVL_BIN/ovl" validate "$(record)"
}

@test "barrier and null, which have no message" {
    for name in ibarrier null; do
        measure 3 ovl_$name --mode host,dpu "${quick[@]}" "${work[@]}" --json "$(record)"
        [ "$(rows | wc -l)" = 2 ]
    done
    proven
}

@test "the head says who works, where, and that it is emulated" {
    drive 3 ovl_ialltoall --mode host,dpu -m 8:8 "${quick[@]}" "${work[@]}"
    grep -q '^# dpu  *engine worker, path shm, on host-core: emulated, no BlueField' <<<"$out"
    grep -q 'UCX_RNDV_THRESH=inf, set by ovl' <<<"$out"
    grep -q '2 ranks on 1 node, 1 worker' <<<"$out"
}

@test "a setting of the user's stands" {
    UCX_RNDV_THRESH=64K measure 2 ovl_ialltoall --mode dpu -m 8:8 "${quick[@]}" "${work[@]}"
    grep -q 'UCX_RNDV_THRESH=64K, set by user' <<<"$out"
}

@test "workers as programs of their own" {
    two_programs || skip "$no_two_programs"
    beside 2 1 ovl_ialltoall --mode host,dpu -m 8,64K -i 6:6 -x 0 "${work[@]}" --json "$(record)"
    code_is "${measured[@]}"
    grep -q '2 ranks on 1 node, 1 worker' <<<"$out"
    proven
    beside 2 2 ovl_ibcast --mode host,dpu -m 8:8 "${quick[@]}" "${work[@]}" --worker-map block
    code_is "${measured[@]}"
    grep -q '2 ranks on 1 node, 2 workers' <<<"$out"
    beside 2 1 ovl_ialltoall -m 8:8 "${quick[@]}" "${work[@]}" # host mode: they sleep
    code_is "${measured[@]}"
}

@test "dpu mode alone takes its work from the host's time" {
    measure 3 ovl_ialltoall --mode dpu -m 64K:64K "${quick[@]}" --json "$(record)"
    [ "$(rows | awk '{print $2}' | xargs)" = dpu ]
    grep -q '"ratio":1.0' "$(record)"
}

@test "small messages go by the host where --dpu-min says so" {
    measure 3 ovl_ialltoall --mode host,dpu -m 1K:4K --dpu-min 2K "${quick[@]}" "${work[@]}" --json "$(record)"
    "$OVL_BIN/ovl" validate "$(record)"
    grep '"mode":"dpu"' "$(record)" | grep '"size_bytes":1024' | grep -q '"engine":{"name":"mpi","path":null,"placement":"host"'
    grep '"mode":"dpu"' "$(record)" | grep '"size_bytes":2048' | grep -q '"engine":{"name":"worker","path":"shm"'
}

# bats test_tags=long
@test "slow workers, and each way of being idle" {
    for idle in spin yield sleep; do
        measure 3 ovl_allreduce --mode dpu -m 8:8 "${quick[@]}" "${work[@]}" --worker-idle $idle --worker-slowdown 3
        grep -q "idle $idle; each step slowed down 3 times" <<<"$out"
    done
}

@test "a high priority is said where it was had, and only there" {
    priority=usual
    ! setsid sh -c 'echo -20 >/proc/self/autogroup' 2>"$BATS_TEST_TMPDIR/why" || priority=high
    measure 3 ovl_allreduce --mode dpu -m 8:8 "${quick[@]}" "${work[@]}" --worker-idle sleep --worker-priority high \
        --json "$(record)"
    grep -q "\"priority\":\"$priority\"" "$(record)"
    measure 3 ovl_allreduce --mode dpu -m 8:8 "${quick[@]}" "${work[@]}" --worker-idle spin --worker-priority high \
        --json "$(record)2"
    grep -q '"priority":"usual"' "$(record)2"
}

# One of each kind here, too.
# bats test_tags=long
@test "workers by TCP, right data" {
    for name in ialltoallv ibcast ireduce_scatter igatherv p2p; do
        measure 4 ovl_$name --mode dpu --workers 2 -m 8,4K,256K "${quick[@]}" "${work[@]}" --worker-transport tcp \
            --json "$(record)"
    done
    proven
    grep -q '"transport":"tcp"' "$(record)"
    grep -q 'workers reach each other by TCP' <<<"$out"
}

@test "the library tier takes its work from a host record" {
    measure 2 ovl_ialltoall -m 1K:2K "${quick[@]}" --json "$(record)"
    measure 2 ovl_ialltoall --mode dpu --engine mpi -m 1K:2K "${quick[@]}" --work-from "$(record)" --json "$(record)2"
    grep -q '"mode":"dpu".*"engine":{"name":"mpi","path":null,"placement":"library"' "$(record)2"
    [ "$(grep -o '"units":[0-9]*' "$(record)" | xargs)" = "$(grep -o '"units":[0-9]*' "$(record)2" | xargs)" ]
    exits 3 2 ovl_ialltoall --mode dpu --engine mpi -m 4K:4K "${quick[@]}" --work-from "$(record)"
    says "no host cell of ialltoall with 2 ranks, 4096 bytes"
}

@test "workers take a host record's work, and what it lacks is calibrated" {
    measure 2 ovl_ialltoall -m 1K:1K "${quick[@]}" --json "$(record)"
    measure 4 ovl_ialltoall --mode dpu --workers 2 -m 1K:2K "${quick[@]}" --work-from "$(record)" --json "$(record)2"
    [ "$(grep -o '"from_record":[a-z]*' "$(record)2" | xargs)" = 'from_record:true from_record:false' ]
}

@test "ovl_worker alone has help and a version, and beside a wrong call one line" {
    if two_programs; then
        beside 2 1 ovl_ialltoall --frob
        code_is 3
        says "unknown option --frob"
        one_line
    fi
    for word in --help --version; do
        exits 0 2 ovl_worker $word
        grep -q ovl_worker <<<"$out"
    done
}

@test "no room for shared memory" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    PRELOAD=$OVL_SHIM/little_room.so
    for path in shm auto; do
        drive 2 ovl_ialltoall --mode dpu --path $path -m 1M:1M "${quick[@]}" "${work[@]}" --json "$(record)"
        if [ $path = shm ]; then
            code_is 5
            says "ovl_ialltoall: there is no room for"
            one_line
        else
            code_is "${measured[@]}"
            grep -q '"path":"cma"' "$(record)"
        fi
    done
}

@test "a small /dev/shm, as containers have, is no limit" {
    unshare -rm mount -t tmpfs -o size=1M tmpfs /dev/shm 2>/dev/null || skip "no user namespaces here"
    export UCX_TLS=tcp,self # which would want some of it too
    # shellcheck disable=SC2086
    ends "${measured[*]}" unshare -rm sh -c 'mount -t tmpfs -o size=1M tmpfs /dev/shm && exec "$@"' sh $OVL_MPIEXEC -n 2 \
        "$OVL_BIN/ovl_ialltoall" --mode dpu --path shm -m 1M:1M "${quick[@]}" "${work[@]}"
}

@test "processes in PID namespaces of their own: shm goes, and cma says why it does not" {
    case $OVL_MPI in MPICH*) ;; *) skip "Open MPI 4.1 crashes there" ;; esac
    unshare -rpf --mount-proc true 2>/dev/null || skip "no user namespaces here"
    export UCX_TLS=tcp,self # the others go by process numbers
    apart="unshare -rpf --mount-proc"
    for path in auto cma; do
        code=0
        # shellcheck disable=SC2086
        timeout -k 5 60 $OVL_MPIEXEC -n 3 $apart "$OVL_BIN/ovl_ialltoall" --mode dpu --path $path -m 1K:1K "${quick[@]}" \
            "${work[@]}" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || code=$?
        err=$(grep -a '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
        echo "exit $code"; cat "$BATS_TEST_TMPDIR/err"
        if [ $path = auto ]; then code_is "${measured[@]}"; continue; fi
        code_is 5
        says "PID namespaces that do not see each other"
    done
}

@test "a worker that may not reach the memory says what to set" {
    command -v setpriv >/dev/null || skip "setpriv is not here"
    [ "$(id -u)" = 0 ] || skip "only root has the permission to give up"
    two_programs || skip "$no_two_programs"
    export UCX_TLS=tcp,self # the others want that permission too
    WORKER="setpriv --bounding-set=-sys_ptrace" beside 2 1 ovl_ialltoall --mode dpu --path cma -m 8:8 "${work[@]}"
    code_is 5
    says "--path cma: worker 0"
    says "CAP_SYS_PTRACE"
    one_line
    [ -z "$out" ]
    WORKER="setpriv --bounding-set=-sys_ptrace" beside 2 1 ovl_ialltoall --mode dpu -m 8:8 "${quick[@]}" "${work[@]}"
    code_is "${measured[@]}" # auto takes shm
}

# marked MARK PROGRAM: a process of that program whose environment has the mark; prints its pid.
marked() {
    local pid
    for pid in $(running "$2"); do
        if tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "OVL_TEST_MARK=$1"; then
            echo "$pid"
            return 0
        fi
    done
    return 1
}

# lose SIGNAL [OPTION]: starts a long run, waits for its first cell, and sends the worker the signal.
lose() {
    local job pid
    mark=$$-$RANDOM
    OVL_TEST_MARK=$mark timeout -k 5 60 $OVL_MPIEXEC ${2:-} -n 2 "$OVL_BIN/ovl_ialltoall" --mode host,dpu -m 1K:1M \
        -i 20:20 --worker-timeout 1 --json "$(record)" : -n 1 "$OVL_BIN/ovl_worker" \
        >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null 3>&- &
    job=$!
    for _ in $(seq 300); do
        grep -q '"record":"cell"' "$(record)" 2>/dev/null && break
        sleep 0.05
    done
    pid=$(marked "$mark" ovl_worker)
    kill "-$1" "$pid"
    code=0
    wait $job || code=$?
    err=$(cat "$BATS_TEST_TMPDIR/err" "$BATS_TEST_TMPDIR/out")
    echo "exit $code"; echo "$err"
    kill -KILL "$pid" 2>/dev/null || true
}

# bats test_tags=long
@test "a stopped worker ends the job with a line that names it" {
    case $OVL_MPI in MPICH*) ;; *) skip "tried with MPICH's launcher" ;; esac
    lose STOP
    code_is 5
    says "worker 0 (process 2) on node"
    says "shows no life for 1 s"
    [ "$(grep -c "shows no life" <<<"$err")" = 1 ] # both ranks see it
    grep -q '"record":"cell"' "$(record)" # what was finished is there
    absent '"record":"end"' "$(cat "$(record)")"
}

# The launcher ends the job itself, mostly before a rank can say why; with and without -disable-auto-cleanup.
@test "a killed worker ends the job, what was finished is kept, and nothing runs on" {
    case $OVL_MPI in MPICH*) ;; *) skip "tried with MPICH's launcher" ;; esac
    for option in "" -disable-auto-cleanup; do
        rm -f "$(record)"
        lose KILL $option
        [ "$code" != 0 ]
        [ "$code" != 124 ]
        "$OVL_BIN/ovl" validate "$(record)"
        for _ in $(seq 50); do
            marked "$mark" ovl_ialltoall >/dev/null || break
            sleep 0.1
        done
        if marked "$mark" ovl_ialltoall; then false; fi
    done
}
