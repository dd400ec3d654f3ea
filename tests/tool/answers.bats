#!/usr/bin/env bats
# What commands found, as JSON: --json of compare, history, accept, sweep --status and validate.

load tool

# kept FILE: it keeps the schema that is installed.
kept() { "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" "$@"; }

# is FILE JQ VALUE
is() { [ "$(jq -c "$2" "$1")" = "$3" ] || { echo "$2 of $1 is $(jq -c "$2" "$1"), not $3"; return 1; }; }

@test "compare and history write what they found as JSON" {
    sides 10 1.2
    ovl 1 compare old new --json c.json
    prints "REGRESSED"
    kept c.json
    is c.json '[.answer, .command, .exit, .metric.name, .metric.unit, .paired]' '[1,"compare",1,"total_seconds","s",false]'
    is c.json '.cells | length' 4
    is c.json '[.cells[] | .verdict] | unique' '["REGRESSED"]'
    is c.json '.verdicts.REGRESSED' 4
    is c.json '[.cells[] | .change > 1.15 and .change < 1.25 and .change_low < .change and .p < 0.05 and .launches == 10] | unique' '[true]'
    # Values are those of the record, and a cell is what CSV says of it.
    is c.json '.cells[0].cell | [.benchmark, .size_bytes, .mode, .ranks]' '["ialltoall",8192,"host",2]'
    is c.json '.cells[0].old < 0.01 and .cells[0].new / .cells[0].old > 1.15' true
    # As one reads it in a pipeline: the cells that got worse.
    [ "$(jq -r '.cells[] | select(.verdict == "REGRESSED") | .label' c.json | wc -l)" = 4 ]
    ovl 2 compare old/1.jsonl new/1.jsonl --json few.json
    kept few.json
    is few.json '[.exit, .cells[0].p, .cells[0].verdict]' '[2,null,"INCONCLUSIVE"]'
    ovl 1 compare old/1.jsonl new/1.jsonl --inconclusive fail --json few.json
    is few.json .exit 1
    ovl 2 history old --json h.json # too few launches
    kept h.json
    is h.json '[.exit, .since, (.points | length), .points[0].changes]' '[2,"",4,[]]'
    launches more 20 1; launches worse 20 1.1
    sed -i 's/"started":"2026-01-01T/"started":"2026-01-02T/' worse/*.jsonl
    ovl 1 history more worse --since 2026-01-02 --json h.json
    kept h.json
    is h.json '[.exit, .new_worse, .points[0].launches, (.points[0].changes[0] | .launch, .worse, .new, .fails)]' '[1,4,40,21,true,true,true]'
}

@test "accept, sweep --status and validate write what they found as JSON" {
    derive=1 launches a 6 1
    echo '{"limits": 1, "log_required": false, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1e-9}]}' >limits.json
    ovl 1 accept limits.json a --json a.json
    kept a.json
    is a.json '[.command, .exit, .verdict, .counts.FAIL > 0]' '["accept",1,"FAIL",true]'
    is a.json '[.verdicts[] | select(.rule == 1) | .verdict] | unique' '["FAIL"]'
    plan "$(job one good), $(job two once)"
    ovl 1 sweep plan.json -o s
    ovl 1 sweep --status s --json s.json
    kept s.json
    is s.json '[.exit, .at_work, .launches]' '[1,false,4]'
    is s.json '[.jobs[] | [.job, .done, .failed, .to_go]]' '[["one",2,0,0],["two",0,2,0]]'
    plan "$(job late slow)"
    started "$OVL_BIN/ovl" sweep plan.json -o t
    sweep=$!
    ovl 2 sweep --status t --json s.json
    kept s.json
    is s.json '[.at_work, .launches_at_work[0].job, .launches_at_work[0].launch, .jobs[0].at_work, .jobs[0].to_go]' '[true,"late",1,1,1]'
    kill -TERM $sweep
    wait $sweep || true
    sed '2s/"blocks":[0-9]*/"blocks":1/' a/1.jsonl >bad.jsonl
    ovl 4 validate a/1.jsonl bad.jsonl --json v.json
    kept v.json
    is v.json '[.exit, (.files[] | .file, .ok)]' '[4,"a/1.jsonl",true,"bad.jsonl",false]'
    is v.json '.files[1].problems > 0 and (.files[1].lines[0] | startswith("bad.jsonl:2: "))' true
    [ "$(jq -r '.files[].lines[]' v.json)" = "$out" ]
    ovl 5 validate a/1.jsonl /proc/self/mem --json v.json
    kept v.json
    is v.json '[.exit, .files[0].ok]' '[5,true]'
}

@test "--json is refused where it has nothing to say, and replaces no input" {
    sides 3 1
    refuses 3 "--json goes with a comparison" compare --plan old --json x.json
    refuses 3 "--json goes with --status" sweep plan.json --json x.json
    refuses 3 "--json goes with LIMITS and records" accept --verify old/1.jsonl --json x.json
    cp old/1.jsonl kept
    ovl 3 compare old new --json old/1.jsonl
    ovl 3 history old --json old/1.jsonl
    ovl 3 validate old/1.jsonl --json old/1.jsonl
    cmp kept old/1.jsonl
    ovl 5 compare old new --json nowhere/x.json
    ovl 5 validate old/1.jsonl --json nowhere/x.json
    [ ! -e x.json ]
    derive=1 launches fine 1 1
    # The schema knows what is none.
    ovl 0 validate fine/1.jsonl --json v.json
    jq '.command = "other"' v.json >other.json
    ! kept other.json >out || false
    jq '.more = 1' v.json >other.json
    ! kept other.json >out || false
}
