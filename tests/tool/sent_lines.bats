#!/usr/bin/env bats
# What lines that were sent, what programs printed, and launches that left nothing say to who judges.

load vendor

# sent LINE...: limits.json with the digests of these lines of s/sweep.log as those that were sent.
sent() {
    local n lines=
    for n; do lines+="\"$(sed -n "${n}p" s/sweep.log | tr -d '\n' | digest)\", "; done
    sed "s/\"limits\": 1,/\"limits\": 1, \"log_lines\": [${lines%, }],/" limits.json >lines.json
}

@test "a text that was sent before anything ran is no line of the log" {
    buyer "$(job a)" "$(rule)"
    ovl 0 sweep plan.json -o s
    printf 'promise' >>s/sweep.log
    ovl 0 sweep plan.json -o s --resume
    sed "s/\"limits\": 1,/\"limits\": 1, \"log_lines\": [\"$(printf promise | digest)\"],/" limits.json >lines.json
    tells 1 "FAIL: 1 of 1 lines that were sent are in no sweep.log" accept lines.json s
    ovl 0 accept limits.json s
}

@test "lines that were sent stand for the launches before the last of them" {
    buyer "$(job a)" "$(rule)"
    ovl 0 sweep plan.json -o s
    all=$(grep -c . s/sweep.log)
    sent 3 5 "$all"
    tells 0 "PASS: all 3 lines that were sent are in sweep.log; at most 4 attempts ended between two of them" accept lines.json s
    sent 3 5
    tells 2 "INCONCLUSIVE: 4 of 6 attempts ended behind the last line that was sent: these launches could be chosen" accept lines.json s
    sed 's/"limits": 1,/"limits": 1, "log_lines": [],/' limits.json >lines.json
    tells 2 "INCONCLUSIVE: no line of sweep 1 was sent: these launches could be chosen" accept lines.json s
    sent 1 "$all"
    tells 2 "INCONCLUSIVE: 1 of the lines that were sent tells of no launch: these launches could be chosen" accept lines.json s
    # Of two sweeps each must have been sent.
    sent "$all"
    cp -r s kept
    sed -i 's/"nonce": "n-1"/"nonce": "n-1", "title": "b"/' plan.json
    ovl 0 sweep plan.json -o t
    sed "s/\"plans\": \[/&\"$(sed -n '1s/.*"previous":"\([^"]*\)".*/\1/p' t/sweep.log)\", /" lines.json >both.json
    "$OVL_BIN/ovl" accept both.json s t >out || :
    has out "INCONCLUSIVE: no line of sweep 2 was sent: these launches could be chosen"
    # A log whose lines hold nothing of those before.
    sed -i 's/,"previous":"[^"]*"//; s/,"record_sha256":"[^"]*"//' s/sweep.log
    sent "$all"
    "$OVL_BIN/ovl" accept lines.json s >out || :
    has out "FAIL: 1 of 1 lines that were sent are in no sweep.log"
}

@test "launches of ovl_noise without a record are not quiet, and of other jobs the attempts say how many there are" {
    launches=2
    buyer "{\"name\": \"quiet\", \"program\": \"ovl_noise\", \"ranks\": 2, \"options\": [\"--time\", \"8\", \"--full\"]}, $(job a), $(job b | sed 's/8K:8K/16K:16K/')" "$(rule)"
    vendor 'case ${*: -1} in
*/quiet/.001.jsonl) shift 2; while [ "$1" = -x ]; do shift 2; done
    words=$(printf ",\"%s\"" "$@"); now=$(date -u +%FT%TZ)
    sed "s#\"command\":\[[^]]*\]#\"command\":[${words#,}]#; s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$now/; s/\"environment\":{/&\"OVL_NONCE\":\"$OVL_NONCE\"/" \
        "$OVL_TOP/tests/fuzz/corpus/record/noise.jsonl" >"${@: -1}" ;;
*/quiet/*) echo node down; exit 1 ;;
*/b/.002.jsonl) exit 1 ;;
*) exec ./drive "$@" ;;
esac'
    "$OVL_BIN/ovl" sweep plan.json -o s >out || [ $? = 1 ]
    "$OVL_BIN/ovl" accept limits.json s >out || :
    has out "job quiet has 1 of 2 launches; job b has 1 of 2 launches"
    rm s/quiet/001.jsonl
    "$OVL_BIN/ovl" accept limits.json s >out || :
    has out "INCONCLUSIVE: 2 of 2 launches of ovl_noise left no record: whether nodes were quiet is not known"
}

@test "what a program printed of wrong data counts, whether its record is good, its sweep was killed, or no log is left" {
    buyer "$(job a)" "$(rule)"
    bound "$(rule)" '"retries": 3, "log_required": false,'
    vendor './drive "$@"; case ${*: -1} in */.003.jsonl) [ -e told ] || { >told; echo "ovl_ialltoall: wrong data: rank 1, byte 3"; }; esac'
    tells 4 "its output says that data were wrong, and its record has no wrong cell" sweep plan.json -o s
    ovl 4 sweep plan.json -o s --resume
    ovl 4 sweep --status s
    rejected 1 s
    prints "1 found wrong data, which no other attempt makes right"
    # Without its log.
    cp -r s bare
    rm bare/sweep.log
    tells 1 "FAIL: 1 attempts left wrong data, and no sweep.log" accept limits.json bare
    # Killed while it was under way, and what it left taken away.
    rm told
    vendor './drive "$@"; case ${*: -1} in */.003.jsonl) [ -e told ] || { >told; echo "ovl_ialltoall: wrong data: rank 1, byte 3"; kill -KILL $PPID; }; esac'
    "$OVL_BIN/ovl" sweep plan.json -o k >out 2>err || :
    [ ! -e k/a/004.jsonl ]
    rm -f k/a/.003.jsonl
    ovl 4 sweep plan.json -o k --resume
    rejected 1 k
    prints "1 found wrong data, which no other attempt makes right"
    # A line of an attempt is one, whatever else it says.
    honest
    ovl 0 sweep plan.json -o o
    printf '{"started":"%s","job":"a","launch":1,"attempt":2,"launcher":["./launch","-n","2"],"resumed":"%s","previous":""}\n{"ended":"%s","job":"a","launch":1,"attempt":2,"status":"failed","why":"w","exit":4,"seconds":1.0,"wrong_data":true,"budgeted":1,"previous":""}\n' \
        "$(date -u +%FT%TZ)" "$(date -u +%FT%TZ)" "$(date -u +%FT%TZ)" >>o/sweep.log
    relogged o 's|^||'
    rejected 1 o
}

@test "an attempt of 0 s is none whose time is not known" {
    launches=1
    buyer "$(job a)" "$(rule)"
    vendor './drive "$@"; sed -i "s/\"started\":\"[^\"]*/\"started\":\"$(date -u -d "-60 seconds" +%FT%TZ)/" "${@: -1}"'
    "$OVL_BIN/ovl" sweep plan.json -o s >out || :
    began=$(sed -n '1s/.*"started":"\([^"]*\)".*/\1/p' s/a/001.jsonl)
    relogged s "s/\"seconds\":[0-9.]*/\"seconds\":0.0/; s/\"started\":\"[^\"]*/\"started\":\"$began/; s/\"ended\":\"[^\"]*/\"ended\":\"$began/"
    "$OVL_BIN/ovl" accept limits.json s >out || :
    has out "it took longer than its attempt, by its own times"
}

@test "whole numbers may be written with a point, and hide nothing" {
    launches=1
    buyer "$(job a)" "$(rule)"
    ovl 0 sweep plan.json -o s
    mkdir l
    cp s/a/*.jsonl l
    echo "{\"limits\": 1, \"log_required\": false, \"rules\": [$(rule)]}" >free.json
    sed -i '1s/"synchronised":true/"synchronised":false/; 1s/"ranks":2/"ranks":2.0/' l/*
    "$OVL_BIN/ovl" accept free.json l >out || :
    has out "INCONCLUSIVE: in 1 of 1 records ranks had no common start"
}

@test "a log tells when, and is resumed as often as it is started" {
    buyer "$(job a)" "$(rule)"
    ovl 0 sweep plan.json -o s
    ovl 0 accept limits.json s
    for when in started ended opened; do
        cp -r s other
        relogged other "s/\"$when\":\"[^\"]*\"/\"$when\":\"-\"/"
        refuses 4 "a time in UTC such as 2026-01-31T23:59:59Z is wanted in what it tells" accept limits.json other
        rm -r other
    done
    # Each resume may find a line cut, and so may the one after a first line that was cut.
    cp -r s other
    half() { printf '%s\n' '{"started":"20' '{"resumed":"2026-01-01T00:00:00Z","cut_line":1,"previous":""}' >>other/sweep.log; }
    half && half
    relogged other 's|^||'
    ovl 0 accept limits.json other
    half
    relogged other 's|^||'
    refuses 4 "resumed is wanted once a start of the sweep" accept limits.json other
}
