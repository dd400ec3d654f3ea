#!/usr/bin/env bats
# `ovl sweep` with a launcher that only plays its part, and once with the real one.

load tool

@test "sweep runs the jobs there and back, and its folders are what compare reads" {
    plan "$(job a good), $(job b good ', "options": ["-m", "8"], "modes": ["host", "dpu"], "environment": {"SWEEP_WORD": "here"}')"
    ovl 0 sweep plan.json -o out.d
    [ "$(cut -d' ' -f2 calls | tr '\n' ' ')" = "out.d/a out.d/b out.d/b out.d/a " ]
    has calls 'here -n 2 ./good -m 8 --mode host,dpu --json out.d/b/.002.jsonl'
    prints "4/4 a, launch 2: done in" "4 done, 0 failed, 0 were there already, 0 to go"
    ls out.d/a/001.jsonl out.d/a/002.jsonl out.d/b/001.jsonl out.d/b/002.jsonl
    tells 2 "2 launches in 2 files" compare out.d/a out.d/b
}

@test "a dry run prints commands that a shell can run, and starts none" {
    plan "$(job a good ", \"options\": [\"it's\"], \"environment\": {\"SWEEP_WORD\": \"two words\"}")"
    tells 0 "# 2 launches" sweep plan.json -o out.d --dry-run
    [ ! -e calls ]
    [ ! -e out.d ]
    mkdir -p out.d/a
    grep -v '^#' <<<"$out" | bash
    has calls "two words -n 2 ./good it's --json out.d/a/002.jsonl"
    ls out.d/a/001.jsonl out.d/a/002.jsonl
}

@test "rounds go there and back: old, new, new, old" {
    plan "$(job old good), $(job new good), $(job third good ', "launches": 3')"
    ovl 0 sweep plan.json --dry-run
    [ "$(grep -oE 'sweep/[a-z]+/00[1-3]' <<<"$out" | cut -d/ -f2 | tr '\n' ' ')" = "old new third third new old third " ]
}

@test "a dry run prints no control character, and its words stay what they are" {
    plan "$(job a good ', "options": ["\u001b[2Jit\u0027s\ttwo", "\u009b1m"], "environment": {"SWEEP_WORD": "\u0007x"}')"
    ovl 0 sweep plan.json -o out.d --dry-run
    absent $'[\e\a\t]' "$out"
    absent $'\xc2\x9b' "$out"
    mkdir -p out.d/a
    grep -v '^#' <<<"$out" | bash
    has calls $'\ax -n 2 ./good \e[2Jit\'s\ttwo \xc2\x9b1m --json'
}

@test "random order has every launch once, the same for one seed" {
    plan "$(job a good), $(job b good), $(job c good), $(job d good)" '"order": "random", "seed": 7,'
    ovl 0 sweep plan.json --dry-run
    first=$out
    ovl 0 sweep plan.json --dry-run
    [ "$out" = "$first" ]
    [ "$(grep -o 'sweep/[a-d]/00[12]' <<<"$out" | sort -u | wc -l)" = 8 ]
    [ "$(grep -o 'sweep/./001' <<<"$out" | head -4 | sort -u | wc -l)" = 4 ]
}

@test "what fails or hangs is told, killed with all it left, and does not stop the rest" {
    plan "$(job bad refused), $(job long endless ', "time_limit_seconds": 1, "grace_seconds": 1'), $(job cut unfinished), $(job well good)" '"launches": 1,'
    sed -i 's/"launches": 2, //' plan.json
    start=$SECONDS
    ovl 1 sweep plan.json -o out.d
    [ $((SECONDS - start)) -lt 30 ]
    prints "bad, launch 1: FAILED in" "exit code 3: ovl_x: no such mode" "not done after 1 s, killed"
    prints "its record has no end line" "well, launch 1: done" "1 done, 3 failed, 0 were there already, 0 to go"
    run kill -0 "$(cat orphan)"
    [ "$status" != 0 ]
    prints "4 attempts for 4 launches"
    [ -e out.d/cut/001.partial ]
    [ ! -e out.d/cut/001.jsonl ]
    has out.d/bad/001.log "no such mode"
    [ "$(grep -c '"started"' out.d/sweep.log)" = 4 ]
    [ "$(grep -c '"ended".*"status":"failed"' out.d/sweep.log)" = 3 ]
}

@test "an attempt is in the log before it starts, and nothing it leaves is written over" {
    plan "$(job a once)" '"launches": 1,'
    sed -i 's/"launches": 2, //' plan.json
    for n in 1 2 3; do
        [ $n = 1 ] || resume=--resume
        [ $n != 3 ] || touch again
        ovl $((n < 3)) sweep plan.json -o out.d ${resume:-}
        cp out.d/sweep.log log.$n
        [ $n = 1 ] || cmp -n "$(stat -c %s log.$((n - 1)))" log.$((n - 1)) log.$n
    done
    prints "a, launch 1, attempt 3: done" "3 attempts for 1 launches"
    [ "$(grep -o '"attempt":[0-9]' out.d/sweep.log | tr -dc 0-9)" = 112233 ]
    [ "$(sed -n 8p out.d/sweep.log | cut -c3-9)" = started ]
    has out.d/a/001.log "attempt of .001.jsonl"
    has out.d/a/001-2.log "attempt of .001-2.jsonl"
    has out.d/a/001-3.log "attempt of .001-3.jsonl"
    ls out.d/a/001.partial out.d/a/001-2.partial out.d/a/001.jsonl
    [ ! -e out.d/a/001-3.partial ]
}

@test "a sweep that is killed leaves a trace of the launch that ran" {
    plan "$(job a slow)"
    "$OVL_BIN/ovl" sweep plan.json -o out.d >swept 2>&1 &
    kill_in_launch $!
    [ "$(wc -l <out.d/sweep.log)" = 2 ]
    has out.d/sweep.log '"job":"a","launch":1,"attempt":1,"launcher":["'
    touch again
    tells 0 "2 done, 0 failed, 0 were there already, 0 to go" sweep plan.json -o out.d --resume
    prints "3 attempts for 2 launches"
    ls out.d/a/001.partial out.d/a/001.log out.d/a/001-2.log out.d/a/001.jsonl
    [ ! -e out.d/a/.001.jsonl ]
}

# A launch under way writes a file whose name begins with a dot.
@test "wrong data that a launch found before its sweep was killed are not lost" {
    plan "$(job b good), $(job a slow)"
    "$OVL_BIN/ovl" sweep plan.json -o out.d >swept 2>&1 &
    kill_in_launch $!
    tells 1 "no sweep is at work here" sweep --status out.d
    sed -i 's/"validated":[a-z]*/"validated":false/' out.d/a/.001.jsonl
    has out.d/a/.001.jsonl '"validated":false'
    tells 4 "# wrong data in 1 attempt" sweep --status out.d
    # Of the last cell a part was written.
    cp out.d/a/.001.jsonl whole
    { sed -n 1p whole; grep -m 1 '"validated":false' whole | sed 's/\("validated":false\).*/\1/' | tr -d '\n'; } >out.d/a/.001.jsonl
    tells 4 "# wrong data in 1 attempt" sweep --status out.d
    mv whole out.d/a/.001.jsonl
    # Who reads the folder.
    ovl 4 guidelines out.d
    tells 1 "# outcome  wrong data in 4 cells since 2026-01-01" history out.d --since 2026-01-01
    touch again
    tells 4 "# out.d/a/001.partial: wrong data of a launch whose sweep was killed" sweep plan.json -o out.d --resume
    prints "# wrong data in 1 attempt, which no other attempt makes right" "3 done, 0 failed"
    has out.d/sweep.log '"status":"failed","why":"its sweep was killed, and it had found wrong data"' '"wrong_data":true'
    tells 4 "# wrong data in 1 attempt" sweep --status out.d
    tells 1 "# outcome  wrong data in 4 cells since 2026-01-01" history out.d --since 2026-01-01
    rm out.d/a/001.partial
    tells 4 "# wrong data in 1 attempt" sweep --status out.d
    refuses 4 "what an attempt with wrong data left is gone" history out.d
}

@test "wrong data of an attempt whose lines were cut from the log are not lost" {
    plan "$(job a good)"
    ovl 0 sweep plan.json -o out.d
    for left in 001-2.jsonl .001-2.jsonl 001-2.partial; do
        sed 's/"validated":[a-z]*/"validated":false/' out.d/a/001.jsonl >"out.d/a/$left"
        has "out.d/a/$left" '"validated":false'
        tells 4 "# wrong data in 1 attempt" sweep --status out.d
        tells 4 "# wrong data in 1 attempt" sweep plan.json -o out.d --resume
        rm out.d/a/001-2.*jsonl out.d/a/.001-2.jsonl out.d/a/001-2.partial 2>/dev/null || :
    done
    ovl 0 sweep --status out.d
}

@test "who removes a record or the log, or writes to a record, while the sweep runs is found out at its end" {
    plan "$(job a good), $(job b slow)"
    for gone in out.d/a/001.jsonl out.d/sweep.log written; do
        rm -rf out.d at ran again
        "$OVL_BIN/ovl" sweep plan.json -o out.d >swept 2>told &
        sweep=$!
        timeout 60 bash -c 'until [ -e ran ]; do sleep 0.02; done'
        if [ $gone = written ]; then
            gone=out.d/a/001.jsonl
            sed -i 's/"blocks":/"blocks": /' $gone # as a launch of another job with a wrong --json would
        else
            rm "$gone"
        fi
        touch again
        kill "$(<ran)"
        code=0 && wait $sweep || code=$?
        [ "$code" = 5 ]
        [ "$(cut -d';' -f1 told)" = "ovl sweep: $gone: somebody else left, removed or changed it while the sweep ran$(
            [ "$gone" = out.d/a/001.jsonl ] || echo ": nothing tells how its records came about")" ]
    done
}

@test "a failed launch stands in the log whatever bytes it printed" {
    plan "$(job a noisy)"
    ovl 1 sweep plan.json -o out.d
    [ "$(grep -c '"ended"' out.d/sweep.log)" = 2 ]
    has out.d/sweep.log '"why":"exit code 7: ovl_x: caf? costs ??"'
}

@test "a log that cannot be written ends the sweep before anything runs" {
    plan "$(job a good)"
    LD_PRELOAD=$OVL_SHIM/full_disk.so OVL_FULL_DISK=0 refuses 5 "out.d/sweep.log: cannot write: No space left" \
        sweep plan.json -o out.d
    rm out.d/sweep.log
    ln -s /dev/full out.d/sweep.log # no file holds what is written there
    refuses 5 "out.d/sweep.log: cannot read: no plain file" sweep plan.json -o out.d --resume
    [ ! -e calls ]
}

# With descriptor 1 closed the log would be opened as that, and what is printed would go into it.
@test "a sweep that is started without a standard output keeps its log whole" {
    plan "$(job a good)"
    code=0
    timeout -k 5 60 "$OVL_BIN/ovl" sweep plan.json -o out.d </dev/null >&- 2>err || code=$?
    [ $code = 5 ] # what it had to say is lost
    has err "standard output could not be written; the sweep went on without it"
    [ "$(wc -l <out.d/sweep.log)" = 5 ]
    [ "$(grep -c '^{"\(opened\|started\|ended\)":' out.d/sweep.log)" = 5 ]
    tells 0 "0 done, 0 failed, 2 were there already, 0 to go" sweep plan.json -o out.d --resume
}

@test "a launch whose output has no place ends the sweep, and says where" {
    plan "$(job a good)"
    mkdir out.d
    touch out.d/a
    refuses 5 "out.d/a/001.log: cannot write: Not a directory" sweep plan.json -o out.d
    [ ! -e calls ]
}

@test "resume goes on behind a line that a crash cut short, and refuses a damaged one" {
    plan "$(job a once)"
    ovl 1 sweep plan.json -o out.d
    truncate -s -20 out.d/sweep.log
    touch again
    tells 0 "4 attempts for 2 launches" sweep plan.json -o out.d --resume
    has out.d/sweep.log '"cut_line":5,"previous":"'
    rm out.d/a/001.jsonl
    tells 0 "5 attempts for 2 launches" sweep plan.json -o out.d --resume
    rm out.d/a/001.jsonl
    sed -i '2s/.$//' out.d/sweep.log
    refuses 4 "out.d/sweep.log:2: no JSON" sweep plan.json -o out.d --resume
}

@test "resume counts the attempts of version 0.1, which logged only ends" {
    plan "$(job a once)"
    ovl 1 sweep plan.json -o out.d
    sed -i '/"started"/d; s/"attempt":[0-9]*,//; s/,"previous":"[^"]*"//' out.d/sweep.log
    echo kept >out.d/a/001.partial
    touch again
    tells 0 "4 attempts for 2 launches" sweep plan.json -o out.d --resume
    has out.d/a/001.partial kept
    ls out.d/a/001-2.log out.d/a/002-2.log
}

@test "a launch with invalid cells is done, and the exit code tells" {
    plan "$(job a doubtful)"
    tells 2 "some cells are invalid" sweep plan.json -o out.d
    ls out.d/a/002.jsonl
    # What an earlier part of the sweep left counts too.
    rm out.d/a/002.jsonl
    sed -i 's/^doubtful)/never)/; s/^good)/good | doubtful)/' launch
    tells 2 "1 done, 0 failed, 1 were there already, 0 to go" sweep plan.json -o out.d --resume
    prints "1 launch with invalid cells"
}

@test "a launcher that keeps the exit code for itself hides no invalid cell, no wrong data and no other run" {
    launcher
    # What each launch's record holds is the job's name; all end with 0.
    mv launch built
    cat >launch <<'SCRIPT'
#!/bin/bash
./built "$@"
for last; do :; done
case $last in
*/invalid/*) sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' "$last" ;;
*/wrong/*) sed -i '2s/"validated":[a-z]*/"validated":false/' "$last" ;;
*/nothing/*) sed -i '/"record":"cell"/d; s/"cells":4/"cells":0/' "$last" ;;
*/four/*) sed -i '1s/"ranks":2/"ranks":4/' "$last" ;;
esac
exit 0
SCRIPT
    chmod +x launch
    plan "$(job invalid good)" '"launches": 1,'
    sed -i 's/"launches": 2, //' plan.json
    tells 2 "some cells are invalid" sweep plan.json -o invalid.d
    prints "1 launch with invalid cells"
    tells 2 "1 launch with invalid cells" sweep plan.json -o invalid.d --resume
    plan "$(job wrong good), $(job nothing good), $(job four good), $(job well good)" '"launches": 1,'
    sed -i 's/"launches": 2, //' plan.json
    tells 4 "wrong, launch 1: FAILED" sweep plan.json -o out.d
    prints "# wrong data in 1 attempt, which no other attempt makes right"
    prints "its record has a cell with wrong data" "its record has no cell"
    prints "its record is of 4 ranks and 0 workers, and the plan says 2 processes" "1 done, 3 failed"
    tells 4 "# wrong data in 1 attempt" sweep --status out.d
    sed -i 's/^\*\/\(wrong\|nothing\|four\)\//none/' launch
    tells 4 "# wrong data in 1 attempt" sweep plan.json -o out.d --resume
    prints "0 failed, 1 were there already, 0 to go"
    tells 4 "# wrong data in 1 attempt" sweep --status out.d --json s.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" s.json
    [ "$(jq -c '[.exit, .wrong_data]' s.json)" = '[4,1]' ]
    ls out.d/wrong/001.partial
    # A record of what another program measures.
    sed -i 's/^good)/ovl_ialltoall | ovl_ibcast)/' built
    plan "$(job a ovl_ialltoall), $(job b ovl_ibcast)" '"launches": 1,'
    sed -i 's/"launches": 2, //' plan.json
    tells 1 "a, launch 1: done" sweep plan.json -o other.d
    prints "b, launch 1: FAILED" "its record is of ialltoall, and the plan's program is ./ovl_ibcast"
}

@test "resume does not take a file for a record that is none of its launch" {
    plan "$(job a good), $(job b good)"
    ovl 0 sweep plan.json -o out.d
    : >out.d/a/001.jsonl
    echo '{"record":' >out.d/a/002.jsonl
    sed -i '$d' out.d/b/001.jsonl
    tells 0 "# out.d/a/001.jsonl: no record of its launch (" sweep plan.json -o out.d --resume
    prints "; it is now out.d/a/001.partial" "a, launch 1, attempt 2: done"
    prints "3 done, 0 failed, 1 were there already, 0 to go"
    [ -e out.d/a/001.partial ]
    [ ! -s out.d/a/001.partial ]
    has out.d/a/002.partial '{"record":'
    ovl 0 validate out.d/?/00[12].jsonl
    tells 0 "0 done, 0 failed, 4 were there already" sweep plan.json -o out.d --resume
    # With a log that does not tell which attempt left it, it gets a number that is free.
    sed -i 1q out.d/sweep.log
    : >out.d/b/002.jsonl
    tells 0 "# out.d/b/002.jsonl: no record of its launch (" sweep plan.json -o out.d --resume
    prints "; it is now out.d/b/002-2.partial"
}

@test "--status asks of a record what --resume asks, and changes nothing" {
    plan "$(job a good), $(job b good), $(job c good)"
    ovl 0 sweep plan.json -o out.d
    ovl 0 sweep --status out.d
    : >out.d/a/001.jsonl
    sed -i '$d' out.d/a/002.jsonl
    sed -i '2s/"validated":true/"validated":false/' out.d/b/001.jsonl
    sed -i 's/"status":"complete"/"status":"failed"/' out.d/b/002.jsonl
    rm out.d/c/00?.jsonl
    mkdir out.d/c/001.jsonl
    mkfifo out.d/c/002.jsonl
    tells 4 "# no record out.d/a/001.jsonl (out.d/a/001.jsonl:1: empty: no record line in it): --resume runs its launch again" \
        sweep --status out.d --json s.json
    prints "out.d/a/002.jsonl (its record has no end line)" "out.d/b/001.jsonl (its record has a cell with wrong data)" \
        "out.d/b/002.jsonl (its record ended early)" "out.d/c/001.jsonl (it is no file)" "out.d/c/002.jsonl (it is no file)"
    for job in a b c; do grep -qE "^  $job +0 +2 +0 +0\$" <<<"$out"; done
    prints "# 6 launches: about"
    [ -p out.d/c/002.jsonl ]
    # Wrong data are there, and stay, as history and rank have it, too.
    tells 4 "6 done, 0 failed, 0 were there already" sweep plan.json -o out.d --resume
    tells 4 "# wrong data in 1 attempt, which no other attempt makes right" sweep --status out.d
}

@test "records whose log is gone or empty came about nobody knows how" {
    launcher
    plan "$(job a good), $(job b good)"
    ovl 0 sweep plan.json -o out.d
    ovl 0 sweep --status out.d
    mv out.d/sweep.log kept.log
    for log in gone empty cut; do
        [ $log = gone ] || : >out.d/sweep.log
        [ $log != cut ] || head -c 30 kept.log >out.d/sweep.log # in its first line, of which none is whole
        tells 2 "# attempts  not known: sweep.log is gone or empty, and there are records" sweep --status out.d
        refuses 3 "out.d has records of its launches, and its sweep.log is gone or empty" sweep plan.json -o out.d --resume
        [ $log = cut ] || refuses 3 "is gone or empty" sweep plan.json -o out.d
        [ $log != cut ] || cmp out.d/sweep.log <(head -c 30 kept.log)
    done
    # What is no file is none.
    rm out.d/sweep.log
    mkfifo out.d/sweep.log
    exec 4<>out.d/sweep.log # somebody could write to it for ever
    refuses 5 "out.d/sweep.log: cannot read: no plain file" sweep --status out.d
    refuses 5 "out.d/sweep.log" sweep plan.json -o out.d --resume
    exec 4>&-
    refuses 5 "out.d/sweep.log" sweep plan.json -o out.d --resume
    rm out.d/sweep.log
    mv kept.log out.d/sweep.log
    ovl 0 sweep --status out.d
    # Nor which attempts left these: 002 is 001 once more.
    cp out.d/a/001.jsonl out.d/a/002.jsonl
    ovl 1 sweep --status out.d
    sed -i 's/,"previous":"[^"]*"//; s/,"record_sha256":"[^"]*"//' out.d/sweep.log
    tells 2 "# attempts  not known: sweep.log holds no SHA-256, against which records are held" sweep --status out.d
    sed -i '3,4d' out.d/sweep.log
    refuses 3 "out.d has records of its launches, and lines of its sweep.log hold no SHA-256 of the line before" sweep plan.json -o out.d --resume
    # A launcher may leave anything in a record's place.
    plan "$(job a pipe)"
    tells 1 "001.jsonl: cannot read: no plain file" sweep plan.json -o pipe.d
}

@test "resume does what is missing, and only that" {
    plan "$(job a good), $(job b once)"
    tells 1 "2 done, 2 failed" sweep plan.json -o out.d
    refuses 3 "out.d holds a sweep already; --resume goes on with it" sweep plan.json -o out.d
    touch again
    rm calls
    tells 0 "2 done, 0 failed, 2 were there already, 0 to go" sweep plan.json -o out.d --resume
    [ "$(wc -l <calls)" = 2 ]
    absent ' out.d/a ' "$(cat calls)"
    plan "$(job a good), $(job c good)"
    refuses 3 "out.d holds the sweep of another plan" sweep plan.json -o out.d --resume
    rm out.d/plan.json
    refuses 3 "out.d/sweep.log is the log of a sweep whose plan is gone" sweep plan.json -o out.d
}

# bats test_tags=long
@test "resume with a program that was built anew ends at the first launch that shows it" {
    plan "$(job a good), $(job b good), $(job c once)"
    # The launcher's programs are of the build that the file names.
    mv launch built
    printf '#!/bin/bash\nfor last; do :; done\n./built "$@" || exit\nsed -i "1s/\\"git\\":\\"[^\\"]*/\\"git\\":\\"$(cat git)/" "$last"\n' >launch
    chmod +x launch
    echo one >git
    tells 1 "4 done, 2 failed" sweep plan.json -o out.d
    # Of a program of which no record is there yet, nothing is mixed.
    touch again
    echo two >git
    tells 0 "2 done, 0 failed, 4 were there already" sweep plan.json -o out.d --resume
    rm out.d/a/002.jsonl out.d/b/002.jsonl
    before=$(grep -c . calls)
    tells 3 "b, launch 2, attempt 2: FAILED" sweep plan.json -o out.d --resume
    prints "of another build than out.d/a/001.jsonl (git: one, and two)"
    says "the last launch is of another build than out.d/a/001.jsonl (git: one, and two); the sweep ends here: --resume with the build of the others, or give this one another -o"
    [ "$(grep -c . calls)" = $((before + 1)) ]
    has out.d/sweep.log '"status":"failed","why":"of another build than'
    [ ! -e out.d/b/002.jsonl ]
    [ -e out.d/b/002-2.partial ]
    # So is one of another job of the same program.
    rm -r out.d/a/001.jsonl
    tells 3 "of another build than out.d/b/001.jsonl" sweep plan.json -o out.d --resume
    echo one >git
    tells 0 "3 done, 0 failed, 3 were there already, 0 to go" sweep plan.json -o out.d --resume
}

@test "a build is told by version, commit, compiler and flags" {
    plan "$(job a good)"
    mv launch built
    printf '#!/bin/bash\nfor last; do :; done\n./built "$@" || exit\nsed -i "1$(cat edit)" "$last"\n' >launch
    chmod +x launch
    echo 's/"git":"[^"]*"/"git":"unknown"/' >edit
    ovl 0 sweep plan.json -o out.d
    for edit in 's/"ovl_version":"[^"]*"/"ovl_version":"9.9"/' '' 's/"git":/"build":{"compiler":"gcc 1","flags":"-O3"},"git":/'; do
        rm out.d/a/002.jsonl
        echo "s/\"git\":\"[^\"]*\"/\"git\":\"unknown\"/;$edit" >edit
        [ -n "$edit" ] || echo 's/^//' >edit # it tells its commit now
        refuses 3 "of another build than out.d/a/001.jsonl" sweep plan.json -o out.d --resume
        echo 's/"git":"[^"]*"/"git":"unknown"/' >edit
        ovl 0 sweep plan.json -o out.d --resume
    done
}

@test "a sweep is resumed whatever its plan says that changes nothing" {
    for more in '"include": [],' '"environment": {},' '"work_of": "a",' '"launches": 2e0, "nonce": "n-1",'; do
        rm -rf out.d
        plan "$(job a good), $(job b good ', "options": [], "modes": ["host"], "environment": {}')" "$more"
        case $more in *launches*) sed -i 's/"launches": 2, //' plan.json ;; esac
        ovl 0 sweep plan.json -o out.d
        rm out.d/a/002.jsonl
        cmp plan.json out.d/plan.json
        tells 0 "1 done, 0 failed, 3 were there already" sweep plan.json -o out.d --resume
    done
    # Not so where it changes something: the order of the jobs, a setting.
    sed -i 's/"nonce": "n-1"/"nonce": "n-2"/' plan.json
    refuses 3 "out.d holds the sweep of another plan" sweep plan.json -o out.d --resume
}

@test "Ctrl-C ends the launch and the sweep, and resume goes on" {
    plan "$(job a good), $(job b endless ', "grace_seconds": 1')" '"launches": 1,'
    sed -i 's/"launches": 2, //' plan.json
    # A shell's background jobs ignore INT: TERM is what comes from a batch system anyhow.
    timeout 60 "$OVL_BIN/ovl" sweep plan.json -o out.d >swept 2>&1 &
    pid=$!
    for ((i = 0; i < 100; i++)); do [ -e orphan ] && break; sleep 0.1; done
    kill -TERM $pid
    code=0
    wait $pid || code=$?
    [ $code -gt 128 ] || [ $code = 124 ]
    has swept "--resume goes on"
    run kill -0 "$(cat orphan)"
    [ "$status" != 0 ]
    ls out.d/a/001.jsonl
    [ ! -e out.d/b/001.jsonl ]
    sed -i 's/^endless)/never)/; s/^good)/good | endless)/' launch
    tells 0 "1 done, 0 failed, 1 were there already, 0 to go" sweep plan.json -o out.d --resume
}

# What comes while the sweep is busy with a launch that has ended: no other one begins for it to end.
@test "a signal between two launches starts none" {
    plan "$(job a waits), $(job b good)"
    started timeout 60 "$OVL_BIN/ovl" sweep plan.json -o out.d
    pid=$(pgrep -P $!)
    kill -STOP "$pid"
    touch go
    gone "$(cat ran)"
    kill -TERM "$pid"
    kill -CONT "$pid"
    code=0
    wait $! || code=$?
    [ $code -gt 123 ]
    has swept "1/4 a, launch 1: done in" "1 done, 0 failed, 0 were there already, 3 to go" "--resume goes on"
    [ "$(wc -l <calls)" = 1 ]
    [ "$(grep -c '"started"' out.d/sweep.log)" = 1 ]
    tells 0 "3 done, 0 failed, 1 were there already, 0 to go" sweep plan.json -o out.d --resume
}

@test "two sweeps do not share a folder" {
    plan "$(job a good)"
    ovl 0 sweep plan.json -o out.d
    rm out.d/a/002.jsonl
    code=0
    flock out.d/sweep.log "$OVL_BIN/ovl" sweep plan.json -o out.d --resume 2>err || code=$?
    [ $code = 5 ]
    err=$(cat err)
    says "another sweep is at work in this folder"
}

@test "each launcher gets its own words" {
    cat >plan.json <<'PLAN'
{"plan": 1, "launches": 1, "environment": {"A": "1"}, "jobs": [
 {"name": "s", "program": "x", "ranks": 8, "nodes": 2, "launcher": {"kind": "srun", "options": ["--mpi=pmi2"]}},
 {"name": "r", "program": "x", "ranks": 8, "launcher": {"kind": "mpirun_rsh", "hostfile": "h", "dpufile": "d"}},
 {"name": "c", "program": "x", "ranks": 4, "nodes": 2, "launcher": {"kind": "cluster", "program": "scripts/cluster", "rate": "1gbit"}}
]}
PLAN
    ovl 0 sweep plan.json --dry-run
    prints "env A=1 OVL_TELL=A srun --kill-on-bad-exit=1 --cpu-bind=cores -n 8 -N 2 --mpi=pmi2 x --json sweep/s/001.jsonl"
    prints "mpirun_rsh -np 8 -hostfile h -dpufile d A=1 OVL_TELL=A x --json sweep/r/001.jsonl"
    prints "scripts/cluster run --nodes 2 --ppn 2 --rate 1gbit -n 4 --env A=1 --env OVL_TELL=A -- x --json sweep/c/001.jsonl"
}

@test "the plans that come with ovl are sound" {
    for plan in "$OVL_TOP"/scripts/plans/*.json; do
        ovl 0 sweep "$plan" --dry-run
    done
    for name in quick full paper acceptance gate fft-rivals hpl-rivals rivals train serve; do ls "$OVL_TOP/scripts/plans/$name.json"; done
}

# bats test_tags=long
@test "the plans of rivals: what their programs take, a file per launch, each with its limit" {
    ovl 0 sweep "$OVL_TOP/scripts/plans/rivals.json" -o rivals --dry-run
    grep '^timeout' <<<"$out" >all
    absent . "$(grep -v '^timeout 900 ' all)" # the later include's
    grep -oE 'rivals/[a-z0-9-]+/0[01][0-9]\.jsonl$' all | sort -u >files
    [ "$(wc -l <all)" = "$(wc -l <files)" ]
    [ "$(cut -d/ -f2 files | sort -u | tr '\n' ' ')" = "fft-128 fft-128-tuned fft-256 fft-256-tuned hpl hpl-blocking hpl-tuned " ]
    absent . "$(cut -d/ -f2 files | uniq -c | awk '$1 < 6')" # as many launches as an interval takes
    absent . "$(grep -v -e '--rate 2.5gbit.*ovl_fft3d' -e '--rate 1gbit.*ovl_hpl' all)"
    # The tuned host is no other point: the same options, and a variable.
    absent . "$(grep -e '-tuned/' all | grep -v -e '--env UCX_RNDV_THRESH=inf ')"
    absent . "$(grep -e '--env' all | grep -v -e '-tuned/')"
    for plan in fft-rivals hpl-rivals; do # alone they say the same
        tells 0 "rivals/${plan%-rivals}" sweep "$OVL_TOP/scripts/plans/$plan.json" -o rivals --dry-run
    done
    ovl 0 sweep "$OVL_TOP/scripts/plans/rivals.json" -o rivals --dry-run
    grep '/001.jsonl$' <<<"$out" | sed 's/.* -- //' | while read -r program options; do
        [ -x "$program" ] || continue # left out of this build
        # shellcheck disable=SC2086
        timeout -k 5 20 "$program" $options --help | grep -q '^Usage' || { echo "refused: $program $options"; exit 1; }
    done
}

@test "sweep starts real launches" {
    echo "{\"plan\": 1, \"launches\": 2, \"time_limit_seconds\": 60,
        \"jobs\": [{\"name\": \"null\", \"program\": \"ovl_null\", \"ranks\": 2, \"options\": [\"-i\", \"6:6\", \"-x\", \"0\", \"--max-time\", \"5\"]}]}" >plan.json
    code=0
    "$OVL_BIN/ovl" sweep plan.json -o out.d >out 2>&1 || code=$?
    cat out out.d/null/*.log
    [ $code = 0 ] || [ $code = 2 ] # a busy machine may bring about an invalid cell
    ovl 0 validate out.d/null/001.jsonl out.d/null/002.jsonl
}

@test "whole numbers may be written 2.0 or 1e1" {
    cat >plan.json <<'PLAN'
{"plan": 1.0, "launches": 5.0, "seed": 1e1, "jobs": [
 {"name": "c", "program": "x", "ranks": 4.0, "nodes": 2.0, "launches": 3.0,
  "launcher": {"kind": "cluster", "program": "scripts/cluster"}},
 {"name": "d", "program": "x", "ranks": 2e0}]}
PLAN
    tells 0 "scripts/cluster run --nodes 2 --ppn 2 -n 4 -- x --json sweep/c/003.jsonl" sweep plan.json --dry-run
    prints "-n 2 x --json sweep/d/005.jsonl" "# 8 launches"
    sed -i 's/"launches": 5.0/"launches": 5.5/' plan.json
    refuses 4 "plan.json:1: /launches:" sweep plan.json --dry-run
}

@test "a sweep takes its units of work from a record, or from the launches of the same job" {
    launches base 2 1
    mkdir -p old/a
    cp base/1.jsonl old/a/001.jsonl
    cp base/2.jsonl old/a/002.jsonl
    plan "$(job a good), $(job b good), $(job c good ', "options": ["--work-from", "own"]'), {\"name\": \"f\", \"program\": \"./ovl_fft3d\", \"ranks\": 2}"
    tells 0 "./good --work-from base/1.jsonl --json sweep/a/001.jsonl" sweep plan.json --dry-run --work-from base/1.jsonl
    prints "./good --work-from base/1.jsonl --json sweep/b/002.jsonl" "./good --work-from own --json sweep/c/001.jsonl"
    prints "./ovl_fft3d --json sweep/f/001.jsonl"
    tells 0 "./good --work-from base/1.jsonl --json sweep/b/001.jsonl" sweep plan.json --dry-run --work-from base
    tells 0 "./good --work-from old/a/001.jsonl --json sweep/a/002.jsonl" sweep plan.json --dry-run --work-from old
    prints "./good --json sweep/b/001.jsonl"
    prints "# job b takes no work from old: its own is calibrated, or set by its options"
    refuses 5 "nowhere: cannot take work from it: No such file" sweep plan.json --work-from nowhere -o out.d
    [ ! -e out.d ]
    ovl 3 sweep plan.json --work-from $'\xff' -o out.d || ovl 5 sweep plan.json --work-from $'\xff' -o out.d
    # It is part of what was swept.
    plan "$(job a once)"
    ovl 1 sweep plan.json --work-from old -o out.d
    has calls "--work-from old/a/001.jsonl"
    has out.d/plan.json '"work_from": "old"'
    touch again
    refuses 3 "or of another --work-from" sweep plan.json -o out.d --resume
    ovl 0 sweep plan.json --work-from old -o out.d --resume
    sed -i 's/"launches": 2/"launches": 2, "work_from": "old"/' plan.json
    tells 0 "--work-from old/a/001.jsonl --json sweep/a/002.jsonl" sweep plan.json --dry-run
}

@test "the first launch of a job of the plan sets the work of others, and goes before them" {
    plan "$(job new good), $(job old once), $(job own good ', "work_of": "own"'), $(job free good ', "options": ["--work-from=x"]')" '"work_of": "old", "order": "random", "seed": 4,'
    ovl 0 sweep plan.json --dry-run
    [ "$(head -2 <<<"$out" | grep -oE 'sweep/[a-z]+/001' | sort | tr '\n' ' ')" = "sweep/old/001 sweep/own/001 " ]
    prints "./once --json sweep/old/001.jsonl" "./once --work-from sweep/old/001.jsonl --json sweep/old/002.jsonl"
    prints "./good --work-from sweep/old/001.jsonl --json sweep/new/001.jsonl"
    prints "./good --work-from sweep/own/001.jsonl --json sweep/own/002.jsonl"
    prints "./good --work-from=x --json sweep/free/001.jsonl"
    # Nothing is measured with other work when that launch fails.
    tells 1 "new, launch 1: not started: no record sets its work (work_of)" sweep plan.json -o out.d
    prints "4 done, 1 failed, 0 were there already, 3 to go"
    touch again
    tells 0 "4 done, 0 failed, 4 were there already, 0 to go" sweep plan.json -o out.d --resume
    has calls "--work-from out.d/old/001.jsonl --json out.d/new/.002.jsonl"
    plan "$(job new good)" '"work_of": "old",'
    refuses 4 "plan.json:1: /work_of: the name of a job of this plan is wanted here" sweep plan.json
    plan "$(job new good ', "work_of": "old"')"
    refuses 4 "/jobs/0/work_of: the name of a job of this plan is wanted here" sweep plan.json
    # Applications calibrate by rules of their own, and would take no notice.
    for program in ovl_fft3d ovl_hpl ovl_train ovl_serve; do
        echo "{\"plan\": 1, \"launches\": 2, \"jobs\": [{\"name\": \"a\", \"program\": \"$program\", \"ranks\": 2, \"work_of\": \"a\"}]}" >plan.json
        refuses 4 "plan.json:1: /jobs/0/work_of: no work_of is wanted here: this program's own options say its work" sweep plan.json
    done
}

@test "drivers take the units of a record, and calibrate and mark what it lacks" {
    work() { echo "{\"plan\": 1, \"launches\": 1, \"jobs\": [{\"name\": \"a\", \"program\": \"ovl_ialltoall\", \"ranks\": 2, \"options\": [\"-m\", \"$1\", \"-i\", \"6:6\", \"-x\", \"0\"]}]}" >plan.json; }
    for size in 4K:8K 4K:16K; do
        code=0
        work $size
        "$OVL_BIN/ovl" sweep plan.json -o "to.$size" ${from:+--work-from "$from"} >out 2>&1 || code=$?
        cat out to.$size/a/*.log
        [ $code = 0 ] || [ $code = 2 ] # a busy machine may bring about an invalid cell
        from=to.$size
    done
    units() { grep -oE '"units":[0-9]+' "$1" | head -2; }
    [ "$(units to.4K:8K/a/001.jsonl)" = "$(units to.4K:16K/a/001.jsonl)" ]
    [ "$(grep -oE '"from_record":[a-z]+' to.4K:16K/a/001.jsonl | cut -d: -f2 | tr '\n' ' ')" = "true true false " ]
    ovl 0 validate to.4K:16K/a/001.jsonl
    ovl 0 show to.4K:16K/a/001.jsonl
    grep -qE '^ +16384 .*own W' <<<"$out"
}

@test "the plan that was given is kept byte by byte, and its nonce goes to each launch" {
    plan "$(job a good)" '"nonce": "n-1",   '
    ovl 0 sweep plan.json -o out.d
    cmp plan.json out.d/plan.json
    has out.d/a/001.jsonl '"OVL_NONCE":"n-1"'
    has out.d/a/002.jsonl '"OVL_NONCE":"n-1"'
    for launcher in '"kind": "mpirun_rsh"' '"kind": "cluster", "program": "c"'; do
        echo "{\"plan\": 1, \"nonce\": \"n-1\", \"launcher\": {$launcher}, \"jobs\": [$(job a good)]}" >other.json
        ovl 0 sweep other.json --dry-run
        grep -qE 'env OVL_NONCE=n-1 .* OVL_NONCE=n-1 ' <<<"$out"
    done
}

@test "each line of the log follows from the one before, and an end has the record's SHA-256" {
    plan "$(job a good)"
    ovl 0 sweep plan.json -o out.d
    for n in 2 3 4 5; do
        [ "$(sed -n ${n}p out.d/sweep.log | grep -oE '"previous":"[0-9a-f]+' | cut -d'"' -f4)" = \
            "$(sed -n $((n - 1))p out.d/sweep.log | tr -d '\n' | sha256sum | cut -d' ' -f1)" ]
    done
    has out.d/sweep.log "\"record_sha256\":\"$(sha256sum <out.d/a/002.jsonl | cut -d' ' -f1)\""
    [ "$(grep -c record_sha256 out.d/sweep.log)" = 2 ]
}

@test "folders whose names are no UTF-8: no word of a command is lost" {
    odd=$'caf\xe9'
    mkdir -p $odd/bin $odd/share
    cp "$OVL_BIN/ovl" $odd/bin
    cp -r "$OVL_BIN/../share/ovl" $odd/share
    printf '#!/bin/sh\n' >$odd/bin/good
    chmod +x $odd/bin/good
    plan "$(job a good ', "environment": {"OVL_WORK": "x"}')" '"before": {"command": ["sh", "-c", "printf %s\\\\n \"$OVL_RECORD\" >record"]},'
    sed -i 's|"./good"|"good"|' plan.json
    # Said once as a shell reads it back, and once started.
    "$odd/bin/ovl" sweep plan.json -o $odd/s --dry-run >printed
    sed -n 's/.* env .*-n 2/printf %s\\\\n/p' printed | head -1 >line
    . ./line >words
    grep -qaF "$PWD/$odd/bin/good" words
    grep -qaxF "$odd/s/a/001.jsonl" words
    timeout 60 "$odd/bin/ovl" sweep plan.json -o $odd/s >swept
    has swept "2 done, 0 failed"
    ls $odd/s/a/001.jsonl
    grep -qaF "$PWD/$odd/bin/good" calls
    [ "$(cat record)" = "$odd/s/a/.002.jsonl" ]
    mv launch $odd/
    rm -r $odd/s
    sed -i 's/, "program": ".\/launch"//' plan.json
    OVL_MPIEXEC=./$odd/launch "$odd/bin/ovl" sweep plan.json -o $odd/s >swept
    has swept "2 done, 0 failed"
}

@test "damaged plans name file, line and field" {
    printf '{"plan": 1,\n "jobs": [\n  {"name": "a", "program": "x",\n   "ranks": "two"}]}' >plan.json
    refuses 4 "plan.json:4: /jobs/0/ranks:" sweep plan.json
    printf '{"plan": 1, "jobs": [\n {"name": "a", "program": "x", "ranks": 2},\n {"name": "../a", "program": "x", "ranks": 2}]}' >plan.json
    refuses 4 "plan.json:3: /jobs/1/name: letters, digits" sweep plan.json
    sed -i 's/..\/a/a/' plan.json
    refuses 4 "plan.json:3: /jobs/1/name: another job has this name already" sweep plan.json
    echo '{"plan": 1, "jobs": []}' >plan.json
    refuses 4 "nothing to run" sweep plan.json
    echo '{"plan": 1, "jobs": [' >plan.json
    refuses 4 "plan.json:2: no JSON" sweep plan.json
    for fault in '"nonce": ""|/nonce: 1 to 100 letters' '"nonce": "a b"|/nonce: 1 to 100 letters' '"nonce": 7|/nonce: ' \
        '"environment": {"A B": "x"}|/environment: names of variables' '"environment": {"": "x"}|/environment: names of' \
        '"environment": {"1A": "x"}|/environment: names of' '"environment": {"OVL_NONCE": "x"}|/environment: OVL_NONCE is set by ovl sweep: give nonce' \
        '"environment": {"A\u001b[2J": "x"}|/environment: names of variables' '"work_from": 1|/work_from: ' \
        '"title\u001b[2J": ""|/title?[2J: is not known'; do
        echo "{\"plan\": 1, ${fault%%|*}, \"jobs\": [{\"name\": \"a\", \"program\": \"x\", \"ranks\": 2}]}" >plan.json
        refuses 4 "${fault#*|}" sweep plan.json
        absent $'\e' "$err"
    done
    for field in ranks nodes; do
        echo "{\"plan\": 1, \"jobs\": [{\"name\": \"a\", \"program\": \"x\", \"ranks\": 2, \"$field\": 1e308, \"launcher\": {\"kind\": \"cluster\"}}]}" |
            sed 's/"ranks": 2, "ranks"/"ranks"/' >plan.json
        refuses 4 "plan.json:1: /jobs/0/$field:" sweep plan.json --dry-run
    done
    echo '{"plan": 1, "jobs": [{"name": "a", "program": "x", "ranks": 2, "baseline": ""}]}' >plan.json
    refuses 4 "plan.json:1: /jobs/0/baseline: 1 to 100 letters" sweep plan.json
    ovl 5 sweep nowhere.json
    ovl 3 sweep
    [ ! -e sweep ]
}

# bats test_tags=long
@test "a sweep under nohup outlives its terminal, and others end by HUP" {
    plan "$(job a slow)"
    sed -i 's/^slow).*/slow) echo $$ >at; mv at ran; sleep 2; record >>"$last" ;;/' launch
    started nohup "$OVL_BIN/ovl" sweep plan.json -o out.d
    kill -HUP $!
    code=0
    wait $! || code=$?
    [ $code = 0 ]
    has swept "2 done, 0 failed"
    started env --default-signal=HUP "$OVL_BIN/ovl" sweep plan.json -o other.d
    kill -HUP $!
    wait $! || code=$?
    [ $code = 129 ]
    has swept "FAILED in"
}

@test "a file system without locks gets a file that stands for one" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    export LD_PRELOAD=$OVL_SHIM/noflock.so
    plan "$(job a good)"
    tells 0 "# this file system has no locks: out.d/sweep.lock stands for one while the sweep runs" sweep plan.json -o out.d
    [ ! -e out.d/sweep.lock ]
    tells 0 "# no sweep is at work here" sweep --status out.d
    rm out.d/a/002.jsonl
    sleep 30 &
    echo "$(hostname) $!" >out.d/sweep.lock
    ovl 1 sweep --status out.d
    absent "no sweep is at work here" "$out"
    ovl 5 sweep plan.json -o out.d --resume
    says "another sweep is at work in this folder, process $! on $(hostname); if it is not, remove this file"
    kill $!
    wait $! || true
    echo "elsewhere $!" >out.d/sweep.lock
    refuses 5 "process $! on elsewhere" sweep plan.json -o out.d --resume
    : >out.d/sweep.lock
    ovl 5 sweep plan.json -o out.d --resume
    says "out.d/sweep.lock: another sweep is at work in this folder; if none is, remove this file"
    # What a sweep of this host left behind when it was killed is nobody's.
    echo "$(hostname) $!" >out.d/sweep.lock
    tells 1 "# no sweep is at work here" sweep --status out.d
    tells 0 "1 done, 0 failed, 1 were there already" sweep plan.json -o out.d --resume
    OVL_FLOCK_ERRNO=5 refuses 5 "out.d/sweep.log: cannot lock it: Input/output error" sweep plan.json -o out.d --resume
}

# until_there FILE: within ten seconds.
until_there() { for ((i = 0; i < 200; i++)); do [ ! -e "$1" ] || return 0; sleep 0.05; done; return 1; }

@test "of two sweeps that find the same file of a dead one, one takes the folder" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    launcher
    sed -i 's/^slow).*/slow) touch ran; for ((i = 0; i < 200; i++)); do [ ! -e again ] || break; sleep 0.05; done; record >>"$last" ;;/' launch
    plan "$(job a slow)"
    mkdir out.d
    sleep 0 &
    wait $!
    echo "$(hostname) $!" >out.d/sweep.lock
    for name in one two; do
        OVL_LOOK_PAUSE=$name LD_PRELOAD=$OVL_SHIM/noflock.so timeout 60 "$OVL_BIN/ovl" sweep plan.json -o out.d --resume >$name.said 2>&1 &
        [ $name = two ] || first=$!
        until_there $name.asked
    done
    second=$!
    touch one
    until_there ran
    cp out.d/sweep.lock held
    touch two
    code=0
    wait $second || code=$?
    cat two.said
    [ $code = 5 ]
    has two.said "another sweep is at work in this folder"
    cmp held out.d/sweep.lock
    touch again
    wait "$first"
    has one.said "2 done, 0 failed"
    [ "$(ls out.d)" = "$(printf '%s\n' a plan.json sweep.log)" ]
}

# bats test_tags=long
@test "a lock whose process number is another's now is nobody's" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    export LD_PRELOAD=$OVL_SHIM/noflock.so
    plan "$(job a good)"
    mkdir out.d
    start=$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)
    echo "$(hostname) $$ $start" >out.d/sweep.lock
    refuses 5 "process $$ on $(hostname)" sweep plan.json -o out.d
    echo "$(hostname) $$ $((start + 1))" >out.d/sweep.lock
    ovl 0 sweep plan.json -o out.d --resume
}

@test "a launch has its grace to end after its time limit" {
    cat >tidy <<'SCRIPT'
#!/bin/bash
trap 'sleep 3; echo told >tidied; exit 2' TERM
sleep 300 &
wait
SCRIPT
    chmod +x tidy
    plan "$(job a tidy)" '"time_limit_seconds": 1,'
    sed -i 's/"launches": 2/"launches": 1/; s|"./launch"|"./tidy"|' plan.json
    ovl 1 sweep plan.json -o out.d
    has tidied told
    rm tidied
    sed -i 's/"plan": 1/&, "grace_seconds": 0.5/' plan.json
    ovl 1 sweep plan.json -o other.d
    [ ! -e tidied ]
}

# bats test_tags=long
@test "srun's tasks are asked to end by the step's name, and a step that srun leaves is cancelled" {
    mkdir bin
    cat >bin/srun <<'SCRIPT'
#!/bin/bash
echo "srun $*" >>calls
trap '' TERM
sleep 300
SCRIPT
    cat >bin/squeue <<'SCRIPT'
#!/bin/bash
echo "7.0 batch"
sed -n 's/.*--job-name=\([^ ]*\) .*/7.1 \1/p' calls
SCRIPT
    echo 'echo "scancel $*" >>calls' >bin/scancel
    sed -i '1i #!/bin/bash' bin/scancel
    chmod +x bin/*
    export PATH=$PWD/bin:$PATH
    echo '{"plan": 1, "launches": 1, "time_limit_seconds": 1, "grace_seconds": 1, "launcher": {"kind": "srun"},
           "jobs": [{"name": "a", "program": "./x", "ranks": 2}]}' >plan.json
    tells 0 "timeout 1 srun --kill-on-bad-exit=1 --cpu-bind=cores -n 2 ./x" sweep plan.json --dry-run
    ovl 1 sweep plan.json -o out.d
    [ "$(sed 's/ovl-a-001-[^ ]*/STEP/' calls)" = "srun --job-name=STEP --kill-on-bad-exit=1 --cpu-bind=cores -n 2 ./x --json out.d/a/.001.jsonl
scancel --signal=TERM 7.1
scancel --signal=KILL 7.1" ]
}

# bats test_tags=long
@test "what a sweep started ends when the sweep is killed" {
    plan "$(job a slow)"
    started "$OVL_BIN/ovl" sweep plan.json -o out.d
    kill -KILL $!
    wait $! || true
    gone "$(cat ran)"
}

@test "the emulated cluster is found however deep the build folder is" {
    mkdir -p tree/scripts/beds tree/build/other/bin
    for name in cluster beds/cluster-inside; do printf '#!/bin/sh\n' >tree/scripts/$name; chmod +x tree/scripts/$name; done
    cp "$OVL_BIN/ovl" tree/build/other/bin
    mkdir tree/build/other/share
    cp -r "$OVL_BIN/../share/ovl" tree/build/other/share
    echo '{"plan": 1, "launches": 1, "launcher": {"kind": "cluster"}, "jobs": [{"name": "a", "program": "./x", "ranks": 2}]}' >plan.json
    tree/build/other/bin/ovl sweep plan.json --dry-run >printed
    grep -q "bin/../../../scripts/cluster run" printed
}

@test "a launch that ran on other nodes than the plan says has failed" {
    plan "$(job a good ', "nodes": 2'), $(job b good ', "nodes": 1')"
    tells 1 "its ranks were on 1 node and the plan says 2: tell the launcher by its options" sweep plan.json -o out.d
    prints "2 done, 2 failed"
}

@test "a time limit that no clock can wait for is refused" {
    plan "$(job a good)" '"time_limit_seconds": 1e20,'
    refuses 4 "/time_limit_seconds: 10000000 or less is wanted here" sweep plan.json -o out.d
}

@test "a record whose sweep was killed before it had its name is taken up by resume, and no other" {
    plan "$(job a good)"
    ovl 0 sweep plan.json -o out.d
    cp out.d/sweep.log log
    mv out.d/a/001.jsonl out.d/a/.001.jsonl
    tells 0 "a                                   2      0      0      0" sweep --status out.d
    ovl 0 sweep plan.json -o out.d --resume
    prints "# out.d/a/001.jsonl: its sweep was killed before it had this name; it is the file that sweep.log has"
    prints "0 done, 0 failed, 2 were there already"
    cmp log out.d/sweep.log
    mv out.d/a/002.jsonl out.d/a/.002.jsonl
    echo >>out.d/a/.002.jsonl
    tells 0 "a, launch 2, attempt 2: done" sweep plan.json -o out.d --resume
    ls out.d/a/002.partial
    echo '{"limits": 1, "retries": 1, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "hidden_fraction", "operator": ">=", "limit": -9}]}' >limits.json
    tells 2 "2 records are those that sweep.log tells of" accept limits.json out.d
}

@test "a file that no attempt left is no record of a launch that failed" {
    plan "$(job a good), $(job b refused)"
    ovl 1 sweep plan.json -o out.d
    sed 's/"run_id":"/&other-/' out.d/a/001.jsonl >out.d/b/001.jsonl
    ovl 1 sweep plan.json -o out.d --resume
    prints "out.d/b/001.jsonl: no record of its launch (sweep.log tells of no attempt that left this file, by its SHA-256); it is now"
    prints "0 done, 2 failed, 2 were there already"
}

@test "a sweep tells its time, and a budget leaves out launches by priority" {
    plan "$(job a good), $(job b good ', "priority": 2'), $(job c good ', "priority": 1, "time_limit_seconds": 20')" '"time_limit_seconds": 60,'
    ovl 0 sweep plan.json -o out.d --dry-run
    prints "# 6 launches: about 280 s by --max-time and time limits" || prints "# 6 launches: about 5 min by --max-time and time limits"
    refuses 3 "--budget soon: give a time such as 90s, 20m or 1.5h" sweep plan.json -o out.d --budget soon
    refuses 3 "--budget 10s: not even the first launch fits" sweep plan.json -o out.d --dry-run --budget 10s
    ovl 3 sweep plan.json -o out.d --budget 10s
    [ ! -e out.d ] # nothing is in the way of the next call
    tells 0 "# --budget 2.1m leaves out 3:" sweep plan.json -o out.d --dry-run --budget 2.1m
    prints "#   a 2 of 2, b 1 of 2"
    [ "$(grep -oE 'out.d/[a-c]/00[12]' <<<"$out" | sort | tr '\n' ' ')" = "out.d/b/001 out.d/c/001 out.d/c/002 " ]
    # 2: it is not complete, and no pipeline takes it for that.
    ovl 2 sweep plan.json -o out.d --budget 2.1m
    prints "3 done, 0 failed, 0 were there already, 3 to go (left out by --budget: --resume takes them up)"
    has out.d/sweep.log '"budget_seconds":126.0,"left_out":3,"previous":"'
    # What was left out is not accepted.
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "hidden_fraction", "operator": ">=", "limit": -9}]}' >limits.json
    tells 1 "3 left out by ovl sweep --budget; job a has no good launch" accept limits.json out.d -o report.json
    prints "1 of 2 launches"
    ovl 1 accept --verify report.json
    # The rest is timed by what is done.
    ovl 0 sweep plan.json -o out.d --resume
    grep -qE '^# 3 launches: about [0-9] s' <<<"$out"
    prints "3 done, 0 failed, 3 were there already, 0 to go"
    tells 2 "INCONCLUSIVE: 2 launches: an interval needs 6" accept limits.json out.d
    absent "left out" "$out"
}

@test "a driver's time is its cells times --max-time" {
    echo '{"plan": 1, "launches": 2, "jobs": [{"name": "a", "program": "ovl_ialltoall", "ranks": 2,
           "options": ["-m", "4K:64K", "--compute-ratio", "0.5,1", "--max-time", "3"]}]}' >plan.json
    ovl 0 sweep plan.json --dry-run
    prints "# 2 launches: about 60 s by --max-time" # 5 sizes, 2 ratios, 3 s
}

@test "part of a plan: --job, --retry, --max-failures, and --status of what came of it" {
    plan "$(job one good), $(job two flaky), $(job three good)"
    refuses 3 "--job x+: the plan has no job of such a name; its first is one" sweep plan.json -o out.d --job x+
    refuses 3 "--job (: no extended regular expression of POSIX" sweep plan.json -o out.d --job '('
    refuses 3 ": no UTF-8" sweep plan.json -o out.d --job $'t|\xe9'
    [ ! -e out.d/one ]
    ovl 0 sweep plan.json -o out.d --dry-run --job '^t'
    prints "# --job ^t leaves out 2 launches of other jobs"
    [ "$(grep -oE 'out.d/[a-z]+/00[12]' <<<"$out" | cut -d/ -f2 | sort -u | tr '\n' ' ')" = "three two " ]
    # Nobody misses a job that --job left out each time.
    ovl 2 sweep plan.json -o part.d --job '^one$'
    has part.d/sweep.log '"jobs":"^one$"'
    "$OVL_BIN/ovl" export --to csv part.d >csv 2>err
    absent "left no record" "$(<err)"
    sed -i 's/"jobs":"^one\$",//' part.d/sweep.log # as one that was killed before the others; the rest does not follow from it
    sed -i 's/,"previous":"[0-9a-f]*"//' part.d/sweep.log
    "$OVL_BIN/ovl" export --to csv part.d >csv 2>err
    has err "4 launches of a sweep left no record"
    # The first two attempts at the first launch of two fail: once again is not enough.
    printf '.001.jsonl\n.001-2.jsonl\n' >fails
    ovl 1 sweep plan.json -o out.d --job two --retry 1
    prints "2/6 two, launch 1: FAILED" "2/6 two, launch 1, attempt 2: FAILED" "5/6 two, launch 2: done"
    prints "1 done, 1 failed, 0 were there already, 4 to go (other jobs than --job: --resume without it takes them up)"
    ls out.d/two/001.partial out.d/two/001-2.partial out.d/two/002.jsonl
    ovl 1 sweep --status out.d
    grep -qE '^  one +0 +0 +0 +2$' <<<"$out"
    grep -qE '^  two +1 +1 +0 +0$' <<<"$out"
    prints "# no sweep is at work here" "# 5 launches: about"
    ovl 0 sweep plan.json -o out.d --resume --retry 3
    prints "two, launch 1, attempt 3: done" "5 done, 0 failed, 1 were there already, 0 to go" "8 attempts for 6 launches"
    ovl 0 sweep --status out.d
    # Those who judge see each attempt.
    echo '{"limits": 1, "retries": 0, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "hidden_fraction", "operator": ">=", "limit": -9}]}' >limits.json
    tells 1 "8 attempts for 6 launches, 2 failed" accept limits.json out.d
    refuses 5 "nowhere/plan.json: cannot read" sweep --status nowhere
    refuses 3 "give one folder of a sweep" sweep --status
}

@test "a sweep ends at so many failures, and tells from outside what it is at" {
    plan "$(job a refused), $(job b good)"
    ovl 1 sweep plan.json -o out.d --max-failures 1
    prints "# --max-failures 1: the sweep ends here; --resume goes on" "0 done, 1 failed, 0 were there already, 3 to go"
    refuses 3 "--max-failures" sweep plan.json -o out.d --max-failures 0
    plan "$(job a slow), $(job b good)"
    "$OVL_BIN/ovl" sweep plan.json -o work.d >said 2>&1 &
    sweep=$!
    for ((i = 0; i < 200; i++)); do [ -e ran ] && break; sleep 0.05; done
    tells 2 "# at work  a, launch 1, attempt 1, since 20" sweep --status work.d
    grep -qE '^  a +0 +0 +1 +1$' <<<"$out"
    kill_in_launch $sweep
    tells 1 "# no sweep is at work here" sweep --status work.d
    grep -qE '^  a +0 +1 +0 +1$' <<<"$out"
}

@test "--check finds what would keep jobs from starting, and starts nothing" {
    plan "$(job a good), $(job b good)"
    touch good && chmod +x good
    tells 0 "2 of 2 jobs can start" sweep plan.json -o out.d --check
    plan "$(job a good), $(job gone missing), {\"name\": \"typo\", \"program\": \"ovl_ialltoall\", \"ranks\": 2, \"options\": [\"--compute-ration\", \"1\"]}"
    tells 3 "gone: the program ./missing cannot be run: it is not here, or not executable" sweep plan.json -o out.d --check
    prints "typo: unknown option --compute-ration; is --compute-ratio meant?" "1 of 3 jobs can start"
    mkdir missing
    tells 3 "gone: the program ./missing cannot be run: it is not here, or not executable" sweep plan.json -o out.d --check
    tells 0 "1 of 1 job can start" sweep plan.json -o out.d --check --job '^a$'
    SLURM_NTASKS=1 SLURM_JOB_NUM_NODES=1 ovl 3 sweep plan.json -o out.d --check
    prints "a: asks for 2 ranks, and this allocation has 1 (SLURM_NTASKS)"
    # What leaves no record.
    local words
    for words in --help -h --version "--plan 2" --self-test; do
        plan "{\"name\": \"none\", \"program\": \"ovl_ialltoall\", \"ranks\": 2, \"options\": [\"${words// /\", \"}\"]}"
        tells 3 "the program measures nothing with it, and leaves no record" sweep plan.json -o out.d --check
    done
    plan '{"name": "none", "program": "ovl_train", "ranks": 2, "options": ["--dump-plan"]}'
    tells 3 "none: option --" sweep plan.json -o out.d --check
    plan '{"name": "ends", "program": "ovl_ialltoall", "ranks": 2, "options": ["--"]}'
    tells 3 "ends: option --: it ends the options, and --json," sweep plan.json -o out.d --check
    local program
    for program in ovl ovl_carrier ovl_worker; do
        plan "{\"name\": \"other\", \"program\": \"$program\", \"ranks\": 2}"
        tells 3 "other: $program is no benchmark, and leaves no record" sweep plan.json -o out.d --check
    done
    # Files that options name.
    local given
    for given in "ovl_serve --trace" "ovl_serve --model" "ovl_train --model" "ovl_train --buckets" "ovl_train --gradients" \
        "ovl_ineighbor_alltoall --edges" "ovl_ialltoall --work-from" "ovl_ialltoall --dpu-map"; do
        plan "{\"name\": \"f\", \"program\": \"${given% *}\", \"ranks\": 2, \"options\": [\"${given#* }\", \"./none.json\"]}"
        tells 3 "f: option ${given#* }: ./none.json cannot be read: No such file or directory" sweep plan.json -o out.d --check
    done
    plan '{"name": "m", "program": "ovl_train", "ranks": 2, "options": ["--model", "nowhere"]}'
    tells 3 "m: option --model: " sweep plan.json -o out.d --check
    plan '{"name": "m", "program": "ovl_train", "ranks": 2, "options": ["--model", "resnet20"]}'
    PATH=$OVL_BIN:$PATH ovl 0 sweep plan.json -o out.d --check
    # What the sweep itself leaves is not there yet.
    plan '{"name": "w", "program": "ovl_ialltoall", "ranks": 2, "options": ["--work-from", "out.d/host/001.jsonl"]}'
    PATH=$OVL_BIN:$PATH ovl 0 sweep plan.json -o out.d --check
    plan "$(job a good)" '"before": {"command": ["./prepare"]},'
    tells 3 "a: the hook ./prepare cannot be run" sweep plan.json -o out.d --check
    sed -i 's|"./launch"|"no-launcher"|' plan.json
    tells 3 "a: the launcher no-launcher cannot be run" sweep plan.json -o out.d --check
    [ ! -e out.d ] && [ ! -e calls ]
}

@test "the budget of an allocation is what Slurm leaves of it" {
    mkdir slurm
    printf '%s\n' '#!/bin/bash' '[[ " $* " = *" --jobs 4711 "* ]] || exit 1' 'cat left' >slurm/squeue
    chmod +x slurm/squeue
    PATH=$PWD/slurm:$PATH
    plan "$(job a good)" '"time_limit_seconds": 600,'
    refuses 3 "this is no job of Slurm" sweep plan.json -o s --budget allocation
    export SLURM_JOB_ID=4711
    echo 11:00 >left
    tells 2 "# --budget allocation leaves out 1:" sweep plan.json -o s --budget allocation
    [ "$(grep -o '"budget_seconds":[0-9.]*' s/sweep.log)" = '"budget_seconds":630.0' ]
    # The next job of the chain takes the rest.
    echo 1-00:00:00 >left
    ovl 0 sweep plan.json -o s --resume --budget allocation
    echo UNLIMITED >left
    ovl 0 sweep plan.json -o t --budget allocation
    absent budgeted "$(<t/sweep.log)"
    echo 0:20 >left
    refuses 3 "20 s are left of it" sweep plan.json -o u --budget allocation
    echo INVALID >left
    refuses 3 "squeue does not tell its time" sweep plan.json -o u --budget allocation
    [ ! -e u ]
}
