#!/usr/bin/env bats
# Verdicts that launches would not deserve: those that a cell lost, or that are there twice, and rivals that are not there.

load tool

# references: refs.json of a system whose launches all are as they should.
references() {
    echo '{"references": 1, "systems": [{"name": "vm", "hosts": "^vm$", "rules": [{"match": {"benchmark": "ialltoall",
        "size_bytes": 65536}, "metric": "total_seconds", "value": 1, "worse": 0.9}]}]}' >refs.json
}

@test "a launch that another one was copied over is lost, and read twice it is not" {
    swept old 12 1
    swept new 12 1
    for i in 007 008 009 010 011 012; do cp new/a/001.jsonl new/a/$i.jsonl; done
    sealed old
    sealed new
    ovl 2 compare old new
    prints "too many new launches are unusable, were cut short or lack the cell"
    references
    ovl 2 site refs.json new
    ends 0 "$OVL_BIN/ovl" export --to junit new
    prints "left no record"
    ovl 0 compare old old/a/../../old --any-work || [ "$code" = 3 ]
    ovl 0 history old old --since 2026-01-01T00:04:00Z
}

@test "a launch of a job that lacks the cell has lost it, whatever else it measured" {
    swept old 12 1
    swept new 12 1
    for i in 01 02 03 04 05 06 07; do
        sed -i '/"size_bytes":65536,/d; /"size_bytes":8192,/s/"test_calls":0/"test_calls":1/; s/"cells":4/"cells":3/' new/a/0$i.jsonl
    done
    sealed old
    sealed new
    for filter in "" "--filter size_bytes=65536"; do
        # shellcheck disable=SC2086
        ovl 2 compare $filter old new
        grep -q ' 64K .*too many new launches are unusable' <<<"$out"
    done
    # A few make no difference, and are told.
    swept few 14 1
    for i in 01 02 03; do sed -i '/"size_bytes":65536,/d; s/"cells":4/"cells":3/' few/a/0$i.jsonl; done
    sealed few
    ovl 0 compare old few
    grep -q ' 64K .*of 3 launches nothing counts' <<<"$out"
}

@test "what a filter leaves out of launches is owed in JUnit, and of jobs by ovl site" {
    references
    swept s 12 1
    for i in 01 02 03 04 05 06 07; do sed -i '/"size_bytes":65536,/d; /"record":"end"/d' s/a/0$i.jsonl; done
    sealed s
    ovl 0 export --to junit s
    failures=$(grep -o 'failures="[0-9]*"' <<<"$out" | head -n 1)
    [ "$failures" != 'failures="0"' ]
    ovl 0 export --to junit --filter size_bytes=65536 s
    [ "$(grep -o 'failures="[0-9]*"' <<<"$out" | head -n 1)" != 'failures="0"' ]
    swept t 8 1
    sed -i 's/\[{/[{"name":"b","program":"ovl_ialltoall","ranks":2},{/' t/plan.json
    sed -i 's/"program":"x"/"program":"ovl_ialltoall"/' t/plan.json
    sed 's/"job":"a"/"job":"b"/; s/"status":"done"/"status":"failed"/' t/sweep.log >more && cat more >>t/sweep.log
    mkdir t/b && for i in 1 2 3 4 5 6 7 8; do : >t/b/00$i.log; done
    sealed t
    ovl 2 site refs.json t
    ovl 2 site refs.json t --filter benchmark=ialltoall
}

@test "a rival that ovl sweep --job left out is named" {
    swept s 12 1
    launches b 12 1.5 s/b/%03d
    sed -i 's/\[{/[{"name":"tuned","program":"x","ranks":2},{"name":"b","program":"x","ranks":2},{/' s/plan.json
    sed 's/"job":"a"/"job":"b"/' s/sweep.log >more && cat more >>s/sweep.log
    sed -i '1i {"opened":"2026-01-01T00:00:00Z","resume":false,"host":"vm","pid":1,"jobs":"^[ab]$"}' s/sweep.log
    sealed s
    "$OVL_BIN/ovl" rank s >out || [ $? = 2 ]
    cat out
    has out "# note     ovl sweep --job left out, and nothing is known of: tuned"
}

@test "data that nobody checked are told by ovl site, too; and no answer says what was not printed" {
    references
    swept s 8 1
    sed -i 's/"validated":true/"validated":null/g' s/a/*.jsonl
    sealed s
    tells 0 "data not checked" site refs.json s
    swept t 8 1
    sealed t
    for call in "compare s t" "site refs.json t" "rank s t" "history --since 2026-01-01T00:04:00Z t"; do
        code=0
        # shellcheck disable=SC2086
        "$OVL_BIN/ovl" $call --json j.json >/dev/full 2>err || code=$?
        [ $code = 5 ]
        [ ! -e j.json ]
        has err "cannot write to standard output"
    done
}

@test "a name with a brace within the samples hides no field from who reads without them" {
    launches a 1 1
    sed 's/"samples":{/"samples_crc32":"0","unshaped":true,&"x{":{},/' a/1.jsonl >braces.jsonl
    [ "$("$OVL_BIN/ovl" export --to csv braces.jsonl | grep -c 'no: unshaped')" = "$(grep -c '"record":"cell"' braces.jsonl)" ]
    sed 's/,"unshaped":true\(,"samples":{"x{":{},.*\)}$/\1,"unshaped":true,"last":{"q":"}"}}/' braces.jsonl >hidden.jsonl
    [ "$("$OVL_BIN/ovl" export --to csv hidden.jsonl | grep -c 'no: unshaped')" = "$(grep -c '"record":"cell"' hidden.jsonl)" ]
}

@test "a job's folder is the same by any name, and by a link; records of elsewhere in it are none of its sweep" {
    swept old 12 1
    swept new 12 1
    swept bad 12 1.15
    for folder in old new bad; do sealed $folder; done
    cp -r new few
    rm few/a/00[1-7].jsonl
    ln -s few/a link
    for name in few few/a few/a/ few/a/. few//a link; do ovl 2 compare old $name; done
    cd few/a
    ovl 2 compare ../../old .
    cd ../..
    ovl 0 compare old new/a/
    # In place of a slow job's folder a link to that of a quick one.
    cp -r bad linked
    mv linked/a slow
    ln -s ../new/a linked/a
    ovl 1 compare old bad
    tells 2 "linked/a/001.jsonl is not the file that its attempt left" compare old linked
    # More quick records than slow ones, of a sweep of their own.
    cp -r bad more
    launches quick 60 1
    for file in quick/*.jsonl; do mv "$file" more/a/x"${file##*/}"; done
    cd more
    tells 2 "sweep.log tells of no such launch" compare ../old a
    cd ..
    echo '{"jobs":[]}' >more/a/plan.json
    tells 2 "sweep.log tells of no such launch" compare old more
}

@test "launches of a program that is called as one of ovl's are its own" {
    swept old 12 1
    swept new 12 1
    sed -i 's/"program":"x"/"program":".\/ovl_ialltoall-numa"/' {old,new}/plan.json
    rm new/a/00[1-7].jsonl
    sealed old
    sealed new
    ovl 2 compare old new
}

@test "what is left to wait for of other work is not compared" {
    swept old 12 1
    swept new 12 1
    sed -i 's/"units":\([0-9]*\)/"units":3\1/' new/a/*.jsonl
    sealed old
    sealed new
    ovl 2 compare -m wait_seconds old new
    prints "different work"
}

@test "a baseline of one launch is a rival, and a launch of which others have their work is none" {
    launches s/a 6 1
    launches s/tuned 1 0.5
    jobs() { echo "{\"plan\": 1, \"jobs\": [{\"name\": \"a\", \"program\": \"ovl_ialltoall\", \"ranks\": 2$1}, {\"name\": \"tuned\", \"program\": \"ovl_ialltoall\", \"ranks\": 2$2}]}" >s/plan.json; }
    for of in "" ', "work_of": "tuned"'; do
        jobs "$of" ', "baseline": "tuned", "launches": 1'
        "$OVL_BIN/ovl" show --rivals s >out || [ $? = 2 ]
        has out " tuned "
        absent "gave others|left out" "$(<out)"
    done
    jobs ', "work_of": "tuned"' ', "launches": 1'
    "$OVL_BIN/ovl" show --rivals s >out || [ $? = 2 ]
    absent " tuned " "$(<out)"
}

@test "a launch that ended without a cell that others have has a case in JUnit, which did not pass" {
    launches some 4 1
    for i in 1 2; do sed -i '/"record":"cell"/d; s/"cells":4/"cells":0/' some/$i.jsonl; done
    ovl 0 export --to junit some
    [ "$(grep -c 'not known: other launches have this cell' <<<"$out")" = 8 ]
    grep -q '<testsuites [^>]*skipped="8"' <<<"$out"
}

@test "a launcher that leaves one record again has failed" {
    launches one 1 1
    cat >play <<'END'
#!/bin/sh
while [ $# -gt 0 ]; do
    [ "$1" = --json ] && cp "$RECORD" "$2"
    shift
done
END
    chmod +x play
    export RECORD=$PWD/one/1.jsonl
    echo '{"plan": 1, "launches": 3, "launcher": {"kind": "mpiexec", "program": "./play"}, "jobs": [{"name": "a", "program": "ovl_ialltoall", "ranks": 2}]}' >plan.json
    ovl 1 sweep plan.json -o s
    prints "s/a/001.jsonl once more"
    [ ! -e s/a/002.jsonl ]
}

@test "a launcher that leaves records of launches to come is found out" {
    launches made 4 1
    cat >ahead <<'END'
#!/bin/sh
while [ $# -gt 0 ]; do
    [ "$1" = --json ] && to=$2
    shift
done
at=${to%/.*}
cp made/1.jsonl "$to"
for i in 2 3 4; do cp made/$i.jsonl "$at/00$i.jsonl"; done
END
    chmod +x ahead
    echo '{"plan": 1, "launches": 4, "launcher": {"kind": "mpiexec", "program": "./ahead"}, "jobs": [{"name": "a", "program": "ovl_ialltoall", "ranks": 2}]}' >plan.json
    ends 5 "$OVL_BIN/ovl" sweep plan.json -o s
    says "s/a/002.jsonl: somebody else left, removed or changed it while the sweep ran"
}

@test "a percentile of samples that are not those of the cell's own median is none" {
    swept old 12 1
    swept new 12 1
    for f in new/a/*.jsonl; do
        jq -c 'if .record == "cell" then .samples.total_seconds.max |= map(if . then -. else . end) else . end' "$f" >edited
        mv edited "$f"
    done
    sealed old
    sealed new
    ovl 2 compare -m total_seconds.p50 old new
    prints "no launch of one side is valid (left out: 12 unusable"
    ovl 0 compare -m total_seconds.p50 old old/a --any-work || [ "$code" = 3 ]
}

@test "a mode that the options had and that left no cell in any launch is not forgotten" {
    cp -r "$OVL_TOP/results/thread/totals-1" s
    for f in s/ireduce/*.jsonl; do
        jq -c 'select(.mode != "thread") | if .record == "end" then .cells -= 5 else . end' "$f" >edited
        mv edited "$f"
    done
    "$OVL_BIN/ovl" show --rivals s >out || [ $? = 2 ]
    grep -q '# dpu open   ireduce 1M: .* of thread are valid' out
    "$OVL_BIN/ovl" rank --filter 'benchmark=^ireduce$' s >out || [ $? = 2 ]
    has out "# lost     ireduce thread: no launch of 10 left a cell"
    # Who chose by the mode did not ask for it.
    "$OVL_BIN/ovl" rank --filter 'benchmark=^ireduce$' --filter 'mode=^(host|dpu)$' s >out || [ $? = 2 ]
    absent "ireduce thread" "$(<out)"
}

@test "wrong data are wrong by reason and check, too" {
    sed '2,$s/"status":"few","reason":"[^"]*"/"status":"invalid","reason":"wrong data: a panel"/' "$data/hpl.jsonl" >said.jsonl
    tells 4 "/validated: true, and reason or check say that data are wrong" validate said.jsonl
    ovl 4 show --rivals said.jsonl
    sed -E '2,$s/"status":"few","reason":"[^"]*"/"status":"invalid","reason":"x"/; 2,$s/("check":\{"name":"[^"]*","value":)[0-9.e+-]+/\11e9/' "$data/hpl.jsonl" >off.jsonl
    ovl 4 show --rivals off.jsonl
}

@test "variables that other ranks have otherwise are a setting" {
    swept old 12 1
    swept new 12 1
    sed -i '1s/"environment":/"environment_differs":["UCX_RNDV_THRESH"],&/' new/a/*.jsonl
    sed -i '1s/"environment":/"environment_differs":[],&/' old/a/*.jsonl
    sealed old
    sealed new
    ends 5 "$OVL_BIN/ovl" compare old new
    prints "environment_differs"
}

@test "an application's workers did what its steps have, and carried what its links have" {
    kept=$OVL_TOP/results/train/edsr/001.jsonl
    ovl 0 validate "$kept"
    sed '/"mode":"dpu"/s/"worker_ops":[0-9]*/"worker_ops":30/' "$kept" >few.jsonl
    tells 4 "/engine/worker_ops: 30, and C and T of" validate few.jsonl
    sed '/"mode":"dpu"/s/"worker_bytes":[0-9]*/"worker_bytes":0/' "$kept" >none.jsonl
    tells 4 "/engine/worker_bytes: 0, and the links have" validate none.jsonl
    # Where they had nothing to do they are not measured.
    sed '/"mode":"dpu"/s/"worker_ops":[0-9]*/"worker_ops":0/' "$kept" >idle.jsonl
    ends 0 "$OVL_BIN/ovl" export --to csv idle.jsonl
    [ "$(grep -c ',dpu,.*no: idle workers' <<<"$out")" = 1 ]
}

@test "a log tells how each attempt was started, and ends of those that were" {
    swept s 8 1
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "ialltoall", "size_bytes": 8192}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    cp s/sweep.log plain.log
    # As version 0.2.0 wrote it, and as it is since.
    sealed s
    ovl 1 accept limits.json s
    prints "its log is of an older version"
    # Records of versions that write such lines have no log without one.
    sed -i '1s/"schema":"[0-9.]*"/"schema":"2.10.0"/' s/a/*.jsonl
    sealed s
    ovl 1 accept limits.json s
    prints "of a version whose log tells when the sweep was opened, which this one does not"
    sed '/"started"/s/}$/,"launcher":["mpiexec","-n","2"]}/; /"ended"/s/}$/,"wrong_data":false}/
        1i {"opened":"2026-01-01T00:00:30Z","resume":false,"host":"vm","pid":1}' plain.log >s/sweep.log
    cp s/sweep.log kept.log
    sealed s
    ovl 1 accept limits.json s
    absent "older version" "$out"
    while IFS='|' read -r edit words; do
        sed "$edit" kept.log >s/sweep.log
        sealed s
        refuses 4 "$words" accept limits.json s
    done <<'EDITS'
/"started".*"launch":3,/d|the start of the attempt that ended is wanted before it
/"ended".*"launch":3,/s/"exit":0/"exit":137/|done is wanted of exit codes 0 and 2 alone
/"ended".*"launch":3,/s/"exit":0,//|exit, seconds from 0 and wrong_data are wanted here
/"ended".*"launch":3,/s/,"wrong_data":false//|exit, seconds from 0 and wrong_data are wanted here
/"ended".*"launch":3,/s/"attempt":1/"attempt":2/|the start of the attempt that ended is wanted before it
/"started".*"launch":3,/s/,"launcher":\[[^]]*\]//|launcher is wanted here
EDITS
}

@test "ovl site names systems of which no launch is given" {
    swept s 12 1
    sealed s
    references
    jq -c '.systems += [.systems[0] | .name = "b" | .hosts = "^other$"]' refs.json >two.json
    ovl 0 site two.json s
    prints "# note     no launch is of 1 system, whose rules were not asked: b"
}

@test "warnings of all launches are told at the head of an acceptance" {
    launches a 8 1
    sed -i '1s/"warnings":\[[^]]*\]/"warnings":["ranks are not bound"]/' a/*.jsonl
    echo '{"limits": 1, "log_required": false, "rules": [{"match": {"benchmark": "ialltoall", "size_bytes": 8192}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    "$OVL_BIN/ovl" accept limits.json a >out || :
    has out "8 of 8 launches warn: ranks are not bound"
}

@test "a sweep of one rank alone has invalid cells, whatever its launcher says" {
    launches one 1 1
    sed -i 's/"ranks":2/"ranks":1/g' one/1.jsonl
    printf '#!/bin/sh\nfor last; do :; done\ncp one/1.jsonl "$last"\n' >play
    chmod +x play
    echo '{"plan": 1, "launches": 1, "launcher": {"kind": "mpiexec", "program": "./play"}, "jobs": [{"name": "a", "program": "ovl_ialltoall", "ranks": 1}]}' >plan.json
    tells 2 "1 launch with invalid cells" sweep plan.json -o s
    ovl 2 sweep --status s
}

@test "--check asks for lists of hosts, and for files that are no folders" {
    plan() { echo "{\"plan\": 1, \"launches\": 1, $1 \"jobs\": [{\"name\": \"a\", \"program\": \"$2\", \"ranks\": 2, \"options\": [$3]}]}" >plan.json; }
    plan '"launcher": {"kind": "mpirun_rsh", "program": "/bin/true", "hostfile": "gone", "dpufile": "gone-too"},' "$OVL_BIN/ovl_ialltoall" '"-m", "1K"'
    tells 3 "launcher -hostfile: gone cannot be read" sweep plan.json --check
    prints "launcher -dpufile: gone-too cannot be read"
    plan '' "$OVL_BIN/ovl_ineighbor_alltoall" '"--edges", "/tmp"'
    tells 3 "option --edges: /tmp is a folder" sweep plan.json --check
    plan '' "$OVL_BIN/ovl_train" '"--checkpoint", "root", "--checkpoint-dir", "gone"'
    tells 3 "option --checkpoint-dir: gone: No such file or directory" sweep plan.json --check
    : >gone
    tells 3 "option --checkpoint-dir: gone is no folder" sweep plan.json --check
}

@test "launches that were good, removed and made again are not known" {
    swept old 12 1
    swept new 12 1
    for i in 1 2 3 4 5 6 7; do
        echo "{\"started\":\"2026-01-01T01:0$i:00Z\",\"job\":\"a\",\"launch\":$i,\"attempt\":2}"
        echo "{\"ended\":\"2026-01-01T01:0$i:01Z\",\"job\":\"a\",\"launch\":$i,\"attempt\":2,\"status\":\"done\",\"why\":\"\",\"exit\":0,\"seconds\":1.0}"
        sed -i "1s/\"started\":\"[^\"]*\"/\"started\":\"2026-01-01T01:0$i:00Z\"/" new/a/00$i.jsonl
    done >>new/sweep.log
    sealed old
    sealed new
    tells 2 "7 of 12 launches were made again after an earlier attempt" compare old new
}

@test "launches since a night that were made again are held against those since then alone" {
    swept s 40 1
    sealed s
    ovl 0 history --since 2026-01-01T00:31:00Z s
    for i in 33 34 35 36 37 38 39; do
        sed -i "/\"started\".*\"launch\":$i,/{
            h; s/.*/{\"started\":\"2026-01-01T00:$i:00Z\",\"job\":\"a\",\"launch\":$i,\"attempt\":1}/p
            s/.*/{\"ended\":\"2026-01-01T00:$i:00Z\",\"job\":\"a\",\"launch\":$i,\"attempt\":1,\"status\":\"failed\",\"why\":\"\",\"exit\":5,\"seconds\":1.0}/p
            g; s/\"attempt\":1/\"attempt\":2/}
            /\"done\"/s/\(\"launch\":$i,\"attempt\":\)1/\12/" s/sweep.log
    done
    sealed s
    tells 2 "# not known since 2026-01-01T00:31:00Z 7 of 10 launches were made again" history --since 2026-01-01T00:31:00Z s
    ovl 0 history s
}

@test "a training tells its operations in all of its own places" {
    kept=$OVL_TOP/results/train/edsr/001.jsonl
    sed 's/"class":"total","calls":7/"class":"total","calls":0/' "$kept" >few.jsonl
    tells 4 "/histogram: calls of 0 in all, and 7 in its classes" validate few.jsonl
    sed 's/"wire_bytes":[0-9]*/"wire_bytes":0/' "$kept" >wire.jsonl
    tells 4 "/wire_bytes: 0, and the gradients have" validate wire.jsonl
    ways=$OVL_TOP/results/train-checkpoints/resnet50/001.jsonl
    jq -c 'if .epochs then .epochs |= [.[1], .[0], .[2]] else . end' "$ways" >order.jsonl
    tells 4 "/epochs: the first is root, and all others are held against none" validate order.jsonl
    jq -c 'if .epochs then .epochs[2].count = 1 else . end' "$ways" >count.jsonl
    tells 4 "/epochs/2/count: 1, and the options have 10" validate count.jsonl
}

@test "a serving has all steps of its times, and none far below its bound" {
    jq -c 'if .serving then .serving.ttft_seconds.steps = [] else . end' "$data/serve.jsonl" >none.jsonl
    tells 4 "/serving/ttft_seconds/steps: 0, and there is one each 5 %" validate none.jsonl
}

@test "a rival whose launches all lack one size of their options is not forgotten" {
    cp -r "$OVL_TOP/results/thread/totals-1" s
    for f in s/ialltoall-t/*.jsonl; do
        jq -c 'select(.size_bytes != 4194304) | if .record == "end" then .cells -= 1 else . end' "$f" >edited
        mv edited "$f"
    done
    "$OVL_BIN/ovl" show --rivals s >out || [ $? = 2 ]
    grep -q '# dpu open   ialltoall 4M: .*job ialltoall-t' out
}

@test "launches of nights whose jobs have their dates for names are lost all the same" {
    swept old 12 1
    launches n 12 1
    mkdir new
    jobs=
    for i in {1..12}; do
        night=night-$(printf %02d $i)
        jobs+=,$(printf '{"name":"%s","program":"ovl_ialltoall","ranks":2}' $night)
        mkdir -p new/$night
        [ $i -gt 5 ] && mv n/$i.jsonl new/$night/001.jsonl || : >new/$night/001.log
    done
    echo "{\"jobs\":[${jobs#,}],\"launches\":1,\"plan\":1}" >new/plan.json
    "$OVL_BIN/ovl" compare old new >out || :
    [ "$(grep -c 'too many new launches are unusable, were cut short or lack the cell' out)" = 4 ]
}

@test "another MPI library on one of the nodes is another setting" {
    swept old 12 1
    swept new 12 1
    sed -i '1s/"mpi_library":"[^"]*"/"mpi_library":"MPICH Version: 9.9"/' new/a/*.jsonl
    grep -q '"mpi_library"' old/a/001.jsonl || sed -i '1s/"hosts":\[{/&"mpi_library":"MPICH Version: 4.0",/' old/a/*.jsonl
    grep -q '"mpi_library"' new/a/001.jsonl || sed -i '1s/"hosts":\[{/&"mpi_library":"MPICH Version: 9.9",/' new/a/*.jsonl
    sealed old
    sealed new
    ends 5 "$OVL_BIN/ovl" compare old new
    prints "hosts[].mpi_library"
}

@test "a cell of mode blocking is no baseline of itself" {
    echo '{"limits": 1, "log_required": false, "rules": [{"match": {"benchmark": "hpl", "mode": "blocking"}, "metric": "total_seconds", "ratio_to": ["blocking"], "operator": "<=", "limit": 1.0}]}' >limits.json
    cp -r "$OVL_TOP/results/hpl/rivals" s
    "$OVL_BIN/ovl" accept limits.json s >out && return 1
    absent "T / blocking .* PASS" "$(<out)"
}

@test "cells in blocks of their own, and processors of threads that are not told, are no record" {
    kept=$OVL_TOP/results/thread/totals-1/ireduce/001.jsonl
    ovl 0 validate "$kept"
    sed -E '/"mode":"dpu"/s/("block_group":"[^"]*)"/\19"/' "$kept" >apart.jsonl
    tells 4 "has another mode of this size in" validate apart.jsonl
    jq -c 'if .thread then .thread.processors = [] else . end' "$kept" >threads.jsonl
    tells 4 "/cores: the run has processors of 0 threads, of 2 ranks" validate threads.jsonl
}

@test "no work at all is none that takes its time, and busy threads burn no more than they have" {
    cp "$data/ialltoall.jsonl" r.jsonl
    sed 's/"units":[0-9]*/"units":0/' r.jsonl >none.jsonl
    tells 4 "/compute/units: 0, and W is" validate none.jsonl
    kept=$OVL_TOP/results/thread/totals-1-own-cores
    file=$kept/ialltoall/001.jsonl
    sed '/"mode":"dpu"/{s/"cores":{"count":4,"shared":false}/"cores":{"count":2,"shared":true}/; s/"busy_threads":0/"busy_threads":1/}' "$file" >busy.jsonl
    has busy.jsonl '"busy_threads":1'
    tells 4 "/cores/count: 2, and" validate busy.jsonl
}

@test "over three times the work in less time is no measurement, however short it is" {
    sed 's/"grid":"32x32x32"/"grid":"X"/; s/"grid":"48x48x48"/"grid":"32x32x32"/; s/"grid":"X"/"grid":"48x48x48"/
        s/5.3290705182e-14/X/; s/5.95253180157e-14/5.3290705182e-14/; s/X/5.95253180157e-14/' "$data/fft3d.jsonl" >exchanged.jsonl
    derived exchanged.jsonl other.jsonl
    tells 4 "/problem: 0.000" validate other.jsonl
    prints "s of work for"
}

@test "a size or a mode that all launches lost, on both sides, is not forgotten" {
    launches old 12 1
    launches new 12 1
    version=$("$OVL_BIN/ovl" --version | cut -d ' ' -f 2)
    sed -i "1s/\"ovl_version\":\"[0-9.]*\"/\"ovl_version\":\"$version\"/" old/*.jsonl new/*.jsonl
    ovl 0 compare old new
    sed -i '/"record":"cell"/{/"size_bytes":16384,/d}; s/"cells":4/"cells":3/' old/*.jsonl new/*.jsonl
    tells 2 "no launch has the cell of 16384 bytes in mode host, for which their options ask" compare old new
    ends 2 "$OVL_BIN/ovl" report new --old old -o page.html # which has a line for each side
    refuses 3 "--inconclusive pass: old/ialltoall: no launch has the cell" compare --inconclusive pass old new
    ovl 2 history --since 2020-01-01 new
    # Also where one launch lost another one besides.
    sed -i '/"record":"cell"/{/"size_bytes":8192,/d}; s/"cells":3/"cells":2/' old/3.jsonl new/3.jsonl
    tells 2 "no launch has the cell of 16384 bytes in mode host" compare old new
    # Some launches have it still: it is lost by the others, as before.
    rm -r old new
    launches old 12 1
    launches new 12 1
    sed -i '/"record":"cell"/{/"size_bytes":16384,/d}; s/"cells":4/"cells":3/' new/[1-9].jsonl
    tells 2 "too many new launches are unusable, were cut short or lack the cell" compare old new
}

@test "a word is one, an option one of the program, and a block has one work" {
    kept=$OVL_TOP/results/train/edsr/001.jsonl
    sed '/"record":"cell"/s/"model":"edsr_x2"/"model":"edsr_x2xedsr_x2xedsr_x2"/' "$kept" >cube.jsonl
    tells 4 "/problem/model: edsr_x2xedsr_x2xedsr_x2, which the option model does not have" validate cube.jsonl
    sed '1s/"options":{/&"self_test":true,/' "$kept" >option.jsonl
    tells 4 "/options/self_test: the program has no such option" validate option.jsonl
    sed '/"mode":"dpu"/s/"worker_bytes":[0-9]*/"worker_bytes":null/' "$kept" >null.jsonl
    tells 4 "/engine/worker_bytes: nan, and the links have" validate null.jsonl
    jq -c 'if .mode == "dpu" then .samples.compute_seconds.max |= map(. * 1.2) else . end' "$kept" >more.jsonl
    derived more.jsonl work.jsonl
    tells 4 "/samples/compute_seconds: not those of the cell in line" validate work.jsonl
    sed 's/"units":[0-9]*/"units":1/' "$OVL_TOP/results/host/ibcast.jsonl" >one.jsonl
    tells 4 "/compute/units: 1 in" validate one.jsonl
}

@test "wrong data by their reason are wrong, whatever the status says" {
    launches old 12 1
    launches new 12 1
    sed -i '3s/"status":"[a-z_]*","reason":[^,]*/"status":"ok","reason":"wrong data: x"/' new/4.jsonl
    ovl 1 compare old new
    prints "wrong data"
}

@test "pairs of which half a day lies between are none, whether the first tells its end or not" {
    launches old 12 1
    launches new 12 1
    ovl 0 compare --paired old new
    for i in {1..12}; do
        printf -v day %02d $i
        sed -i "1s/\"started\":\"[^\"]*\"/\"started\":\"2026-01-${day}T03:00:00Z\"/; \$s/\"finished\":\"[^\"]*\"/\"finished\":null/" old/$i.jsonl
        sed -i "1s/\"started\":\"[^\"]*\"/\"started\":\"2026-01-${day}T15:00:00Z\"/; \$s/\"finished\":\"[^\"]*\"/\"finished\":null/" new/$i.jsonl
    done
    ovl 2 compare --paired old new
}

@test "which processor each rank is on is a setting where nodes are unlike" {
    launches old 12 1
    launches new 12 1
    unlike() { # FILES... with the nodes A and B in that order
        jq -c --arg a "$1" --arg b "$2" 'if .record == "run" then .hosts = [.hosts[0] + {name: "n1", cpu: $a}, .hosts[0] + {name: "n2", cpu: $b}] |
            .rank_hosts = [0, 0] else . end' "$3" >"$3.new" && mv "$3.new" "$3"
    }
    for i in {1..12}; do unlike fast slow old/$i.jsonl; unlike fast slow new/$i.jsonl; done
    ovl 0 compare old new
    for i in {1..12}; do unlike slow fast new/$i.jsonl; done
    for i in {1..12}; do sed -i '1s/"rank_hosts":\[0,0\]/"rank_hosts":[0,1]/' old/$i.jsonl new/$i.jsonl; done
    ovl 5 compare old new
    prints "# differs  rank_hosts[].cpu: 1 of fast, 1 of slow -> 1 of slow, 1 of fast"
}


# play KIND: what ./launch leaves from now on, as ovl_ialltoall would.
play() {
    cat >launch <<'SCRIPT'
#!/bin/bash
for last; do :; done
id=$(echo "$last" | tr -c 'a-z0-9\n' -)
echo "$last" >>calls
record() { # no two of which have the very same samples
    sed "s/\(\"comm_seconds\":{\"max\":\[[0-9]*\.[0-9]*\)e/\1$(printf %06d "$(wc -l <calls)")e/; s/20261121T123144Z-4d4346abbbb67a49/$id-$RANDOM/; s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$(date -u +%FT%TZ)/" "$OVL_TOP/tests/cli/data/ialltoall.jsonl"
}
case $(cat kind) in
good) record >>"$last" ;;
cut) record | sed -n '1p; 2s/"validated":true/"validated":false/p' | head -c -40 >>"$last"; exit 9 ;;
said) record | sed -n '1p; $p' >>"$last"; exit 4 ;;
gone) echo "[1] ovl_ialltoall: wrong data: rank 1, byte 5" >&2; exit 9 ;;
none) exit 9 ;;
printed) echo "ovl_ialltoall: wrong data: rank 1, byte 5" >&2; record >>"$last" ;;
esac
SCRIPT
    chmod +x launch
    echo "$1" >kind
}

# all_end CODE OLD NEW: each command that judges launches.
all_end() {
    ovl "$1" compare "$2" "$3"
    ovl "$1" history --since 2020-01-01 "$3"
    ovl "$1" rank "$3"
    ovl "$1" guidelines "$3"
    "$OVL_BIN/ovl" report "$3" --old "$2" -o page.html >out 2>err || code=$?
    [ "$code" = "$1" ]
}

@test "wrong data whose line is cut, or of which only the exit code or the program's words tell, are wrong data to all" {
    echo '{"plan": 1, "launches": 6, "launcher": {"kind": "mpiexec", "program": "./launch"}, "jobs": [{"name": "a", "program": "ovl_ialltoall", "ranks": 2}]}' >plan.json
    play good
    ovl 0 sweep plan.json -o old
    for kind in cut said gone printed; do
        play good
        ovl 0 sweep plan.json -o $kind
        rm $kind/a/003.jsonl
        play $kind
        "$OVL_BIN/ovl" sweep plan.json -o $kind --resume >out || [ $? = 4 ]
        ovl 4 sweep --status $kind
        all_end 4 old $kind
    done
    # As OMB prints it, too, of an attempt that was made again; and where the log of an older sweep does not tell.
    for form in omb omb-blocking bandwidth; do tells 4 "# note     wrong data of an attempt that failed: cut/a/003-2.partial" show --format $form cut; done
    "$OVL_BIN/ovl" show --format omb cut/a/00[12].jsonl >out || [ $? = 2 ]
    cp -r old told
    echo "ovl_ialltoall: wrong data: rank 1, byte 5" >>told/a/002.log
    all_end 4 old told
    has err "told/a/002.log: it says that data were wrong, and no cell beside it is: which cell is not known"
    ovl 4 sweep --status told
}

@test "a job of which no launch left a cell is not known, unless a filter chooses others" {
    jobs='{"name": "a", "program": "ovl_ialltoall", "ranks": 2}'
    echo '{"plan": 1, "launches": 12, "launcher": {"kind": "mpiexec", "program": "./launch"}, "jobs": ['"$jobs"']}' >plan.json
    play good
    ovl 0 sweep plan.json -o old
    ovl 0 sweep plan.json -o new
    ovl 0 compare old new
    sed -i 's/"jobs": \[/&{"name": "b", "program": "ovl_iallgather", "ranks": 2}, /' plan.json
    for side in old new; do
        rm -r $side/plan.json $side/sweep.log
        mv $side $side-a
        play none
        "$OVL_BIN/ovl" sweep plan.json --job b -o $side >out || [ $? = 1 ]
        play good
        ovl 2 sweep plan.json --job a -o $side --resume
    done
    tells 2 "# not known job b: no launch of it left a cell" compare old new
    ovl 3 compare old new --inconclusive pass
    ovl 2 history --since 2020-01-01 old new
    ovl 0 compare old new --filter benchmark=ialltoall
    ovl 0 compare old/a new/a
}

# judge CODE...: of compare, compare --paired, rank, guidelines and show --rivals.
judge() {
    ovl "$1" compare old new
    ovl "$2" compare --paired old new
    ovl "$3" rank --across old new
    ovl "$4" guidelines new
    ovl "$5" show --rivals new
}

@test "wrong data of a launch are there whatever else is said of it: a part of its record, its cell once more, a cut line" {
    wrong='/"size_bytes":65536,/s/"validated":true/"validated":false/'
    launches old 12 1
    launches new 12 1
    cp -r new kept
    # A file that was copied before it was whole, and comes first.
    sed -i "$wrong" new/3.jsonl
    head -n 2 new/3.jsonl >new/0.jsonl
    judge 1 1 4 4 4
    [ "$(head -n 1 new/3.jsonl | tee new/0.jsonl | wc -l)" = 1 ]
    judge 1 1 4 4 4
    # A copy that says the data were right.
    sed 's/"validated":false/"validated":true/' new/3.jsonl >new/0.jsonl
    refuses 4 "another launch of run_id" compare old new
    # The cell once more, without a claim or with one.
    for other in invalid ci_not_reached; do
        rm -r new && cp -r kept new
        awk -v other="$other" '/"size_bytes":65536,/ { a = b = $0
                sub(/"status":"[a-z_]*","reason"/, "\"status\":\"" other "\",\"reason\"", a)
                sub(/"validated":true/, "\"validated\":false", b); print a; print b; next }
            { sub(/"cells":4/, "\"cells\":5"); print }' kept/3.jsonl >new/3.jsonl
        judge 1 1 4 4 4
    done
    # Its line is cut.
    rm -r new && cp -r kept new
    sed -i "6,\$d; $wrong" new/3.jsonl
    truncate -s -200 new/3.jsonl
    judge 4 4 4 4 4
}

@test "a comparison that is refused leaves no answer" {
    launches old 12 1
    launches new 12 1
    sed -i '/"size_bytes":65536,/d; s/"cells":4/"cells":3/' new/*.jsonl
    echo before >j.json
    ovl 3 compare --inconclusive pass old new --json j.json --junit j.xml
    [ "$(cat j.json)" = before ]
    [ ! -e j.xml ]
}
