#!/usr/bin/env bats
# What a vendor might write into a cell, so that it follows from its own samples and from nothing else of its record: another
# cell of the same blocks, the run line, the program, or the time that the run took contradicts it.

load vendor

demo="$OVL_TOP/tests/cli/data/kept/demo.jsonl"

# edited SED WORDS [RECORD]: a record of which each line is edited, and all that follows from samples follows again, is refused
# with these words.
edited() {
    sed -E "$1" "${3:-$demo}" >edited.jsonl
    ! cmp -s edited.jsonl "${3:-$demo}"
    derived edited.jsonl bad.jsonl
    tells 4 "$2" validate bad.jsonl
}

@test "cells of the same blocks have another work or blocking twin" {
    edited '/"mode":"dpu"/s/("blocking_seconds":\{"max":\[[0-9.]*)/\11/' \
        ":3: /samples/blocking_seconds: not those of the cell in line 2, of the same blocks"
    edited '/"mode":"dpu"/s/("compute_seconds":\{"max":\[[0-9.]*)/\11/' \
        ":3: /samples/compute_seconds: not those of the cell in line 2, of the same blocks"
    # Wherever its cell stands.
    sed -n '2p;4p;6p' "$demo" >host
    sed -n '3p;5p;7p' "$demo" | sed -E 's/("compute_seconds":\{"max":\[[0-9.]*)/\11/' >dpu
    { head -n 1 "$demo"; cat host dpu; tail -n 1 "$demo"; } >apart.jsonl
    derived apart.jsonl bad.jsonl
    tells 4 ":5: /samples/compute_seconds: not those of the cell in line 2, of the same blocks" validate bad.jsonl
    # One that is late for C of one mode may be early enough for that of another.
    sed -E '2,3s/("compute_late_seconds":\{"max":\[)[^,]*(,[^]]*\],"mean":\[)[^,]*/\11e-4\21e-4/
        3s/("compute_seconds":\{"max":\[)[^,]*(,[^]]*\],"mean":\[)[^,]*/\1null\2null/' "$demo" >late.jsonl
    derived late.jsonl good.jsonl
    ovl 0 validate good.jsonl
    if cmp -s good.jsonl "$demo"; then return 1; fi
    local launches=1
    buyer "$(job a ', "modes": ["host", "dpu"]' | sed 's/"ranks": 2/"ranks": 3/')" "$(ratio dpu host 2)"
    vendor './drive "$@"; sed -E -i "/\"mode\":\"dpu\"/s/(\"blocking_seconds\":\{\"max\":\[[0-9.]*)/\\11/" "${@: -1}"'
    caught 1 t "not those of the cell in line "
}

@test "cells of the same blocks did other units of work" {
    edited '/"mode":"dpu"/s/"units":[0-9]*/&1/' ":3: /compute/units: 167267141, and the cell in line 2 of the same blocks has 16726714"
}

@test "schemes of an application did other units of work, or more than their kernel can" {
    served="$OVL_TOP/tests/cli/data/serve.jsonl"
    edited '/"mode":"dpu"/s/"units":[0-9.]*/&1/' " has " "$served"
    grep -q ':4: /compute/units: [0-9.]*, and the cell in line 2 of the same blocks has [0-9.]*$' <<<"$out"
    # A unit of the kernel sleep is a microsecond.
    sed 's/"kernel":"fma"/"kernel":"sleep"/; s/"kind":"fma"/"kind":"sleep"/; s/"compute":"fma"/"compute":"sleep"/
        s/"units":58111/&000/; s/"status":"invalid","marks":\["invalid",/"status":"few","marks":[/' "$served" >sleep.jsonl
    tells 4 ":2: /compute/units: 58111000 in 0.0739 s, and the kernel does 1e+06 a second" validate sleep.jsonl
}

@test "of some blocks T is told without its parts" {
    local part
    for part in init_seconds test_seconds wait_seconds inner_compute_seconds own_exposed_seconds; do
        edited '/"mode":"dpu"/s/("'$part'":\{"max":\[)[^],]*(,[^]]*\],"mean":\[)[^],]*/\1null\2null/' \
            "/samples/$part: 1 of 30 blocks are null or missing, and their total_seconds is not"
    done
    # An application need not have had them.
    sed -E '3s/"inner_compute_seconds":\{"max":\[[^]]*\],"mean":\[[^]]*\]\},//' "$OVL_TOP/tests/cli/data/serve.jsonl" >bad.jsonl
    tells 4 ":3: /samples/inner_compute_seconds: 5 of 6 blocks are null or missing" validate bad.jsonl
}

@test "a run took less time than what was measured in it" {
    # 13 s of the 16 s are in samples, of which those of T have 6 s.
    edited 's/"finished":"[^"]*"/"finished":"2026-11-26T16:18:45Z"/' "and the samples took"
}

@test "processors of a cell are fewer, more, or less shared, than where its ranks may run" {
    served="$OVL_TOP/tests/cli/data/serve.jsonl"
    edited '/"mode":"dpu"/s/"cores":\{[^}]*/"cores":{"count":1,"shared":true/' ":4: /cores/count: 1, and by the run's bindings it is 2 to 2" "$served"
    edited '/"mode":"dpu"/s/"cores":\{[^}]*/"cores":{"count":3,"shared":false/' ":4: /cores/count: 3, and by the run's bindings it is 2 to 2" "$served"
    edited '/"mode":"dpu"/s/"cores":\{[^}]*/"cores":{"count":2,"shared":false/' ":4: /cores/shared: false, of 2 for 3 ranks, workers and threads" "$served"
    edited '/"mode":"host"/s/"cores":\{[^}]*/"cores":{"count":1,"shared":true/' ":3: /cores/count: 1, and" "$served"
    edited '/"mode":"host"/s/"cores":\{[^}]*/"cores":{"count":2,"shared":true/' ":3: /cores/shared: true, of 2 for 2 ranks" "$served"
    # Workers on another machine have processors that no line counts: this alone is no contradiction.
    sed '/"mode":"dpu"/{s/"placement":"host-core"/"placement":"other-machine"/; s/"cores":{[^}]*/"cores":{"count":3,"shared":false/}' "$served" >there.jsonl
    grep -q other-machine there.jsonl
    if "$OVL_BIN/ovl" validate there.jsonl 2>&1 | grep /cores/; then return 1; fi
    # As if they had threads.
    edited 's/"mode":"dpu",/"mode":"thread",/; 1s/"offload":\{/"thread":{"processors":["0-1","1"],"cores_shared":true},&/; /"mode":"thread"/s/"cores":\{[^}]*/"cores":{"count":1,"shared":true/' \
        ":4: /cores/count: 1, and by the run's bindings it is 2 to 2" "$served"
    # Ranks of one core.
    edited '1s/"binding":\[[^]]*/"binding":["1","1"/' ":2: /cores/count: 2, and by the run's bindings it is 1 to 1" "$served"
    # With a busy thread somewhere the ranks' own count at least.
    edited 's/"busy_threads":0/"busy_threads":1/; /"mode":"host"/s/"cores":\{[^}]*/"cores":{"count":1,"shared":true/' ":3: /cores/count: 1, and by the run's bindings it is 2 to 2" "$served"
}

@test "the rate of the kernel is none, or not that of the ranks" {
    edited '1s/"units_per_second":[0-9.]*/"units_per_second":-1/; 1s/("rank_units_per_second":\[)[^]]*/\1-1,-1/' ":1: /calibration/units_per_second: -1"
    edited '1s/"rank_units_per_second":\[[0-9.]*/"rank_units_per_second":[-1/' ":1: /calibration/rank_units_per_second: rank 0 has none"
    edited '1s/"units_per_second":20/"units_per_second":40/' ":1: /calibration/units_per_second: 4012560221.9, and its ranks have 2012560221.9"
}

@test "a cell is said to be of the blocks of another size, whose host cell is slower" {
    edited '3s/("block_group":"[^"]*)0"/\11"/' ":4: /block_group: that of the cell in line 3, of another size or problem"
    # Nor is it compared with that one.
    sed -E '4d; s/"cells":6/"cells":5/; s/("block_group":"[^"]*)2"/\11"/' "$demo" >edited.jsonl
    derived edited.jsonl bad.jsonl
    sed -i '4s/"offload_efficiency":null/"offload_efficiency":1.5/' bad.jsonl
    tells 4 ":4: /offload_efficiency: 1.5, but no host cell that carries a claim was measured in the same blocks" validate bad.jsonl
}

# times NAMES FACTOR SED-LIKE ADDRESS: all samples of these names in the lines that match it, times the factor.
times() { awk "$(cat "$OVL_TOP/tests/tool/totals.awk")"'/'"$3"'/ { $0 = times($0, "'"$1"'", '"$2"') } { print }' "$demo" >edited.jsonl; }

@test "ranks expose less of T than their own work leaves" {
    times own_exposed 0.8 '"mode":"host"'
    derived edited.jsonl bad.jsonl
    tells 4 ":2: /samples/own_exposed_seconds: " validate bad.jsonl
    # Of the mean over ranks alone, which may be below the largest.
    sed -E '/"mode":"host"/s/("own_exposed_seconds":\{"max":\[[^]]*\],"mean":\[)[^]]*/\1MEANS/' "$demo" >edited.jsonl
    for i in {1..29}; do zeros+=0,; done
    sed -i "s/MEANS/${zeros}0/" edited.jsonl
    derived edited.jsonl bad.jsonl
    tells 4 ":2: /samples/own_exposed_seconds: " validate bad.jsonl
}

@test "an answer is held against a limit of the record's own" {
    while read -r record limit words; do
        edited 's/("check":\{[^}]*"limit":)[^}]*/\1'"$limit"'/' "/check/limit: $words" "$OVL_TOP/$record"
    done <<'END'
tests/cli/data/kept/hpl.jsonl 1000.0 1000, and it is 16 for this problem
tests/cli/data/serve.jsonl 5.0 5, and it is 0 for this problem
tests/cli/data/kept/fft3d.jsonl 0.5 0.5, and it is 7.46069872548e-14 for this problem
END
}

@test "times of requests are of no order, below 0, or longer than all of them took" {
    served="$OVL_TOP/tests/cli/data/serve.jsonl"
    while IFS='|' read -r from to words; do
        edited "4s/$from/$to/" ":4: /serving/$words" "$served"
    done <<'END'
("ttft_seconds":\{"p50":)[^,]*|\1-1.0|ttft_seconds/p50: -1, below 0
("ttft_seconds":\{"p50":[^,]*,"p90":)[^,]*|\10.001|ttft_seconds/p90: 0.001, below 0.01
("tpot_seconds":\{"p50":)[^,]*|\1"none"|tpot_seconds/p50: 0, below 0, or no number
("ttft_seconds":\{[^]]*"steps":\[[^]]*,)[^],]*\]|\1100.0]|ttft_seconds: 100 s, and all requests took 
("ttft_seconds":\{[^]]*"steps":\[)[^],]*|\11.0|ttft_seconds/steps: 
("ttft_seconds":\{[^]]*"mean":)[^],]*|\10.05|ttft_seconds: a mean or a percentile
"output_tokens":[^,]*|"output_tokens":720.0|output_tokens: 720, and the options have 72
"output_tokens_per_second":[^,}]*|"output_tokens_per_second":9000.0|output_tokens_per_second: 9000, but the samples give 
"kv_most_bytes":[^,]*|"kv_most_bytes":-1.0|kv_most_bytes: -1
"requests":12,|&"tier":{"blocks":9,"found":3,"kept":4,"gave_way":1},|tier: no strategy but tier has it
"requests":12,|&"tier":{"blocks":9,"found":10,"kept":4,"gave_way":1},|tier/found: 10, of 9
"requests":12,|&"tier":{"blocks":9,"found":3,"kept":4,"gave_way":5},|tier/gave_way: 5, of 4
"requests":12,|&"tier":{"blocks":9,"found":"3","kept":4,"gave_way":-1},|tier/gave_way: -1, of 4
"requests":12,|&"preempted":{"requests":1,"times":1,"tokens_read_again":9,"moved_bytes":0.0},|preempted: the problem has no preempt
"requests":12,|&"compression":{"numbers":"i8","ratio":1.9,"error_by_bound":0.9},|compression: nothing is sent as other numbers
END
    edited '4s/"problem":\{/&"flops":1e12,/' ":4: /problem/flops: 1e+12, which the option flops does not have" "$served"
    edited 's/"strategy":"pd"/"strategy":"tier"/g; s/"layout":"1\+1, 8 messages, /"layout":"1+1, blocks of 512, /' ":4: /serving/tier: not told" "$served"
}

@test "a work of a few milliseconds may wait for its core by a pause, a longer one not by most of its time" {
    rate=$(grep -o '"units_per_second":[0-9.e+]*' "$demo" | head -n 1 | cut -d: -f2)
    sed "1s/\"units_per_second\":[0-9.e+]*/\"units_per_second\":$(awk -v r="$rate" 'BEGIN { printf "%.12g", 4.5 * r }')/" "$demo" >edited.jsonl
    code=0
    "$OVL_BIN/ovl" validate edited.jsonl >said 2>&1 || code=$?
    [ $code = 4 ]
    if grep -E 'jsonl:[23]: /compute/units' said; then return 1; fi # 8 ms
    grep -q 'jsonl:6: /compute/units: .* and the kernel does' said # 35 ms
}

@test "samples of another program, parts of HPL longer than T, and samples that the run had no time for" {
    hpl=$(ls "$OVL_TOP"/results/hpl/rivals/*/001.jsonl | head -n 1) fft=$(ls "$OVL_TOP"/results/fft3d/rivals/*/001.jsonl | head -n 1)
    ovl 0 validate "$hpl" "$fft"
    for name in exposed_comm_seconds update_apart_seconds; do
        edited 's/"samples":\{"comm_seconds":(\{[^}]*\})/"samples":{"comm_seconds":\1,"'$name'":\1/' \
            "/samples/$name: ovl_fft3d writes no such samples" "$fft"
        edited 's/"samples":\{"comm_seconds":(\{[^}]*\})/"samples":{"comm_seconds":\1,"'$name'":\1/' \
            "/samples/$name: ovl_ialltoall writes no such samples"
    done
    for name in factor swap solve update; do
        edited '/"record":"cell"/s/("'$name'_seconds":\{"max":\[)[^,]*/\11e5/' \
            "/samples/${name}_seconds: block 0 has a part that is longer than its total" "$hpl"
    done
    # Neither the update by itself, nor what nobody hides, nor the C of an application takes longer than its run.
    for name in update_apart exposed_comm; do
        edited '/"record":"cell"/s/("'$name'_seconds":\{"max":\[)[^,]*/\11e5/' " s after the start, and the samples took 1e+05 s" "$hpl"
    done
    edited '/"record":"cell"/s/("comm_seconds":\{"max":\[)[^,]*(,[^]]*\],"mean":\[)[^,]*/\11e5\21e5/' \
        " s after the start, and the samples took 1e+05 s" "$fft"
    # A member of HPL's problem makes no operations of another one's.
    flops=$(grep -o '"gflops":{"value":[^,]*' "$fft" | head -n 1)
    sed 's/"problem":{/&"n":2000,/' "$fft" >n.jsonl
    derived n.jsonl more.jsonl
    [ "$(grep -o '"gflops":{"value":[^,]*' more.jsonl | head -n 1)" = "$flops" ]
}

@test "a cell reads its clock as its run does, and hosts without ranks are those of workers" {
    edited '/"record":"cell"/s/"clock_read_seconds":[^,]*/"clock_read_seconds":1e-15/' \
        "/clock_read_seconds: 1e-15, and the run's /clock/read_seconds is "
    single="$OVL_TOP/tests/cli/data/ialltoall.jsonl"
    edited '1s/"hosts":\[(\{[^}]*\})/"hosts":[\1,\1/' "/hosts: has 2, and ranks are on 1 nodes, with 0 workers elsewhere at most" "$single"
}
