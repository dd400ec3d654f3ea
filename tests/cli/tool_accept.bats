#!/usr/bin/env bats
# `ovl accept` on launches whose values are known: total times of 17.1 us at 8 KiB, within 1 %.

load lib
load tool

# limits RULE...: a limits file of these rules.
limits() {
    local IFS=,
    echo "{\"limits\": 1, \"rules\": [
$*
]}" >limits.json
}

rule() { echo "{\"match\": {\"benchmark\": \"ialltoall\", \"size_bytes\": $1}, \"metric\": \"$2\", \"operator\": \"$3\", \"limit\": $4}"; }

@test "accept passes, fails, or cannot tell, by the whole interval" {
    launches a 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json a
    prints "# PASS: 1 PASS, 0 FAIL"
    grep -qE '1 ialltoall host 8K +total_seconds +<= 1.8e-05 +1.71[0-9]*e-05 .* 8  PASS$' <<<"$out"
    limits "$(rule 8192 total_seconds '<=' 16e-6)"
    ovl 1 accept limits.json a
    prints "FAIL: the whole interval misses the limit"
    limits "$(rule 8192 total_seconds '<' 17.13e-6)"
    ovl 2 accept limits.json a
    prints "INCONCLUSIVE: the limit lies inside the interval"
    limits "$(rule 8192 total_seconds '>=' 16e-6)"
    ovl 0 accept limits.json a
    mkdir few
    cp a/[1-5].jsonl few
    ovl 2 accept limits.json few
    prints "INCONCLUSIVE: 5 launches: an interval needs 6"
    limits "$(rule 8192 total_seconds '<=' 18e-6)" "$(rule 8192 total_seconds '<=' 16e-6)" "$(rule 8192 total_seconds '<' 17.13e-6)"
    ovl 1 accept limits.json a
}

@test "accept takes a reference with a tolerance, other statistics, ranges and lists of sizes" {
    launches a 8 1
    limits '{"name": "near", "match": {"benchmark": "ialltoall", "mode": "host", "ranks": 2, "size_bytes": {"min": 8192, "max": 16384}},
        "metric": "total_seconds", "operator": "<=", "reference": 1e-3, "tolerance": 0.1}' \
        '{"match": {"benchmark": "ialltoall", "size_bytes": [8192, 65536]}, "metric": "total_seconds", "statistic": "max",
        "operator": ">", "limit": 20e-6}' "$(rule 8192 hidden_fraction '<' 0.9)"
    ovl 0 accept limits.json a -o report.json
    prints "# PASS: 5 PASS"
    has report.json '"limit": 0.0011'
    has report.json '"statistic": "max"'
    has report.json '"name": "near"'
}

@test "what is missing or invalid is not accepted" {
    launches a 8 1
    limits "$(rule '[8192, 4096]' total_seconds '<=' 1)"
    ovl 1 accept limits.json a
    prints "FAIL: not measured: 4096 bytes"
    limits '{"match": {"benchmark": "ibcast"}, "metric": "total_seconds", "operator": "<=", "limit": 1}'
    ovl 1 accept limits.json a
    prints "FAIL: not measured: no cell matches"
    limits '{"match": {"benchmark": "ibcast"}, "required": false, "metric": "total_seconds", "operator": "<=", "limit": 1}'
    ovl 2 accept limits.json a
    prints "SKIPPED: not measured"
    limits "$(rule 8192 total_seconds '<=' 1)"
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' a/3.jsonl
    ovl 1 accept limits.json a
    prints "FAIL: 1 of 8 launches are invalid, unshaped or without a value"
    limits "$(rule 8192 offload_efficiency '>=' 1)"
    ovl 1 accept limits.json a
}

@test "a report holds until a byte of it or of an input is changed" {
    launches a 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)" "$(rule '[16384, 65536]' hidden_fraction '<=' 1)"
    ovl 0 accept limits.json a -o report.json
    ovl 0 accept --verify report.json
    prints "report.json: all 3 verdicts follow from the samples"
    prints "report.json: holds: PASS"

    cp report.json kept.json
    sed -i '0,/"verdict": "PASS"/s//"verdict": "FAIL"/' report.json
    ovl 4 accept --verify report.json
    prints "report.json: CHANGED since it was written"
    prints "does NOT hold"
    cp kept.json report.json
    sed -i 's/"created": "2/"created": "3/' report.json
    ovl 4 accept --verify report.json

    cp kept.json report.json
    cp a/4.jsonl kept.jsonl
    sed -i '2s/\("total_seconds":{"max":\[[0-9.]*\)[0-9]/\17/' a/4.jsonl
    ! cmp -s a/4.jsonl kept.jsonl || { echo "nothing was changed"; return 1; }
    ovl 4 accept --verify report.json
    prints "a/4.jsonl: CHANGED since the report: another SHA-256"
    cp kept.jsonl a/4.jsonl
    ovl 0 accept --verify report.json
    sed -i 's/18e-6/19e-6/' limits.json
    ovl 4 accept --verify report.json
    prints "limits.json: CHANGED"
    prints "/verdicts/0: does not follow from the samples"
    rm a/5.jsonl
    ovl 5 accept --verify report.json
    says "a/5.jsonl: cannot read"
}

# A seller who mends the hashes of a report still does not get past the samples.
@test "verdicts are judged again, not only hashed" {
    launches a 8 1
    limits "$(rule 8192 total_seconds '<=' 16e-6)"
    ovl 1 accept limits.json a -o report.json
    sed 's/"verdict": "FAIL"/"verdict": "PASS"/' report.json >forged.json
    ovl 4 accept --verify forged.json
    prints "forged.json: /verdicts/0: does not follow from the samples, which give FAIL"
    prints "forged.json: /verdict: the samples give FAIL"
}

@test "a report can travel with its inputs" {
    launches a 6 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json a -o report.json
    mkdir there
    mv limits.json a report.json there
    ovl 0 accept --verify there/report.json
}

@test "damaged limits name file, line and field, and nothing is half-written" {
    launches a 6 1
    printf '{"limits": 1,\n "rules": [\n  {"match": {"benchmark": "ialltoall"},\n   "metric": "total_seconds", "operator": "=", "limit": 1}\n ]}' >limits.json
    ovl 4 accept limits.json a -o report.json
    says "limits.json:4: /rules/0/operator:"
    printf '{"limits": 1,\n "rules": [\n' >limits.json
    ovl 4 accept limits.json a
    says "limits.json:3: no JSON:"
    limits "$(rule 8192 speed '<=' 1)"
    ovl 4 accept limits.json a
    says "limits.json:2: /rules/0/metric: no metric speed"
    limits '{"match": {"benchmark": "x", "colour": "red"}, "metric": "total_seconds", "operator": "<", "limit": 1}'
    ovl 4 accept limits.json a
    says "/rules/0/match"
    limits '{"match": {"benchmark": "x"}, "metric": "total_seconds", "operator": "<"}'
    ovl 4 accept limits.json a
    says "one of limit and reference is wanted here"
    echo '{"limits": 1, "rules": []}' >limits.json
    ovl 4 accept limits.json a
    says "nothing to judge by"
    [ ! -e report.json ]
    ovl 3 accept limits.json
    ovl 5 accept nowhere.json a
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 5 accept limits.json a -o nowhere/report.json
    says "nowhere/report.json: cannot write"
    [ "$(ls -A | grep -c '^\.[0-9]')" = 0 ]
}

# Launches that did not survive are not left out: they are what acceptance is about.

@test "six of ten launches that survive are not accepted, whichever files are handed over" {
    swept s 10 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json s
    prints "# sweep 1  s: 10 attempts for 10 launches, 0 failed, 0 without an end"
    prints "PASS: 10 attempts for 10 launches"
    rm s/a/00[1-4].jsonl
    for given in s s/ s/a s//a/ "s/a/005.jsonl s/a/006.jsonl ./s/a/007.jsonl s/a/008.jsonl s/a/009.jsonl s/a/010.jsonl"; do
        # shellcheck disable=SC2086
        ovl 1 accept limits.json $given
        grep -qE '1 ialltoall host 8K .* 10  FAIL: 4 of 10 launches lack this cell$' <<<"$out"
    done
    cd s/a
    ovl 1 accept ../../limits.json . -o ../report.json
    prints "4 of 10 launches lack this cell"
    has ../report.json '"lacking": 4'
    cd ../..
    ovl 0 report --limits limits.json s -o page.html
    has page.html "4 of 10 launches lack this cell"
    has s/report.json '"../plan.json"'
}

@test "good files out of a sweep's folder are not all of it" {
    swept s 10 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 1 accept limits.json s/a/00[1-7].jsonl
    prints "3 of 10 launches lack this cell"
    # Nor when a copy of them stands first.
    cat s/a/00[1-7].jsonl >s/0.jsonl
    ovl 1 accept limits.json s/0.jsonl s/a/00[1-7].jsonl
    prints "7 copies of a launch passed over"
    prints "3 of 10 launches lack this cell"
    sed 's/"run_id":"[^"]*/&-again/' s/a/001.jsonl >s/a/good.jsonl
    ovl 4 accept limits.json s
    says "s/a/good.jsonl: s/plan.json has no such launch; take the file out of the sweep"
}

@test "a launch whose record lacks the cell counts, with a plan and without" {
    swept s 10 1
    launches a 10 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json a
    prints "attempts are not known, for want of a sweep.log beside them, of 10 launches"
    sed -i '/"size_bytes":8192,/d' a/[1-4].jsonl s/a/00[1-4].jsonl
    ovl 1 accept limits.json a
    prints "FAIL: 4 of 10 launches lack this cell"
    ovl 1 accept limits.json s
    prints "FAIL: 4 of 10 launches lack this cell"
    limits "$(rule 16384 total_seconds '<=' 1)"
    ovl 0 accept limits.json a s
    # A launch that was cut short lacks its last cells.
    sed -i '/"record":"end"/d; /"size_bytes":65536,/d' a/3.jsonl
    limits "$(rule 65536 total_seconds '<=' 1)"
    ovl 1 accept limits.json a
    prints "FAIL: 1 of 10 launches lack this cell"
    rm a/[1-4].jsonl
    ovl 0 accept limits.json a -o report.json
    has report.json '"not_known_launches": 6'
}

@test "of a cell that several jobs measure all their launches count" {
    swept s 6 1
    swept t 6 1
    launches a 6 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    rm s/a/001.jsonl t/a/00[1-2].jsonl
    sed -i '/"size_bytes":8192,/d' a/1.jsonl
    ovl 1 accept limits.json s a t
    prints "FAIL: 4 of 18 launches lack this cell"
    prints "# sweep 2  t: 6 attempts for 6 launches"
    prints "attempts are not known, for want of a sweep.log beside them, of 6 launches"
}

@test "only launches of one command must have the same cells" {
    launches a 6 1
    launches b 6 1
    limits "$(rule '{"min": 1}' total_seconds '<=' 1)"
    sed -i '/"size_bytes":8192,/d' b/*.jsonl
    ovl 0 accept limits.json a b
    mv b/6.jsonl a/extra.jsonl
    ovl 1 accept limits.json a b
    prints "FAIL: 1 of 7 launches lack this cell"
    # Other words for the same, and another command.
    sed -i '1s/"seed":1,"quiet":false/"seed":7,"quiet":true/; 1s/"json":"[^"]*"/"json":"elsewhere"/' a/extra.jsonl
    ovl 1 accept limits.json a b
    sed -i '1s/"max_time":10/"max_time":11/' a/extra.jsonl
    ovl 0 accept limits.json a b
}

@test "of a cell that is not required a launch without it has the worst value" {
    swept s 10 1
    limits '{"match": {"benchmark": "ialltoall", "size_bytes": 8192}, "required": false, "metric": "total_seconds", "operator": "<=", "limit": 18e-6}'
    ovl 0 accept limits.json s -o all.json
    rm s/a/009.jsonl
    ovl 0 accept limits.json s -o report.json
    prints " 10  PASS"
    has report.json '"lacking": 1'
    # 2nd and 9th of ten in both: without launch 9, whose value is below, the 9th is the largest that was measured.
    high() { awk '/"ci_high"/ { gsub(/[^0-9.e-]/, "", $2); print $2; exit }' "$1"; }
    largest() { awk '/"values": \[/ { on = 1; next } on && /\]/ { exit } on && $1 + 0 > most + 0 { most = $1 } END { sub(/,/, "", most); print most }' "$1"; }
    [ "$(high report.json)" = "$(largest report.json)" ]
    [ "$(largest report.json)" = "$(largest all.json)" ]
    [ "$(high all.json)" != "$(largest all.json)" ]
    rm s/a/00[1-3].jsonl
    ovl 2 accept limits.json s
    grep -qE '\.\. inf +10  INCONCLUSIVE: the limit lies inside the interval$' <<<"$out"
    rm s/a/00[4-8].jsonl
    ovl 1 accept limits.json s
    grep -qE ' inf +inf \.\. inf +10  FAIL: the whole interval misses the limit$' <<<"$out"
    sed -i 's/<=/>/; s/18e-6/1e-9/' limits.json
    ovl 1 accept limits.json s
    grep -qE -- ' -inf +-inf \.\. -inf +10  FAIL' <<<"$out"
}

@test "an invalid cell that is not required has the worst value too" {
    launches a 10 1
    limits '{"match": {"benchmark": "ialltoall", "size_bytes": 8192}, "required": false, "metric": "total_seconds", "operator": "<=", "limit": 18e-6}'
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' a/[1-4].jsonl
    ovl 2 accept limits.json a
    prints "INCONCLUSIVE: the limit lies inside the interval"
}

@test "a job of which no launch is good fails the whole, a job that was not handed over is told" {
    swept s 6 1
    sed -i 's/"jobs": \[/&{"name": "b", "program": "y", "ranks": 2}, /' s/plan.json
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 1 accept limits.json s
    prints "not judged, no record of them is given: b"
    prints "FAIL: 6 attempts for 6 launches; job b has no good launch"
    sed -n '1,2s/"job":"a"/"job":"b"/p' s/sweep.log >>s/sweep.log
    ovl 0 accept limits.json s
    prints "not judged, no record of them is given: b"
}

# What a resumed sweep makes of crashes.

@test "launches that were tried again are told, and fail unless the limits allow it" {
    launcher
    plan "$(job a flaky)"
    sed -i 's/"launches": 2/"launches": 10/' plan.json
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    printf '.00%d.jsonl\n' 3 5 >fails
    ovl 1 sweep plan.json -o s
    ovl 1 accept limits.json s
    prints "2 of 10 launches lack this cell"
    ovl 0 sweep plan.json -o s --resume
    prints "12 attempts for 10 launches"
    ovl 1 accept limits.json s -o report.json
    prints "# sweep 1  s: 12 attempts for 10 launches, 2 failed, 0 without an end"
    prints "FAIL: 12 attempts for 10 launches, 2 beyond one a launch: the limits allow 0"
    grep -qE ' 8K .* 10  PASS$' <<<"$out"
    has report.json '"attempts": 12'
    sed -i 's/"limits": 1,/"limits": 1, "retries": 1,/' limits.json
    ovl 1 accept limits.json s
    sed -i 's/"retries": 1,/"retries": 2,/' limits.json
    ovl 0 accept limits.json s
    prints "PASS: 12 attempts for 10 launches"
    # A record that did not please, deleted and measured again.
    rm s/a/008.jsonl
    ovl 0 sweep plan.json -o s --resume
    ovl 1 accept limits.json s
    prints "FAIL: 13 attempts for 10 launches, 3 beyond one a launch: the limits allow 2"
}

@test "a sweep that was killed in the midst of a launch has an attempt more" {
    launcher
    plan "$(job a slow)"
    sed -i 's/"launches": 2/"launches": 6/' plan.json
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    "$OVL_BIN/ovl" sweep plan.json -o s >swept 2>&1 &
    kill_in_launch $!
    touch again
    ovl 0 sweep plan.json -o s --resume
    ovl 1 accept limits.json s
    prints "# sweep 1  s: 7 attempts for 6 launches, 0 failed, 1 without an end"
    sed -i 's/"limits": 1,/"limits": 1, "retries": 1,/' limits.json
    ovl 0 accept limits.json s
}

@test "logs of version 0.1 are read, damaged ones are not" {
    swept s 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    cp s/sweep.log kept.log
    sed -i '/"started"/d; s/"attempt":[0-9]*,//' s/sweep.log
    ovl 0 accept limits.json s
    prints "8 attempts for 8 launches"
    sed -n '1s/"status":"done"/"status":"failed"/p' s/sweep.log >>s/sweep.log
    ovl 1 accept limits.json s
    prints "9 attempts for 8 launches, 1 failed"
    sed -i '1d' s/sweep.log
    sed -i '$d' s/sweep.log
    ovl 1 accept limits.json s
    prints "1 with a record and no good attempt in sweep.log"
    sed '2s/"done"/"failed"/' kept.log >s/sweep.log
    ovl 1 accept limits.json s
    prints "1 with a record and no good attempt in sweep.log"
    for damage in '2s/.$//' '2s/"done"/"well"/' '3s/"launch":2/"launch":9/' '3s/"job":"a"/"job":"b"/' \
        '3s/"started"/"begun"/' '3s/"attempt":1/"attempt":0/' '2s/"why":""/"why":"\xff"/' '2s/.*/[]/' '2s/.*//'; do
        sed "$damage" kept.log >s/sweep.log
        ovl 4 accept limits.json s
        says "s/sweep.log:${damage%%s*}: "
        says "give the log as ovl sweep left it"
    done
    rm s/sweep.log
    ovl 0 accept limits.json s
    prints "# sweep 1  s: 8 launches in its plan"
    prints "attempts are not known, for want of a sweep.log beside them, of 8 launches"
    rm s/a/002.jsonl
    ovl 1 accept limits.json s
    prints "1 of 8 launches lack this cell"
    # Beside somebody else's plan.json, and in a folder that the plan does not have.
    mkdir s/b
    mv s/a/*.jsonl s/b
    ovl 0 accept limits.json s
    absent 'sweep 1' "$out"
    mv s/b/*.jsonl s/a
    echo '{"jobs": 3}' >s/plan.json
    ovl 0 accept limits.json s
    absent 'sweep 1' "$out"
    echo '{"plan": 2}' >s/plan.json
    cp kept.log s/sweep.log
    ovl 4 accept limits.json s
    says "s/plan.json:1: "
}

@test "a report holds plan and log of a sweep, and not when one of them is edited" {
    swept s 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    { sed 's/"done"/"failed"/; 2q' s/sweep.log; cat s/sweep.log; } >s/longer
    mv s/longer s/sweep.log
    ovl 1 accept limits.json s -o report.json
    ovl 1 accept --verify report.json
    prints "s/plan.json: as it was"
    prints "s/sweep.log: as it was"
    prints "report.json: holds: FAIL"
    cp -r s kept
    sed -i '1,2d' s/sweep.log
    ovl 4 accept --verify report.json
    prints "s/sweep.log: CHANGED since the report"
    prints "report.json: /attempts: does not follow from plan.json and sweep.log"
    prints "report.json: /verdict: the samples give PASS"
    cp kept/sweep.log s
    rm -r kept/a
    sed -i 's/"launches": 8/"launches": 9/' s/plan.json
    ovl 4 accept --verify report.json
    prints "s/plan.json: CHANGED since the report"
    prints "/verdicts/0: does not follow from the samples, which give FAIL"
    cp kept/plan.json s
    ovl 1 accept --verify report.json
    mkdir there
    mv s limits.json report.json there
    ovl 1 accept --verify there/report.json
    rm there/s/sweep.log
    ovl 5 accept --verify there/report.json
    says "s/sweep.log: cannot read"
    sed -i 's/"accept_report": 2/"accept_report": 1/' there/report.json
    ovl 4 accept --verify there/report.json
    says "judge the launches again"
}

@test "names that are no text are told in a line, and control characters are not printed" {
    launches a 6 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    cp a/1.jsonl $'\xff.jsonl'
    ovl 5 accept limits.json $'\xff.jsonl'
    says "which is no UTF-8; rename it"
    mv a $'a\e[2J'
    limits '{"name": "\u001b[2Jgood", "match": {"benchmark": "none"}, "metric": "total_seconds", "operator": "<=", "limit": 1}' \
        "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 1 accept limits.json $'a\e[2J' -o report.json
    prints '\u001b[2Jgood'
    absent $'\e' "$out"
    ovl 1 accept --verify report.json
    prints 'a\u001b[2J/1.jsonl: as it was'
    absent $'\e' "$out"
}
