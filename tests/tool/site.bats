#!/usr/bin/env bats
# `ovl site`: references of systems, their tolerances, and failures that are known.

load tool

# references WORSE [MORE]: refs.json, where system vm expects the totals of the launches of old, at 64K, within WORSE.
references() {
    value=$(jq -s 'map(select(.record == "cell" and .size_bytes == 65536)) | map(.total_seconds.median) | sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2' old/*.jsonl)
    cat >refs.json <<REFS
{"references": 1, "systems": [
  {"name": "alpha", "hosts": "^a[0-9]+$", "rules": [
    {"match": {"benchmark": "ialltoall", "size_bytes": 65536}, "metric": "total_seconds", "value": 1e-9, "worse": 0.1}]},
  {"name": "vm", "hosts": "^vm$", "rules": [
    {"match": {"benchmark": "ialltoall", "size_bytes": 65536}, "metric": "total_seconds", "value": $value, "worse": $1${2:-}}]}]}
REFS
}

# word: the verdict of the one row.
word() { awk '!/^#/ && NF { print }' <<<"$out" | grep -o 'total_seconds: .*' | cut -d' ' -f2; }

@test "a system is as its site expects it, worse, or better than it has it" {
    sides 8 1.2
    references 0.1
    ovl 0 site refs.json old
    [ "$(word)" = OK ]
    prints "  vm " "ialltoall host 64K" "0 WORSE, 0 MISSING"
    ovl 1 site refs.json new
    [ "$(word)" = WORSE ]
    ovl 1 site refs.json new --json s.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" s.json
    [ "$(jq -c '[.exit, (.rows[0] | .system, .verdict, .launches, .value > .expected)]' s.json)" = '[1,"vm","WORSE",8,true]' ]
    references 0.3
    ovl 0 site refs.json new
    launches quick 8 0.7
    ovl 0 site refs.json quick
    references 0.1 ', "better": 0.1'
    ovl 2 site refs.json quick
    [ "$(word)" = BETTER ]
    # Launches on both sides of a bound say nothing; fewer than six count by their least and most.
    references 0.1
    ovl 2 site refs.json old/1.jsonl old/2.jsonl new/1.jsonl
    [ "$(word)" = "INCONCLUSIVE:" ]
    ovl 1 site refs.json new/1.jsonl
}

@test "launches beyond the bound of a median within it are counted" {
    sides 12 1
    for n in 1 2; do
        sed -E '/"size_bytes":65536,/s/("total_seconds":\{"median":)[0-9.e-]+(,"ci_low":[^,]*,"ci_high":[^,]*,"min":[^,]*,"max":)[0-9.e-]+/\11.0\21.0/' old/$n.jsonl >slow && mv slow old/$n.jsonl
    done
    references 0.1
    ovl 0 site refs.json old --json s.json
    prints "OK: 2 of 12 launches are worse than the bound: the interval is that of their median"
    [ "$(jq '.rows[0].beyond' s.json)" = 2 ]
    references 0.1 ', "expect": "worse", "why": "ticket 4711"'
    tells 2 'FIXED: take "expect" out of the rule: 2 of 12 launches are worse' site refs.json old
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" s.json
}

@test "launches of several settings in one row are told, and a number is no text" {
    launches old 8 1
    sed -i 's/"environment":{/&"UCX_TLS":"tcp,self",/' old/[1-3].jsonl
    local r='"match": {"benchmark": "ialltoall", "mode": "host", "size_bytes": 65536}, "metric": "total_seconds", "value": 1, "worse": 0.1'
    echo "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{$r}]}]}" >mixed.json
    ovl 0 site mixed.json old --system a
    prints "total_seconds: OK: launches differ in UCX_TLS"
    sed -i 's/"mode": "host"/"mode": 0/' mixed.json
    ovl 2 site mixed.json old --system a
    prints "MISSING"
}

@test "wrong data are told of cells that no rule is of, too" {
    sides 8 1
    references 0.1
    sed -i '/"size_bytes":8192,/{s/"validated":true/"validated":false/; s/"status":"ok"/"status":"invalid"/}' old/3.jsonl
    tells 4 "# wrong    data in 1 cell that no rule is of: ialltoall host 8K" site refs.json old
}

@test "failures that are known fail nothing, and are told when they are gone" {
    sides 8 1.2
    references 0.1 ', "expect": "worse", "why": "ticket 4711"'
    ovl 0 site refs.json new
    [ "$(word)" = "EXPECTED:" ]
    prints "ticket 4711"
    ovl 2 site refs.json old
    [ "$(word)" = "FIXED:" ]
}

@test "systems are known by their hosts, or named" {
    sides 3 1
    references 0.1
    sed -i 's/"hosts":\[{"name":"vm"/"hosts":[{"name":"a17"/' new/*.jsonl
    ovl 1 site refs.json old new
    prints "  alpha" "  vm"
    sed -i 's/"hosts":\[{"name":"a17"/"hosts":[{"name":"b1"/' new/*.jsonl
    tells 2 "3 launches were on hosts of no system" site refs.json old new
    cp -r new wrong && sed -i 's/"validated":true/"validated":false/' wrong/*.jsonl
    tells 4 "# wrong    data in 12 cells that no rule is of: wrong/" site refs.json old wrong
    refuses 3 "no launch is on hosts of one of these systems (alpha, vm)" site refs.json new
    ovl 0 site refs.json new --system vm
    refuses 3 "--system beta: no such system; there are alpha, vm" site refs.json new --system beta
}

@test "what is missing, of other work or wrong does not pass" {
    launches old 3 1
    references 30
    refuses 4 "/worse: a number from 0 to 1 is wanted here, 0.05 for 5 %" site refs.json old
    references 0.1
    sed 's/"size_bytes": 65536/"size_bytes": 12345/g' refs.json >other.json
    tells 2 "MISSING" site other.json old
    # Of a list each size must be there.
    sed 's/"size_bytes": 65536/"size_bytes": [65536, 12345]/g' refs.json >list.json
    ovl 2 site list.json old
    prints "1 MISSING" "12345 bytes total_seconds: MISSING"
    ovl 0 site list.json old --filter size_bytes=65536
    sed 's/"size_bytes": 65536/"size_bytes": [65536, 32768]/g; s/"worse": [0-9.]*/"worse": 1/' refs.json >list.json
    ovl 0 site list.json old
    sed 's/"worse": 0.1/&, "required": false/g' other.json >not.json
    ovl 2 site not.json old # no row at all
    references 0.1 ', "units": 1'
    tells 2 "other units of work" site refs.json old
    references 0.1
    for f in old/*.jsonl; do sed -i 's/"validated":true/"validated":false/' "$f"; done
    tells 4 "WRONG DATA" site refs.json old
    # Also where no rule is of the cell.
    sed -i 's/"size_bytes": 65536/"size_bytes": 8192/' refs.json
    sed -i 's/"validated":false/"validated":true/; /"size_bytes":16384,/s/"validated":true/"validated":false/' old/*.jsonl
    tells 4 "# wrong    data in 1 cell that no rule is of: ialltoall host 16K" site refs.json old --json s.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" s.json
    [ "$(jq -c '[.exit, .wrong_data]' s.json)" = '[4,1]' ]
}

@test "few launches of many say nothing" {
    launches old 6 1
    references 0.1
    ovl 0 site refs.json old
    keep() { rm -rf s; mkdir -p s/a; cp old/1.jsonl s/a/001.jsonl; cp old/2.jsonl s/a/002.jsonl; }
    # Launches that left a log alone.
    keep; echo x >s/a/003.log
    ovl 0 site refs.json s
    for i in 004 005 006; do echo x >s/a/$i.log; done
    tells 2 "INCONCLUSIVE: too many launches are unusable" site refs.json s
    prints "4 launches of a sweep left no record"
    # Invalid ones.
    keep; for i in 3 4 5 6; do sed 's/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' old/$i.jsonl >s/a/00$i.jsonl; done
    tells 2 "too many launches are unusable" site refs.json s
    # Those of which a sweep's log alone tells.
    keep; echo '{"plan":1,"launches":6,"jobs":[{"name":"a","program":"ovl_ialltoall","ranks":2}]}' >s/plan.json
    for i in 1 2 3 4 5 6; do echo '{"job":"a","launch":'$i',"attempt":1,"started":"2026-01-01T00:00:00Z"}'; done >s/sweep.log
    tells 2 "too many launches are unusable" site refs.json s
    prints "4 launches of a sweep left no record, and count as lost: s/a/003.jsonl"
    # Other work.
    units=$(jq -s 'map(select(.record == "cell" and .size_bytes == 65536))[0].compute.units' old/1.jsonl)
    references 0.1 ', "units": '"$units"
    keep; for i in 3 4 5 6; do sed "s/\"units\":$units/\"units\":1/" old/$i.jsonl >s/a/00$i.jsonl; done
    tells 2 "INCONCLUSIVE: other units of work in too many launches" site refs.json s
}

@test "bad references are one line with file, line and field" {
    launches old 1 1
    bad() { echo "$1" >bad.json; refuses 4 "$2" site bad.json old; }
    r='"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "value": 1, "worse": 0.1'
    bad '{' 'bad.json:'
    bad '{"references": 2, "systems": []}' 'bad.json:1: /references'
    bad '{"references": 1, "systems": []}' 'a system is wanted here'
    bad '{"references": 1, "systems": [{"name": "a", "rules": []}]}' 'a rule is wanted here'
    bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"hosts\": \"(\", \"rules\": [{$r}]}]}" 'POSIX extended expression'
    bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{$r}]}, {\"name\": \"a\", \"rules\": [{$r}]}]}" 'another system has this name'
    bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{$r, \"expect\": \"worse\"}]}]}" 'expect and why go together'
    bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{${r/ialltoall\"/ialltoall\", \"colour\": \"red\"}}]}]}" 'a field that identifies a cell is wanted here'
    for size in '{\"mni\": 65536}' '{}' '[]' '[\"64K\"]' '\"64K\"' '{\"min\": \"1\"}'; do
        bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{${r/ialltoall\"/ialltoall\", \"size_bytes\": ${size//\\/}}}]}]}" 'bytes, a list of them'
    done
    bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{${r/: 1,/: 0,}}]}]}" 'a value above 0 is wanted here'
    bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{${r/total_seconds/total}}]}]}" 'no metric total'
    bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{${r/0.1/-1}}]}]}" 'bad.json:1: /systems/0/rules/0/worse'
    h=${r/total_seconds/hidden_fraction}
    bad "{\"references\": 1, \"systems\": [{\"name\": \"a\", \"rules\": [{${h/0.1/5}}]}]}" '/systems/0/rules/0/worse: a number from 0 to 1 is wanted here'
    refuses 3 "give a file of references" site bad.json
    refuses 5 "cannot read" site nowhere.json old
}
