#!/usr/bin/env bats
# Plans of `ovl sweep`: scans over values, files that they include, hooks before and after a launch.

load tool

@test "lists in a job are scans, whose jobs are named by the values" {
    echo '{"plan": 1, "launches": 2, "jobs": [{"name": "a", "program": "./x", "ranks": [2, 4],
        "options": ["-m", ["64K", "1:1M"], "-c", "--compute", ["fma"]]}, {"name": "b", "program": "./x", "ranks": 2}]}' >plan.json
    ovl 0 sweep plan.json --dry-run
    [ "$(grep -c '^timeout ' <<<"$out")" = 10 ]
    grep -qE -- '-n 4 ./x -m 1:1M -c --compute fma --json sweep/a-r4-m1_1M-computefma/002.jsonl$' <<<"$out"
    grep -qE -- '-n 2 ./x -m 64K -c --compute fma --json sweep/a-r2-m64K-computefma/001.jsonl$' <<<"$out"
    prints "# scans make 4 of the 5 jobs" "# 10 launches: about"
    echo '{"plan": 1, "launches": 1, "jobs": [{"name": "a", "program": "./x", "ranks": [4.0, 8], "nodes": [1, 2]}]}' >plan.json
    ovl 0 sweep plan.json --dry-run
    [ "$(grep -oE 'sweep/[^/]*' <<<"$out" | sort | tr '\n' ' ')" = "sweep/a-r4-n1 sweep/a-r4-n2 sweep/a-r8-n1 sweep/a-r8-n2 " ]
}

@test "work_of a scan means its job of the same values" {
    echo '{"plan": 1, "launches": 1, "jobs": [
        {"name": "old", "program": "./x", "ranks": [2, 4], "options": ["-m", ["1K", "2K"]], "work_of": "old"},
        {"name": "new", "program": "./y", "ranks": [2, 4], "options": ["-m", ["1K", "2K"]], "work_of": "old"},
        {"name": "one", "program": "./y", "ranks": 2, "work_of": "old-r2-m2K"}]}' >plan.json
    tells 0 "./y -m 2K --work-from sweep/old-r4-m2K/001.jsonl --json sweep/new-r4-m2K/001.jsonl" sweep plan.json --dry-run
    prints "./y --work-from sweep/old-r2-m2K/001.jsonl --json sweep/one/001.jsonl"
    # Launches that set the work of others go first.
    grep '^timeout' <<<"$out" | head -n 4 >first
    [ "$(grep -c ' ./x ' first)" = 4 ]
    sed -i '3s/\[2, 4\]/[2, 8]/' plan.json
    refuses 4 "plan.json:3: /jobs/1/work_of: the name of a job of this plan is wanted here" sweep plan.json --dry-run
    # Of the plan as a whole too.
    echo '{"plan": 1, "launches": 1, "work_of": "a", "jobs": [{"name": "a", "program": "./x", "ranks": [2, 4]}]}' >plan.json
    ovl 0 sweep plan.json --dry-run
    ovl 4 sweep <(sed 's/"jobs": \[/&{"name": "b", "program": "x", "ranks": 2}, /' plan.json) --dry-run
}

@test "a scan that is wrong or too large is refused, and a long one is told" {
    wrong() { # JOB MESSAGE
        printf '{"plan": 1, "jobs": [\n{"name": "z", "program": "x", "ranks": 2},\n{"name": "a", "program": "x", %s}]}' "$1" >plan.json
        refuses 4 "plan.json:3: /jobs/1" sweep plan.json --dry-run
        says "$2"
    }
    wrong '"ranks": []' 'a list of values has none'
    wrong '"ranks": 2, "options": ["-m", []]' 'a list of values has none'
    wrong '"ranks": [2, 2]' '/jobs/1/name: another job has this name already'
    wrong '"ranks": [2, "4"]' '/ranks'
    wrong '"ranks": 2, "options": ["-m", [1]]' '/options/1'
    wrong "\"ranks\": 2, \"options\": [\"-m\", [\"$(printf '%0100d' 0)\"]]" 'the names that this scan makes are over 100 characters'
    many=$(seq -s, 1 100)
    wrong "\"ranks\": [$many], \"nodes\": [1, 2, 3, 4, 5, 6]" 'this scan makes the plan have over 500 jobs'
    lists=$(for i in {1..64}; do printf '["a","b"],'; done)
    wrong "\"ranks\": 2, \"options\": [${lists%,}]" '16 lists of values at most'
    wrong "\"ranks\": 2, \"options\": [$(cut -d, -f1-32 <<<"$lists")]" 'over 500 jobs'
    # 100 jobs of 100 launches of 100 s.
    echo "{\"plan\": 1, \"launches\": 100, \"time_limit_seconds\": 100, \"jobs\": [{\"name\": \"a\", \"program\": \"./x\", \"ranks\": [$many]}]}" >plan.json
    tells 0 "# 10000 launches: about 11.6 days by --max-time and time limits" sweep plan.json --dry-run
    prints "# over a week: --budget TIME runs what fits"
    # Before the first launch starts.
    launcher
    sed -i 's/"plan": 1,/& "launcher": {"kind": "mpiexec", "program": ".\/launch"},/; s/"launches": 100/"launches": 700/; s/\[1,.*\]}\]/2}]/; s/"time_limit_seconds": 100/"time_limit_seconds": 1000/; s/".\/x"/".\/slow"/' plan.json
    "$OVL_BIN/ovl" sweep plan.json -o out.d >swept 2>&1 &
    sweep=$!
    for ((i = 0; i < 200; i++)); do [ -e ran ] && break; sleep 0.05; done
    kill -TERM $sweep
    wait $sweep || true
    has swept "# over a week"
    [ "$(grep -n '# over a week' swept | cut -d: -f1)" -lt "$(grep -n '^1/700 ' swept | cut -d: -f1)" ]
}

@test "a plan includes others: its own words count before theirs" {
    mkdir -p parts/deep
    echo '{"plan": 1, "launches": 3, "order": "random", "seed": 4, "environment": {"A": "1", "B": "1"}}' >parts/common.json
    echo '{"plan": 1, "include": ["../common.json"], "environment": {"B": "2"}, "jobs": [{"name": "a", "program": "./x", "ranks": [2, 4]}]}' >parts/deep/jobs.json
    echo '{"plan": 1, "include": ["parts/deep/jobs.json"], "launches": 1, "environment": {"C": "3"}, "jobs": [{"name": "b", "program": "./x", "ranks": 2}]}' >plan.json
    ovl 0 sweep plan.json --dry-run
    [ "$(grep -c '^timeout 600 env A=1 B=2 C=3 ' <<<"$out")" = 3 ]
    prints "sweep/a-r4/001.jsonl" "sweep/b/001.jsonl"
    # What is kept is one plain plan, which resume and accept know again.
    launcher
    sed -i 's/"plan": 1,/& "launcher": {"kind": "mpiexec", "program": ".\/launch"},/' plan.json
    sed -i 's/\.\/x/.\/good/' plan.json parts/deep/jobs.json
    ovl 0 sweep plan.json -o out.d
    absent 'include' "$(cat out.d/plan.json)"
    tells 0 "0 done, 0 failed, 3 were there already, 0 to go" sweep plan.json -o out.d --resume
    tells 0 "0 done, 0 failed, 3 were there already, 0 to go" sweep out.d/plan.json -o out.d --resume
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    ovl 2 accept limits.json out.d # too few launches, and nothing else
    absent 'damaged' "$err"
}

@test "what is wrong with an include is told where it stands" {
    echo '{"plan": 1, "include": ["b.json"]}' >a.json
    printf '{"plan": 1,\n "include": ["c.json",\n "a.json"]}' >b.json
    echo '{"plan": 1, "jobs": [{"name": "a", "program": "x", "ranks": 2}]}' >c.json
    refuses 4 "b.json:3: /include/1: this file includes itself, at once or by others" sweep a.json --dry-run
    echo '{"plan": 1, "include": ["c.json", "c.json"]}' >a.json
    refuses 4 "c.json:1: /jobs/0/name: another job has this name already" sweep a.json --dry-run
    echo '{"plan": 1, "include": ["nowhere/c.json"]}' >a.json
    refuses 5 "nowhere/c.json: cannot read" sweep a.json --dry-run
    printf '{"plan": 1, "jobs": [\n{"name": "a", "program": "x",\n"ranks": 0}]}' >c.json
    echo '{"plan": 1, "include": ["c.json"]}' >a.json
    refuses 4 "c.json:3: /jobs/0/ranks" sweep a.json --dry-run
    echo '{"plan": 1, "include": ["b.json"]}' >a.json
    echo '{"plan": 1}' >b.json
    refuses 4 "a job is wanted here: nothing to run" sweep a.json --dry-run
    for i in {1..20}; do echo "{\"plan\": 1, \"include\": [\"p$((i + 1)).json\"]}" >p$i.json; done
    refuses 4 "too deep" sweep p1.json --dry-run
    # A sweep's folder holds all of its plan: what accept hashes is all that counts.
    swept s 6 1
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    mv s/plan.json s/kept.json
    echo '{"plan": 1, "include": ["kept.json"]}' >s/plan.json
    refuses 4 "s/plan.json: /include: a sweep keeps its plan whole" accept limits.json s
}

# hooks BEFORE AFTER [MORE]: a plan of two launches with these shell commands.
hooks() {
    plan "$(job a good)" "\"before\": {\"command\": [\"sh\", \"-c\", \"$1\"], \"time_limit_seconds\": 2}, \"after\": {\"command\": [\"sh\", \"-c\", \"$2\"]}, ${3:-}"
}

@test "hooks run before and after each launch, and know which" {
    hooks 'echo before $OVL_JOB $OVL_LAUNCH $OVL_RECORD $WORD >>order' 'test -s $OVL_RECORD && echo after $OVL_JOB $OVL_LAUNCH >>order; echo said' '"environment": {"WORD": "w"},'
    ovl 0 sweep plan.json -o out.d
    [ "$(cat order)" = "before a 1 out.d/a/.001.jsonl w
after a 1
before a 2 out.d/a/.002.jsonl w
after a 2" ]
    has out.d/a/001.after.log said
    ovl 0 sweep plan.json --dry-run
    [ "$(grep -c '^timeout 2 env WORD=w OVL_TELL=WORD OVL_JOB=a OVL_LAUNCH=[12] OVL_RECORD=sweep/a/00[12].jsonl sh -c ' <<<"$out")" = 2 ]
    [ "$(grep -c '^timeout 60 env .* sh -c ' <<<"$out")" = 2 ]
    # Of a job before that of the plan.
    plan "$(job a good ', "before": {"command": ["false"]}'), $(job b good)" '"before": {"command": ["true"]},'
    tells 1 "2 done, 2 failed" sweep plan.json -o two.d
}

@test "the hook after a launch runs to its end where the sweep is interrupted in the launch" {
    hooks true 'sleep 0.3; echo after >>order'
    sed -i 's/\.\/good/.\/slow/' plan.json
    "$OVL_BIN/ovl" sweep plan.json -o out.d >swept 2>&1 &
    for ((i = 0; i < 200; i++)); do [ -e ran ] && break; sleep 0.05; done
    kill -TERM $!
    code=0
    wait $! || code=$?
    [ $code = 143 ]
    [ "$(cat order)" = after ]
    has swept "interrupted"
}

@test "a hook that fails loses the launch, and says so" {
    hooks 'echo no quota >&2; exit 3' 'echo after >>order'
    tells 1 'a, launch 1: FAILED in' sweep plan.json -o out.d
    prints '`before`: exit code 3: no quota'
    [ ! -e calls ]        # the launcher was not started
    [ "$(wc -l <order)" = 2 ] # what may have been changed is put back
    has out.d/sweep.log '"status":"failed","why":"`before`: exit code 3: no quota","exit":3'
    rm -rf out.d calls
    # Its 4 is no word on data, which nobody checked, and that would be for good. The program is one of ovl's.
    hooks 'exit 4' true
    sed -i 's/\.\/good/ovl_ialltoall/' plan.json
    tells 1 '`before`: exit code 4' sweep plan.json -o out.d
    tells 1 "# no sweep is at work here" sweep --status out.d
    absent "wrong data" "$out"
    rm -rf out.d calls
    hooks true 'exit 4'
    tells 1 '`after`: exit code 4' sweep plan.json -o out.d
    ls out.d/a/001.partial out.d/a/002.partial
    [ ! -e out.d/a/001.jsonl ]
    rm -rf out.d
    hooks 'sleep 60' true
    start=$SECONDS
    ovl 1 sweep plan.json -o out.d
    [ $((SECONDS - start)) -lt 30 ]
    prints '`before` was not done after 2 s, killed'
    # The launch's own failure is told before that of the hook behind it.
    rm -rf out.d
    hooks true 'exit 4'
    sed -i 's/\.\/good/.\/refused/' plan.json
    tells 1 'exit code 3: ovl_x: no such mode' sweep plan.json -o out.d
    rm -rf out.d
    echo '{"plan": 1, "before": {"command": []}, "jobs": [{"name": "a", "program": "x", "ranks": 2}]}' >plan.json
    refuses 4 "plan.json:1: /before/command: a program and its arguments are wanted here" sweep plan.json
    hooks 'nowhere-to-be-found' true
    sed -i 's/"sh", "-c", "nowhere/"nowhere/' plan.json
    tells 1 'exit code 127: ovl: cannot start nowhere-to-be-found' sweep plan.json -o out.d
}

# The numbers that a plan wants, by its schema: of the plan, and of a job.
@test "variables stand in texts and for numbers, and -S sets them" {
    echo '{"plan": 1, "launches": "${launches}", "time_limit_seconds": "${limit}", "grace_seconds": "${one}", "seed": "${one}",
        "variables": {"launches": 2, "limit": 60.5, "one": 1, "ranks": 2, "sizes": "64K:1M", "word": ""},
        "environment": {"W": "a${word}b$${word}"},
        "jobs": [{"name": "a-${ranks}", "program": "./x", "ranks": ["${ranks}", 8], "nodes": "${one}", "launches": "${launches}",
          "priority": "${one}", "time_limit_seconds": "${limit}", "grace_seconds": "${one}",
          "options": ["-m", "${sizes}", "-t", "${ranks}"]},
          {"name": "p", "program": "./x", "ranks": 2, "each": "pair", "hosts": "n1,n2", "rounds": "${one}", "time_limit_seconds": 5}]}' >plan.json
    schema=$OVL_TOP/src/tool/sweep/plan/plan.schema.json
    jq -r '.properties, ."$defs".job.properties | to_entries[] | select(.value.type == "integer" or .value.type == "number" or
        (.value."$ref" // "" | IN("#/$defs/grace", "#/$defs/processes"))) | .key' "$schema" | sort -u >wanted
    jq -r '.., .jobs[] | objects | to_entries[] | select(.value | tostring | test("^\\[?\"?\\$\\{[a-z]+\\}\"?(,8\\])?$")) | .key' plan.json | sort -u >tried
    diff wanted tried
    ovl 0 sweep plan.json --dry-run
    [ "$(grep -c '^timeout 60.5 ' <<<"$out")" = 4 ]
    grep -qF -- "W='ab\${word}' ./x -m 64K:1M -t 2 --json sweep/a-2-r2-t2/001.jsonl" <<<"${out//-n 2 /}" || grep -qF -- '-n 2 ./x -m 64K:1M -t 2' <<<"$out"
    prints "sweep/a-2-r8/002.jsonl"
    ovl 0 sweep plan.json --dry-run -S ranks=4 -S sizes=1K --set launches=1 -S limit=7e1 -S word='x y'
    [ "$(grep -c '^timeout 70 ' <<<"$out")" = 2 ]
    prints "-n 4 ./x -m 1K -t 4 --json sweep/a-4-r4/001.jsonl" "ax yb"
    # A whole number may be written as a real one, and is kept as that which it is read as again.
    launcher
    echo '{"plan": 1, "launches": 1, "variables": {"limit": 30.0, "n": 1e1}, "time_limit_seconds": "${limit}",
        "launcher": {"kind": "mpiexec", "program": "./launch"}, "jobs": [{"name": "a", "program": "./good", "ranks": 2}]}' >plan.json
    ovl 0 sweep plan.json -o real.d
    ovl 0 sweep --status real.d
    ovl 0 sweep plan.json -o real.d --resume
    # Of a plan without variables, $ is a letter as others are.
    echo '{"plan": 1, "launches": 1, "jobs": [{"name": "a", "program": "./x", "ranks": 2, "options": ["${HOME}"]}]}' >plan.json
    tells 0 "./x '\${HOME}'" sweep plan.json --dry-run
    refuses 3 "-S HOME=1: plan.json has no \`variables\`" sweep plan.json --dry-run -S HOME=1
}

@test "a variable that is not there, has no value or none that fits is told in one line" {
    printf '{"plan": 1,\n"variables": {"n": 2, "where": null},\n"jobs": [{"name": "a", "program": "./x", "ranks": "${n}",\n"options": ["-p", "${where}"]}]}' >plan.json
    refuses 3 "plan.json: its variable where has no value: give -S where=VALUE" sweep plan.json --dry-run
    tells 0 "./x -p here" sweep plan.json --dry-run -S where=here
    refuses 3 "-S N=4: no variable of plan.json, whose variables are n, where" sweep plan.json -S where=here -S N=4
    refuses 3 "-S n=four: a number, as the plan has, is wanted here" sweep plan.json -S where=here -S n=four
    refuses 3 "-S n: give NAME=VALUE" sweep plan.json -S n
    refuses 3 "-S =4: give NAME=VALUE" sweep plan.json -S =4
    refuses 3 "is wanted here" sweep plan.json -S where=$'\xe9'
    refuses 4 "plan.json:3: /jobs/0/ranks" sweep plan.json -S where=here -S n=-4
    refuses 4 "plan.json:3: /jobs/0/ranks" sweep plan.json -S where=here -S n=2.5
    sed 's/${where}/${there}/' plan.json >typo.json
    refuses 4 "typo.json:4: /jobs/0/options/1: there is no variable: they are n, where; \$\${ stands for \${" sweep typo.json -S where=here
    sed 's/${where}/${where/' plan.json >open.json
    refuses 4 "open.json:4: /jobs/0/options/1: " sweep open.json -S where=here
    sed 's/"n": 2/"n": [2]/' plan.json >list.json
    refuses 4 "list.json:2: /variables/n: a number, a text or null is wanted here" sweep list.json -S where=here
    sed 's/"n": 2/"n-x": 2/' plan.json >name.json
    refuses 4 "name.json:2: /variables: names of letters, digits and _ are wanted here" sweep name.json -S where=here
    [ ! -e sweep ]
}

@test "included files share variables, and a sweep keeps their values" {
    launcher
    echo '{"plan": 1, "variables": {"a": 1, "b": "of the part"}, "environment": {"B": "${b}"}}' >part.json
    echo '{"plan": 1, "launches": "${a}", "variables": {"b": "own"}, "include": ["part.json"],
        "launcher": {"kind": "mpiexec", "program": "./launch"}, "jobs": [{"name": "j", "program": "./good", "ranks": 2}]}' >plan.json
    tells 0 "B=own" sweep plan.json --dry-run
    ovl 0 sweep plan.json -o s -S a=2 -S b='two words'
    [ "$(jq -c '.set, .launches, .environment' s/plan.json | tr '\n' ' ')" = '{"a":2,"b":"two words"} 2 {"B":"two words"} ' ]
    [ "$(jq -c 'select(.opened) | .set' s/sweep.log)" = '{"a":2,"b":"two words"}' ]
    if grep -q variables s/plan.json; then return 1; fi
    refuses 3 "of another --work-from or -S (" sweep plan.json -o s --resume
    refuses 3 "of another --work-from or -S" sweep plan.json -o s --resume -S a=2
    ovl 0 sweep plan.json -o s --resume -S a=2 -S b='two words'
    ovl 0 sweep --status s
    # The ready plan, in the way that its page shows.
    ovl 0 sweep "$OVL_TOP/scripts/plans/quick.json" -S ranks=4 -S launches=3 --dry-run
    [ "$(grep -c -- '-n 4 ' <<<"$out")" = 9 ]
}
