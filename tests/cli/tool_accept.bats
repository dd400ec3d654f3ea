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
