#!/usr/bin/env bats
# What a sweep starts and ends, what it lets live, and what becomes of it when its reader goes away.
# SPDX-License-Identifier: BSD-3-Clause

load tool

teardown() { # what a failed test left
    local file
    for file in *.pid; do [ ! -e "$file" ] || kill -KILL "$(cat "$file")" 2>/dev/null || true; done
}

@test "a sweep ends what a launch left behind, and no process that it did not start" {
    launcher
    # The launch leaves a process in a session of its own, and waits until somebody else's child has become an orphan.
    sed -i 's/^slow).*/slow) setsid sleep 300 \& echo $! >stray.pid; record >>"$last"; touch ran; sleep 1 ;;/' launch
    plan "$(job a slow)"
    cat >job <<'SCRIPT'
#!/bin/bash
(while :; do sleep 0.1; done) & echo $! >monitor.pid
(sleep 300 & echo $! >orphan.pid; until [ -e ran ]; do sleep 0.05; done) &
exec "$OVL_BIN/ovl" sweep plan.json -o out.d
SCRIPT
    chmod +x job
    timeout 60 ./job >swept 2>&1 </dev/null 3>&-
    has swept "2 done, 0 failed"
    kill -0 "$(cat monitor.pid)"
    kill -0 "$(cat orphan.pid)"
    gone "$(cat stray.pid)"
}

@test "the first process of a container lets those live whose parents ended" {
    timeout 20 unshare --pid --fork --mount-proc true || skip "no namespaces here"
    launcher
    sed -i 's/^slow).*/slow) for ((i = 0; i < 100; i++)); do [ ! -e $next ] || break; touch ran; sleep 0.05; done; record >>"$last" ;;/
        s/^id=/case $last in *001*) next=entered ;; *) next=whole ;; esac\n&/' launch
    plan "$(job a slow)"
    started timeout 60 unshare --pid --fork --kill-child --mount-proc "$OVL_BIN/ovl" sweep plan.json -o out.d 3>&-
    first=$(pgrep -P "$(pgrep -P $!)") # of timeout's child, unshare
    # Other work of the container, whose parent has ended; the second launch waits for it.
    timeout 30 nsenter -t "$first" -p sh -c '(sleep 1; touch whole) >/dev/null 2>&1 & touch entered' 3>&-
    code=0
    wait $! || code=$?
    [ $code = 0 ]
    has swept "2 done, 0 failed"
    [ -e whole ]
}

@test "what before leaves running lives until after has ended, and is ended then" {
    monitor='(trap \"echo told >>told; exit\" TERM; while :; do sleep 0.05; done) & echo $! >hook.pid'
    plan "$(job a good)" "\"before\": {\"command\": [\"bash\", \"-c\", \"$monitor\"]},
        \"after\": {\"command\": [\"sh\", \"-c\", \"kill -0 \$(cat hook.pid)\"]},"
    tells 0 "2 done, 0 failed" sweep plan.json -o out.d
    [ "$(grep -c told told)" = 2 ]
    gone "$(cat hook.pid)"
    # The hook may end it by itself, and a monitor that hears no TERM is killed.
    sed -i 's/kill -0/kill/' plan.json
    ovl 0 sweep plan.json -o other.d
    sed -i 's/trap [^;]*; exit[^;]* TERM;/trap true TERM;/; s/kill \$/kill -0 $/; s/"plan": 1/&, "grace_seconds": 0.5/' plan.json
    ovl 0 sweep plan.json -o third.d
    gone "$(cat hook.pid)"
}

@test "the monitor of ovl(7) prints beside the record for as long as the launch runs" {
    mkdir bin
    printf '%s\n' '#!/bin/sh' 'echo "perf $*"' 'while :; do echo counted; sleep 0.1; done' >bin/perf
    chmod +x bin/perf
    hook=$(sed -n '/^"before": {"command": \["sh", "-c",$/,/}$/p' "$OVL_TOP/man/ovl.7")
    plan "$(job a good)" "$hook,"
    PATH=$PWD/bin:$PATH ovl 0 sweep plan.json -o out.d
    has out.d/a/002.before.log "perf stat -I 1000 -a -e instructions,cache-misses" counted
    absent . "$(pgrep -f "$PWD/bin/perf")"
}

@test "what before left running ends with a sweep that is killed" {
    plan "$(job a slow)" '"before": {"command": ["bash", "-c", "sleep 300 & echo $! >hook.pid"]},'
    started "$OVL_BIN/ovl" sweep plan.json -o out.d
    kill -0 "$(cat hook.pid)"
    kill -KILL $!
    wait $! || true
    gone "$(cat ran)"
    gone "$(cat hook.pid)"
}

@test "after runs where the launch could not even be started" {
    plan "$(job a good)" '"before": {"command": ["sh", "-c", "touch changed; mkdir out.d/a/001.log"]},
        "after": {"command": ["rm", "changed"]},'
    refuses 5 "out.d/a/001.log: cannot write: Is a directory" sweep plan.json -o out.d
    [ ! -e changed ]
}

@test "a sweep whose parent ignores its children's ends sees the ends of launches" {
    plan "$(job a good)" '"time_limit_seconds": 20,'
    timeout 60 env --ignore-signal=CHLD "$OVL_BIN/ovl" sweep plan.json -o out.d >swept 2>&1 </dev/null
    has swept "2 done, 0 failed"
}

@test "a sweep goes on without the reader of its output, and its exit code tells" {
    plan "$(job a good), $(job b refused)"
    sed -i 's/^good)/good) grep SigIgn \/proc\/self\/status >>ignored;/' launch
    run bash -c 'env --default-signal=PIPE timeout 60 "$OVL_BIN/ovl" sweep plan.json -o out.d 2>err | true; echo "code ${PIPESTATUS[0]}"'
    [ "$output" = "code 5" ]
    err=$(cat err)
    says "standard output could not be written; the sweep went on without it: 2 done, 2 failed; out.d/sweep.log has all"
    [ "$(grep -c '"ended"' out.d/sweep.log)" = 4 ]
    ls out.d/a/001.jsonl out.d/a/002.jsonl
    # The programs of the launches die of a closed pipe, as ever.
    [ "$(wc -l <ignored)" = 2 ]
    while read -r _ mask; do [ $((0x$mask & 0x1000)) = 0 ]; done <ignored
    # No word is lost where stderr has gone the same way.
    run bash -c 'env --default-signal=PIPE timeout 60 "$OVL_BIN/ovl" sweep plan.json -o other.d 2>&1 | true; echo "code ${PIPESTATUS[0]}"'
    [ "$output" = "code 5" ]
    [ "$(grep -c '"ended"' other.d/sweep.log)" = 4 ]
}
