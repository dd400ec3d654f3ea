#!/usr/bin/env bats
# `ovl accept` on launches whose values are known: total times of 17.1 us at 8 KiB, within 1 %.

load tool
derive=yes

# limits RULE...: a limits file of these rules, which takes launches without the log of a sweep.
limits() {
    local IFS=,
    echo "{\"limits\": 1, \"log_required\": false, \"rules\": [
$*
]}" >limits.json
}

# strict RULE...: as a buyer writes them: what no log shows is not accepted.
strict() {
    limits "$@"
    sed -i 's/ "log_required": false,//' limits.json
}

# ten JOBS [MORE]: the sweep s of ten launches each.
ten() {
    plan "$1" "${2:-}"
    sed -i 's/"launches": 2/"launches": 10/' plan.json
    ovl 0 sweep plan.json -o s
}

rule() { echo "{\"match\": {\"benchmark\": \"ialltoall\", \"size_bytes\": $1}, \"metric\": \"$2\", \"operator\": \"$3\", \"limit\": $4}"; }

@test "accept passes, fails, or cannot tell, by the whole interval" {
    launches a 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    tells 0 "# PASS: 1 PASS, 0 FAIL" accept limits.json a
    grep -qE '1 ialltoall host 8K +total_seconds +<= 1.8e-05 +1.71[0-9]*e-05 .* 8  PASS$' <<<"$out"
    limits "$(rule 8192 total_seconds '<=' 16e-6)"
    tells 1 "FAIL: the whole interval misses the limit" accept limits.json a
    limits "$(rule 8192 total_seconds '<' 17.13e-6)"
    tells 2 "INCONCLUSIVE: the limit lies inside the interval" accept limits.json a
    limits "$(rule 8192 total_seconds '>=' 16e-6)" "$(rule 8192 hidden_fraction '<' 0.9)" "$(rule 8192 total_seconds '<=' 18)"
    ovl 0 accept limits.json a
    prints "PASS: but of total_seconds less is better: is the rule turned round?"
    prints "PASS: but of hidden_fraction more is better: is the rule turned round?"
    prints "PASS: but the limit is 1e+06 times the value: is it in seconds?"
    # A limit meant in milliseconds, and a metric that the plan's own work decides.
    limits "$(rule 8192 total_seconds '<=' 0.02)" "$(rule 8192 hideable_fraction '>=' 0.1)"
    ovl 0 accept limits.json a
    prints "PASS: but the limit is 1e+03 times the value: is it in seconds?"
    prints "PASS: but hideable_fraction is what the plan's work allows, and no result: is hidden_fraction meant?"
    # A limit in per cent, and one that asks for no gain.
    limits "$(rule 8192 hidden_fraction '>=' -1)" "$(rule 8192 efficiency_vs_blocking '>=' -0.5)"
    tells 0 "# PASS: 2 PASS" accept limits.json a
    prints "PASS: but a limit of -1 asks for no gain"
    grep -qE 'efficiency_vs_blocking .* PASS$' <<<"$out"
    limits "$(rule 8192 speedup_vs_blocking '>=' 0)"
    tells 0 "PASS: but a limit of 0 asks for no gain" accept limits.json a
    limits "$(rule 8192 hidden_fraction '>=' 90)" "$(rule 8192 hidden_fraction '>=' 0)" "$(rule 8192 speedup_vs_blocking '>=' 15)"
    ovl 1 accept limits.json a
    prints "FAIL: the whole interval misses the limit; the limit is 90 and the value -0.25: is it in per cent?"
    [ "$(grep -c 'FAIL: the whole interval misses the limit$' <<<"$out")" = 2 ]
    # One launch of nine that takes twelve times as long leaves the median where it is, and is told.
    launches one 1 12
    cp -r a nine && cp one/1.jsonl nine/9.jsonl
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json nine
    prints "PASS: but 1 of 9 launches miss the limit: the interval is that of their median"
    mkdir few
    cp a/[1-5].jsonl few
    tells 2 "INCONCLUSIVE: 5 launches: an interval needs 6" accept limits.json few
    limits "$(rule 8192 total_seconds '<=' 18e-6)" "$(rule 8192 total_seconds '<=' 16e-6)" "$(rule 8192 total_seconds '<' 17.13e-6)"
    ovl 1 accept limits.json a
}

@test "accept takes a reference with a tolerance, other statistics, ranges and lists of sizes" {
    launches a 8 1
    limits '{"name": "near", "match": {"benchmark": "ialltoall", "mode": "host", "ranks": 2, "size_bytes": {"min": 8192, "max": 16384}},
        "metric": "total_seconds", "operator": "<=", "reference": 1e-3, "tolerance": 0.1}' \
        '{"match": {"benchmark": "ialltoall", "size_bytes": [8192, 65536]}, "metric": "total_seconds", "statistic": "max",
        "operator": ">", "limit": 20e-6}' "$(rule 8192 hidden_fraction '<' 0.9)"
    tells 0 "# PASS: 5 PASS" accept limits.json a -o report.json
    has report.json '"limit": 0.0011' '"statistic": "max"' '"name": "near"'
    [ "$(grep -c ' total_seconds (max) *> 2e-05 ' <<<"$out")" = 2 ]
    [ "$(grep -c ' total_seconds *<= 0.0011 ' <<<"$out")" = 2 ]
    ovl 0 report a -o a.html --limits limits.json
    grep -q 'total_seconds (max)' a.html
}

@test "what is missing or invalid is not accepted" {
    launches a 8 1
    limits "$(rule '[8192, 4096]' total_seconds '<=' 1)"
    tells 1 "FAIL: not measured: 4096 bytes" accept limits.json a
    limits '{"match": {"benchmark": "ibcast"}, "metric": "total_seconds", "operator": "<=", "limit": 1}'
    tells 1 "FAIL: not measured: no cell matches" accept limits.json a
    limits '{"match": {"benchmark": "ibcast"}, "required": false, "metric": "total_seconds", "operator": "<=", "limit": 1}'
    tells 2 "SKIPPED: not measured" accept limits.json a
    limits "$(rule 8192 total_seconds '<=' 1)"
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' a/3.jsonl
    tells 1 "FAIL: 1 of 8 launches are invalid, unshaped or without a value" accept limits.json a
    limits "$(rule 8192 offload_efficiency '>=' 1)"
    ovl 1 accept limits.json a
}

@test "a report holds until a byte of it or of an input is changed" {
    launches a 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)" "$(rule '[16384, 65536]' hidden_fraction '<=' 1)"
    ovl 0 accept limits.json a -o report.json
    tells 0 "report.json: all 3 verdicts follow from the samples" accept --verify report.json
    prints "report.json: holds: PASS"

    cp report.json kept.json
    sed -i '0,/"verdict": "PASS"/s//"verdict": "FAIL"/' report.json
    tells 4 "report.json: CHANGED since it was written" accept --verify report.json
    prints "does NOT hold"
    cp kept.json report.json
    sed -i 's/"created": "2/"created": "3/' report.json
    ovl 4 accept --verify report.json

    cp kept.json report.json
    cp a/4.jsonl kept.jsonl
    sed -i '2s/\("total_seconds":{"max":\[[0-9.]*\)[0-9]/\17/' a/4.jsonl
    ! cmp -s a/4.jsonl kept.jsonl || { echo "nothing was changed"; return 1; }
    tells 4 "a/4.jsonl: CHANGED since the report: another SHA-256" accept --verify report.json
    cp kept.jsonl a/4.jsonl
    ovl 0 accept --verify report.json
    sed -i 's/18e-6/19e-6/' limits.json
    tells 4 "limits.json: CHANGED" accept --verify report.json
    prints "/verdicts/0: does not follow from the samples"
    rm a/5.jsonl
    refuses 5 "a/5.jsonl: cannot read" accept --verify report.json
}

# A seller who mends the hashes of a report still does not get past the samples.
@test "verdicts are judged again, not only hashed" {
    launches a 8 1
    limits "$(rule 8192 total_seconds '<=' 16e-6)"
    ovl 1 accept limits.json a -o report.json
    sed 's/"verdict": "FAIL"/"verdict": "PASS"/' report.json >forged.json
    tells 4 "forged.json: /verdicts/0: does not follow from the samples, which give FAIL" accept --verify forged.json
    prints "forged.json: /verdict: the samples give FAIL"
    sed '0,/"limits": {/s//"result": "PASS by the vendor", "limits": {"of": "them",/' report.json >forged.json
    tells 4 "forged.json: /result: a report has no such member" accept --verify forged.json
    prints "forged.json: /limits/of: a report has no such member"
}

@test "reasons of what passes are judged again, and inputs are no links out of their folder" {
    swept s 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json s -o report.json
    grep -q '"reason": "8 records are as the plan has their jobs; ' report.json
    sed 's/\(records are as the plan has their jobs\); [^"]*/\1/' report.json >forged.json
    tells 4 "forged.json: /verdicts/2: does not follow from the samples, which give PASS" accept --verify forged.json
    mv s/a/003.jsonl elsewhere.jsonl
    ln -s ../../elsewhere.jsonl s/a/003.jsonl
    ovl 5 accept limits.json s
    ovl 5 accept --verify report.json
}

@test "a report can travel with its inputs" {
    launches a 6 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json a -o report.json
    mkdir there
    mv limits.json a report.json there
    ovl 0 accept --verify there/report.json
}

@test "a report in the folder of its sweep can travel with it, and be called otherwise" {
    swept s 8 1
    limits "$(rule 8192 total_seconds '<=' 19e-6)"
    mv limits.json s
    ovl 0 accept s/limits.json s -o s/report.json
    ovl 0 accept "$PWD/s/limits.json" "$PWD/s" -o s/full.json
    mkdir -p there/deep
    mv s there/deep/offer
    tells 0 "holds: PASS" accept --verify there/deep/offer/report.json
    tells 0 "holds: PASS" accept --verify there/deep/offer/full.json
    cd there/deep/offer
    tells 0 "holds: PASS" accept --verify report.json
    rm a/005.jsonl
    refuses 5 "a/005.jsonl: cannot read" accept --verify report.json
}

@test "damaged limits name file, line and field, and nothing is half-written" {
    launches a 6 1
    printf '{"limits": 1,\n "rules": [\n  {"match": {"benchmark": "ialltoall"},\n   "metric": "total_seconds", "operator": "=", "limit": 1}\n ]}' >limits.json
    refuses 4 "limits.json:4: /rules/0/operator:" accept limits.json a -o report.json
    printf '{"limits": 1,\n "rules": [\n' >limits.json
    refuses 4 "limits.json:3: no JSON:" accept limits.json a
    limits '{"match": {"benchmark": "x", "colour": "red"}, "metric": "total_seconds", "operator": "<", "limit": 1}'
    refuses 4 "/rules/0/match" accept limits.json a
    echo '{"limits": 1, "rules": []}' >limits.json
    refuses 4 "nothing to judge by" accept limits.json a
    [ ! -e report.json ]
    ovl 3 accept limits.json
    ovl 5 accept nowhere.json a
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    refuses 5 "nowhere/report.json: cannot write" accept limits.json a -o nowhere/report.json
    [ -z "$(find . -maxdepth 1 -name '.ovl-*')" ]
}

# Launches that did not survive are not left out: they are what acceptance is about.

@test "six of ten launches that survive are not accepted, whichever files are handed over" {
    swept s 10 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    tells 0 "# sweep 1  s: 10 attempts for 10 launches, 0 failed, 0 without an end" accept limits.json s
    prints "PASS: 10 attempts for 10 launches"
    rm s/a/00[1-4].jsonl
    for given in s s/ s/a s//a/ "s/a/005.jsonl s/a/006.jsonl ./s/a/007.jsonl s/a/008.jsonl s/a/009.jsonl s/a/010.jsonl"; do
        # shellcheck disable=SC2086
        ovl 1 accept limits.json $given
        grep -qE '1 ialltoall host 8K .* 10  FAIL: 4 of 10 launches lack this cell$' <<<"$out"
    done
    cd s/a
    tells 1 "4 of 10 launches lack this cell" accept ../../limits.json . -o ../report.json
    has ../report.json '"lacking": 4'
    cd ../..
    ends 1 "$OVL_BIN/ovl" report --limits limits.json s -o page.html
    has page.html "4 of 10 launches lack this cell"
    has s/report.json '"../plan.json"'
}

@test "good files out of a sweep's folder are not all of it" {
    swept s 10 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    tells 1 "3 of 10 launches lack this cell" accept limits.json s/a/00[1-7].jsonl
    # Nor when a copy of them stands first.
    cat s/a/00[1-7].jsonl >s/0.jsonl
    tells 1 "7 copies of a launch passed over" accept limits.json s/0.jsonl s/a/00[1-7].jsonl
    prints "3 of 10 launches lack this cell"
    sed 's/"run_id":"[^"]*/&-again/' s/a/001.jsonl >s/a/good.jsonl
    refuses 4 "s/a/good.jsonl: s/plan.json has no such launch; take the file out of the sweep" accept limits.json s
}

@test "a launch whose record lacks the cell counts, with a plan and without" {
    swept s 10 1
    launches a 10 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    tells 0 "attempts are not known, for want of a sweep.log with its plan beside them, of 10 launches" accept limits.json a
    sed -i '/"size_bytes":8192,/d; s/"cells":4/"cells":3/' a/[1-4].jsonl s/a/00[1-4].jsonl
    tells 1 "FAIL: 4 of 10 launches lack this cell" accept limits.json a
    tells 1 "FAIL: 4 of 10 launches lack this cell" accept limits.json s
    limits "$(rule 16384 total_seconds '<=' 1)"
    ovl 0 accept limits.json a s
    # A launch that was cut short lacks its last cells.
    sed -i '/"record":"end"/d; /"size_bytes":65536,/d' a/3.jsonl
    limits "$(rule 65536 total_seconds '<=' 1)"
    tells 1 "FAIL: 1 of 10 launches lack this cell" accept limits.json a
    rm a/[1-4].jsonl
    ovl 0 accept limits.json a -o report.json
    has report.json '"not_known_launches": 6'
}

# bats test_tags=long
@test "each sweep is judged by itself, and so are launches of no sweep" {
    swept s 6 1
    swept t 6 1
    launches a 6 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    rm s/a/001.jsonl t/a/00[1-2].jsonl
    sed -i '/"size_bytes":8192,/d' a/1.jsonl
    ovl 1 accept limits.json s a t
    grep -qE '1 ialltoall host 8K  .* 6  FAIL: 1 of 6 launches lack this cell' <<<"$out"
    grep -qE '1 ialltoall host 8K \(sweep 2\) .* 6  FAIL: 2 of 6 launches lack this cell' <<<"$out"
    prints "# sweep 2  t: 6 attempts for 6 launches"
    prints "attempts are not known, for want of a sweep.log with its plan beside them, of 6 launches"
}

@test "only launches of one command must have the same cells" {
    launches a 6 1
    launches b 6 1.001
    limits "$(rule '{"min": 1}' total_seconds '<=' 1)"
    sed -i '/"size_bytes":8192,/d; s/"cells":4/"cells":3/' b/*.jsonl
    ovl 0 accept limits.json a b
    mv b/6.jsonl a/extra.jsonl
    tells 1 "FAIL: 1 of 7 launches lack this cell" accept limits.json a b
    # Other words for the same, and another command.
    sed -i '1s/"seed":1/"seed":7/g; 1s/"quiet":false/"quiet":true/; 1s/"json":"[^"]*"/"json":"elsewhere"/' a/extra.jsonl
    ovl 1 accept limits.json a b
    sed -i '1s/"max_time":10/"max_time":11/' a/extra.jsonl
    ovl 0 accept limits.json a b
}

@test "of a cell that is not required a launch without it has the worst value, and what the others show is not accepted" {
    swept s 10 1
    limits '{"match": {"benchmark": "ialltoall", "size_bytes": 8192}, "required": false, "metric": "total_seconds", "operator": "<=", "limit": 18e-6}'
    ovl 0 accept limits.json s -o all.json
    # failed LAUNCH...
    failed() {
        for n; do
            rm "s/a/00$n.jsonl"
            sed -i "/\"ended\".*\"launch\":$n,/s/\"done\"/\"failed\"/" s/sweep.log
        done
    }
    failed 9
    tells 2 " 10  INCONCLUSIVE: 1 of 10 launches lack this cell" accept limits.json s -o report.json
    has report.json '"lacking": 1'
    # 2nd and 9th of ten in both: without launch 9, whose value is below, the 9th is the largest that was measured.
    high() { awk '/"ci_high"/ { gsub(/[^0-9.e-]/, "", $2); print $2; exit }' "$1"; }
    largest() { awk '/"values": \[/ { on = 1; next } on && /\]/ { exit } on && $1 + 0 > most + 0 { most = $1 } END { sub(/,/, "", most); print most }' "$1"; }
    [ "$(high report.json)" = "$(largest report.json)" ]
    [ "$(largest report.json)" = "$(largest all.json)" ]
    [ "$(high all.json)" != "$(largest all.json)" ]
    failed 1 2 3
    ovl 2 accept limits.json s
    grep -qE '\.\. inf +10  INCONCLUSIVE: the limit lies inside the interval$' <<<"$out"
    failed 4 5 6 7 8
    ovl 1 accept limits.json s
    grep -qE ' inf +inf \.\. inf +10  FAIL: the whole interval misses the limit$' <<<"$out"
    sed -i 's/<=/>/; s/18e-6/1e-9/' limits.json
    ovl 1 accept limits.json s
    grep -qE -- ' -inf +-inf \.\. -inf +10  FAIL' <<<"$out"
}

@test "an invalid cell that is not required has the worst value too" {
    launches a 10 1
    limits '{"match": {"benchmark": "ialltoall", "size_bytes": 8192}, "required": false, "metric": "total_seconds", "operator": "<=", "limit": 18e-6}'
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' a/1.jsonl
    tells 2 "INCONCLUSIVE: 1 of 10 launches are invalid, unshaped or without a value" accept limits.json a
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' a/[2-4].jsonl
    tells 2 "INCONCLUSIVE: the limit lies inside the interval" accept limits.json a
}

@test "a job of which no launch is good, or none is handed over, fails the whole" {
    swept s 6 1
    sed -i 's/"jobs":\[/&{"name": "b", "program": "y", "ranks": 2}, /' s/plan.json
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    tells 1 "#          no record is given of: b" accept limits.json s
    prints "FAIL: 6 attempts for 12 launches; job b has no good launch"
    sed -n '1,2s/"job":"a"/"job":"b"/p' s/sweep.log >>s/sweep.log
    tells 1 "FAIL: 7 attempts for 12 launches; no record of job b is given, of which 1 launch ended well" accept limits.json s
}

# What a resumed sweep makes of crashes.

@test "launches that were tried again are told, and fail unless the limits allow it" {
    plan "$(job a flaky)"
    sed -i 's/"launches": 2/"launches": 10/' plan.json
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    printf '.00%d.jsonl\n' 3 5 >fails
    ovl 1 sweep plan.json -o s
    tells 1 "2 of 10 launches lack this cell" accept limits.json s
    tells 0 "12 attempts for 10 launches" sweep plan.json -o s --resume
    tells 1 "# sweep 1  s: 12 attempts for 10 launches, 2 failed, 0 without an end" accept limits.json s -o report.json
    prints "FAIL: 12 attempts for 10 launches, 2 beyond one a launch: the limits allow 0"
    grep -qE ' 8K .* 10  PASS$' <<<"$out"
    has report.json '"attempts": 12'
    sed -i 's/"limits": 1,/"limits": 1, "retries": 1,/' limits.json
    ovl 1 accept limits.json s
    sed -i 's/"retries": 1,/"retries": 2,/' limits.json
    tells 0 "PASS: 12 attempts for 10 launches" accept limits.json s
    # A record that did not please, deleted and measured again.
    rm s/a/008.jsonl
    ovl 0 sweep plan.json -o s --resume
    tells 1 "FAIL: 13 attempts for 10 launches, 3 beyond one a launch: the limits allow 2" accept limits.json s
}

@test "a sweep that was killed in the midst of a launch has an attempt more" {
    plan "$(job a slow)"
    sed -i 's/"launches": 2/"launches": 6/' plan.json
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    "$OVL_BIN/ovl" sweep plan.json -o s >swept 2>&1 &
    kill_in_launch $!
    touch again
    ovl 0 sweep plan.json -o s --resume
    tells 1 "# sweep 1  s: 7 attempts for 6 launches, 0 failed, 1 without an end" accept limits.json s
    sed -i 's/"limits": 1,/"limits": 1, "retries": 1,/' limits.json
    ovl 0 accept limits.json s
}

# bats test_tags=long
@test "logs of version 0.1 are read, damaged ones are not" {
    swept s 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    cp s/sweep.log kept.log
    sed -i '/"started"/d; s/"attempt":[0-9]*,//' s/sweep.log
    tells 0 "8 attempts for 8 launches" accept limits.json s
    sed -n '1s/"status":"done"/"status":"failed"/p' s/sweep.log >>s/sweep.log
    tells 1 "9 attempts for 8 launches, 1 failed" accept limits.json s
    sed -i '1d' s/sweep.log
    sed -i '$d' s/sweep.log
    tells 1 "1 with a record and no good attempt in sweep.log" accept limits.json s
    sed '2s/"done"/"failed"/' kept.log >s/sweep.log
    tells 1 "1 with a record and no good attempt in sweep.log" accept limits.json s
    for damage in '2s/.$//' '2s/"done"/"well"/' '3s/"launch":2/"launch":9/' '3s/"job":"a"/"job":"b"/' \
        '3s/"started"/"begun"/' '3s/"attempt":1/"attempt":0/' '2s/"why":""/"why":"\xff"/' '2s/.*/[]/' '2s/.*//'; do
        sed "$damage" kept.log >s/sweep.log
        refuses 4 "s/sweep.log:${damage%%s*}: " accept limits.json s
        says "give the log as ovl sweep left it"
    done
    rm s/sweep.log
    tells 0 "# sweep 1  s: 8 launches in its plan" accept limits.json s
    prints "attempts are not known, for want of a sweep.log with its plan beside them, of 8 launches"
    rm s/a/002.jsonl
    tells 1 "1 of 8 launches lack this cell" accept limits.json s
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
    refuses 4 "s/plan.json:1: " accept limits.json s
}

@test "a report holds plan and log of a sweep, and not when one of them is edited" {
    swept s 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    { sed 's/"done"/"failed"/; 2q' s/sweep.log; cat s/sweep.log; } >s/longer
    mv s/longer s/sweep.log
    ovl 1 accept limits.json s -o report.json
    tells 1 "s/plan.json: as it was" accept --verify report.json
    prints "s/sweep.log: as it was" "report.json: holds: FAIL"
    cp -r s kept
    sed -i '1,2d' s/sweep.log
    tells 4 "s/sweep.log: CHANGED since the report" accept --verify report.json
    prints "report.json: /attempts: does not follow from plan.json and sweep.log"
    prints "report.json: /verdict: the samples give PASS"
    cp kept/sweep.log s
    rm -r kept/a
    sed -i 's/"launches":8/"launches":9/' s/plan.json
    tells 4 "s/plan.json: CHANGED since the report" accept --verify report.json
    prints "/verdicts/0: does not follow from the samples, which give FAIL"
    cp kept/plan.json s
    ovl 1 accept --verify report.json
    mkdir there
    mv s limits.json report.json there
    ovl 1 accept --verify there/report.json
    rm there/s/sweep.log
    refuses 5 "s/sweep.log: cannot read" accept --verify there/report.json
    sed -i 's/"accept_report": 3/"accept_report": 2/' there/report.json
    refuses 4 "judge the launches again" accept --verify there/report.json
}

@test "names that are no text are told in a line, and control characters are not printed" {
    launches a 6 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    cp a/1.jsonl $'\xff.jsonl'
    refuses 5 "which is no UTF-8; rename it" accept limits.json $'\xff.jsonl'
    mv a $'a\e[2J'
    limits '{"name": "\u001b[2Jgood", "match": {"benchmark": "none"}, "metric": "total_seconds", "operator": "<=", "limit": 1}' \
        "$(rule 8192 total_seconds '<=' 18e-6)"
    tells 1 '\u001b[2Jgood' accept limits.json $'a\e[2J' -o report.json
    absent $'\e' "$out"
    tells 1 'a\u001b[2J/1.jsonl: as it was' accept --verify report.json
    absent $'\e' "$out"
}

# What a seller might do to the folder of a sweep before anybody saw it.

# bats test_tags=long
@test "records that are not those of the log's attempts are not accepted" {
    ten "$(job a good)"
    strict "$(rule 8192 total_seconds '<=' 18e-6)"
    tells 0 "PASS: 10 records are those that sweep.log tells of" accept limits.json s
    cp -r s kept
    # Two launches swapped, one copied over another, one edited, one of elsewhere, one deleted.
    mv s/a/001.jsonl s/x && mv s/a/002.jsonl s/a/001.jsonl && mv s/x s/a/002.jsonl
    ovl 1 accept limits.json s
    prints "FAIL: 2 of 10 records do not belong to sweep.log: s/a/001.jsonl: not the file that its attempt left, by its SHA-256"
    cp s/a/003.jsonl s/a/004.jsonl
    tells 1 "1 copy of a launch passed over" accept limits.json s
    prints "FAIL: 1 of 10 launches lack this cell"
    rm -r s && cp -r kept s
    sed -i '2s/\("total_seconds":{"max":\[[0-9.]*\)[0-9]/\17/' s/a/005.jsonl
    tells 1 "FAIL: 1 of 10 records do not belong to sweep.log: s/a/005.jsonl" accept limits.json s
    # The report travels with the folder; a long name loses its beginning, and no half of a character stays.
    ovl 1 accept limits.json s -o report.json
    there=$(printf 'x\303\251%.0s' {1..60})
    mkdir "$there"
    mv limits.json s report.json "$there"
    ovl 1 accept --verify "$there/report.json"
    ovl 1 accept "$there/limits.json" "$there/s"
    prints "$(printf 'x\303\251%.0s' {1..35})/s/a/005.jsonl: not the file that its attempt left"
    mv "$there"/{limits.json,s} .
    cp kept/a/005.jsonl s/a
    sed 's/"run_id":"[^"]*/&-again/' kept/a/006.jsonl >s/a/007.jsonl
    tells 1 "s/a/007.jsonl: not the file that its attempt left" accept limits.json s
    rm s/a/007.jsonl
    tells 1 "FAIL: 1 of 10 launches lack this cell" accept limits.json s -o report.json
    ovl 1 accept --verify report.json
}

@test "a log that was edited does not follow from its own lines" {
    ten "$(job a flaky)"
    strict "$(rule 8192 total_seconds '<=' 18e-6)"
    echo .003.jsonl >fails
    rm -r s
    ovl 1 sweep plan.json -o s
    ovl 0 sweep plan.json -o s --resume
    tells 1 "FAIL: 11 attempts for 10 launches, 1 beyond one a launch: the limits allow 0" accept limits.json s
    cp -r s kept
    # The failed attempt is the third, behind the line of the sweep's start: lines 6 and 7.
    sed -i '6,7d' s/sweep.log
    refuses 4 "s/sweep.log:6: it does not follow from the line before: one of the two was edited" accept limits.json s
    sed '7s/"status":"failed"/"status":"done"/' kept/sweep.log >s/sweep.log
    refuses 4 "s/sweep.log:7: done is wanted of exit codes 0 and 2 alone, and with record_sha256" accept limits.json s
    sed '1,2d' kept/sweep.log >s/sweep.log
    refuses 4 "s/sweep.log:1: it does not follow from the plan.json beside it" accept limits.json s
    sed '9s/,"previous":"[^"]*"//' kept/sweep.log >s/sweep.log
    refuses 4 "s/sweep.log:9: it does not say which line it follows" accept limits.json s
    sed '3s/"previous":"[^"]*"/"previous":{}/' kept/sweep.log >s/sweep.log
    ovl 4 accept limits.json s
    ovl 4 sweep plan.json -o s --resume
    cp kept/sweep.log s
    sed -i 's/"launches": 10/"launches": 9/' s/plan.json
    refuses 4 "s/sweep.log:1: it does not follow from the plan.json beside it: one of the two was edited" accept limits.json s
    # Without a log, or with one that lost its SHA-256, nothing is shown.
    cp kept/plan.json s
    sed -i 's/"limits": 1,/"limits": 1, "retries": 1,/' limits.json
    ovl 0 accept limits.json kept
    sed -i 's/,"previous":"[^"]*"//' s/sweep.log
    ovl 2 accept limits.json s
    sed -i 's/,"record_sha256":"[^"]*"//' s/sweep.log
    tells 2 "INCONCLUSIVE: no SHA-256 in sweep.log shows which attempts made 10 of 10 records" accept limits.json s
    rm s/sweep.log
    ovl 2 accept limits.json s
    prints "INCONCLUSIVE: no sweep.log shows which attempts made 10 of 10 records: ask for the folder of the sweep"
    mv s/a flat
    tells 2 "no sweep                           records" accept limits.json flat
}

# bats test_tags=long
@test "a record that began before its attempt, or that no attempt left, is not accepted" {
    swept s 8 1
    strict "$(rule 8192 total_seconds '<=' 18e-6)"
    cp s/sweep.log kept.log
    sealed s
    ovl 0 accept limits.json s
    sed 's/T00:04:0/T00:14:0/' kept.log >s/sweep.log
    sealed s
    ovl 1 accept limits.json s
    prints "FAIL: 1 of 8 records do not belong to sweep.log: s/a/004.jsonl: it began at another time than its attempt"
    sed '$d' kept.log >s/sweep.log
    sealed s
    tells 1 "s/a/008.jsonl: no attempt in sweep.log left it" accept limits.json s
}

@test "a log whose times contradict each other counts by the longest of them" {
    swept s 8 1
    strict "$(rule 8192 total_seconds '<=' 18e-6)"
    sed -i 's/"limits": 1,/"limits": 1, "start_seconds": 10,/' limits.json
    cp s/sweep.log kept.log
    sealed s
    tells 0 "PASS: an attempt took up to 0 s besides its record: the limits allow 10" accept limits.json s
    for seconds in '"seconds":1.0' '"seconds":0' '"seconds":-5.5' '"seconds":"x"' '"x":1.5'; do
        sed -E '/"ended".*"launch":8,/{s/T00:08:01Z/T00:09:41Z/; s/"seconds":1.0/'"$seconds"'/}' kept.log >s/sweep.log
        sealed s
        case $seconds in
        *[01]) tells 1 "FAIL: an attempt took up to 99 s besides its record: the limits allow 10" accept limits.json s ;;
        *) refuses 4 "exit, seconds from 0 and wrong_data are wanted here" accept limits.json s ;;
        esac
    done
    # Hooks take what the times hold, and no more than they may.
    sed -i 's/^{/&"before":{"command":["true"],"time_limit_seconds":95},/' s/plan.json
    sed -E '/"ended".*"launch":8,/s/T00:08:01Z/T00:09:41Z/' kept.log >s/sweep.log
    sealed s
    tells 0 "PASS: an attempt took up to 4 s besides its record: the limits allow 10" accept limits.json s
    sed -i 's/"before":{[^}]*},//' s/plan.json
    # One that ended before it began, and a pause by a clock that was set back.
    sed -E '/"ended".*"launch":8,/s/T00:08:01Z/T00:06:20Z/' kept.log >s/sweep.log
    sealed s
    tells 1 "FAIL: an attempt took up to 98 s besides its record: the limits allow 10" accept limits.json s
    sed -E '/"launch":5,/s/T00:05:/T00:01:/' kept.log >s/sweep.log
    sealed s
    ovl 1 accept limits.json s # nor did its record begin then
    prints "longest pause between attempts: 299 s, before a, launch 6"
    sed -E '/"launch":6,/s/T00:06:/T00:00:/' kept.log >s/sweep.log
    sealed s
    ovl 1 accept limits.json s
    prints "longest pause between attempts: 419 s, before a, launch 7"
}

@test "launches whose ranks had no common start are not known" {
    launches a 8 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json a
    sed -i '1s/"synchronised":true/"synchronised":false/' a/{2..4}.jsonl
    tells 2 "INCONCLUSIVE: in 3 of 8 records ranks had no common start: a/2.jsonl" accept limits.json a -o report.json
    mkdir there
    mv limits.json a report.json there
    tells 2 "holds: INCONCLUSIVE" accept --verify there/report.json
}

@test "records without the nonce of the judge are not accepted" {
    ten "$(job a good)" '"nonce": "buyer-7f3a",'
    has s/a/003.jsonl '"OVL_NONCE":"buyer-7f3a"'
    strict "$(rule 8192 total_seconds '<=' 18e-6)"
    tells 2 "PASS: 10 records hold the nonce of their plan" accept limits.json s
    prints "INCONCLUSIVE: a nonce, and the limits name no plan: any would do (ovl accept --bind PLAN LIMITS)"
    ovl 0 accept --bind plan.json limits.json
    has limits.json '"nonce": "buyer-7f3a"'
    tells 0 "PASS: 10 records hold buyer-7f3a" accept limits.json s -o report.json
    has report.json '"nonce": "buyer-7f3a"'
    ovl 0 accept --verify report.json
    sed -i 's/buyer-7f3a/buyer-7f3b/' limits.json
    tells 1 "of 10 records 0 hold no nonce and 10 another than buyer-7f3b" accept limits.json s
    # Records of a sweep that was made before the nonce was given, in the folder of one that has it.
    sed -i 's/buyer-7f3b/buyer-7f3a/' limits.json
    mv s named
    ten "$(job a good)"
    tells 1 "FAIL: of 10 records 10 hold no nonce and 0 another than buyer-7f3a: they may be older" accept limits.json s
    cp s/a/00[1-4].jsonl named/a
    tells 1 "FAIL: of 10 records 4 hold no nonce" accept limits.json named
    prints "FAIL: 4 of 10 records do not belong to sweep.log"
    ends 1 "$OVL_BIN/ovl" report --limits limits.json named -o page.html
    [[ $err == "# not known named/a/001.jsonl is not the file that its attempt left, by the SHA-256 in sweep.log; and 3 more" ]]
    has page.html "4 of 10 records do not belong to sweep.log" "of 10 records 4 hold no nonce"
    sed -i 's/"nonce": "buyer-7f3a"/"nonce": ""/' limits.json
    refuses 4 "/nonce: the nonce of the plan is wanted here" accept limits.json named
}

# ratio NAMES LIMIT [WHAT]
ratio() { echo "{\"match\": {\"benchmark\": \"ialltoall\", \"size_bytes\": 65536, \"mode\": \"${3:-dpu}\"}, \"metric\": \"total_seconds\", \"ratio_to\": [$1], \"operator\": \"<=\", \"limit\": $2}"; }

# offered FOLDER FACTOR: launches in dpu mode whose totals are those of launches() times FACTOR.
offered() {
    launches "$1" 8 "$2"
    sed -i '1s/"workers":0/"workers":1/; 1s/"mode":"host"/"mode":"host,dpu"/; 1!s/"mode":"host"/"mode":"dpu"/
        1!s/"engine":{"name":"mpi"/"engine":{"name":"worker"/; s/"workers":0,"worker_ops":null,"worker_bytes":null/"workers":1,"worker_ops":64,"worker_bytes":67108864/' "$1"/*.jsonl
}

# bats test_tags=long
@test "a total is judged by its ratio to each of several baselines, at equal work only" {
    offered dpu 0.95
    launches host 8 1.06
    launches tested 8 0.9
    sed -i '1!s/"test_calls":0/"test_calls":16/; 1s/"num_test_calls":0/"num_test_calls":16/' tested/*.jsonl
    limits "$(ratio '"host"' 95)"
    ovl 0 accept limits.json dpu host
    grep -qE 'T / host +<= 95 .* PASS: but the limit is 95 and the value 0\.89: is it in per cent\?$' <<<"$out"
    limits "$(ratio '"host"' 0.95)"
    ovl 0 accept limits.json dpu host
    grep -qE 'T / host +<= 0.95 +0.89[0-9]* .* 8  PASS$' <<<"$out"
    limits "$(ratio '"host", "host -t"' 0.95)"
    ovl 1 accept limits.json dpu host tested -o report.json
    grep -qE 'T / host -t +<= 0.95 +1.05[0-9]* .* 8  FAIL: the whole interval misses the limit' <<<"$out"
    grep -qE 'T / host +<= 0.95 .* PASS' <<<"$out"
    has report.json '"ratio_to": "host -t"'
    ovl 1 report --limits limits.json dpu host tested -o page.html
    has page.html '>T / host -t<'
    ovl 1 accept --verify report.json
    # Units of another calibration: nothing is shown.
    sed -i 's/\("units":[0-9]*\)[0-9]/\19/' host/[1-4].jsonl
    limits "$(ratio '"host"' 0.95)"
    ovl 2 accept limits.json dpu host
    prints "INCONCLUSIVE: different work than the baseline host in 4 of 8 launches: give all the units of one record (ovl sweep --work-from)"
    # Neither a baseline that is not there, nor one that some launches lack or have invalid.
    limits "$(ratio '"tuned"' 0.95)"
    tells 1 "FAIL: no valid cell of the baseline tuned beside 8 of 8 launches" accept limits.json dpu host
    limits "$(ratio '"host -t"' 2)"
    ovl 0 accept limits.json dpu tested
    rm tested/8.jsonl
    tells 1 "FAIL: no valid cell of the baseline host -t beside 1 of 8 launches" accept limits.json dpu tested
    sed -i '1!s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' tested/7.jsonl
    tells 1 "beside 2 of 8 launches" accept limits.json dpu tested
    rm dpu/1.jsonl
    ovl 1 accept limits.json dpu tested
}

@test "most of the communication hidden does not pass with a worse total" {
    # 99 % hidden: T = W + C / 100, but C of the offered mode is ten times that of the blocking call.
    offered dpu 10
    limits '{"match": {"benchmark": "ialltoall", "mode": "dpu", "size_bytes": 65536}, "metric": "total_seconds", "ratio_to": ["blocking"], "operator": "<=", "limit": 1}' \
        '{"match": {"benchmark": "ialltoall", "mode": "dpu", "size_bytes": 65536}, "metric": "hidden_fraction", "operator": ">=", "limit": -1e9}'
    ovl 1 accept limits.json dpu
    grep -qE 'T / blocking +<= 1 +[0-9.]* .* FAIL: the whole interval misses' <<<"$out"
    offered quick 0.9
    ovl 0 accept limits.json quick
    # With the cell's own W and B.
    limits "$(ratio '"blocking"' 1 host)"
    launches host 8 0.9
    ovl 0 accept limits.json host
}

@test "a job that the plan marks as a baseline is compared with and not judged" {
    ten "$(job a good), $(job t good ', "baseline": "tuned"')"
    strict "$(ratio '"tuned"' 1.01 host)"
    ovl 0 accept limits.json s
    grep -qE '1 ialltoall host 64K +T / tuned +<= 1.01 +1 +1 .. 1 +10  PASS' <<<"$out"
    strict "$(rule 8192 total_seconds '<=' 18e-6)"
    rm s/t/00[1-3].jsonl
    ovl 1 accept limits.json s
    prints "FAIL: 20 attempts for 20 launches; no record is given of 3 that ended well"
    strict "$(ratio '"tuned"' 1.01 host)"
    ovl 1 accept limits.json s
    grep -qE ' 1 .. inf +10  FAIL: no valid cell of the baseline tuned beside 3 of 10 launches$' <<<"$out"
    strict "$(rule 8192 total_seconds '<=' 18e-6)"
    rm -r s/a
    tells 1 "FAIL: not measured: no cell matches" accept limits.json s
}

@test "the plan and the limits of ovl_accept(7), and those that come with ovl, are sound" {
    page=$OVL_TOP/man/ovl_accept.7
    awk '/^\{"plan"/ { on = 1 } on; /^\]\}/ { on = 0 }' "$page" >plan.json
    tells 0 "env OVL_NONCE=8d1f0c37a2b94e61 srun --kill-on-bad-exit=1 --cpu-bind=cores -n 68 -N 4" sweep plan.json --dry-run
    prints "# 40 launches"
    awk '/^\{"limits"/ { on = 1 } on; /^\]\}/ { on = 0 }' "$page" >limits.json
    ovl 0 accept --bind plan.json limits.json
    launches a 6 1
    tells 1 "FAIL: of 6 records 6 hold no nonce and 0 another than 8d1f0c37a2b94e61" accept limits.json a
    tells 1 "FAIL: not measured: 1048576 bytes" accept "$OVL_TOP/scripts/limits/example.json" a
    # Whose nonce everybody knows.
    cp "$OVL_TOP/scripts/limits/example.json" limits.json
    refuses 4 "replace-this is the example's: give one of your own" accept --bind "$OVL_TOP/scripts/plans/acceptance.json" limits.json
}

# Files that a seller hands over, and somebody else reads.

@test "a record that is a link out of its folder is not in what was handed over" {
    launches a 6 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json a
    mv a/3.jsonl elsewhere.jsonl
    ln -s ../elsewhere.jsonl a/3.jsonl
    for what in a "$(echo a/*)"; do
        refuses 5 "a/3.jsonl: a link out of its folder: whoever gets the folder does not have it" accept limits.json $what
    done
    ovl 0 validate a # each file is judged by itself there
    # In the folder it may be a link.
    mv elsewhere.jsonl a/kept && ln -sf kept a/3.jsonl
    ovl 0 accept limits.json a
    ln -s "$PWD" a/all
    refuses 5 "a/all: a link out of its folder" accept limits.json a
}

@test "a report may name any file: devices and pipes are refused, and control characters are not printed" {
    launches a 6 1
    limits "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json a -o report.json
    mkfifo pipe
    for name in /dev/zero pipe /dev/stdin /dev/tty; do
        sed "s#a/3.jsonl#$name#" report.json >other.json
        refuses 5 "$name: cannot read" accept --verify other.json
        sed "s#\"limits.json#\"$name#" report.json >other.json
        ovl 5 accept --verify other.json
        ovl 5 accept "$name" a
        ovl 5 accept limits.json "$name"
    done
    for name in '\u001b[2J' '\u009b2J' '\u0000'; do
        sed "s#a/3.jsonl#${name/\\/\\\\}#" report.json >other.json
        grep -qF "$name" other.json
        timeout 20 "$OVL_BIN/ovl" accept --verify other.json >out 2>&1 && return 1
        absent $'[\e\a]' "$(cat out)"
        absent $'\xc2\x9b' "$(cat out)"
    done
    for metric in '\u001b[2J' '\u009b2J'; do
        limits "$(rule 8192 "$metric" '<=' 1)"
        ovl 4 accept limits.json a
        absent $'\e' "$err"
        absent $'\xc2\x9b' "$err"
    done
}

@test "a report that is mended by hand does not hold, whatever its own hash says" {
    ten "$(job a good)"
    strict "$(rule 8192 total_seconds '<=' 18e-6)"
    ovl 0 accept limits.json s -o report.json
    ovl 0 accept --verify report.json
    # Another log with its right hash, which is not the one beside the records.
    cp s/sweep.log other.log
    echo >>other.log
    sed "s#s/sweep.log#other.log#; s#$(digest <s/sweep.log)#$(digest <other.log)#" report.json >forged.json
    tells 4 "other.log: as it was" accept --verify forged.json
    prints "forged.json: /sweeps: plan.json, sweep.log or outputs beside the inputs are other ones"
    jq '.sweeps[0].outputs = []' report.json >forged.json
    [ "$(jq '.sweeps[0].outputs | length' report.json)" -gt 0 ]
    tells 4 "forged.json: /sweeps: plan.json, sweep.log or outputs beside the inputs are other ones" accept --verify forged.json
    sed '0,/"hosts\[\].cpu"/s//"hosts[].CPU"/' report.json >forged.json
    tells 4 "forged.json: /setting: does not follow from the inputs" accept --verify forged.json
    sed 's/"nonce": null/"nonce": "n-1"/' report.json >forged.json
    tells 4 "forged.json: /nonce: is not that of the limits" accept --verify forged.json
    for damage in 's/"sweeps": \[/"sweeps": [7,/' 's/"verdicts": \[/"verdicts": [null,/' 's/"inputs": \[/"inputs": [{},/' \
        's/"accept_report": 3/"accept_report": "3"/' '1s/.*/[/' 's/"sha256": "/"sha256": 7, "was": "/'; do
        sed "$damage" report.json >forged.json
        ovl 4 accept --verify forged.json
    done
}

@test "limits say in one line what is wrong with a ratio" {
    launches a 6 1
    for rule in '"total_seconds", "ratio_to": ["host -T"], "operator": "<="|/rules/0/ratio_to/0: blocking, host, host -t, or' \
        '"total_seconds", "ratio_to": [], "operator": "<="|/rules/0/ratio_to: the name of a baseline is wanted' \
        '"total_seconds", "ratio_to": ["host"], "operator": ">="|/rules/0: ratio_to goes with the metric total_seconds' \
        '"comm_seconds", "ratio_to": ["host"], "operator": "<="|/rules/0: ratio_to goes with the metric total_seconds' \
        '"total_seconds", "statistic": "p99", "ratio_to": ["host"], "operator": "<="|/rules/0: ratio_to goes with' \
        '"total_seconds", "ratio_to": [7], "operator": "<="|/rules/0/ratio_to/0: '; do
        limits "{\"match\": {\"benchmark\": \"ialltoall\"}, \"metric\": ${rule%%|*}, \"limit\": 1}"
        refuses 4 "limits.json:2: ${rule#*|}" accept limits.json a
    done
}

@test "launches of one job are of one build, or nothing is shown" {
    swept s 8 1
    rules='"rules": [{"match": {"benchmark": "ialltoall"}, "metric": "hidden_fraction", "operator": ">=", "limit": -9}]'
    echo "{\"limits\": 1, \"log_required\": false, $rules}" >limits.json
    ovl 0 accept limits.json s
    sed -i '1s/"git":"[^"]*"/"git":"feedbee"/' s/a/00[5-8].jsonl
    ovl 2 accept limits.json s -o report.json
    [ "$(grep -c 'INCONCLUSIVE: its launches differ in git: 75acdfc-dirty, and feedbee$' <<<"$out")" = 4 ]
    ovl 2 accept --verify report.json
    ovl 2 accept limits.json s/a/*.jsonl
    # Without a plan, too; and one may allow it.
    mkdir plain
    cp s/a/*.jsonl plain
    ovl 2 accept limits.json plain
    echo "{\"limits\": 1, \"log_required\": false, \"may_differ\": [\"git\"], $rules}" >limits.json
    ovl 0 accept limits.json s
}

# bats test_tags=long
@test "limits are proposed from launches: a like system keeps them, a slower one does not" {
    derive=1 launches ours 8 1
    derive=1 launches like 8 1.002
    derive=1 launches slow 8 1.25
    ovl 0 accept --propose ours -o limits.json
    prints "# limit    what 8 launches of each of the 4 cells keep" "ialltoall host 64K"
    [ "$(jq -c '[.limits, (.rules | length), (.rules[0] | .metric, .operator, .match.size_bytes)]' limits.json)" = '[1,4,"total_seconds","<=",8192]' ]
    # The margin of launches that differ by 1 % is a few per cent, and what fails is beyond it.
    awk '!/^#/ && NF { n++; if (!($(NF - 2) > 1.01 && $(NF - 2) < 1.1 && $(NF - 1) > $(NF - 2))) bad = 1 } END { exit !(n == 4 && !bad) }' <<<"$out"
    sed -i 's/"limits": 1,/"limits": 1, "log_required": false,/' limits.json
    ovl 0 accept limits.json ours
    ovl 0 accept limits.json like
    ovl 1 accept limits.json slow
    ovl 0 accept --propose ours -o wide.json --margin 0.3
    sed -i 's/"limits": 1,/"limits": 1, "log_required": false,/' wide.json
    ovl 0 accept wide.json slow
    # Where more is better the limit is below.
    tells 0 "more is better" accept --propose ours -m speedup_vs_blocking -o more.json
    [ "$(jq -c '[.rules[] | .operator] | unique' more.json)" = '[">="]' ]
    sed -i 's/"limits": 1,/"limits": 1, "log_required": false,/' more.json
    ovl 0 accept more.json ours
    rm ours/[3-8].jsonl
    refuses 3 "no cell has 6 launches that count" accept --propose ours -o x.json
    cp -r like wrong
    sed -i '3s/"validated":true/"validated":false/' wrong/1.jsonl
    refuses 4 "1 cell has wrong data: no limit follows from such launches" accept --propose wrong -o wrong.json
    [ ! -e wrong.json ]
    refuses 3 "with -o LIMITS" accept --propose like
    refuses 3 "--propose takes one folder" accept --propose ours like
    refuses 3 "-m and --margin go with --propose" accept -m total_seconds limits.json like
    refuses 3 "--json goes with LIMITS" accept --propose ours --json x.json
    refuses 5 "cannot read" accept --propose nowhere -o x.json
    refuses 3 "no metric nothing" accept --propose like -m nothing -o x.json
}

@test "limits are proposed for no cell whose launches did unlike work" {
    launches ours 12 1
    for i in {1..6}; do sed -i '/"size_bytes":8192,/s/"units":\([0-9]*\)/"units":1\1/' ours/$i.jsonl; done
    tells 2 "# note     1 cell has no rule, as launches did unlike work" accept --propose ours -o x.json
    [ "$(jq '.rules | length' x.json)" = 3 ]
    ovl 0 accept --propose ours -o x.json -m comm_seconds
    # Less unlike they widen the limits, and that is told.
    launches ours 12 1
    for i in {1..6}; do sed -i 's/"units":\([0-9]\)/"units":2\1/' ours/$i.jsonl; done
    for i in {7..12}; do sed -i 's/"units":\([0-9]\)/"units":3\1/' ours/$i.jsonl; done
    tells 0 "# note     launches of a cell differ in work by up to 1." accept --propose ours -o x.json
}

@test "limits are proposed where a rule is about one cell alone, and for no baseline" {
    plan "$(job quick good), $(job slow good)"
    sed -i 's/"launches": 2/"launches": 6/' plan.json
    mkdir -p s plain
    cp plan.json s
    launches quick 6 1
    launches slow 6 1.3
    for i in 1 2 3 4 5 6; do
        for job in quick slow; do
            mkdir -p s/$job
            cp $job/$i.jsonl s/$job/00$i.jsonl
        done
        sed '1s/"options":{/&"in_place":true,/' slow/$i.jsonl >plain/in-$i.jsonl
        cp quick/$i.jsonl plain
    done
    refuses 3 "no cell has 6 launches that count: a rule would be about all jobs that measured it" accept --propose s -o x.json
    sed -i 's/"name": "slow",/& "baseline": "tuned",/' s/plan.json
    tells 2 "# note     6 launches of baselines have no rule, as none judges them" accept --propose s -o x.json
    [ "$(jq -c '[.rules[].match.in_place]' x.json)" = '[null,null,null,null]' ]
    ovl 0 accept --propose plain -o x.json
    [ "$(jq -c '[.rules[].match.in_place] | sort' x.json)" = '["","","","","yes","yes","yes","yes"]' ]
    sed -i 's/"limits": 1,/"limits": 1, "log_required": false,/' x.json
    ovl 0 accept x.json plain
    # Beside what a rule can name one job's own cells have theirs.
    sed -i 's/"size_bytes":8192/"size_bytes":4096/' s/slow/*.jsonl
    sed -i 's/ "baseline": "tuned",//' s/plan.json
    tells 2 "# note     6 cells have no rule, as it would be about another job's cell, too" accept --propose s -o x.json
}
