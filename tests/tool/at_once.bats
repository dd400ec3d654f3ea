#!/usr/bin/env bats
# `ovl sweep --at-once`: launches on nodes of their own at the same time.

load tool

# meeting N: ./launch, which ends well only when N of its kind were at work at once; each node has one of them at most.
meeting() {
    launches made 1 1
    mkdir -p at
    cat >launch <<SCRIPT
#!/bin/bash
wanted=$1
SCRIPT
    cat >>launch <<'SCRIPT'
[[ $3 = -hosts || $3 = --host ]] || exit 9
for last; do :; done
hosts=$(tr , '\n' <<<"$4" | sed 's/:.*//')
for host in $hosts; do
    mkdir "at/$host" || exit 8
    echo $$ >"at/$host/pid"
done
leave() { for host in $hosts; do rm -r "at/$host"; done; }
touch "was.$$"
for ((i = 0; i < 200; i++)); do
    set -- was.*
    [ $# -lt "$wanted" ] || break
    sleep 0.1
done
[ $# -ge "$wanted" ] || exit 7
if [ "$hosts" = n2 ] && [ -e fails ]; then
    rm fails
    leave
    exit 6
fi
[ ! -e stay ] || sleep 60
sed "s/\"nodes\":1/\"nodes\":$(wc -w <<<"$hosts")/; s/\"run_id\":\"[^\"]*/&$$/; s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$(date -u +%FT%TZ)/" \
    made/1.jsonl >>"$last"
leave
SCRIPT
    chmod +x launch
}

each() { echo "{\"plan\": 1, \"launches\": ${2:-1}, \"launcher\": {\"kind\": \"mpiexec\", \"program\": \"./launch\"}, \"jobs\": [{\"name\": \"a\", \"program\": \"./good\", \"ranks\": 2, \"nodes\": 1, \"each\": \"$1\", \"hosts\": \"n[1-4]\"}]}" >plan.json; }

@test "launches on nodes of their own run at once, and none shares a node" {
    meeting 4
    each node 3
    ovl 0 sweep plan.json -o s --at-once 4
    [ "$(ls s/*/*.jsonl | wc -l)" = 12 ]
    prints "12/12 a-n" "1/12 a-n" ", launch 3: done in "
    # The log follows, and tells that they overlapped: four starts before the first end.
    [ "$(grep -c started <(sed '/"ended"/q' s/sweep.log))" = 4 ]
    tells 0 "a-n1" sweep --status s
    tells 0 "0 done, 0 failed, 12 were there already, 0 to go" sweep plan.json -o s --resume --at-once 2
}

@test "pairs wait for their nodes" {
    meeting 2
    each pair
    sed -i 's/"nodes": 1,//' plan.json
    ovl 0 sweep plan.json -o s --at-once 9
    [ "$(ls s/*/*.jsonl | wc -l)" = 6 ]
}

@test "a launch that fails is attempted again beside the others, and a signal ends all of them" {
    meeting 3
    each node
    touch fails
    ovl 0 sweep plan.json -o s --at-once 3 --retry 1
    [ "$(grep -c '"status":"failed"' s/sweep.log)" = 1 ]
    [ "$(ls s/*/*.jsonl | wc -l)" = 4 ]
    rm -rf at was.*
    touch stay
    meeting 3
    "$OVL_BIN/ovl" sweep plan.json -o t --at-once 3 >swept 2>&1 &
    sweep=$!
    for ((i = 0; i < 200; i++)); do set -- was.*; [ $# -ge 3 ] && break; sleep 0.1; done
    kill -TERM $sweep
    code=0
    wait $sweep || code=$?
    cat swept
    [ "$code" = 143 ]
    [ "$(grep -c '"why":"interrupted"' t/sweep.log)" = 3 ]
    for host in at/*; do gone "$(cat "$host/pid")"; done
    rm -rf at was.* stay
    meeting 3
    ovl 0 sweep plan.json -o t --at-once 3 --resume
}

@test "bad calls of --at-once are one line" {
    plan "$(job a good)"
    refuses 3 "no job of the plan names nodes of its own" sweep plan.json --at-once 2
    meeting 1
    each node
    sed -i 's/"plan": 1,/& "before": {"command": ["true"]},/' plan.json
    refuses 3 "hooks stand around one launch" sweep plan.json --at-once 2
    refuses 3 "--at-once 0" sweep plan.json --at-once 0
    refuses 3 "--at-once 257" sweep plan.json --at-once 257
    [ ! -e sweep ]
}
