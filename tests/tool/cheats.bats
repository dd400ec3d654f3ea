#!/usr/bin/env bats
# What a vendor might try to have a bad machine accepted, with which launches are shown, and what their records say was
# measured; cheats_settings.bats has how they ran. Each ends with a verdict that is not PASS, or the page ovl_accept(7)
# says that it remains possible.

load vendor

@test "the steps of ovl_accept(7) accept an honest sweep" {
    buyer "$(job a), $(job w ', "work_of": "a"')" "$(rule)"
    ovl 0 sweep plan.json -o s
    tells 0 "# sweep 1  s: 12 attempts for 12 launches, 0 failed, 0 without an end" accept limits.json s -o report.json
    prints "started 1 time on $(hostname) by ./launch -n 2" "PASS: 12 records are as the plan has their jobs"
    prints "PASS: its plan is one that the limits name"
    absent "none of ovl's" "$out"
    tells 0 "# sweep 1  s: 12 attempts for 12 launches, 0 failed, 0 without an end" accept --verify report.json
    ovl 0 report --limits limits.json s -o page.html
    has page.html "sweep 1  s: 12 attempts for 12 launches, 0 failed, 0 without an end"
    # A scan, and a plan that includes another, are the plans that they become.
    sed 's/"ranks": 2/"ranks": [2, 3]/g' plan.json >scan.json
    echo '{"plan": 1, "include": ["scan.json"]}' >whole.json
    echo "{\"limits\": 1, \"rules\": [$(rule)]}" >limits.json
    ovl 0 accept --bind whole.json limits.json
    sed -i 's/, {"name": "w".*"work_of": "a"}//' scan.json
    cp limits.json other.json
    ovl 0 sweep whole.json -o t
    tells 1 "FAIL: its plan has the SHA-256" accept other.json t
    echo "{\"limits\": 1, \"rules\": [$(rule)]}" >limits.json
    ovl 0 accept --bind whole.json limits.json
    ovl 0 accept limits.json t
}

@test "all records of a bad job are deleted" {
    buyer "$(job good), $(job bad)" "$(rule '{"min": 8192, "max": 8192}')"
    echo 5 >factor.bad
    caught 1 s
    rm s/bad/001.jsonl
    rejected 1 s
    rm s/bad/*.jsonl
    rejected 1 s
    prints "# sweep 1  s: 12 attempts for 12 launches" "#          no record is given of: bad"
    prints "FAIL: 12 attempts for 12 launches; no record of job bad is given, of which 6 launches ended well"
    tells 1 "#          no record is given of: bad" accept --verify report.json
    ovl 1 report --limits limits.json s -o page.html
    has page.html "no record is given of: bad" "<p>FAIL</p>"
    rm -r s/bad
    rejected 1 s
    rejected 1 s/good
}

# bats test_tags=long
@test "a job that misses the limit is one of four that measure the same" {
    buyer "$(job a), $(job b), $(job c), $(job d)" "$(rule '{"min": 8192, "max": 8192}')"
    echo 5 >factor.d
    caught 1 s
    grep -q 'ialltoall host 8K (job d) .* 6  FAIL: the whole interval misses the limit' <<<"$out"
    [ "$(grep -c '(job [abc]) .* 6  PASS$' <<<"$out")" = 3 ]
}

# bats test_tags=long
@test "retries of a job that is left out count" {
    buyer "$(job good), $(job bad)" "$(rule)"
    vendor 'case ${*: -1} in */bad/.001.jsonl) exit 7 ;; esac
exec ./drive "$@"'
    ovl 1 sweep plan.json -o s
    ovl 0 sweep plan.json -o s --resume
    rm -r s/bad
    rejected 1 s
    prints "13 attempts for 12 launches, 1 beyond one a launch: the limits allow 0"
}

@test "sizes that are bad are left out" {
    sizes=8K:16K
    buyer "$(job a)" "$(rule '{"min": 1}' 1)"
    accepted s
    local launches=1
    buyer "$(job a)" "$(rule '{"min": 1}' 1)"
    echo 16384 >lost
    caught 1 t "it lacks the cell of 16384 bytes in mode host"
    rm lost
    # Out of the record, before the sweep takes its SHA-256.
    vendor './drive "$@"; sed -i "/\"size_bytes\":16384,/d" "${@: -1}"'
    tells 1 "FAILED in 0." sweep plan.json -o u
    prints "its record is damaged: its end tells of other cells than it has"
    # Nor behind its back: what reads such a record takes it for one that was cut short.
    honest
    ovl 0 sweep plan.json -o y
    sed -i '/"size_bytes":16384,/d' y/a/001.jsonl
    tells 1 "/cells: 2, but the file has 1 cells of this run" accept limits.json y
    cp y/a/001.jsonl alone.jsonl
    ovl 0 show --format omb s/a/001.jsonl
    ovl 2 show --format omb alone.jsonl
    buyer "$(job a ', "modes": ["host", "dpu"]' | sed 's/"ranks": 2/"ranks": 3/')" "$(rule '{"min": 1}' 1)"
    vendor './drive "$@"; sed -i "/\"mode\":\"dpu\"/d; s/\"cells\":4/\"cells\":2/" "${@: -1}"'
    caught 1 v "it lacks the cell of 8192 bytes in mode dpu"
    # Of a second ratio, and an option that is not told.
    buyer "$(job a | sed 's/"-x", "2"/&, "--compute-ratio", "1,2"/')" "$(rule '{"min": 1}' 1)"
    vendor './drive "$@"; sed -i "s/\"compute_ratio\":\[1.0\]/\"compute_ratio\":[1.0,2.0]/" "${@: -1}"'
    caught 1 w "it lacks the cell of 8192 bytes and ratio 2 in mode host"
    buyer "$(job a)" "$(rule '{"min": 1}' 1)"
    # Of this version and schema, whose options a record tells.
    version=$("$OVL_BIN/ovl" --version | awk '{ print $2; exit }')
    schema=$(grep -o ', schema [0-9.]*' "$OVL_BUILD/share/ovl/record.schema.json" | awk '{ print $3 }')
    vendor './drive "$@"; sed -i "s/\"compute_ratio\":\[1.0\],//; s/\"ovl_version\":\"[^\"]*\"/\"ovl_version\":\"'"$version"'\"/; 1s/\"schema\":\"[^\"]*\"/\"schema\":\"'"$schema"'\"/" "${@: -1}"'
    caught 1 x "it does not tell its option "
}

@test "a launch runs several times and the best record is kept: told, and bound by start_seconds" {
    buyer "$(job a)" "$(rule)"
    sed -i 's/"launches": 6/"launches": 6, "order": "random"/' plan.json
    bound "$(rule)" '"start_seconds": 3,' # a busy machine takes a second or two
    has limits.json '"start_seconds": 3'
    accepted s
    vendor 'case ${*: -1} in */.003.jsonl) sleep 5 ;; esac
exec ./drive "$@"'
    caught 1 t
    grep -qE '^#          longest time of an attempt besides its record: ([5-9]|1[0-9]) s, of a, launch 3$' <<<"$out"
    prints " s besides its record: the limits allow 3"
    # A record that says that it began with its attempt, and measured nothing for so long.
    vendor 'from=$(date -u +%FT%TZ); case ${*: -1} in */.003.jsonl) sleep 8 ;; *) from= ;; esac
./drive "$@"; awk -v from="$from" '"'"'/"record":"run"/ && from { sub(/"started":"[^"]*/, "\"started\":\"" from) }
    /"record":"cell"/ { times = ""; for (i = 0; i < 8; i++) times = times (i ? "," : "") 0.1 + i * 1e-3
        sub(/"samples":/, "\"block_times\":{\"started_seconds\":[" times "]},&") } { print }'"'"' "${@: -1}" >more && mv more "${@: -1}"'
    caught 1 v "#          longest time of an attempt besides its record: "
    prints "besides its record: the limits allow 3"
    # All of the records in one file count, the worse of two cells for the rule.
    buyer "$(job a)" "$(rule)"
    vendor 'echo 5 >factor.a; ./drive "$@"; echo 1 >factor.a; exec ./drive "$@"'
    caught 1 u
}

# bats test_tags=long
@test "a second sweep is to thin out a failing one" {
    buyer "$(job a)" "$(rule)"
    echo 5 >factor.a
    caught 1 offered
    rm factor.a
    sed 's/"launches": 6/"launches": 8/' plan.json >own.json
    ovl 0 sweep own.json -o extra
    rejected 1 offered extra
    prints "FAIL: its plan has the SHA-256"
    rejected 1 extra
    prints "FAIL: no sweep is given of the plan with the SHA-256"
    # Of the same plan: each is judged by itself.
    for n in 1 2 3; do ovl 0 sweep plan.json -o "more$n"; done
    rejected 1 offered more1 more2 more3
    grep -qE '1 ialltoall host 8K (\(sweep .\) )? .* FAIL: the whole interval misses the limit' <<<"$out"
    [ "$(grep -cE '1 ialltoall host 8K .* PASS' <<<"$out")" = 3 ]
    # And flat, without a plan.
    mkdir flat
    cp more1/a/*.jsonl flat
    rejected 1 offered flat
    rejected 1 flat
    prints "INCONCLUSIVE: 6 launches are of no sweep, and the limits name the plan"
    # A plan that was eased after it was sent.
    sed 's/"-x", "2"/"-x", "2", "--compute-ratio", "0.2"/' plan.json >eased.json
    ovl 0 sweep eased.json -o eased
    rejected 1 eased
    # Without the name of a plan in the limits, a nonce is not enough.
    sed -i '/"plans": \[/,/\]/d; s/"nonce": "n-1",/"nonce": "n-1"/' limits.json
    rejected 2 more1
    prints "INCONCLUSIVE: a nonce, and the limits name no plan"
    rejected 1 offered more1
}

@test "the host job that the workers lose against is not looked at" {
    offload=$(job offload ', "modes": ["host", "dpu"]' | sed 's/"ranks": 2/"ranks": 3/; s/"launches"/&/')
    buyer "$(job host), $offload" "$(ratio dpu host 0.95)"
    echo 2 >factor.offload
    echo 1.8 >factor.offload.dpu
    caught 1 s
    grep -qE 'T / host +<= 0.95 +1.8 .* FAIL: the whole interval misses the limit' <<<"$out"
    # And where it is quick but a launch of it is gone.
    echo 0.9 >factor.offload.dpu
    accepted t
    rm t/host/003.jsonl
    rejected 1 t
    prints "FAIL: no valid cell of the baseline host beside 1 of 6 launches"
}

@test "the end of the log is cut off, and the bad launch measured again" {
    buyer "$(job a)" "$(rule)"
    vendor 'case ${*: -1} in */.006.jsonl) echo 5 >factor.a ;; esac
exec ./drive "$@"'
    ovl 0 sweep plan.json -o s
    # As it was sent after each launch.
    sent=$(sed -n '$p' s/sweep.log | tr -d '\n' | digest)
    middle=$(sed -n 5p s/sweep.log | tr -d '\n' | digest)
    rejected 2 s
    rm factor.a s/a/006.*
    head -n -2 s/sweep.log >shorter
    cp shorter s/sweep.log
    honest
    sleep 1
    ovl 0 sweep plan.json -o s --resume
    tells 0 "#          started 2 times on" accept limits.json s -o report.json
    prints "#          longest pause between attempts: "
    tells 0 "#          started 2 times on" accept --verify report.json
    sed -i "s/\"limits\": 1,/\"limits\": 1, \"log_lines\": [\"$middle\"],/" limits.json
    tells 2 "INCONCLUSIVE: 4 of 6 attempts ended behind the last line that was sent: these launches could be chosen" accept limits.json s
    last=$(tail -n 1 s/sweep.log | tr -d '\n' | digest)
    sed "s/\"log_lines\": \[/&\"$last\", /" limits.json >ended.json
    tells 0 "PASS: all 2 lines that were sent are in sweep.log; at most 4 attempts ended between two of them" accept ended.json s
    sed -i "s/\"log_lines\": \[/&\"$sent\", /" limits.json
    rejected 1 s
    prints "FAIL: 1 of 2 lines that were sent are in no sweep.log: $sent"
    # The line of the resume is chained as others are.
    sed -i '/"resume":true/d' s/sweep.log
    ovl 4 accept limits.json s
}

# bats test_tags=long
@test "records of an older sweep, of another job, folder or launch" {
    buyer "$(job a), $(job b)" "$(rule)"
    echo 5 >factor.b
    ovl 0 sweep plan.json -o s
    cp -r s kept
    # From before the nonce.
    sed 's/"nonce": "n-1"/"nonce": "n-0"/' plan.json >old.json
    rm factor.b
    ovl 0 sweep old.json -o old
    cp old/b/*.jsonl s/b
    rejected 1 s
    prints "FAIL: 6 of 12 records do not belong to sweep.log" "6 another than n-1"
    # Folders renamed.
    rm -r s && cp -r kept s && mv s/a s/c && mv s/b s/a && mv s/c s/b
    rejected 1 s
    prints "FAIL: 12 of 12 records do not belong to sweep.log" "it was written as b/.001.jsonl, and not as this launch"
    # A good launch copied over a bad one, with another run id and a log without SHA-256, which could be written anew.
    rm -r s && cp -r kept s
    sed 's/"run_id":"[^"]*/&-again/' s/a/001.jsonl >s/b/001.jsonl
    rejected 1 s
    prints "s/b/001.jsonl: not the file that its attempt left, by its SHA-256"
    sed -i 's/,"previous":"[^"]*"//; s/,"record_sha256":"[^"]*"//' s/sweep.log
    rejected 1 s
    prints "s/b/001.jsonl: it was written as a/.001.jsonl, and not as this launch"
    # The log, or the plan, is gone.
    rm -r s && cp -r kept s && rm s/sweep.log
    rejected 1 s
    prints "INCONCLUSIVE: no sweep.log shows which attempts made 12 of 12 records"
    rm s/plan.json
    rejected 1 s
    # An edited plan.
    cp -r kept/* s
    sed -i 's/"launches": 6/"launches": 5/' s/plan.json
    ovl 4 accept limits.json s
}

@test "limits match nothing, or are edited; a report is edited" {
    buyer "$(job a)" "$(rule 4096)"
    caught 1 s "FAIL: not measured: no cell matches"
    sed -i 's/"metric"/"required": false, "metric"/' limits.json
    rejected 2 s
    buyer "$(job a)" "$(rule)"
    echo 5 >factor.a
    caught 1 t
    cp limits.json kept.json
    sed -i 's/1.8e-5/1.8/' limits.json
    ovl 4 accept --verify report.json
    ovl 0 accept limits.json t -o eased.json
    cp kept.json limits.json
    ovl 4 accept --verify eased.json
    # With all that it names and its own digest, a report of other launches is one of other files.
    sed 's/"verdict": "FAIL"/"verdict": "PASS"/' report.json >forged.json
    ovl 4 accept --verify forged.json
    rm t/a/006.jsonl
    ovl 5 accept --verify report.json
}

@test "bind says what is wrong, and changes nothing then" {
    buyer "$(job a)" "$(rule)"
    cp limits.json kept.json
    ovl 0 accept --bind plan.json limits.json # once more is no more
    cmp limits.json kept.json
    grep -qE '"limit": 1.8e-5' limits.json
    refuses 3 "--bind takes a plan, and behind it one limits file" accept --bind plan.json
    ovl 3 accept --bind plan.json limits.json more
    ovl 5 accept --bind none.json limits.json
    ovl 5 accept --bind plan.json none.json
    sed 's/n-1/n-2/' plan.json >other.json
    refuses 4 "/nonce: the nonce of the plan is wanted here" accept --bind other.json limits.json
    cmp limits.json kept.json
    # Of several that are bound, it is the plan's own SHA-256 that is told.
    sed 's/"seed": *[0-9]*//; s/"launches":/"title": "two", &/' plan.json >two.json
    for plan in plan.json two.json plan.json; do
        ovl 0 accept --bind $plan limits.json
        [ "${out##*is }" = "$(jq -cjS . $plan | digest)" ]
    done
    cp kept.json limits.json
    ovl 0 accept --bind plan.json limits.json -o both.json
    sed -i 's/"plans": \[/&"x",/' limits.json
    refuses 4 "/plans/0: a SHA-256 of 64 digits is wanted here" accept limits.json plan.json
}

@test "the log is left out, and with it a job" {
    buyer "$(job a), $(job bad)" "$(rule)"
    sed -i 's/"limits": 1,/& "log_required": false,/' limits.json
    ovl 0 sweep plan.json -o s
    rm -r s/bad s/sweep.log
    rejected 1 s
    prints "FAIL: no record of job bad is given, and no sweep.log"
}

# less: a vendor whose launches do a twentieth of the work.
less() {
    # Samples of the work alone, and in T.
    cat >less.awk <<'SCRIPT'
function scale(before,    from, rest, n, k, i, x, text) {
    from = index($0, before) + length(before)
    rest = substr($0, from); n = index(rest, "]") - 1; k = split(substr(rest, 1, n), x, ",")
    for (i = 1; i <= k; i++) text = text (i > 1 ? "," : "") (x[i] == "null" ? "null" : sprintf("%.12g", x[i] / 20))
    $0 = substr($0, 1, from - 1) text substr(rest, n + 1)
}
/"record":"cell"/ {
    k = split("compute inner_compute", names, " ")
    for (i = 1; i <= k; i++) {
        at = index($0, "\"" names[i] "_seconds\":{\"max\":[")
        head = substr($0, 1, at - 1); $0 = substr($0, at)
        scale("\"max\":["); scale("\"mean\":["); $0 = head $0
    }
    if (match($0, /"units":[0-9]+/)) {
        n = int(substr($0, RSTART + 8, RLENGTH - 8) / 20)
        $0 = substr($0, 1, RSTART + 7) n substr($0, RSTART + RLENGTH)
    }
}
{ print }
SCRIPT
    vendor './drive "$@"; awk -f less.awk "${@: -1}" >less && mv less "${@: -1}"'
}

@test "the launch that sets the work of all does a twentieth of it" {
    buyer "$(job a)" "$(rule)"
    sed -i 's/"plan": 1/"plan": 1, "work_of": "a"/' plan.json
    bound "$(rule)"
    less
    caught 2 s "the multiple of the communication that the plan asks for"
}

# bats test_tags=long
@test "a job does a twentieth of the work beside others that do all of it" {
    buyer "$(job a), $(job b ', "baseline": "tuned"'), $(job c ', "baseline": "other"')" "$(rule)"
    less
    sed -i 's|; awk|; case ${*: -1} in */a/*) ;; *) exit ;; esac; awk|' launch
    caught 2 s "the multiple of the communication that the plan asks for"
}

@test "the work alone is disturbed, and beside the communication it is not" {
    buyer "$(job a)" "$(ratio host blocking 0.8)"
    vendor './drive "$@"; awk '"'"'/"record":"cell"/ {
            from = index($0, "\"compute_seconds\":{\"max\":[") + length("\"compute_seconds\":{\"max\":[")
            rest = substr($0, from); n = index(rest, "]") - 1; k = split(substr(rest, 1, n), x, ","); text = ""
            for (i = 1; i <= k; i++) text = text (i > 1 ? "," : "") 1.5 * x[i]
            rest = substr(rest, n + 1); sub(/"mean":\[[^]]*\]/, "\"mean\":[" text "]", rest)
            $0 = substr($0, 1, from - 1) text rest
        } { print }'"'"' "${@: -1}" >less && mv less "${@: -1}"'
    ovl 2 sweep plan.json -o s
    rejected 1 s
    prints "FAIL: 6 of 6 launches are invalid"
}

# eased FILE FROM: a record of the vendor's own, in which a cell has half the work.
eased() {
    mkdir -p "$(dirname "$1")"
    sed 's/"units":6950/"units":3475/' "$2" >"$1"
}

# works: makes ./drive take its work as a driver does, from the record of --work-from.
works() {
    cat >works <<'SCRIPT'
#!/bin/bash
./drive "$@"
for word; do [ "${before:-}" != --work-from ] || from=$word; before=$word; done
[ -z "${from:-}" ] || sed -i -E "s/\"units\":(6950|3475)/$(grep -oE '"units":(6950|3475)' "$from" | head -n 1)/" "${@: -1}"
SCRIPT
    chmod +x works
    vendor 'exec ./works "$@"'
}

# bats test_tags=long
@test "work is of a record of the vendor's own" {
    base=$OVL_TOP/tests/cli/data/ialltoall.jsonl
    eased evil/a/001.jsonl "$base"
    # Another record than that of the job that sets the work.
    buyer "$(job a), $(job w ', "work_of": "a"')" "$(rule)"
    works
    accepted s
    sed -i 's/"launches": 6/"launches": 1/' plan.json
    bound "$(rule)"
    vendor 'for word; do case $word in s/a/001.jsonl|t/a/001.jsonl) word=evil/a/001.jsonl ;; esac; words+=("$word"); done
exec ./works "${words[@]}"'
    caught 1 t "FAIL: 1 of 2 records are not as the plan has their jobs: t/w/001.jsonl: it did 3475 units of work at 8192 bytes, and a/001.jsonl has 6950"

    # The source does not tell how much work it did.
    vendor './drive "$@"; case ${*: -1} in */a/*) sed -i "s/\"units\":[0-9]*/\"units\":null/" "${@: -1}" ;; esac'
    caught 1 y "y/w/001.jsonl: a/001.jsonl, whose work it takes, does not tell its units at 8192 bytes"

    # Than the record that the plan names: its path, the lack of one, and what is in it.
    cp "$base" base.jsonl
    eased base.jsonl.d/evil.jsonl "$base"
    buyer "$(job a)" "$(rule)"
    sed -i 's/"launches"/"work_from": "base.jsonl", &/' plan.json
    ovl 0 accept --bind plan.json limits.json
    bound "$(rule)"
    has limits.json "$(digest <base.jsonl)"
    works
    ovl 0 sweep plan.json -o u
    tells 0 "PASS: its work is that of the record that the plan names" accept limits.json u
    vendor 'for word; do [ "$word" != base.jsonl ] || word=base.jsonl.d/evil.jsonl; words+=("$word"); done
exec ./works "${words[@]}"'
    caught 1 v "v/a/001.jsonl: it took its work from base.jsonl.d/evil.jsonl, which is not the plan's"
    vendor 'for word; do case $word in --work-from | base.jsonl) ;; *) words+=("$word") ;; esac; done
exec ./works "${words[@]}"'
    caught 1 w "w/a/001.jsonl: it did not take its work from base.jsonl"
    # Named by the beginning of an option, in a job's own words.
    cp plan.json named.json
    sed -i 's/"work_from": "base.jsonl", //; s/"-x"/"--work-f", "base.jsonl", &/' plan.json
    bound "$(rule)"
    has limits.json "$(digest <base.jsonl)"
    mv named.json plan.json
    bound "$(rule)"
    works
    cp base.jsonl kept.jsonl
    eased base.jsonl kept.jsonl
    caught 1 x "FAIL: base.jsonl has the SHA-256 $(digest <base.jsonl), which the limits do not name"
    # The buyer has the record that was sent.
    cp kept.jsonl base.jsonl
    rejected 1 x
    prints "x/a/001.jsonl: it did 3475 units of work at 8192 bytes, and base.jsonl has 6950"
    ovl 0 accept limits.json u
    rm base.jsonl
    rejected 2 u
    prints "INCONCLUSIVE: base.jsonl is not here, from which the plan takes work"
    ovl 5 accept --bind plan.json limits.json
    # As version 0.2.0 bound it, by the SHA-256 alone.
    cp kept.jsonl base.jsonl
    cp limits.json named.json
    jq '.work_from |= map(.sha256)' named.json >limits.json
    ovl 0 accept limits.json u
    jq '.work_from |= map(.sha256 = "'$(printf %064d 1)'")' named.json >limits.json
    ovl 1 accept limits.json u
    cp named.json limits.json
    # Limits that name the plan alone.
    sed -i -z 's/,\n "work_from": \[[^]]*\]//' limits.json
    rejected 2 u
    prints "INCONCLUSIVE: the limits name the plan, and not base.jsonl, from which it takes work"
}

@test "a job of a baseline whose cells no judged one is beside is named" {
    buyer "$(job a), $(job tuned ', "baseline": "tuned"'), {\"name\": \"tuned-r\", \"baseline\": \"tuned\", \"program\": \"ovl_ialltoall\", \"ranks\": 2,
        \"options\": [\"-m\", \"8K:8K\", \"-i\", \"8:8\", \"-x\", \"2\", \"--rotate\", \"2\"]}" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    vendor './drive "$@"; case ${*: -1} in */tuned-r/*) sed -i "s/\"rotate\":1/\"rotate\":2/g" "${@: -1}" ;; esac'
    ovl 0 sweep plan.json -o s
    ovl "0 1" accept limits.json s
    prints "but it was not compared with job tuned-r of that baseline, whose cells are of another point"
}

@test "the launch that sets the work of all has another run in its record" {
    base=$OVL_TOP/tests/cli/data/ialltoall.jsonl
    buyer "$(job a), $(job w ', "work_of": "a"')" "$(rule)"
    works
    accepted s
    vendor './works "$@"; case ${*: -1} in */a/*001.jsonl) sed "s/\"run_id\":\"/&b/; s/\"units\":6950/\"units\":3475/" "${@: -1}" >more; cat more >>"${@: -1}" ;;
        *) sed -i "s/\"units\":6950/\"units\":3475/" "${@: -1}" ;; esac'
    caught 1 t "it has more than one run, and a launch is one"
}

@test "work of two records, exchanged, or of a folder that was emptied" {
    base=$OVL_TOP/tests/cli/data/ialltoall.jsonl
    cp "$base" a.jsonl
    eased b.jsonl "$base"
    buyer "$(job a | sed 's/"-x"/"--work-from", "a.jsonl", &/'), $(job b | sed 's/"-x"/"--work-from", "b.jsonl", &/')" "$(rule)"
    bound "$(rule)"
    # Bound again, where one has changed since.
    cp a.jsonl first.jsonl
    cp b.jsonl a.jsonl
    refuses 4 "the SHA-256 of another record has this name" accept --bind plan.json limits.json
    cp first.jsonl a.jsonl
    works
    ovl 0 sweep plan.json -o s
    ovl 0 accept limits.json s
    # Judged where the plan's names are not there, by records beside the folder.
    mkdir at
    cp -r s limits.json at
    mv a.jsonl at/b.jsonl
    mv b.jsonl at/a.jsonl
    cd at
    tells 1 "which the limits do not name" accept limits.json s
    cd ..
    mkdir prev prev/a
    cp first.jsonl prev/a/001.jsonl
    rm -r s
    buyer "$(job a)" "$(rule)"
    sed -i 's/"launches"/"work_from": "prev", &/' plan.json
    bound "$(rule)"
    works
    ovl 0 sweep plan.json -o s
    ovl 0 accept limits.json s
    rm prev/a/001.jsonl
    refuses 5 "prev: no job takes work from it" sweep plan.json -o t
    tells 1 "INCONCLUSIVE: a record prev/a/001.jsonl with the SHA-256" accept limits.json s
}

@test "work of --compute-us was not done" {
    buyer "$(job a | sed 's/"-x"/"--compute-us", "1000", &/')" "$(rule)"
    vendor './drive "$@"; sed -i "s/\"compute_us\":null/\"compute_us\":1000.0/; s/\"ratio\":1.0,\"us\":null/\"ratio\":null,\"us\":1000.0/" "${@: -1}"'
    caught 2 s "the work is 0.01"
}

# bats test_tags=long
@test "equal units of a baseline took much longer" {
    buyer "$(job tuned ', "baseline": "tuned"'), $(job a)" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    accepted s
    # The work alone, the work in T, and T.
    cat >slow.awk <<'SCRIPT'
/"record":"cell"/ {
    k = split("compute inner_compute total", names, " ")
    for (i = 1; i <= k; i++) {
        at = index($0, "\"" names[i] "_seconds\":{\"max\":[")
        head = substr($0, 1, at - 1); $0 = substr($0, at)
        for (m = 1; m <= 2; m++) {
            before = m == 1 ? "\"max\":[" : "\"mean\":["
            from = index($0, before) + length(before)
            rest = substr($0, from); n = index(rest, "]") - 1; c = split(substr(rest, 1, n), x, ","); text = ""
            for (j = 1; j <= c; j++) text = text (j > 1 ? "," : "") sprintf("%.12g", x[j] * 1.5)
            $0 = substr($0, 1, from - 1) text substr(rest, n + 1)
        }
        $0 = head $0
    }
}
{ print }
SCRIPT
    vendor './drive "$@"; case ${*: -1} in */tuned/*) awk -f slow.awk "${@: -1}" >slow && mv slow "${@: -1}" ;; esac'
    caught 2 t "different work than the baseline tuned in 6 of 6 launches"
}

# bats test_tags=long
@test "attempts that found wrong data are made again" {
    buyer "$(job a)" "$(rule)"
    bound "$(rule)" '"retries": 3,'
    # Whatever the launcher makes of the program's code, or a crash behind the cell, or a line that is none.
    for end in "exit 4" "exit 5" "exit 1" "exit 0" "echo { >>\"\${@: -1}\"; exit 5"; do
        rm -rf s done.*
        vendor './drive "$@"; case ${*: -1} in */.00[13].jsonl) sed -i "s/\"validated\":true/\"validated\":false/" "${@: -1}"; '"$end"' ;; esac'
        ovl 4 sweep plan.json -o s
        ovl 4 sweep plan.json -o s --resume
        rejected 1 s
        prints "FAIL: 8 attempts for 6 launches; 2 found wrong data, which no other attempt makes right"
    done
    # Its lines are cut from the log, and one of its files is forgotten.
    rm -rf s done.*
    vendor './drive "$@"'
    ovl 0 sweep plan.json -o s
    # Of an attempt that the log tells, too.
    for left in 003-2.partial 003.partial .003.jsonl; do
        sed 's/"validated":true/"validated":false/' s/a/003.jsonl >s/a/$left
        rejected 1 s
        prints "FAIL: 6 attempts for 6 launches; 1 found wrong data, which no other attempt makes right"
        ovl 4 sweep --status s
        rm s/a/$left
    done
    # The data are wrong whatever the program is called; what its exit code 4 means, it alone knows.
    for spoil in 's/\"validated\":true/\"validated\":false/' ''; do
        rm -rf s done.*
        buyer "$(job a | sed 's/"ovl_ialltoall"/".\/ovl_wrap"/')" "$(rule)"
        bound "$(rule)" '"retries": 3,'
        vendor './drive "$@"; case ${*: -1} in */.00[13].jsonl) sed -i "'"$spoil"'" "${@: -1}"; exit 4 ;; esac'
        if [ -z "$spoil" ]; then
            ovl 1 sweep plan.json -o s
            ovl 0 sweep plan.json -o s --resume
            break
        fi
        ovl 4 sweep plan.json -o s
        ovl 4 sweep plan.json -o s --resume
        rejected 1 s
        prints "2 found wrong data, which no other attempt makes right"
    done
    "$OVL_BIN/ovl" accept limits.json s >wrapped || [ $? = 2 ]
    absent "found wrong data" "$(cat wrapped)"
}

@test "a baseline has a name of its own" {
    for name in blocking host; do
        echo "{\"plan\": 1, \"nonce\": \"host\", \"launches\": 6, \"jobs\": [$(job a ", \"baseline\": \"$name\"")]}" >plan.json
        echo "{\"limits\": 1, \"rules\": [$(rule)]}" >limits.json
        refuses 4 "plan.json:1: /jobs/0/baseline: a name of its own is wanted here" accept --bind plan.json limits.json
        ovl 4 sweep plan.json -o s
    done
}

# bats test_tags=long
@test "of several ways of a baseline the quickest is invalid in every launch" {
    sizes=8K:16K
    # A program of another name: a driver of ovl's calls MPI_Test so often in all cells, or in none.
    buyer "$(job a ', "modes": ["host", "dpu"]' | sed 's/"ranks": 2/"ranks": 3/; s/"ovl_ialltoall"/"theirs"/')" "$(ratio dpu 'host -t' 0.95)"
    echo 0.9 >factor.a.dpu
    ways() { # the status of the second way
        vendor './drive "$@"; awk "$(cat "$OVL_TOP/tests/tool/totals.awk")"'"'"'
            { sub(/"num_test_calls":0,/, "") }
            /"mode":"host","size_bytes":8192,/ { print; sub(/"test_calls":0/, "\"test_calls\":16"); print total($0, 1 + 3e-12)
                $0 = total($0, 1 + 7e-12); sub(/"test_calls":16/, "\"test_calls\":4"); sub(/"status":"[a-z_]*"/, "\"status\":\"'"$1"'\""); print; next }
            /"record":"end"/ { sub(/"cells":4/, "\"cells\":6") }
            { print }'"'"' "${@: -1}" >more && mv more "${@: -1}"'
    }
    ways ci_not_reached
    accepted s
    ways invalid
    ovl 2 sweep plan.json -o t
    rejected 1 t
    prints "FAIL: no valid cell of the baseline host -t beside 6 of 6 launches"
}

@test "a cell is no baseline of itself" {
    buyer "$(job a)" "$(ratio host host 1)"
    caught 1 s "FAIL: no valid cell of the baseline host beside 6 of 6 launches"
}

# late CELLS: vendor's words that give cells of these words samples whose ranks start 1 ms apart, and leave the status.
late() {
    local list='[1e-3,1e-3,1e-3,1e-3,1e-3,1e-3,1e-3,1e-3]' kind samples=
    for kind in comm blocking total; do samples+="\"${kind}_late_seconds\":{\"max\":$list,\"mean\":$list},"; done
    echo './drive "$@"; sed -i '"'/$1/s/\"samples\":{/&$samples/'"' "${@: -1}"'
}

# bats test_tags=long
@test "the status of a cell is better than its samples" {
    buyer "$(job tuned ', "baseline": "tuned"'), $(job a)" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    accepted s
    sed -i 's/"launches": 6/"launches": 1/' plan.json
    bound "$(ratio host tuned 0.95)"
    vendor "case \${*: -1} in */a/*) $(late '"size_bytes":8192,') ;; *) ./drive \"\$@\" ;; esac"
    caught 1 t "FAIL: 1 of 1 launches are invalid"
    vendor "case \${*: -1} in */tuned/*) $(late '"size_bytes":8192,') ;; *) ./drive \"\$@\" ;; esac"
    caught 1 u "FAIL: no valid cell of the baseline tuned beside 1 of 1 launches"
}

@test "a record that ended before it began, or does not say when, hides how long its attempt took" {
    local launches=1
    buyer "$(job a)" "$(rule)"
    for finished in 2026-01-01T00:00:00Z never 2099-01-01T00:00:00Z '","other":"'; do
        vendor './drive "$@"; sed -i "s/\"finished\":\"[^\"]*/\"finished\":\"'$finished'/; s/\"finished\":\"\",//" "${@: -1}"'
        rm -rf s
        caught 1 s
        grep -qE "1 of 1 records do not belong to sweep.log: s/a/001.jsonl: it (ended before it began, by its own times|ended at another time than its attempt|does not say when it ended)" <<<"$out"
    done
}

# bats test_tags=long
@test "no record tells the work, or all take that of an odd launch" {
    sizes=8K:16K
    buyer "$(job tuned ', "baseline": "tuned"'), $(job a)" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    vendor './drive "$@"; sed -i "s/\"units\":[0-9]*/\"units\":null/" "${@: -1}"'
    caught 2 s "INCONCLUSIVE: different work than the baseline tuned in 6 of 6 launches"
    tells 2 "INCONCLUSIVE: different work" compare s/tuned s/a --paired
    grep -q '^# in 2 cells the launches did not the same work (no record tells it)' <<<"$out"
    # Other load on the network in the first launch alone.
    rm factor.a
    buyer "$(job a)" "$(rule)"
    sed -i 's/"plan": 1/"plan": 1, "work_of": "a"/' plan.json
    bound "$(rule)"
    vendor './drive "$@"; case ${*: -1} in */.001.jsonl) ;; *) exit ;; esac
awk "{ at = index(\$0, from) + length(from); if (at > length(from)) { rest = substr(\$0, at); n = index(rest, \"]\") - 1
    k = split(substr(rest, 1, n), x, \",\"); text = \"\"; for (i = 1; i <= k; i++) text = text (i > 1 ? \",\" : \"\") 1.8 * x[i]
    \$0 = substr(\$0, 1, at - 1) text substr(rest, n + 1) } print }" from="\"comm_seconds\":{\"max\":[" "${@: -1}" >odd && mv odd "${@: -1}"
sed -i -E "s/(\"comm_seconds\":\{\"max\":)(\[[^]]*\])(,\"mean\":)\[[^]]*\]/\1\2\3\2/" "${@: -1}"'
    caught 2 t "a/001.jsonl, whose work all take, has 1.8 times the communication of the other launches of its job at"
}

# bats test_tags=long
@test "a record is played again as another launch" {
    sizes=8K:16K
    buyer "$(job a)" "$(rule)"
    accepted s
    vendor './drive "$@"
[ -e kept ] || { cp "${@: -1}" kept; exit; }
awk '"'"'FNR == NR { if (match($0, /"samples":.*/)) kept[FNR] = substr($0, RSTART); next }
    FNR in kept { sub(/"samples":.*/, ""); $0 = $0 kept[FNR] } { print }'"'"' kept "${@: -1}" >played && mv played "${@: -1}"'
    caught 1 t "FAIL: 10 of 12 cells have every sample of another: t/a/002.jsonl those of t/a/001.jsonl"
    # As launches of another sweep.
    cp plan.json first.json
    sed -i 's/"plan": 1,/"plan": 1, "title": "after delivery",/' plan.json
    ovl 0 accept --bind plan.json limits.json
    honest
    rm measured
    ovl 0 sweep plan.json -o s2
    rejected 1 s s2
    prints "FAIL: 12 of 12 cells have every sample of another: s2/a/001.jsonl those of s/a/001.jsonl"
    mv first.json plan.json
    # In another order.
    vendor './drive "$@"
[ -e kept ] || { cp "${@: -1}" kept; exit; }
awk '"'"'FNR == NR { if (match($0, /"samples":.*/)) kept[FNR] = substr($0, RSTART); next }
    FNR in kept { sub(/"samples":.*/, ""); $0 = $0 kept[FNR] } { print }'"'"' kept "${@: -1}" >played && mv played "${@: -1}"'
    sed -i "s|played \&\& mv played|played \&\& sed '/\"record\":\"cell\"/s/\\\\[\\\\([^],]*\\\\),\\\\([^]]*\\\\)\\\\]/[\\\\2,\\\\1]/g' played >|" launch
    rm kept
    caught 1 v "FAIL: 10 of 12 cells have every sample of another: v/a/002.jsonl those of v/a/001.jsonl"
    # As a launch of another job, whose cell is of another point.
    buyer "$(job h), $(job ht | sed 's/"-x"/"-t", "16", &/')" "$(rule)"
    vendor './drive "$@"
case ${*: -1} in */h/*) cp "${@: -1}" kept; exit ;; esac
sed -i "s/\"test_calls\":0/\"test_calls\":16/; s/\"num_test_calls\":0/\"num_test_calls\":16/" "${@: -1}"
awk '"'"'FNR == NR { if (match($0, /"samples":.*/)) kept[FNR] = substr($0, RSTART); next }
    FNR in kept { sub(/"samples":.*/, ""); $0 = $0 kept[FNR] } { print }'"'"' kept "${@: -1}" >played && mv played "${@: -1}"'
    caught 1 w "FAIL: 12 of 24 cells have every sample of another: w/h"
    # And as another cell of the same launch.
    buyer "$(job a)" "$(rule)"
    vendor './drive "$@"
awk '"'"'match($0, /"samples":.*/) { kept = kept ? kept : substr($0, RSTART); sub(/"samples":.*/, ""); $0 = $0 kept } { print }'"'"' "${@: -1}" >played && mv played "${@: -1}"'
    caught 1 x "FAIL: 6 of 12 cells have every sample of another: x/a/001.jsonl those of x/a/001.jsonl"
    # A busy machine may drop every sample of a cell in several launches: these are none that two share.
    vendor './drive "$@"
awk '"'"'/"size_bytes":16384,/ { at = index($0, "\"samples\":"); none = substr($0, at); $0 = substr($0, 1, at - 1)
    sub(/"status":"[a-z_]*"/, "\"status\":\"invalid\""); gsub(/[0-9][0-9.]*(e-?[0-9]+)?/, "null", none); $0 = $0 none } { print }'"'"' \
    "${@: -1}" >dropped && mv dropped "${@: -1}"'
    ovl 2 sweep plan.json -o u
    ovl 0 accept limits.json u
}

# bats test_tags=long
@test "a launch that did not come to its end is a crashed one, with a log and without" {
    buyer "$(job tuned ', "baseline": "tuned"'), $(job a)" "$(rule), $(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    accepted s
    mkdir flat
    for i in {1..6}; do cp "s/a/00$i.jsonl" "flat/$i.jsonl"; done
    echo "{\"limits\": 1, \"log_required\": false, \"rules\": [$(rule)]}" >flat.json
    ovl 0 accept flat.json flat
    sed -i 's/"status":"complete"/"status":"failed"/' flat/1.jsonl
    tells 1 "FAIL: 1 of 6 launches are invalid" accept flat.json flat
    sed -i '/"record":"end"/d' flat/1.jsonl
    ovl 1 accept flat.json flat
    # Of a baseline.
    sed -i 's/"status":"complete"/"status":"failed"/' s/tuned/00?.jsonl
    tells 1 "FAIL: no valid cell of the baseline tuned beside 6 of 6 launches" accept limits.json s
}

# set_totals VALUE: vendor's words that make every T of a record VALUE seconds.
set_totals() {
    echo './drive "$@"; awk '"'"'{ before = "\"total_seconds\":{\"max\":["; at = index($0, before); if (at) { at += length(before)
        rest = substr($0, at); n = index(rest, "]") - 1; k = split(substr(rest, 1, n), x, ","); text = ""
        for (i = 1; i <= k; i++) text = text (i > 1 ? "," : "") "'"$1"'"
        rest = substr(rest, n + 1); sub(/"mean":\[[^]]*\]/, "\"mean\":[" text "]", rest)
        $0 = substr($0, 1, at - 1) text rest } print }'"'"' "${@: -1}" >edited && mv edited "${@: -1}"'
}

@test "times below zero, or shorter than the work in them, are no measurement" {
    local launches=1
    buyer "$(job a)" "$(rule), $(ratio host blocking 0.95)"
    for total in -1e-6 1e-300 5e-6; do
        vendor "$(set_totals $total)"
        rm -rf s
        ovl 2 sweep plan.json -o s
        rejected 1 s
        [ "$(grep -c 'FAIL: 1 of 1 launches are invalid' <<<"$out")" = 2 ]
    done
}

@test "a launch has a cell twice, the better one first" {
    buyer "$(job a)" "$(rule)"
    echo 5 >factor.a
    vendor './drive "$@"; awk '"'"'/"size_bytes":8192,/ { bad = $0; getline good <"'"$OVL_TOP"'/tests/cli/data/ialltoall.jsonl"
        getline good <"'"$OVL_TOP"'/tests/cli/data/ialltoall.jsonl"; sub(/"run_id":"[^"]*"/, substr(bad, match(bad, /"run_id":"[^"]*"/), RLENGTH), good)
        print good } /"record":"end"/ { sub(/"cells":1/, "\"cells\":2") } { print }'"'"' "${@: -1}" >more && mv more "${@: -1}"'
    caught 1 s "# note  6 cells that a launch has twice: the worse counts"
    grep -qE '1 ialltoall host 8K .* FAIL: the whole interval misses the limit' <<<"$out"
    tells 4 "this run has the cell twice: it is in line 2, too" validate s/a/001.jsonl
}

@test "launches that the log ended well are left out, of a job that no rule asks for" {
    buyer "$(job a), $(job b | sed 's/8K:8K/16K:16K/')" "$(rule)"
    ovl 0 sweep plan.json -o s
    rm s/b/00[2-6].jsonl
    rejected 1 s
    prints "FAIL: 12 attempts for 12 launches; no record is given of 5 that ended well"
}

# bats test_tags=long
@test "two launches are disturbed, one of which sets the work of all" {
    buyer "$(job a)" "$(rule)"
    sed -i 's/"plan": 1/"plan": 1, "work_of": "a"/' plan.json
    bound "$(rule)"
    vendor './drive "$@"; case ${*: -1} in */.001.jsonl) by=1.8 ;; */.006.jsonl) by=1.9 ;; *) exit ;; esac
awk -v by=$by -v from="\"comm_seconds\":{\"max\":[" "{ at = index(\$0, from) + length(from); if (at > length(from)) {
    rest = substr(\$0, at); n = index(rest, \"]\") - 1; k = split(substr(rest, 1, n), x, \",\"); text = \"\"
    for (i = 1; i <= k; i++) text = text (i > 1 ? \",\" : \"\") by * x[i]
    rest = substr(rest, n + 1); sub(/\"mean\":\[[^]]*\]/, \"\\\"mean\\\":[\" text \"]\", rest)
    \$0 = substr(\$0, 1, at - 1) text rest } print }" "${@: -1}" >odd && mv odd "${@: -1}"'
    caught 2 s "a/001.jsonl, whose work all take, has 1.8 times the communication of the other launches"
}

@test "cells contradict the options of their own run" {
    local launches=1
    buyer "$(job a)" "$(rule)"
    vendor './drive "$@"; sed -i -f edit.sed "${@: -1}"'
    while read -r what from to; do
        printf '%s\n' '/"record":"run"/s/"options":{/&"type":"char","skew":"none",/' "/\"record\":\"cell\"/s/$from/$to/" >edit.sed
        caught 1 "$what" "bytes contradicts its options: /"
    done <<'END'
kind "kind":"fma" "kind":"sleep"
skew "skew":"none" "skew":"random:100"
persistent "persistent":false "persistent":true
type MPI_CHAR MPI_INT
tests "test_calls":0 "test_calls":16
rotate "rotate":1 "rotate":2
engine "name":"mpi" "name":"other"
checked "validated":true "validated":null
END
    # The two quickest blocks of eight, of -i 8:8.
    echo '/"record":"cell"/s/:\[\([^],]*\),\([^],]*\),[^]]*\]/:[\1,\2]/g; s/"blocks":8/"blocks":2/' >edit.sed
    caught 1 blocks "bytes contradicts its options: /samples: 2 blocks in"
    echo '/"record":"cell"/s/"units":6950/"units":69500/' >edit.sed
    caught 1 units "/compute/units: 69500 in 1.13e-05 s, and the kernel does 6.09e+08 a second"
    ovl 4 validate skew/a/001.jsonl
    prints '/skew: "random:100", by the option skew of "none"'
}

@test "options of work and workers are put back, and the cells and the run say what was done" {
    local launches=1
    # Words, and options, are the plan's.
    buyer "$(job a | sed 's/"-x"/"--compute-us", "1000", &/')" "$(rule)"
    for told in '"ratio":null,"us":null' '"ratio":1.0,"us":null' '"ratio":1.0,"us":1000.0'; do
        vendor './drive "$@"; sed -i '"'s/\"compute_us\":null/\"compute_us\":1000.0/; s/\"ratio\":1.0,\"us\":null/$told/'"' "${@: -1}"'
        rm -rf s
        caught 1 s "bytes contradicts its options: /compute/"
    done
    while IFS='|' read -r words why; do
        buyer "$(job a ', "modes": ["host", "dpu"]' | sed "s/\"ranks\": 2/\"ranks\": 3/; s/\"-x\"/$words, &/")" "$(rule)"
        rm -rf s
        caught 1 s "bytes contradicts its options: $why"
    done <<'END'
"--worker-slowdown", "8"|/offload/slowdown: 1, by the option worker_slowdown of 8
"--path", "cma"|/offload/path: "", by the option path of "cma"
"--algorithm", "bruck"|/engine/algorithm: "", by the option algorithm of "bruck"
END
}

@test "the clock of a cell is slower than the run's, or so slow that starts show nothing" {
    local launches=1
    buyer "$(job a)" "$(rule)"
    vendor "$(late '"size_bytes":8192,'); sed -i 's/\"clock_read_seconds\":[0-9.e-]*/\"clock_read_seconds\":0.001/' \"\${@: -1}\""
    caught 1 s "FAIL: 1 of 1 launches are invalid"
    vendor "$(late '"size_bytes":8192,'); sed -i 's/read_seconds\":[0-9.e-]*/read_seconds\":0.001/' \"\${@: -1}\""
    caught 1 t "FAIL: 1 of 1 launches are invalid"
    # One sample of T for eight blocks, the least.
    vendor './drive "$@"; sed -i -E "s/(\"total_seconds\":\{\"max\":\[[^],]*)[^]]*/\1,null,null,null,null,null,null,null/; s/(\"total_seconds\":\{\"max\":[^]]*\],\"mean\":\[[^],]*)[^]]*/\1,null,null,null,null,null,null,null/" "${@: -1}"'
    ovl 2 sweep plan.json -o u
    rejected 1 u
    prints "FAIL: 1 of 1 launches are invalid"
}

@test "a run took longer than its attempt, by its own times" {
    buyer "$(job a)" "$(rule)"
    vendor './drive "$@"; sed -i "s/\"finished\":\"[^\"]*/\"finished\":\"$(date -u +%FT%TZ -d "+100 sec")/" "${@: -1}"'
    caught 1 s "it took longer than its attempt, by its own times"
}

@test "outputs of attempts are edited or removed after the report" {
    buyer "$(job a)" "$(rule)"
    ovl 0 sweep plan.json -o s
    ovl 0 accept limits.json s -o report.json
    [ -e s/a/003.log ]
    echo fine >s/a/003.log
    tells 4 "s/a/003.log: CHANGED since the report" accept --verify report.json
    rm s/a/003.log
    ovl 5 accept --verify report.json
}

# longer NAMES FACTOR [FROM]: a vendor whose samples of these kinds take so many times as long, in blocks from that one on.
longer() {
    cat >longer.awk <<'SCRIPT'
function scale(before,    from, rest, n, k, i, x, text) {
    from = index($0, before) + length(before)
    rest = substr($0, from); n = index(rest, "]") - 1; k = split(substr(rest, 1, n), x, ",")
    for (i = 1; i <= k; i++) text = text (i > 1 ? "," : "") (x[i] == "null" ? "null" : sprintf("%.12g", x[i] * (i < first ? 1 : by)))
    $0 = substr($0, 1, from - 1) text substr(rest, n + 1)
}
/"record":"cell"/ {
    n = split(names, name, " ")
    for (m = 1; m <= n; m++) {
        at = index($0, "\"" name[m] "_seconds\":{\"max\":[")
        head = substr($0, 1, at - 1); $0 = substr($0, at)
        scale("\"max\":["); scale("\"mean\":["); $0 = head $0
    }
}
{ print }
SCRIPT
    vendor './drive "$@"; awk -v names="'"$1"'" -v by='"$2"' -v first='"${3:-1}"' -f longer.awk "${@: -1}" >longer && mv longer "${@: -1}"'
}

@test "the work alone is disturbed in more than half of the blocks" {
    buyer "$(job a)" "$(ratio host blocking 0.99)"
    longer compute 1.15 4
    caught 2 s "INCONCLUSIVE: the work by itself took longer than beside the communication, by 0."
}

@test "the library makes the blocking calls three times as long, to which the ratio is taken" {
    buyer "$(job a)" "$(ratio host blocking 0.99)"
    longer blocking 3
    caught 2 s "INCONCLUSIVE: blocking calls take over 2.5 times as long as non-blocking ones alone in 6 of 6"
    # So does a metric that has the time of blocking calls in it.
    longer blocking 20
    local word metric op limit
    for word in 'speedup_vs_blocking >= 1.5' 'efficiency_vs_blocking >= 0.6' 'nbc_penalty_ratio <= 0.5'; do
        read -r metric op limit <<<"$word"
        bound '{"match": {"benchmark": "ialltoall", "mode": "host", "size_bytes": 8192}, "metric": "'"$metric"'", "operator": "'"$op"'", "limit": '"$limit"'}'
        rm -rf s
        caught 2 s "INCONCLUSIVE: blocking calls take over 2.5 times as long as non-blocking ones alone in 6 of 6"
    done
    # Without mode host, too: those of the workers tell.
    buyer "$(job a ', "modes": ["dpu"]' | sed 's/"ranks": 2/"ranks": 3/')" "$(ratio dpu blocking 1.1)"
    accepted w
    longer blocking 3
    caught 2 d "INCONCLUSIVE: blocking calls take over 2.5 times as long as non-blocking ones alone in 6 of 6"
}

@test "the communication alone is disturbed, until it takes longer than T" {
    buyer "$(job a)" "$(ratio host blocking 0.8)"
    longer "comm blocking" 8
    ovl 2 sweep plan.json -o s
    rejected 1 s
    prints "FAIL: 6 of 6 launches are invalid"
}
