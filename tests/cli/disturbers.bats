#!/usr/bin/env bats
# Who disturbs: progress threads, CPU quotas and processes of others on the ranks' cores are told in the head and in `next`, each with
# its cure, and stand in the record; so are the variables that steer MPI libraries.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    hogs=() group=
    # The first two processors that are ours, on which everything runs here.
    two=$(taskset -pc $$ | sed 's/.*: *//' | tr ',' '\n' |
        awk -F- 'n < 2 { for (i = $1; i <= ($2 == "" ? $1 : $2) && n < 2; i++) printf "%s%d", n++ ? "," : "", i }')
    [[ $two == *,* ]] || skip "one processor: ranks share it"
}

teardown() {
    [ ${#hogs[@]} = 0 ] || kill "${hogs[@]}" 2>/dev/null || true
    [ -z "$group" ] || for _ in $(seq 50); do rmdir "$group" 2>/dev/null && break || sleep 0.1; done
}

# on_two RANKS PROGRAM OPTION...: with everything on two processors, into r.jsonl, which `ovl validate` accepts.
on_two() {
    rm -f r.jsonl
    local launcher=$OVL_MPIEXEC
    OVL_MPIEXEC="taskset -c $two $launcher"
    measure "$@" --json r.jsonl
    OVL_MPIEXEC=$launcher
    "$OVL_BIN/ovl" validate r.jsonl
}

# warned PATTERN: in the head, and in the run line.
warned() {
    grep -qE "^# warning   $1" <<<"$out" || { echo "no warning: $1"; return 1; }
    grep '"record":"run"' r.jsonl | grep -qE "\"warnings\":\[.*\"$1"
}

next_is() { grep -qE "^# next      try $1" <<<"$out" || { echo "next is not: $1"; return 1; }; }

long=(-m 16K:16K -i 6:2000 --ci 0.01 --max-time 2)

@test "a process on the ranks' cores is told, counted, and makes cells noisy" {
    taskset -c "${two%,*}" sh -c 'while :; do :; done' 3>&- &
    hogs+=($!)
    taskset -c "${two#*,}" sh -c 'while :; do :; done' 3>&- &
    hogs+=($!)
    on_two 2 ovl_ialltoall "${long[@]}"
    warned "([0-9]+ other processes run|another process runs) on the ranks' cores; try cores of which nobody else"
    next_is "cores of which nobody else makes use \(ps .*: ([0-9]+ other processes run|another process runs) on the ranks' cores"
    rows | grep -q ', noisy'
    [ "$(field other_processes)" -ge 1 ]
    field waited_fraction | awk '{ exit !($1 > 0.01 && $1 <= 1) }'
    field involuntary_switches | grep -qE '^[1-9]'
    grep '"record":"cell"' r.jsonl | grep -qE '"marks":\[[^]]*"noisy"'
}

# What is hidden is then the thread's share of that core, and no property of the library.
@test "a process on the core of a progress thread is told, counted, and makes cells noisy" {
    local launcher=$OVL_MPIEXEC
    taskset -c "${two#*,}" sh -c 'while :; do :; done' 3>&- &
    hogs+=($!)
    OVL_MPIEXEC="taskset -c ${two%,*} $launcher" PRELOAD=$OVL_SHIM/synthetic.so OVL_SYNTHETIC_FRACTION=0
    export OVL_SYNTHETIC_FRACTION
    measure 1 ovl_ialltoall --no-validation --mode thread --thread-cpu "${two#*,}" -m 1M:1M -i 6:30 --max-time 3 --json r.jsonl
    OVL_MPIEXEC=$launcher
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field other_processes)" -ge 1 ]
    field waited_fraction | awk '{ exit !($1 > 0.01 && $1 <= 1) }'
    grep '"record":"cell"' r.jsonl | grep -qE '"marks":\[[^]]*"noisy"'
}

@test "ranks, workers, helpers and the launcher are no processes of others" {
    alone=(unshare --pid --fork --mount-proc --)
    "${alone[@]}" true 2>/dev/null || skip "no namespace of processes can be made here"
    OVL_MPIEXEC="${alone[*]} $OVL_MPIEXEC"
    on_two 3 ovl_ialltoall "${long[@]}" --mode host,dpu --workers 1 --worker-idle spin
    grep '"record":"run"' r.jsonl | grep -qE '"spare_cores":-1\b'
    absent "other process|another process" "$out"
    field other_processes | grep -vE '^(0|null)$' && return 1 # a cell that ends early is too short to tell
    on_two 1 ovl_train --tiny -i 6:6 -x 0 --max-time 1 --mode host --offload o-mv --steps-per-epoch 9 --epochs 6
    absent "other process|another process" "$out"
    field other_processes | grep -vE '^(0|null)$' && return 1
    [ -n "$(field other_processes)" ]
}

# bats test_tags=long
@test "progress threads of the library count as ranks do" {
    case $OVL_MPI in MPICH*) ;; *) skip "MPICH_ASYNC_PROGRESS is MPICH's" ;; esac
    export MPICH_ASYNC_PROGRESS=1
    cure="MPICH_ASYNC_PROGRESS=0, or 4 cores on a node with 2 ranks"
    [ "$(nproc)" -lt 4 ] || cure="more cores for each rank \(mpiexec -bind-to core:2\), or MPICH_ASYNC_PROGRESS=0"
    on_two 2 ovl_ialltoall -m 64:64 "${quick[@]}"
    warned "oversubscribed: the ranks of a machine have [12] busy threads? besides, and lack [12] cores?; try $cure"
    next_is "$cure: "
    grep '"record":"cell"' r.jsonl | grep -qE '"marks":\[[^]]*"oversubscribed"'
    grep '"record":"cell"' r.jsonl | grep -qE '"busy_threads":[12],"spare_cores":-[12]\b'
    # One rank and its thread have a core each, and that is what they get their work done with.
    rm r.jsonl
    on_two 1 ovl_ialltoall -m 64:64 "${quick[@]}" --compute-us 2000
    grep '"record":"cell"' r.jsonl | grep -qE '"busy_threads":1,"spare_cores":0\b'
    [ "$(grep -o '"cores":{[^}]*}' r.jsonl)" = '"cores":{"count":2,"shared":false}' ]
    # Off, and there are none.
    MPICH_ASYNC_PROGRESS=0 on_two 2 ovl_ialltoall -m 64:64 "${quick[@]}"
    absent "busy thread" "$out"
    grep '"record":"cell"' r.jsonl | grep -q '"busy_threads":0,"spare_cores":0\(\.0\)*,'
}

# quota PROCESSORS: a control group with so many, in $group.
quota() {
    [ "$(id -u)" = 0 ] || skip "no root, who may make control groups"
    if [ -w /sys/fs/cgroup/cpu/cgroup.procs ]; then
        group=/sys/fs/cgroup/cpu/ovl-test-$$
        mkdir "$group" && echo "$(($1 * 20000))" 2>/dev/null >"$group/cpu.cfs_quota_us" &&
            echo 20000 2>/dev/null >"$group/cpu.cfs_period_us" || skip "no control group can be made here"
        echo "$(($1 * 20000))" >"$group/cpu.cfs_quota_us"
    else
        group=/sys/fs/cgroup/ovl-test-$$
        mkdir "$group" 2>/dev/null && echo "$(($1 * 20000)) 20000" 2>/dev/null >"$group/cpu.max" ||
            skip "no control group can be made here"
    fi
}

@test "a CPU quota below the ranks is told, and the periods in which it stopped them" {
    quota 1
    OVL_MPIEXEC="$BATS_TEST_TMPDIR/in_group $OVL_MPIEXEC"
    printf '%s\n' '#!/bin/sh' "echo \$\$ >'$group/cgroup.procs' && exec \"\$@\"" >in_group
    chmod +x in_group
    on_two 2 ovl_ialltoall "${long[@]}"
    warned "a CPU quota leaves 2 processes the time of 1 processor; try a larger quota \(cpu.max, docker --cpus\)"
    next_is "a larger quota \(cpu.max, docker --cpus\): a CPU quota leaves 2 processes the time of 1 processor"
    grep '"record":"run"' r.jsonl | grep -qE '"quota_processes":2,"quota_processors":1\.0'
    field throttled_periods | grep -qE '^[0-9]+$'
    field throttled_seconds | grep -qE '^[0-9]'
    # No more of them than the quota has.
    on_two 1 ovl_null "${quick[@]}"
    absent "CPU quota" "$out"
    grep '"record":"run"' r.jsonl | grep -q '"quota_processes":null,"quota_processors":null'
}

@test "each rank's pace and each node's library are recorded" {
    on_two 2 ovl_ialltoall -m 64:64 "${quick[@]}"
    grep '"record":"run"' r.jsonl | grep -qE '"rank_units_per_second":\[[0-9.e+]+,[0-9.e+]+\]'
    grep '"record":"run"' r.jsonl | grep -q '"mpi_library":"[^"]'
    on_two 2 ovl_halo --grid 16 "${quick[@]}"
    absent rank_units_per_second "$(cat r.jsonl)"
    grep '"record":"cell"' r.jsonl | grep -qE '"disturbance":\{"waited_fraction"'
}

# bats test_tags=long
@test "processes that another library's launcher started apart are told" {
    unset PMI_SIZE OMPI_COMM_WORLD_SIZE SLURM_STEP_ID
    case $OVL_MPI in
    MPICH*) variable=OMPI_COMM_WORLD_SIZE name="Open MPI's mpirun" ;;
    *) variable=PMI_SIZE name="mpiexec (PMI)" ;;
    esac
    export $variable=2
    measure - ovl_ialltoall -m 64:64 "${quick[@]}" --json r.jsonl
    grep -qF "# warning   each of the 2 processes of $name is a job of one rank: take this library's own launcher" <<<"$out"
    export $variable=1
    measure - ovl_ialltoall -m 64:64 "${quick[@]}"
    absent "is a job of one rank" "$out"
    unset $variable
    measure 2 ovl_ialltoall -m 64:64 "${quick[@]}"
    absent "is a job of one rank" "$out"
}

@test "all variables that the page names are recorded" {
    prefixes=$(sed -n '/^\.Sh ENVIRONMENT/,/those whose names/p' "$OVL_TOP/man/ovl_bench.1.in" | grep -oE '\b[A-Z0-9_]+_(,|$| )' | tr -d ', ')
    [ "$(wc -w <<<"$prefixes")" -ge 22 ]
    set=()
    for prefix in $prefixes; do
        export "${prefix}A_TEST=told"
        set+=("${prefix}A_TEST")
    done
    measure 1 ovl_null "${quick[@]}" --json r.jsonl
    for name in "${set[@]}"; do
        grep '"record":"run"' r.jsonl | grep -q "\"$name\":\"told\"" || { echo "not recorded: $name"; return 1; }
    done
    grep -q "LD_PRELOAD" "$OVL_TOP/man/ovl_bench.1.in"
    PRELOAD=$OVL_SHIM/yield.so
    measure 1 ovl_null "${quick[@]}" --json p.jsonl
    grep '"record":"run"' p.jsonl | grep -q '"LD_PRELOAD":"[^"]*yield.so'
}
