#!/usr/bin/env bats
# What carries no claim is a value for no command: cells that are invalid or wrong, and launches that did not end well.

load ../cli/lib
load tool

# spoil HOW FILE...: launches that failed, were killed, or found wrong data.
spoil() {
    case $1 in
    failed) sed -i '/"record":"end"/s/"status":"complete"/"status":"failed"/' "${@:2}" ;;
    killed) sed -i '/"record":"end"/d' "${@:2}" ;;
    wrong) sed -i 's/"validated":true/"validated":false/' "${@:2}" ;;
    esac
}

# Any time is what the site refs.json expects.
any_time() {
    cat >refs.json <<'REFS'
{"references": 1, "systems": [{"name": "vm", "rules": [
  {"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "value": 1, "worse": 1}]}]}
REFS
}

@test "published shows no value of launches without a claim" {
    cp -r "$OVL_TOP/results/train-checkpoints" good
    ovl 0 published good
    grep -qE ' [0-9.]+ %( \[[-0-9.]+, [-0-9.]+\])?  *[0-9.]+ to [0-9.]+ ms, ' out
    for how in failed killed wrong; do
        cp -r good $how
        spoil $how $(find $how -name '*.jsonl')
        ovl 0 published $how
        if grep -E ' [0-9.]+ to [0-9.]+ ms, ' out; then return 1; fi
        grep -qE ' -  *not measured: [0-9]+ cells without a claim' out
    done
    # Nor one of launches that were sent again.
    cp -r good again
    for file in $(find good -name '*.jsonl'); do
        sed 's/"run_id":"[^"]*/&-2/' "$file" >"again${file#good}.jsonl"
    done
    ovl 0 published good
    good=$(grep -oE '; [0-9]+ launch' out)
    ovl 0 published again
    [ "$(grep -oE '; [0-9]+ launch' out)" = "$good" ]
    # Beside values what is left out is told.
    cp -r good some
    spoil failed "$(find some -name '*.jsonl' | head -n 1)"
    ovl 0 published some
    grep -qE ' -  *left out: [0-9]+ cells? without a claim' out
}

# drawn FOLDER CHART...: the charts of all its records, into FOLDER.charts.
drawn() { ovl 0 plot --chart "$2" -o "$1.charts" "$1"/*.jsonl; }

@test "charts have crosses where launches count for nothing, and medians over the others" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    launches good 6 1
    drawn good total,overlap,latency
    has good.charts/ialltoall-total.svg "medians over 6 launches"
    absent "cut short" "$(cat good.charts/*.svg)"
    for how in failed killed wrong; do
        cp -r good $how
        spoil $how $how/*.jsonl
        drawn $how total,overlap,latency
        for chart in total overlap latency; do
            absent "medians over" "$(cat $how.charts/ialltoall-$chart.svg)"
            has $how.charts/ialltoall-$chart.svg "$([ $how = wrong ] && echo wrong || echo cut short)"
        done
    done
    launches more 8 1
    spoil failed more/2.jsonl
    drawn more total
    has more.charts/ialltoall-total.svg "medians over 7 launches, 4 cells without a claim left out"
    drawn failed samples
    has failed.charts/ialltoall-samples.svg "no claim"
    ovl 0 report failed -o page.html
    has page.html "cut short</text>"
}

@test "charts tell jobs of one sweep apart that measured the same point, and leave out the launch that gave them its work" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    launches s/quick 6 1
    launches s/slow 6 4
    launches s/work 1 1
    echo '{"plan": 1}' >s/plan.json
    ovl 0 plot --term text --chart total s
    prints "medians over 6 launches" "Host, job quick" "Host, job slow"
    absent "job work|over 1[23] launches" "$out"
    # Workers are held against the host of their own job.
    launches s/more 6 0.5
    sed -i 's/"mode":"host"/"mode":"dpu"/' s/more/*.jsonl
    for f in s/more/*.jsonl; do cp "$f" "s/slow/dpu-${f##*/}"; done
    rm -r s/more
    ovl 0 plot --term text --chart total s
    prints "DPU, job slow"
    rm s/plan.json # without a plan nobody says that these are two jobs
    ovl 0 plot --term text --chart total s
    absent "job (quick|slow)" "$out"
}

@test "a launch sent once more is one launch in charts and in csv, and a value that cannot be claims nothing" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    local i
    launches one 6 1
    for i in {2..6}; do
        sed 's/one-1/one-'$i'/g; s/"\(started\|finished\)":"2026-01-01T00:01/"\1":"2026-01-01T00:0'$i'/' one/1.jsonl >one/$i.jsonl
    done
    ovl 0 plot --term text --chart total one
    prints "ialltoall: 20 points have the very samples of another launch, and are left out"
    absent "medians over" "$out"
    "$OVL_BIN/ovl" export --to csv one >csv 2>err
    [ "$(grep -c ',yes$' csv)" = 4 ]
    [ "$(grep -c ',no: repeated$' csv)" = 20 ]
    launches bad 6 1
    sed -i "s/\"total_seconds\":{\"median\":[0-9.e-]*/\"total_seconds\":{\"median\":1e-9/" bad/*.jsonl
    "$OVL_BIN/ovl" export --to csv bad >csv 2>err
    [ "$(grep -c ',no: impossible$' csv)" = 24 ]
    "$OVL_BIN/ovl" export --to junit one bad >cases 2>err
    has cases '<testsuites name="ovl" tests="60" failures="24" errors="0" skipped="20">'
    [ "$(grep -c 'message="impossible: its stored values cannot be"' cases)" = 24 ]
    [ "$(grep -c 'message="repeated: another run of these files has every sample of it"' cases)" = 20 ]
    ovl 0 plot --term text --chart latency bad
    absent "medians over" "$out"
}

@test "the claims of exported cells are those of their launches" {
    for how in failed killed wrong; do
        launches $how 1 1
        spoil $how $how/1.jsonl
    done
    for how in failed killed; do
        ovl 0 export --to csv $how
        [ "$(sed 's/.*,//' out | tail -n +2 | sort -u)" = "no: cut short" ]
        ovl 0 export --to junit $how
        prints ' tests="5" failures="1" errors="0" skipped="4">'
        [ "$(grep -c "<skipped message=\"cut short: $([ $how = killed ] && echo no end line || echo failed)\"" out)" = 4 ]
    done
    ovl 0 export --to csv wrong
    [ "$(sed 's/.*,//' out | tail -n +2 | sort -u)" = "no: wrong" ]
}

@test "show divides nothing by a launch that counts for nothing, and says which these are" {
    launches a 2 1
    ovl 0 show a/1.jsonl a/2.jsonl
    [ "$(grep -cE '^ +[0-9]+ +b .* (0\.9|1\.0)[0-9]+ ' out)" = 4 ]
    spoil failed a/2.jsonl
    ovl 0 show a/1.jsonl a/2.jsonl
    grep -E '^# b ' out | grep -q failed
    [ "$(grep -cE '^ +[0-9]+ +b .* (0\.9|1\.0)[0-9]+ +(0\.9|1\.0)[0-9]+ ' out)" = 0 ]
}

@test "compare and history see the wrong data of launches that a sweep counts as failed" {
    launches old 12 1
    launches new 12 1
    for n in 2 5 8 11; do
        sed 's/"validated":true/"validated":false/; s/"status":"complete"/"status":"failed"/'";s/new-$n/&-failed/g" new/$n.jsonl >new/$n.partial
    done
    for n in 2 5; do rm new/$n.jsonl; done # 8 and 11 were attempted again
    echo '{"record":"run"' >new/7.partial # and this one left no record
    ovl 1 compare --paired old new --junit j.xml
    prints "wrong data in 4 of 14 launches of the new side"
    has j.xml 'failures="4"'
    ovl 1 history old new --since 2000-01-01
}

@test "what a sweep.log tells of wrong data is there, and each of its lines follows from the one before" {
    launches flat 30 1
    launches old 12 1.0001
    cat >launch <<'SCRIPT'
#!/bin/bash
for last; do :; done
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n >count
sed "s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$(date -u +%FT%TZ)/" "flat/$n.jsonl" >>"$last"
[ $n != 3 ] || { sed -i 's/"validated":true/"validated":false/; s/"status":"ok"/"status":"invalid"/' "$last"; exit 4; }
SCRIPT
    chmod +x launch
    unset OVL_MPIEXEC
    echo '{"plan": 1, "launches": 12, "launcher": {"kind": "mpiexec", "program": "./launch"}, "jobs": [{"name": "a", "program": "./good", "ranks": 2}]}' >plan.json
    ovl 4 sweep plan.json -o s
    ovl 1 compare old s --across
    ovl 4 sweep plan.json -o s --resume
    ovl 1 compare old s --across
    cp -r s cut
    rm s/a/003.partial
    for call in "compare old s --across" "history s --since 2020-01-01" "rank old s --across"; do
        refuses 4 "what an attempt with wrong data left is gone, or shows none; give the folder as ovl sweep left it" $call
    done
    # Emptied, edited, or by the name of another run.
    cp -r cut all
    for how in emptied edited named; do
        rm -r s && cp -r all s
        case $how in
        emptied) : >s/a/003.partial ;;
        edited) sed -i 's/"validated":false/"validated":true/' s/a/003.partial ;;
        named) sed -i "s/\"run_id\":\"[^\"]*/\"run_id\":\"$(head -n 1 s/a/001.jsonl | jq -r .run_id)/" s/a/003.partial ;;
        esac
        if [ $how = named ]; then
            tells 1 "wrong data in 1 of 13 launches of the new side" compare old s --across
            tells 4 "a launch has wrong data" rank old s --across
            continue
        fi
        for call in "compare old s --across" "history s --since 2020-01-01" "rank old s --across"; do
            refuses 4 "what an attempt with wrong data left is gone, or shows none" $call
        done
    done
    rm cut/a/003.* cut/a/007.*
    sed -i '/"launch":[37],/d' cut/sweep.log
    refuses 4 "it does not follow from the line before" compare old cut --across
    refuses 4 "it does not follow from the line before" history cut
}

@test "a sweep.log that lost lines at its end, or is gone, is no proof that all launches are there" {
    local call said calls
    launches old 12 1.0001
    swept s 12 1
    sealed s
    any_time
    calls=("compare old s" "history s --since 2026-01-01T00:04:00Z" "rank old s" "site refs.json s --system vm" "report s --old old -o r.html")
    for call in "${calls[@]}"; do ovl 0 $call; done
    ovl 0 compare old s/a
    cp -r s kept
    head -n -2 kept/sweep.log >s/sweep.log
    said="s/a/012.jsonl: sweep.log tells of no such launch: the file is of elsewhere, or lines at the end of the log are gone"
    for call in "${calls[@]:0:4}"; do tells 2 "# not known $said" $call; done
    ends 2 "$OVL_BIN/ovl" ${calls[4]}
    says "# not known $said"
    tells 2 "s/a/012.jsonl: sweep.log tells of no such launch" compare old s/a
    refuses 3 "--inconclusive pass: $said" compare old s --inconclusive pass
    # A plan that was shortened with them.
    sed -i 's/"launches":12/"launches":7/' s/plan.json
    for call in "${calls[@]}"; do
        refuses 4 "s/sweep.log:1: it does not follow from the plan.json beside it: one of the two was edited" $call
    done
    # One that was cut, by a full disk, or is gone.
    for bytes in 0 40; do
        head -c $bytes kept/plan.json >s/plan.json
        for call in "${calls[@]:0:4}"; do refuses 4 "does not follow from the plan.json beside it" $call; done
    done
    mv s/sweep.log log
    for call in "${calls[@]:0:4}"; do tells 2 "# not known s/plan.json is damaged, and sweep.log gone or empty" $call; done
    rm s/plan.json
    echo "what a sweep printed" >s/sweep.log # is no log
    for call in "${calls[@]:0:4}"; do ovl 0 $call; done
    mv log s/sweep.log
    for call in "${calls[@]:0:4}"; do tells 2 "# not known s/plan.json is gone, and sweep.log is there" $call; done
    cp kept/plan.json s/
    # With their records, and what the programs printed: the plan says how many there are to be.
    head -n -10 kept/sweep.log >s/sweep.log
    rm s/a/008.* s/a/009.* s/a/01?.*
    for call in "${calls[@]:0:4}"; do
        ovl 2 $call || [ "${call%% *}" = history ]
        prints "launches of a sweep left no record, and count as lost: s/a/008.jsonl"
    done
    tells 2 "not looked at" history s --last
    # What --budget left out was never begun.
    tail -n 1 s/sweep.log | tr -d '\n' | digest >last
    echo "{\"budgeted\":\"2026-01-01T00:20:00Z\",\"budget_seconds\":60.0,\"left_out\":5,\"previous\":\"$(cat last)\"}" >>s/sweep.log
    ovl 2 compare old s || ovl 0 compare old s
    absent "left no record" "$out"
    # No log at all.
    rm -r s && cp -r kept s && : >s/sweep.log
    for call in "${calls[@]:0:4}"; do tells 2 "# not known s/sweep.log is gone or empty, and there are records" $call; done
    rm s/sweep.log s/a/00[5-9].jsonl
    tells 2 "5 new launches of a sweep left no record, and count as lost: s/a/005.jsonl" compare old s
    # A folder of records alone claims nothing of a plan.
    rm s/plan.json
    ovl 2 compare old s || ovl 0 compare old s
    absent "not known s" "$out"
}

# read_models FOLDER COPY...: launches of the kept training step that have read another file of its model, by input_files.
read_models() {
    for copy in "${@:2}"; do
        mkdir -p "$1"
        sed -E "s/(\"run_id\":\")/\\1$copy-/; s/(\"samples_crc32\":\").../\\1$copy/; 1s/\"hosts\":/\"input_files\":{\"model\":\"$(printf '%064d' "${copy%-*}")\"},&/" \
            "$OVL_TOP/tests/cli/data/kept/train.jsonl" >"$1/$copy.jsonl"
    done
}

@test "no median is over launches of unlike work, of another model or of a tenth of the units" {
    read_models same 1-1 1-2
    ovl 0 export --to markdown same
    [ "$(grep -c '| 2 wide |$' out)" = 4 ]
    read_models unlike 1-1 2-2
    ovl 0 export --to markdown unlike
    [ "$(grep -c '| n/a | n/a | n/a | unlike model |$' out)" = 4 ]
    says "ovl export: no median over launches of unlike model: train blocking, train dpu"
    ovl 2 export --to gha unlike
    [ "$(tr -d ' \n' <out)" = "[]" ]
    launches more 2 1
    sed -i '2,$s/\("units":[0-9]*\)[0-9]\([,}]\)/\1\2/' more/2.jsonl
    ovl 0 export --to markdown more
    [ "$(grep -c '| n/a | [^|]* | [^|]* | unlike units |$' out)" = 4 ]
    launches unchecked 2 1
    sed -i 's/"validated":true/"validated":null/' unchecked/*.jsonl
    ovl 0 export --to markdown unchecked
    [ "$(grep -c ', data not checked |$' out)" = 4 ]
    ovl 0 export --to csv unchecked
    [ "$(grep -c ',yes: data not checked$' out)" = 8 ]
    ovl 0 export --to gha unchecked
    [ "$(grep -c '2 launches, data not checked' out)" = 4 ]
    ovl 0 export --to bmf unchecked
    [ "$(grep -c '"launches_unchecked"' out)" = 4 ]
    ovl 0 export --to openmetrics unchecked
    says "ovl export: note: data not checked in 4 cells: wrong data can be quick"
    ovl 0 show --format omb unchecked/1.jsonl
    [ "$(grep -c '^# .*data not checked: wrong data can be quick$' out)" = 4 ]
    launches mixed 2 1
    sed -i '1s/"cpu":"[^"]*"/"cpu":"another"/' mixed/2.jsonl
    ovl 0 export --to markdown mixed
    says "ovl export: note: launches of one cell differ in hosts[].cpu"
}

@test "what is hidden is not compared at another amount of work beside it" {
    sides 12 1
    ovl 0 compare --paired old new -m hidden_fraction
    sed -i -E '2,$s/"units":([0-9]+)/"units":\16/' new/*.jsonl # calibrated anew, at the same W / C
    ovl 0 compare --paired old new -m hidden_fraction
    for f in new/*.jsonl; do # and at half of it
        awk "$(cat "$OVL_TOP/tests/tool/totals.awk")"'{
            before = "\"compute_seconds\":{\"median\":"
            print median($0, "total") ? follow(put($0, before, behind($0, before, ","), median($0, "compute") / 2)) : $0
        }' "$f" >t && mv t "$f"
    done
    tells 2 "INCONCLUSIVE: different work" compare --paired old new -m hidden_fraction
    tells 1 "REGRESSED" compare --paired old new -m hidden_fraction --any-work
}

@test "warnings that some launches gave alone are told" {
    derive=yes launches a 6 1
    sed -i '1s/"warnings":\[/&"CPU quota 0.5 of 2 cores",/' a/[12].jsonl
    echo '{"limits": 1, "log_required": false, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    tells 0 "# note     2 of 6 launches warn: CPU quota 0.5 of 2 cores" accept limits.json a
    tells 2 "# note     2 of 6 launches warn: CPU quota 0.5 of 2 cores" history a --since 2000-01-01
}

@test "an answer beyond a limit that is none is no measurement" {
    local fft=$OVL_TOP/tests/cli/data/kept/fft3d.jsonl
    for limit in null -1; do
        sed -E "s/\"check\":\{\"name\":\"max_error\",\"value\":[^,]*,\"limit\":[^}]*/\"check\":{\"name\":\"max_error\",\"value\":1000.0,\"limit\":$limit/" "$fft" >off.jsonl
        ovl 0 export --to csv off.jsonl
        [ "$(sed 's/.*,//' out | tail -n +2 | sort -u)" = "no: $([ $limit = null ] && echo invalid || echo wrong)" ]
    done
}

@test "a sweep.log without its head, a plan whose launches are 20.0, and records of a job that --job left out" {
    launches old 10 1
    swept new 10 1
    # The first attempt at the first launch found wrong data.
    sed -i '1,2s/"attempt":1/"attempt":2/' new/sweep.log
    {
        echo '{"started":"2026-01-01T00:00:00Z","job":"a","launch":1,"attempt":1}'
        echo '{"ended":"2026-01-01T00:00:30Z","job":"a","launch":1,"attempt":1,"status":"failed","why":"exit code 4","exit":4,"seconds":1.0,"wrong_data":true}'
        cat new/sweep.log
    } >log
    mv log new/sweep.log
    for file in new/a/*.jsonl; do : >"${file%.jsonl}.log"; done
    sealed new
    sed -i 1,2d new/sweep.log
    sed -i '1s/,"previous":"[^"]*"//' new/sweep.log
    for call in "compare old new" "compare old new/a" "rank new old"; do
        refuses 4 "/sweep.log:2: it does not follow from the line before" $call
    done
    # Of 20 launches 10 are there.
    swept half 10 1
    sed -i 's/"launches":10/"launches":20.0/' half/plan.json
    sealed half
    tells 2 "10 new launches of a sweep left no record, and count as lost: half/a/011.jsonl" compare old half
    # Job b was left out, and has records.
    swept two 10 1
    launches b 10 1 two/b/%03d
    sed -i 's/"jobs":\[\({[^}]*}\)\]/"jobs":[\1,\1]/; s/"name":"a"/"name":"b"/2' two/plan.json
    jq -e '.jobs | length == 2' two/plan.json
    { echo '{"opened":"2026-01-01T00:00:00Z","resume":false,"host":"h","pid":1,"jobs":"a"}'; cat two/sweep.log; } >log
    mv log two/sweep.log
    sealed two
    tells 2 "two/b/001.jsonl: sweep.log tells of no such launch" compare old two
}

@test "records of which neither plan nor log of their sweep tells, or that another file was written over, are told" {
    local calls call
    launches old 12 1.0001
    swept s 12 1
    sealed s
    any_time
    # told FOLDER WORDS: who reads it says so.
    told() {
        calls=("compare old $1" "compare old $1/a" "history $1 --since 2026-01-01T00:04:00Z" "site refs.json $1 --system vm")
        for call in "${calls[@]}"; do tells 2 "$2" $call; done
        tells 0 "$2" show --rivals "$1"
    }
    for call in "compare old s" "history s --since 2026-01-01T00:04:00Z" "site refs.json s --system vm" "rank old s"; do ovl 0 $call; done
    # Beyond the plan's launches, without a number, deeper, and beside the plan.
    for name in 013 x13 1/001 ../001; do
        rm -rf more && cp -r s more
        mkdir -p "$(dirname more/a/$name)"
        sed 's/"run_id":"[^"]*/&-more/' s/a/001.jsonl >more/a/$name.jsonl
        for call in "compare old more" "history more --since 2026-01-01T00:04:00Z" "site refs.json more --system vm" "show --rivals more"; do
            "$OVL_BIN/ovl" $call >out 2>err || [ $? = 2 ]
            has out "/$(basename $name).jsonl: sweep.log tells of no such launch"
        done
    done
    # A job that the plan does not have.
    cp -r s job && mkdir job/c
    for i in 001 002 003 004 005 006 007 008 009 010 011 012; do sed 's/"run_id":"[^"]*/&-c/' s/a/$i.jsonl >job/c/$i.jsonl; done
    tells 2 "# not known job/c/001.jsonl: sweep.log tells of no such launch" rank job
    prints "; and 11 more"
    tells 2 "c/001.jsonl: sweep.log tells of no such launch" rank old job/c
    # A record of another launch, and one of ovl_noise, in place of those that were slow.
    cp -r s over && for i in 005 006 007 008; do cp s/a/001.jsonl over/a/$i.jsonl; done
    told over "over/a/005.jsonl is not the file that its attempt left, by the SHA-256 in sweep.log; and 3 more"
    tells 2 "4 new launches of a sweep left no record, and count as lost" compare old over
    cp -r s noise && for i in 5 6 7 8; do sed "s/\"run_id\":\"/&$i/; s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:05:00Z/" "$OVL_TOP/tests/fuzz/corpus/record/noise.jsonl" >noise/a/00$i.jsonl; done
    told noise "noise/a/005.jsonl is not the file that its attempt left, by the SHA-256 in sweep.log; and 3 more"
    # A folder that is given twice has no launch more, and none less.
    tells 0 "launches 12 in 24 files" history s s --since 2026-01-01T00:04:00Z
    absent "not known s" "$out"
    # Without its hashes a log says nothing of its records, and neither does its last line.
    cp -r s bare && sed -i 's/,"previous":"[^"]*"//; s/,"record_sha256":"[^"]*"//' bare/sweep.log
    told bare "/sweep.log has lines without a SHA-256: nothing tells which attempts left the records"
    ovl 2 compare old bare --junit j.xml --json j.json
    has j.xml '<testsuites name="ovl" tests="5" failures="0" errors="0" skipped="1">' 'name="records of the new side"' "without a SHA-256"
    # So do a chart, a report, JUnit of the records alone, and the JSON of others.
    ends 0 "$OVL_BIN/ovl" export --to junit bare
    prints 'skipped="1">' '<skipped message="bare/sweep.log has lines without a SHA-256: nothing tells which attempts left the records"/>'
    if command -v gnuplot >/dev/null; then
        ovl 2 compare old bare --chart c.svg
        has c.svg "NOT KNOWN: bare/sweep.log has lines without a SHA-256"
        ends 0 "$OVL_BIN/ovl" report bare -o r.html
    fi
    [ ! -e r.html ] || has r.html "It is not known how all of these records came about" "not known bare/sweep.log has lines without a SHA-256"
    for call in "history bare --since 2026-01-01T00:04:00Z" "history bare --last --within 1e5" "rank old bare" "guidelines bare" "site refs.json bare --system vm"; do
        ends 2 "$OVL_BIN/ovl" $call --json j2.json
        cat j2.json >>j.json
    done
    [ "$(jq -r '.untold[] | select(startswith("bare/sweep.log has lines"))' j.json | wc -l)" = 6 ]
    ovl 0 compare old s --json j.json
    [ "$(jq -c .untold j.json)" = "[]" ]
    cp -r s last && sed -i '$s/,"record_sha256":"[^"]*"//' last/sweep.log
    told last "last/a/012.jsonl: sweep.log tells of no such launch"
}

@test "a side that lost all launches but one did not give others its work" {
    for job in a b c; do launches $job 7 1 s/$job/%03d; done
    rm s/c/00[2-7].jsonl
    cp -r s gave
    plan='{"jobs":[{"name":"a","program":"x","ranks":2},{"name":"b","program":"x","ranks":2},{"name":"c","program":"x","ranks":2'
    echo "$plan}],\"launches\":7,\"plan\":1}" >s/plan.json
    echo "$plan,\"launches\":1}],\"launches\":7,\"plan\":1}" | jq -cS . >gave/plan.json
    for folder in s gave; do
        for file in $folder/*/*.jsonl; do
            job=${file%/*} launch=$(basename "$file" .jsonl)
            echo "{\"ended\":\"2026-01-01T00:00:00Z\",\"job\":\"${job##*/}\",\"launch\":$((10#$launch)),\"status\":\"done\"}"
        done >$folder/sweep.log
        sealed $folder
    done
    for i in {2..7}; do : >s/c/00$i.log; done
    tells 2 "too many launches" rank s
    "$OVL_BIN/ovl" rank gave >out || [ $? = 2 ]
    absent "too many launches" "$(<out)"
    sed -i 's/"validated":true/"validated":false/g' gave/c/001.jsonl
    for call in "rank gave" "show --rivals gave"; do ovl 4 $call; done
}

@test "launches that were attempted until they were quick are not known" {
    swept old 12 1
    swept new 12 1
    # again COUNT: of so many launches a first attempt failed.
    again() {
        awk -v most="$1" '
            { match($0, /"launch":[0-9]*/); more = substr($0, RSTART + 9, RLENGTH - 9) + 0 <= most }
            more && /"started"/ { print; end = $0; sub(/"started"/, "\"ended\"", end)
                sub(/}$/, ",\"status\":\"failed\",\"why\":\"x\",\"exit\":1,\"seconds\":1.0}", end); print end }
            more { sub(/"attempt":1/, "\"attempt\":2") }
            { print }' once.log >new/sweep.log
        sealed new
    }
    cp new/sweep.log once.log
    sealed old
    again 0
    ovl 0 compare old new
    again 6
    ovl 0 compare old new
    prints "# note     6 of 12 launches were made again after an earlier attempt"
    again 7
    ovl 2 compare old new
    prints "# not known 7 of 12 launches were made again after an earlier attempt: who tries until it is quick finds it so"
    # What failed at once measured nothing that was thrown away.
    for took in 0.09 0.3; do
        again 7
        sed -i '/"failed"/s/"seconds":1.0/"seconds":'$took/ new/sweep.log
        sealed new
        ovl $([ $took = 0.3 ] && echo 2 || echo 0) compare old new
        [ $took = 0.3 ] || absent "failed attempt" "$out"
    done
    again 7
    refuses 3 "--inconclusive pass: 7 of 12 launches were made again" compare --inconclusive pass old new
    # Those of one job, of two.
    again 7
    launches more 12 1 new/b/%03d
    sed -i 's/\[{/[{"name":"b","program":"x","ranks":2},{/' new/plan.json
    sed 's/"job":"a"/"job":"b"/' once.log >>new/sweep.log
    sealed new
    tells 2 "# not known new/a/: 7 of 12 launches were made again after an earlier attempt" rank new
    # A sweep that was killed before the attempt ended, and resumed.
    rm -r new/b
    sed -i 's/{"name":"b"[^}]*},//' new/plan.json
    again 7
    sed -i '/"failed"/d; /"started".*"attempt":2/s/:00Z/:01Z/' new/sweep.log
    sealed new
    ovl 2 compare old new
    prints "# not known 7 of 12 launches were made again after an earlier attempt"
}
