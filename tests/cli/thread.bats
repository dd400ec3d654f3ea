#!/usr/bin/env bats
# Mode thread as a user runs it: each rank's progress thread in drivers and applications, what the record tells of it, and
# an MPI library that allows none.
# None of its tests looks at a time.

load lib

record() { echo "$BATS_TEST_TMPDIR/r.jsonl"; }
head_of() { grep '"record":"run"' "$(record)" | tail -n 1; }

@test "every driver measures beside host mode and validates; lists, roots, neighbours, pairs" {
    for name in ialltoall ialltoallw ibcast allreduce ireduce igatherv ireduce_scatter ineighbor_alltoallv ibarrier p2p null; do
        size=(-m "4K,64K")
        case $name in ibarrier | null) size=() ;; p2p) size+=(--pairs neighbours) ;; esac
        measure 3 ovl_$name --mode host,thread "${size[@]}" "${quick[@]}" "${work[@]}" -t 3 -f --json "$(record)"
        rows | awk '{print ($1 == "host" || $1 == "thread") ? $1 : $2}' | sort | uniq -c | awk '{print $1}' | uniq | grep -c . | grep -qx 1
    done
    absent '"validated":false' "$(grep '"record":"cell"' "$(record)")"
    [ "$(grep -c '"mode":"thread"' "$(record)")" -ge 20 ]
    "$OVL_BIN/ovl" validate "$(record)"
}

@test "buffers in turn, streams, groups of ranks, one rank, and thread mode alone" {
    measure 2 ovl_ialltoall --mode thread -m 8K:8K "${quick[@]}" --json "$(record)" --rotate 3 --cadence stream
    [ "$(rows | awk '{print $2}')" = thread ]
    measure 3 ovl_iallgather --mode host,thread -m 8K:8K "${quick[@]}" "${work[@]}" --group 2 --json "$(record)"
    measure - ovl_ibcast --mode thread,host -m 8K:8K "${quick[@]}" "${work[@]}" --json "$(record)"
    absent '"validated":false' "$(grep '"record":"cell"' "$(record)")"
    "$OVL_BIN/ovl" validate "$(record)"
}

@test "workers and threads in the same blocks" {
    measure 3 ovl_ialltoall --mode host,thread,dpu --workers 1 -m 16K:16K "${quick[@]}" "${work[@]}" --json "$(record)"
    [ "$(rows | awk '{print $2}' | xargs)" = "host thread dpu" ]
    [ "$(grep -o '"block_group":"[^"]*"' "$(record)" | sort -u | wc -l)" = 1 ]
    "$OVL_BIN/ovl" validate "$(record)"
}

@test "applications: blocking, host, host-t, thread and dpu are schemes of one run" {
    for call in "ovl_halo -g 24 --steps 2 -t 8" "ovl_fft3d -g 16 -t 4 --offload all" "ovl_train --model resnet20 --compute-us 500 -t 2"; do
        [ -x "$OVL_BIN/${call%% *}" ] || continue
        rm -f "$(record)"
        # shellcheck disable=SC2086
        measure 3 $call --mode blocking,host,host-t,thread,dpu --workers 1 -i 6:6 -x 0 --max-time 3 --json "$(record)"
        [ "$(grep -o '"mode":"[a-z]*"' "$(record)" | cut -d '"' -f 4 | xargs)" = "blocking host host thread dpu" ]
        absent '"validated":false' "$(grep '"record":"cell"' "$(record)")"
        "$OVL_BIN/ovl" validate "$(record)"
    done
}

@test "ovl_hpl: panels by a broadcast that the thread completes" {
    [ -x "$OVL_BIN/ovl_hpl" ] || skip "this build has no ovl_hpl"
    measure 2 ovl_hpl -n 128 --nb 16 --procs 1x2 --mode host,thread -i 6:6 -x 0 --max-time 3 --json "$(record)"
    grep '"mode":"thread"' "$(record)" | grep -q '"bcast":"ibcast"'
    absent '"validated":false' "$(grep '"record":"cell"' "$(record)")"
    "$OVL_BIN/ovl" validate "$(record)"
}

@test "what the thread does and where it may run are told, in the head and in the record" {
    for idle in spin yield sleep; do
        measure 2 ovl_null --mode host,thread "${quick[@]}" "${work[@]}" --thread-idle $idle --json "$(record)"
        grep -q "^# thread    a progress thread for each rank, .*; idle $idle;" <<<"$out"
        [[ $(head_of) == *"\"thread\":{\"idle\":\"$idle\",\"wait\":\""* ]]
    done
    grep -q '"thread_level":"multiple"' <<<"$(head_of)"
    taskset -c 0,1 true || skip "processors 0 and 1 are not ours"
    measure 2 ovl_null --mode host,thread "${quick[@]}" "${work[@]}" --thread-cpu 1,0 --json "$(record)"
    [[ $(head_of) == *'"processors":["1","0"]'* ]]
    "$OVL_BIN/ovl" validate "$(record)"
}

@test "cells of threads without a processor of their own say so, and host's beside them do not" {
    taskset -c 0 true || skip "processor 0 is not ours"
    # shellcheck disable=SC2086
    timeout -k 5 60 taskset -c 0 "$OVL_BIN/ovl_ibcast" --mode host,thread -m 1K:1K "${quick[@]}" "${work[@]}" --json "$(record)" || [ $? = 2 ]
    [[ $(head_of) == *'"cores_shared":true'*'"processors":["0"]'* ]]
    grep '"mode":"thread"' "$(record)" | grep -o '"marks":\[[^]]*' | grep -q oversubscribed
    grep '"mode":"host"' "$(record)" | grep -o '"marks":\[[^]]*' | grep -vq oversubscribed
    # Nor do they take a core more: what each core gets done is held against one core.
    [ "$(grep -o '"cores":{[^}]*}' "$(record)" | xargs)" = "cores:{count:1,shared:false} cores:{count:1,shared:true}" ]
    ends 0 "$OVL_BIN/ovl" show -f "$(record)"
    grep -Eq '^ +1024 +host .* 1 +[0-9.]+ ' <<<"$out"
    grep -Eq '^ +1024 +thread .* 1 shared +[0-9.]+ ' <<<"$out"
}

@test "a processor that a worker and a thread may run on is one" {
    taskset -c 0,1 true || skip "processors 0 and 1 are not ours"
    # shellcheck disable=SC2086
    timeout -k 5 120 $OVL_MPIEXEC -n 1 taskset -c 0 "$OVL_BIN/ovl_ibcast" --mode host,thread,dpu --thread-cpu 1 -m 1K:1K \
        "${quick[@]}" "${work[@]}" --json "$(record)" : -n 1 taskset -c 1 "$OVL_BIN/ovl_worker" || [ $? = 2 ]
    # A rank and a thread have one each, and so have a rank and a worker; the three of them have not.
    [ "$(grep -o '"cores":{[^}]*}' "$(record)" | xargs)" = "cores:{count:1,shared:false} cores:{count:2,shared:false} cores:{count:2,shared:false}" ]
    [[ $(head_of) == *'"thread":{'*'"cores_shared":true,"processors":["1"]'* ]]
}

@test "what workers burn in T stands beside what ranks do; of other modes nothing does" {
    for _ in 1 2 3 4 5 6; do # a busy machine makes a cell invalid, which has no value then
        rm -f "$(record)"
        measure 3 ovl_ialltoall --mode host,thread,dpu --workers 1 -m 64K:64K "${quick[@]}" --compute sleep --compute-us 2000 --json "$(record)"
        grep '"mode":"dpu"' "$(record)" | grep -q '"cpu_seconds":{[^}]*"workers":[0-9]' && break
    done
    grep '"mode":"host"' "$(record)" | grep -q '"cpu_seconds":{[^}]*"workers":null}'
    grep '"mode":"thread"' "$(record)" | grep -q '"cpu_seconds":{[^}]*"workers":null}'
    burnt=$(grep '"mode":"dpu"' "$(record)" | sed 's/.*"cpu_seconds":{[^}]*"workers":\([^}]*\)}.*/\1/')
    awk -v s="$burnt" 'BEGIN { exit !(s > 0 && s < 10) }'
    "$OVL_BIN/ovl" validate "$(record)"
}

@test "energy that no counter tells is not read, and no zero" {
    counters=(/sys/class/powercap/*:*/energy_uj /sys/class/hwmon/hwmon*/energy*_input /sys/cray/pm_counters/*energy)
    for c in "${counters[@]}"; do [ ! -r "$c" ] || skip "this machine has counters"; done
    measure 2 ovl_null --mode host,thread "${quick[@]}" "${work[@]}" --energy 0.1 -f --json "$(record)"
    grep -q '^# energy    not read: ' <<<"$out"
    [ "$(rows | grep -o 'not read' | wc -l)" = 6 ]
    [[ $(head_of) == *'"energy":{"package":null,"dram":null,"node":null}'* ]]
    [ "$(grep -c '"energy":{"package_joules":null,"dram_joules":null,"node_joules":null,"seconds":null,"repeats":null}' "$(record)")" = 2 ]
    "$OVL_BIN/ovl" validate "$(record)"
    sed 's/"package_joules":null/"package_joules":0/' "$(record)" >changed.jsonl
    ends 4 "$OVL_BIN/ovl" validate changed.jsonl
    grep -q '/energy.package_joules: has a value, and the run says of nobody who read it' <<<"$out$err"
    sed 's/"energy":{"package":null,"dram":null,"node":null},//' "$(record)" >changed.jsonl
    ends 4 "$OVL_BIN/ovl" validate changed.jsonl
    grep -q '/energy: is missing, and this version tells it' <<<"$out$err"
    rm "$(record)"
    measure 2 ovl_null --mode host "${quick[@]}" "${work[@]}" -f --json "$(record)"
    absent 'not read' "$out"
    absent '"package":' "$(head_of)"
}

# Of a made machine, whose one counter is read once before the repeated Ts of a mode, and once behind them.
@test "what a T takes of energy is told by drivers and by every application, and what has no counter is not read" {
    mkdir -p sys/sys/class/powercap/intel-rapl:0
    echo package-0 >sys/sys/class/powercap/intel-rapl:0/name
    echo 1 >sys/sys/class/powercap/intel-rapl:0/energy_uj
    export OVL_SHIM_SYS=$PWD/sys LD_PRELOAD=$OVL_SHIM/energy.so:$LD_PRELOAD
    for call in "ovl_ibcast -m 1K:1K" "ovl_halo -g 24 --steps 2" "ovl_fft3d -g 16" "ovl_hpl -n 128 --nb 16 --procs 1x2" \
        "ovl_train --model resnet20 --compute-us 500" "ovl_serve --model gpt2-small --scale-bytes 100 --requests 4 --output 4 --compute-us 500"; do
        [ -x "$OVL_BIN/${call%% *}" ] || continue
        # shellcheck disable=SC2086
        for _ in 1 2 3 4 5 6; do # a busy machine makes cells invalid, whose energy nobody reads
            rm -f "$(record)"
            measure 2 $call --mode host,thread -i 6:6 -x 0 --max-time 3 --energy 0.05 -f --json "$(record)"
            grep -q '"repeats":[1-9]' "$(record)" && break
        done
        echo "$call"
        grep -q '^# energy    package by powercap' <<<"$out"
        [[ $(head_of) == *'"energy":{"package":"powercap","dram":null,"node":null}'* ]]
        # 3 joules between the two readings, in all Ts of the mode; an application's time is that of one of its parts.
        grep -o '"energy":{"package_joules":[^}]*}' "$(record)" | grep -v '"repeats":null' | tr -d '"{}' | tr ':' , |
            awk -F, '{ parts = 3 / ($3 * $11); if ($5 != "null" || $7 != "null" || !($9 > 0) || parts < 0.999 || parts > 9 ||
                parts - int(parts + 0.5) > 0.001 || int(parts + 0.5) - parts > 0.001) bad++; n++ } END { exit n < 1 || bad > 0 }'
        "$OVL_BIN/ovl" validate "$(record)"
        sed 's/"package_joules":[0-9][^,]*/"package_joules":0/' "$(record)" >changed.jsonl
        ends 4 "$OVL_BIN/ovl" validate changed.jsonl
        grep -q '/energy.package_joules: 0, and whatever runs takes energy' <<<"$out$err"
        sed 's/"repeats":[0-9]*/"repeats":null/' "$(record)" >changed.jsonl
        ends 4 "$OVL_BIN/ovl" validate changed.jsonl
        grep -q '/energy.package_joules: has a value, and T was not repeated to read it' <<<"$out$err"
    done
}

@test "what each core gets done is a metric of ovl compare and of limits, and ovl validate derives it again" {
    # Kept launches: a busy machine makes a cell of a test's own invalid, and such a cell has no values.
    cp "$OVL_TOP"/results/thread/totals-2.5/ialltoall-t/003.jsonl old.jsonl
    cp "$OVL_TOP"/results/thread/totals-2.5/ialltoall-t/005.jsonl new.jsonl
    ends "0 1 2" "$OVL_BIN/ovl" compare --metric work_per_core --any-work old.jsonl new.jsonl
    grep -q '^# ovl compare: work_per_core' <<<"$out"
    echo '{"limits": 1, "log_required": false, "rules": [{"name": "a", "match": {"benchmark": "ialltoall"},
        "metric": "work_per_core", "operator": ">=", "limit": 1}]}' >limits.json
    ends "0 1 2" "$OVL_BIN/ovl" accept limits.json old.jsonl
    grep -q 'work_per_core' <<<"$out"
    sed 's/"count":2,"shared":false/"count":1,"shared":false/' old.jsonl >changed.jsonl
    ends 4 "$OVL_BIN/ovl" validate changed.jsonl
    grep -q '/work_per_core/value' <<<"$out$err"
}

@test "without mode thread MPI begins as before, and has no thread more" {
    measure 2 ovl_null "${quick[@]}" "${work[@]}" --json "$(record)"
    grep -q '"thread_level":"single"' <<<"$(head_of)"
    absent '"thread":{' "$(head_of)"
}

@test "an MPI library without MPI_THREAD_MULTIPLE: one line, exit 5" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    for program in ovl_ialltoall ovl_halo; do
        PRELOAD="$OVL_SHIM/level.so:$OVL_SHIM/yield.so" exits 5 2 $program --mode host,thread
        one_line
        says "$program: --mode thread: this MPI library lets one thread of a rank call it at a time (no MPI_THREAD_MULTIPLE); leave thread out, or take a library that has it"
        [ -z "$out" ]
    done
}

@test "processors that there are not: one line" {
    exits 3 2 ovl_null --mode thread --thread-cpu 4095
    one_line
    says "ovl_null: --thread-cpu 4095: there is no processor 4095 here"
}

@test "ovl validate and ovl accept know what the thread was asked to do" {
    measure 2 ovl_null --mode host,thread "${quick[@]}" "${work[@]}" --thread-idle yield --json "$(record)"
    "$OVL_BIN/ovl" validate "$(record)"
    for change in 's/"idle":"yield"/"idle":"spin"/ # /thread/idle: "spin", and the option thread_idle has "yield"' \
        's/"thread_level":"multiple"/"thread_level":"single"/ # /mpi/thread_level: "single", and mode thread has "multiple"' \
        's/"thread":{[^}]*},// # /thread: is missing, and this version tells it'; do
        sed "${change%% # *}" "$(record)" >changed.jsonl
        run "$OVL_BIN/ovl" validate changed.jsonl
        echo "$output"
        [ "$status" = 4 ]
        [[ $output == *"${change##* # }"* ]]
    done
}
