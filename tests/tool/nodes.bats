#!/usr/bin/env bats
# The same launch on every node or pair of nodes: plans with "each", and `ovl nodes`.

load tool

# on_nodes: ./launch, which plays a launcher that is told its hosts. The files slow_nodes, broken_nodes and slow_pairs name those;
# records are of the folders fast, and slow, where all totals are 1.4 times as long.
on_nodes() {
    launches fast 24 1
    launches slow 24 1.4
    : >slow_nodes; : >broken_nodes; : >slow_pairs
    cat >launch <<'SCRIPT'
#!/bin/bash
# -n RANKS -hosts A:N,B:N PROGRAM --json FILE
[[ $3 = -hosts || $3 = --host ]] || exit 9
echo "$*" >>calls
mapfile -t hosts < <(tr , '\n' <<<"$4" | sed 's/:.*//')
for last; do :; done
kind=fast list=
for host in "${hosts[@]}"; do
    ! grep -qx "$host" broken_nodes || exit 5
    ! grep -qx "$host" slow_nodes || kind=slow
    list+=${list:+,}"{\"name\":\"$host\"}"
done
! grep -qx "${hosts[*]}" slow_pairs || kind=slow
[ ! -e flaky ] || [[ $last != $(<flaky) ]] || kind=slow
[ ! -e elsewhere ] || list='{"name":"other"}'
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n >count
sed "s/\"hosts\":\[{\"name\":\"[^\"]*\"}*/\"hosts\":[${list%\}}/; s/\"nodes\":1/\"nodes\":${#hosts[@]}/
    s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$(date -u +%FT%TZ)/" $kind/$n.jsonl >>"$last"
SCRIPT
    chmod +x launch
}

# each WHAT [MORE]: plan.json with a job on each of it
each() { echo "{\"plan\": 1, \"launches\": 2, \"launcher\": {\"kind\": \"mpiexec\", \"program\": \"./launch\"}, \"jobs\": [{\"name\": \"a\", \"program\": \"./good\", \"ranks\": 2, \"each\": \"$1\"${2:-}}]}" >plan.json; }

@test "the slow node of a sweep over each node is named, and left out of the good set" {
    on_nodes
    each node ', "hosts": "n[01-05]"'
    tells 0 "a-n03" sweep plan.json --dry-run
    prints "n03:2 ./good"
    echo n03 >slow_nodes
    ovl 0 sweep plan.json -o s
    grep -q -- '-n 2 -\{1,2\}hosts* n05:2 ./good' calls
    tells 1 "# 0 FAILED, 1 SLOW, 0 elsewhere, 0 open, 0 unsure, 4 good" nodes s -m total_seconds
    prints "# slowest  n03: 1." "# good set 4 of 5 nodes, and no larger one: n01,n02,n04,n05" "# left out n03"
    [ "$(awk '!/^#/ { print $1, $3, $4; exit }' <<<"$out")" = "n03 2 SLOW:" ]
    ovl 1 nodes s -m total_seconds --json n.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" n.json
    [ "$(jq -c '[.exit, .left_out, .largest, (.places[0] | .nodes, .verdict, .worst > 1.35)]' n.json)" = '[1,["n03"],true,["n03"],"SLOW",true]' ]
    # As a job script takes them.
    [ "$(jq -r '.good_set | join(",")' n.json)" = n01,n02,n04,n05 ]
    # The times of the operation alone are alike, and 40 % is within 50.
    ovl 0 nodes s
    ovl 0 nodes s -m total_seconds --within 0.5
}

@test "a node that is slow in one of two jobs of one cell is so, and lacks what one of them lacks" {
    on_nodes
    launches fast 60 1
    launches slow 60 2
    sed -i 's/^\[ ! -e elsewhere/[ ! -e slow_job ] || [[ $last != $(<slow_job) ]] || kind=slow\n&/' launch
    echo '{"plan": 1, "launcher": {"kind": "mpiexec", "program": "./launch"}, "jobs": [
        {"name": "a", "program": "./good", "ranks": 2, "launches": 3, "each": "node", "hosts": "n[1-5]"},
        {"name": "b", "program": "./good", "ranks": 2, "launches": 2, "each": "node", "hosts": "n[1-5]",
         "environment": {"MPIR_CVAR_X": "1"}}]}' >plan.json
    echo '*/b-n3/*' >slow_job
    ovl 0 sweep plan.json -o s
    ovl 1 nodes s -m total_seconds
    prints "SLOW" "# left out n3"
    sed -i '/"size_bytes":65536,/d; s/"cells":4/"cells":3/' s/b-n4/*.jsonl
    ovl 1 nodes s -m total_seconds
    prints "1 unsure" "# left out n3,n4"
}

@test "a node of which some launches stall is unsure, and not in the good set" {
    on_nodes
    launches fast 40 1
    launches slow 40 1.4
    each node ', "hosts": "n[1-4]", "launches": 10'
    echo '*n3/.00[123].jsonl' >flaky
    ovl 0 sweep plan.json -o s
    tells 2 "# 0 FAILED, 0 SLOW, 0 elsewhere, 0 open, 1 unsure, 3 good" nodes s -m total_seconds
    prints "# good set 3 of 4 nodes, and no larger one: n1,n2,n4" "# left out n3"
    ovl 0 nodes s
}

@test "a node that was measured when the others were not is unsure" {
    on_nodes
    launches fast 40 1
    launches slow 40 1.4
    each node ', "hosts": "n[1-4]", "launches": 8'
    ovl 0 sweep plan.json -o s
    ovl 0 nodes s -m total_seconds --any-work
    sed -i -E 's/"(started|finished)":"20[0-9]{2}-/"\1":"2027-/' s/a-n4/*.jsonl
    tells 2 "# 0 FAILED, 0 SLOW, 0 elsewhere, 0 open, 1 unsure, 3 good" nodes s -m total_seconds --any-work
    prints "unsure: its launches were not taken in turns with those of others" "# left out n4"
    # Nor is it slow, if that day was.
    echo n4 >slow_nodes
    rm -f count
    ovl 0 sweep plan.json -o slow_day
    ovl 1 nodes slow_day -m total_seconds --any-work
    sed -i -E 's/"(started|finished)":"20[0-9]{2}-/"\1":"2027-/' slow_day/a-n4/*.jsonl
    tells 2 "# 0 FAILED, 0 SLOW, 0 elsewhere, 0 open, 1 unsure, 3 good" nodes slow_day -m total_seconds --any-work
    # One launch that was made up for on another day is no reason.
    sed -i -E 's/"(started|finished)":"20[0-9]{2}-/"\1":"2027-/' s/a-n3/001.jsonl
    tells 2 "1 unsure, 3 good" nodes s -m total_seconds --any-work
}

@test "a slow pair costs one node, and a slow node its pairs" {
    on_nodes
    each pair ', "hosts": ["n[1-4]", "n5"], "launches": 1'
    echo n2 >slow_nodes
    ovl 0 sweep plan.json -o s
    [ "$(wc -l <calls)" = 10 ]
    tells 1 "# 0 FAILED, 4 SLOW, 0 elsewhere, 0 open, 0 unsure, 6 good" nodes s -m total_seconds
    prints "# good set 4 of 5 nodes, and no larger one: n1,n3,n4,n5" "# left out n2"
    rm -r s count; : >slow_nodes
    printf 'n1 n4\nn4 n1\n' >slow_pairs
    ovl 0 sweep plan.json -o s
    tells 1 "1 SLOW" nodes s -m total_seconds
    prints "# good set 4 of 5 nodes"
    # Two rounds have two pairs each.
    each pair ', "hosts": "n[1-4]", "rounds": 2, "launches": 1'
    rm calls count; : >slow_pairs
    ovl 0 sweep plan.json -o r
    [ "$(wc -l <calls)" = 4 ]
    ovl 0 nodes r
}

@test "a node that fails, one that is missing, and one that was elsewhere" {
    on_nodes
    each node ', "hosts": "n[1-4]", "launches": 1'
    echo n4 >broken_nodes
    ovl 1 sweep plan.json -o s
    tells 1 "FAILED: a launch failed" nodes s
    prints "# good set 3 of 4 nodes, and no larger one: n1,n2,n3"
    # One that found wrong data in an attempt, of which no cell tells, stays out, whatever the next attempt left.
    : >broken_nodes; rm count
    ovl 0 sweep plan.json -o again
    sed -i 's/\.\/good/ovl_ialltoall/' again/plan.json
    sed -i '/"ended".*"job":"[^"]*n2"/s/"exit":0/"exit":4/; s/,"previous":"[^"]*"//; s/,"record_sha256":"[^"]*"//' again/sweep.log
    "$OVL_BIN/ovl" nodes again >out || [ $? = 1 ]
    has out "# good set 3 of 4 nodes, and no larger one: n1,n3,n4"
    rm count; touch elsewhere
    ovl 0 sweep plan.json -o e
    tells 2 "elsewhere: ran on other" nodes e
    rm elsewhere count
    ovl 2 sweep plan.json -o o --job 'n[123]'
    tells 2 "1 open" nodes o
    # A launch that is under way has not failed.
    each node ', "hosts": "n[1-5]", "launches": 1'
    rm count
    sed -i '2i [ "$(cat count)" != 4 ] || { echo $$ >at; mv at ran; exec sleep 300; }' launch
    started "$OVL_BIN/ovl" sweep plan.json -o w
    sweep=$!
    "$OVL_BIN/ovl" nodes w >under_way || [ $? = 2 ]
    kill_in_launch $sweep
    has under_way "0 FAILED, 0 SLOW, 0 elsewhere, 1 open, 0 unsure, 4 good"
    tells 1 "1 FAILED, 0 SLOW, 0 elsewhere, 0 open, 0 unsure, 4 good" nodes w
}

@test "a node of which nothing, or not all, is known is not good" {
    on_nodes
    each node ', "hosts": "n[1-4]"'
    ovl 0 sweep plan.json -o s
    ovl 0 nodes s
    # Its records are gone, whatever the log says, and without the log.
    cp -r s gone; rm gone/a-n4/*.jsonl
    tells 2 "1 open, 0 unsure, 3 good" nodes gone
    prints "# left out n4"
    rm gone/sweep.log
    tells 2 "1 open, 0 unsure, 3 good" nodes gone
    # All are there, and no log says how they came about; or wrong data lie beside a record.
    cp -r s untold; rm untold/sweep.log
    tells 2 "# not known untold/sweep.log is gone or empty" nodes untold
    prints "0 open, 0 unsure, 4 good"
    cp -r s wrong; sed 's/"run_id":"[^"]*/&-2/; s/"validated":true/"validated":false/' s/a-n4/001.jsonl >wrong/a-n4/001-2.partial
    tells 1 "1 FAILED, 0 SLOW, 0 elsewhere, 0 open, 0 unsure, 3 good" nodes wrong
    prints "# left out n4"
    # One of its two records, whatever the filter leaves.
    cp -r s half; rm half/a-n4/001.jsonl
    tells 2 "1 open, 0 unsure, 3 good" nodes half
    prints "n4" "1 of 2" "open: 1 launch without a record" "# left out n4"
    ovl 2 nodes half --filter size_bytes=8192
    ovl 0 nodes s --filter size_bytes=8192
    rm half/sweep.log
    tells 2 "1 open, 0 unsure, 3 good" nodes half
    cp -r s once; cp once/a-n1/001.jsonl once/a-n4/
    tells 2 "1 open, 0 unsure, 3 good" nodes once
    # A cell of one of its two records.
    cp -r s less; sed -i '5d; s/"cells":4/"cells":3/' less/a-n4/001.jsonl
    tells 2 "0 open, 1 unsure, 3 good" nodes less
    prints "unsure: 1 cell that one of its launches lacks"
    # Records without a cell, copies of another's, and cells that no other has.
    cp -r s none; sed -i '/"record":"cell"/d' none/a-n4/*.jsonl
    tells 2 "1 open, 0 unsure, 3 good" nodes none
    cp -r s copy; cp s/a-n1/*.jsonl copy/a-n4/
    tells 2 "1 open, 0 unsure, 3 good" nodes copy
    cp -r s odd; sed -i 's/"size_bytes":/&7/' odd/a-n4/*.jsonl
    tells 2 "1 open, 0 unsure, 3 good" nodes odd
    # One cell of four.
    cp -r s part; sed -i '3,5d; s/"cells":4/"cells":1/' part/a-n4/*.jsonl
    tells 2 "0 open, 1 unsure, 3 good" nodes part
    prints "unsure: 3 cells not measured there"
}

@test "a node whose records are of other launches is not good" {
    on_nodes
    each node ', "hosts": "n[1-4]"'
    ovl 0 sweep plan.json -o s
    echo '{"references": 1, "systems": [{"name": "x", "hosts": "^n[0-9]+$", "rules": [{"match": {"benchmark": "ialltoall", "size_bytes": 65536}, "metric": "total_seconds", "value": 40e-6, "worse": 0.3}]}]}' >refs.json
    ovl 0 nodes s
    ovl 0 site refs.json s
    # spoiled HOW WORDS: who reads its folder says so.
    spoiled() {
        tells 2 "$2" nodes "$1"
        tells 2 "$2" site refs.json "$1"
    }
    cp -r s old; sed -i 's/"\(started\|finished\)":"20../"\1":"2024/' old/a-n4/001.jsonl
    spoiled old "# not known old/a-n4/001.jsonl began at 2024-"
    # Those of another node by other names, those of another launch, and edited ones.
    other="is not the file that its attempt left, by the SHA-256 in sweep.log"
    cp -r s named; for i in 1 2; do sed 's/"run_id":"[^"]*/&-2/; s/"name":"n1"/"name":"n4"/' s/a-n1/00$i.jsonl >named/a-n4/00$i.jsonl; done
    spoiled named "# not known named/a-n4/001.jsonl $other; and 1 more"
    cp -r s twice; sed 's/"run_id":"[^"]*/&-2/' s/a-n4/001.jsonl >twice/a-n4/002.jsonl
    spoiled twice "# not known twice/a-n4/002.jsonl $other"
    cp -r s edited; sed -i 's/"validated":true/"validated":null/' edited/a-n4/001.jsonl
    spoiled edited "# not known edited/a-n4/001.jsonl $other"
    # However the folder of the job is called.
    ln -s edited/a-n4 link
    for name in edited/a-n4 edited/a-n4/ edited/a-n4/. link edited/a-n4//001.jsonl; do tells 2 "001.jsonl $other" site refs.json "$name"; done
    cd edited/a-n4
    for name in . 001.jsonl; do tells 2 "001.jsonl $other" site ../../refs.json "$name"; done
    cd ../..
    ovl 0 site refs.json s/a-n4/
    # Thinned ones tell what they were.
    cp -r s thin; ovl 0 thin --before "$(date -u -d tomorrow +%F)" thin
    ovl 0 nodes thin
    ovl 0 site refs.json thin
    cp -r s says; sha=$(sha256sum <s/a-n4/001.jsonl | cut -d ' ' -f 1)
    sed -i "1s/{/{\"thinned\":{\"sha256\":\"$sha\"},/; s/\"validated\":true/\"validated\":null/" says/a-n4/001.jsonl
    spoiled says "# not known says/a-n4/001.jsonl $other"
    # Its job by another name, or out of the plan: the cells of others do not stand for it.
    cp -r s moved; mv moved/a-n4 moved/a-n5
    tells 2 "# not known 2 launches of jobs that left no cell: moved/a-n4/001.jsonl" site refs.json moved
    ovl 2 nodes moved
    tells 2 "# not known moved/a-n5/001.jsonl: sweep.log tells of no such launch" site refs.json moved --filter size_bytes=65536
    # Wrong data of a launch that is under way, or was when its sweep was killed.
    cp -r s killed; sed 's/"run_id":"[^"]*/&-2/; s/"validated":true/"validated":false/' s/a-n4/001.jsonl >killed/a-n4/.003.jsonl
    tells 1 "FAILED: wrong data" nodes killed
    ovl 4 site refs.json killed
}

@test "plans with each: the allocation, and what is wrong in them" {
    on_nodes
    each node
    SLURM_JOB_NODELIST='c[1-3]' ovl 0 sweep plan.json --dry-run
    prints "a-c1" "a-c3"
    # The folder keeps which nodes these were.
    SLURM_JOB_NODELIST='c[1-3]' ovl 0 sweep plan.json -o s
    tells 0 "a-c2" sweep --status s
    ovl 0 nodes s
    ! SLURM_JOB_NODELIST='c[1-4]' "$OVL_BIN/ovl" sweep plan.json -o s --resume 2>err || false
    unset SLURM_JOB_NODELIST
    refuses 4 '"each" wants nodes' sweep plan.json --dry-run
    each node ', "hosts": "n[1-"'
    refuses 4 "plan.json:1: /jobs/0: a list of nodes such as" sweep plan.json --dry-run
    each node ', "hosts": "a,a"'
    refuses 4 "twice" sweep plan.json --dry-run
    each pair ', "hosts": "a"'
    refuses 4 "two nodes or more" sweep plan.json --dry-run
    each pair ', "hosts": "n[1-100]"'
    refuses 4 'over 2000 jobs: give fewer hosts or "rounds"' sweep plan.json --dry-run
    each hall ', "hosts": "a"'
    ovl 4 sweep plan.json --dry-run
    echo '{"plan": 1, "launcher": {"kind": "cluster"}, "jobs": [{"name": "a", "program": "x", "ranks": 2, "hosts": "n1,n2"}]}' >plan.json
    refuses 4 "the emulated cluster cannot choose" sweep plan.json --dry-run
    echo '{"plan": 1, "launcher": {"kind": "srun"}, "jobs": [{"name": "a", "program": "x", "ranks": 2, "hosts": ["n[1-2]"]}]}' >plan.json
    tells 0 "--nodelist=n1,n2" sweep plan.json --dry-run
    echo '{"plan": 1, "launcher": {"kind": "mpirun_rsh"}, "jobs": [{"name": "a", "program": "x", "ranks": 4, "hosts": "n1,n2"}]}' >plan.json
    tells 0 "mpirun_rsh -np 4 n1 n1 n2 n2" sweep plan.json --dry-run
}

@test "bad calls of nodes are one line" {
    refuses 3 "--within 10: give a number from 0 to 0.99: 0.05 is 5 %" nodes . -w 10
    on_nodes
    refuses 3 "give one folder of a sweep" nodes
    refuses 5 "plan.json" nodes .
    plan "$(job one good)"
    cp plan.json fast/
    refuses 3 'no job of this sweep is of one node or a pair' nodes fast || refuses 4 "fast" nodes fast
    refuses 3 "compared by ratio" nodes fast -m hidden_fraction
    refuses 3 "no metric" nodes fast -m nothing
    refuses 3 "within" nodes fast --within -1
}
