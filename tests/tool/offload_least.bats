#!/usr/bin/env bats
# `ovl offload --min-from`: the least size by cells of this site. The command that is started prints what it was given.

load tool

setup() {
    own_folder
    [ -e "$OVL_BUILD/lib/libovl_offload.so" ] || skip "this build is not on MPICH, which alone is served"
}

# record FILE RUN SIZE=EFFICIENCY...: a launch of ialltoall with workers at these sizes, whose host takes so many times as
# long as they do.
record() {
    local file=$1 run=$2 cells=("${@:3}") cell
    {
        sed -n '1p' "$data/ialltoall.jsonl"
        for cell in "${cells[@]}"; do
            sed -n '2p' "$data/ialltoall.jsonl" | sed 's/"block_group":"[^"]*",//
                s/"size_bytes":[0-9]*/"size_bytes":'"${cell%=*}"',"block_group":"b\/'"${cell%=*}"'"/' >cell
            total=$(grep -o '"total_seconds":{"median":[^,]*' cell | cut -d: -f3)
            cat cell
            sed 's/"mode":"host"/"mode":"dpu"/
                s/"total_seconds":{"median":[^,]*/"total_seconds":{"median":'"$(awk -v t="$total" -v e="${cell#*=}" 'BEGIN { printf "%.12g", t / e }')"'/
                s/"engine":{[^}]*}/"engine":{"name":"worker","path":"cma","placement":"host-core","workers":1,"worker_ops":9,"worker_bytes":9}/
                s/"comm_seconds":{"max":\[[0-9.]*/&1/' cell
        done
        tail -n 1 "$data/ialltoall.jsonl" | sed "s/\"cells\":[0-9]*/\"cells\":$((2 * ${#cells[@]}))/"
    } | sed "s/20261121T123144Z-4d4346abbbb67a49/$run/; s/\(\"comm_seconds\":{\"max\":\[[0-9]*\.[0-9]*\)/\1$(cksum <<<"$run" | cut -c1-6)/" >"$file" # no two have the very same samples
}

# least BYTES WHY RECORD: --min-from takes that.
least() {
    ovl 0 offload --min-from "$3" -- env
    grep -qx "OVL_OFFLOAD_MIN=$1" <<<"$out"
    grep -qx "OVL_OFFLOAD_MIN_WHY=$2" <<<"$out"
}

@test "the least size is the smallest from which on workers lose nowhere, in the median over launches" {
    record a.jsonl a 65536=0.8 131072=0.97 262144=1.25 1048576=2
    least 262144 'by a.jsonl, where ialltoall takes 0.8 of the host.s time with workers at that size and 1.03 at 128K' a.jsonl
    # A size at which they lose hides those below it.
    record a.jsonl a 65536=1.1 131072=0.8 262144=1.25
    least 262144 'by .*' a.jsonl
    record a.jsonl a 65536=1.1 131072=1.2
    least 65536 'by a.jsonl, where .* takes 0.909 .*, the smallest there' a.jsonl
    mkdir runs
    record runs/1.jsonl a 65536=0.5 131072=1.2
    record runs/2.jsonl b 65536=1.1 131072=1.2
    record runs/3.jsonl c 65536=1.2 131072=1.2
    least 65536 'by runs, where .*' runs
    # Of two operations the one that gains later.
    record a.jsonl a 65536=1.1 131072=1.2
    record b.jsonl b 65536=0.9 131072=1.2
    sed -i 's/"benchmark":"ialltoall"/"benchmark":"iallreduce"/' b.jsonl
    cat b.jsonl >>a.jsonl
    least 131072 'by a.jsonl, where iallreduce .*' a.jsonl
    # Those to which --min does not apply do not count, nor do cells without a claim.
    sed -i 's/"benchmark":"iallreduce"/"benchmark":"ialltoallv"/' a.jsonl
    least 65536 'by a.jsonl, where ialltoall .*' a.jsonl
    record a.jsonl a 65536=1.1 131072=1.2
    invalid() { sed -i "$1"'s/"status":"[a-z_]*"/"status":"invalid"/; '"$1"'s/"reason":[^,]*/"reason":"x"/' a.jsonl; }
    invalid 3
    least 131072 'by a.jsonl, where ialltoall takes 0.833 .*, the smallest that is valid there' a.jsonl
    # At the largest size something must be known, with workers and without them, by T and not by what the line calls it.
    for line in 4 5; do
        record a.jsonl a 65536=1.1 131072=1.2
        invalid $line
        refuses 4 'at 128K, its largest size there, ialltoall has no valid cell' offload --min-from a.jsonl -- env
    done
    for value in null -0.8 1.25; do
        record a.jsonl a 65536=1.1 131072=0.8
        sed -i 's/"offload_efficiency":null/"offload_efficiency":'$value/ a.jsonl
        refuses 4 'ialltoall takes 1.25 of the host' offload --min-from a.jsonl -- env
    done
}

@test "records that give no least size are refused, and so is one beside --min" {
    record a.jsonl a 65536=1.1 131072=0.8
    refuses 4 'a.jsonl: at 128K, its largest size there, ialltoall takes 1.25 of the host' offload --min-from a.jsonl -- env
    refuses 4 'no operation in it was measured with workers on host cores' offload --min-from "$data/ialltoall.jsonl" -- env
    sed -i 's/"placement":"host-core"/"placement":"bluefield"/' a.jsonl
    refuses 4 'no operation in it was measured with workers on host cores' offload --min-from a.jsonl -- env
    refuses 5 'none.jsonl' offload --min-from none.jsonl -- env
    refuses 3 'leave one of them out' offload --min 0 --min-from a.jsonl -- env
    # A size of one's own, and the default.
    ovl 0 offload --min 1K -- env
    grep -qx 'OVL_OFFLOAD_MIN=1024' <<<"$out"
    grep -qx 'OVL_OFFLOAD_MIN_WHY=' <<<"$out"
    ovl 0 offload -- env
    ! grep -q '^OVL_OFFLOAD_MIN=' <<<"$out"
}

@test "of cells of other ranks or work at a size none may lose" {
    mkdir runs
    record runs/1.jsonl a 65536=1.2
    record runs/2.jsonl b 65536=1.2
    record runs/3.jsonl c 65536=0.6
    sed -i 's/"ratio":1.0/"ratio":0.5/' runs/3.jsonl
    refuses 4 'runs: at 64K, its largest size there, ialltoall takes 1.67 of the host' offload --min-from runs -- env
}

@test "cells of several machines or numbers of workers are no answer, and those of another host or cluster are told" {
    mkdir runs
    record runs/1.jsonl a 65536=1.2
    record runs/2.jsonl b 65536=1.1
    ovl 0 offload --min-from runs -- env
    sed -i '1s/"cpu":"[^"]*"/"cpu":"Other"/' runs/2.jsonl
    refuses 4 'runs: launches are of other machines, and one size holds for one' offload --min-from runs -- env
    record runs/2.jsonl b 65536=1.1
    sed -i 's/"workers":1/"workers":8/' runs/2.jsonl
    refuses 4 'runs: cells have other numbers of workers' offload --min-from runs -- env
    # One line that warns.
    record a.jsonl a 65536=1.2
    sed -i "1s/\"hosts\":\[{\"name\":\"[^\"]*\"/\"hosts\":[{\"name\":\"$(hostname)\"/" a.jsonl
    ovl 0 offload --min-from a.jsonl -- env
    [ ! -s err ]
    ovl 0 offload --workers 2 --min-from a.jsonl -- env
    says 'its cells are with other numbers of workers than --workers: is the size right here?'
    sed -i '1s/"name":"[^"]*"/"name":"elsewhere"/; 1s/"environment":{/&"OVL_CLUSTER":"2x2,rate=1gbit",/' a.jsonl
    ovl 0 offload --min-from a.jsonl -- env
    says 'its cells are of another host of an emulated cluster (OVL_CLUSTER): is the size right here?'
}

@test "wrong data, lost launches, and ranks of which nothing is known are no answer" {
    mkdir runs
    for i in 1 2 3; do record runs/00$i.jsonl a$i 65536=1.1 131072=1.2; done
    ovl 0 offload --min-from runs -- env
    record runs/004.jsonl w 65536=1.1 131072=1.2
    sed -i '3s/"validated":true/"validated":false/' runs/004.jsonl
    refuses 4 'runs: a launch has wrong data with workers' offload --min-from runs -- env
    rm runs/004.jsonl
    echo x >runs/004.log
    ovl 0 offload --min-from runs -- env
    echo x >runs/005.log
    refuses 4 'ialltoall has no valid cell with workers and without them in the same blocks, or lost too many launches' offload --min-from runs -- env
    rm runs/*.log
    # Other work at both sizes, all of it invalid.
    record runs/006.jsonl b 65536=1.1 131072=1.2
    sed -i 's/"ratio":1.0/"ratio":0.5/; /"mode":"dpu"/{s/"status":"[a-z_]*"/"status":"invalid"/; s/"reason":[^,]*/"reason":"x"/}' runs/006.jsonl
    refuses 4 'at 128K, its largest size there, ialltoall has no valid cell' offload --min-from runs -- env
}

@test "records of which the log of their sweep does not tell give no size" {
    swept s 3 1
    for i in 1 2 3; do
        record s/a/00$i.jsonl a$i 65536=1.1 131072=1.2
        sed -i "s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:0$i:00Z/" s/a/00$i.jsonl
    done
    sealed s
    ovl 0 offload --min-from s -- env
    cp -r s other
    record other/a/002.jsonl b2 65536=1.5 131072=1.9
    sed -i 's/"started":"[^"]*/"started":"2026-01-01T00:02:00Z/' other/a/002.jsonl
    for folder in other other/a/; do
        refuses 4 "002.jsonl is not the file that its attempt left, by the SHA-256 in sweep.log" offload --min-from $folder -- env
    done
    rm s/sweep.log
    refuses 4 "s/sweep.log is gone or empty" offload --min-from s -- env
}
