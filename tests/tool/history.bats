#!/usr/bin/env bats
# `ovl history` on launches whose change is known.

load tool

# era FOLDER COUNT FACTOR DATE REVISION [FORM]: launches() of that day and that revision.
era() {
    launches "$1" "$2" "$3" ${6:+"$6"}
    sed -i "s/\"started\":\"2026-01-01T/\"started\":\"$4T/; 1s/\"git\":\"[^\"]*\"/\"git\":\"$5\"/" "$1"/*.jsonl
}

@test "history finds where launches changed, and says what changed there" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    era c 12 0.9 2026-01-03 bbb2222
    sed -i '1s/"seed":1,/"seed":1,"blas":"other",/' c/*.jsonl
    tells 0 "# launches 52 in 52 files, 2026-01-01T00:01:00Z .. 2026-01-03T00:12:00Z" history b a c
    [ "$(grep -cE '  21  2026-01-02T00:01:00Z .* 1\.10[0-9] .* aaa1111 -> bbb2222 +WORSE$' <<<"$out")" = 4 ]
    [ "$(grep -cE '  41  2026-01-03T00:01:00Z .* 0\.8[0-9]+ .* bbb2222 +BETTER$' <<<"$out")" = 4 ]
    prints "# at       2026-01-02T00:01:00Z: 4 changes; b/1.jsonl"
    # A change is at one of some launches, and so is what caused it.
    [ "$(grep -cE '  21  2026-01-02T00:01:00Z +(20-)?2[12](-22)? ' <<<"$out")" = 4 ]
    grep -qE '^# places   2026-01-0[12]T00:[0-9:]*Z .. 2026-01-02T00:0[12]:00Z; b/[12].jsonl after a/(19|20).jsonl$' <<<"$out"
    prints "# note     git: aaa1111 -> bbb2222" "# differs  blas: not set -> other"
    prints "# outcome  4 changes for the worse, 4 for the better"
}

@test "a new change for the worse fails, an old one, a small one and one for the better do not" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    ovl 1 history a b --since 2026-01-02
    [ "$(grep -c ' new WORSE$' <<<"$out")" = 4 ]
    prints "# outcome  4 changes for the worse since 2026-01-02"
    ovl 1 history a b --since bbb
    ovl 1 history a b --since 2026-01-02T00:01:00Z
    ovl 0 history a b --since 2026-01-02T00:04:00Z # its possible places are a launch or two around it
    [ "$(grep -c ' WORSE$' <<<"$out")" = 4 ]
    ovl 0 history a b --since 2026-01-02 --delta 0.2
    [ "$(grep -c ' new WORSE, within 0.2$' <<<"$out")" = 4 ]
    prints "# outcome  0 changes for the worse since 2026-01-02"
    # More is better of a gain: less of it is a change for the worse.
    ovl 1 history a b --since 2026-01-02 -m speedup_vs_blocking
    [ "$(grep -c ' new WORSE$' <<<"$out")" = 4 ]
}

@test "what did not change is steady, and too few launches are told" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1 2026-01-02 bbb2222
    ovl 0 history a b --since bbb2222
    [ "$(grep -c ' no change in 40 launches$' <<<"$out")" = 4 ]
    ovl 2 history a/1.jsonl a/2.jsonl
    [ "$(grep -c ' too few launches: 2, and 10 are needed$' <<<"$out")" = 4 ]
    prints "# outcome  no point has the 10 launches that a change needs"
}

@test "two cells of which one has a launch too few for two settle on the other" {
    era a 11 1 2026-01-01 aaa1111
    sed -i '3d; s/"cells":4/"cells":3/' a/11.jsonl
    tells 0 " no change in 11 launches" history a --filter 'size_bytes=^(8192|16384)$'
    prints " too few launches: 10, and 11 are needed"
}

@test "a level that leaves what has no ratio is worse by its difference" {
    mkdir a
    for ((i = 10; i < 34; i++)); do
        value=$([ $i -lt 22 ] && echo "-2e-06" || echo "3e-05")
        sed -E "s/20[0-9]{6}T[0-9]{6}Z-[0-9a-f]{16}/a-$i/; s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$i:00Z/
            s/\"samples_crc32\":\"../\"samples_crc32\":\"$i/; s/\"exposed_comm_seconds\":\{\"value\":[-0-9.e]+/\"exposed_comm_seconds\":{\"value\":$value/" "$data/fft3d.jsonl" >a/$i.jsonl
    done
    ovl 1 history a -m exposed_comm_seconds --since 2026-01-01
    grep -qE ' -2.00 +30.00 +- .* new WORSE$' <<<"$out"
}

@test "launches of other work, without a claim and copies do not count" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    units=$(sed -n '2s/.*"units":\([0-9]*\).*/\1/p' a/3.jsonl)
    sed -i "2s/\"units\":$units/\"units\":$((units + 1))/" a/3.jsonl
    sed -i '3s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' a/4.jsonl
    cp a/5.jsonl a/again.jsonl
    tells 0 "# note     1 copy of a launch passed over" history a b
    prints "# left out: 1 value of no claim" "# left out: 1 value at work that too few launches did"
    [ "$(grep -c '  20  2026-01-02T00:01:00Z .* WORSE$' <<<"$out")" = 2 ]
    ovl 0 history a b --any-work
    absent 'at work' "$out"
    ovl 0 history a b -m comm_seconds
    absent 'at work' "$out"
}

@test "launches that read another file of a model are of other work, and are not compared" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.5 2026-01-02 bbb2222
    sed -i 's/"hosts":/"input_files":{"model":"'"$(digest <<<one)"'"},&/' a/*.jsonl
    sed -i 's/"hosts":/"input_files":{"model":"'"$(digest <<<two)"'"},&/' b/*.jsonl
    for metric in total_seconds comm_seconds; do
        ovl 0 history a b -m $metric
        absent WORSE "$out"
        prints " model_sha256=$(digest <<<one | cut -c 1-12) units="
        prints " model_sha256=$(digest <<<two | cut -c 1-12) units="
    done
    ovl 5 compare a b
    prints "# differs  input_files.model: $(digest <<<one) -> $(digest <<<two)"
    ovl 2 compare --across a b --any-work
    [ "$(grep -c 'INCONCLUSIVE: different work' <<<"$out")" = 4 ]
}

@test "nothing measured since the point is no pass" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1 2026-01-02 bbb2222
    ovl 0 history a b --since 2026-01-02
    # One cell, then all, of no claim; and no launch at all.
    sed -i '3s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' b/*.jsonl
    tells 2 "# outcome  not known: in 1 cell too few launches since 2026-01-02 show anything" history a b --since 2026-01-02
    ovl 0 history a b
    sed -i '/"record":"end"/d' b/*.jsonl
    tells 2 "in 4 cells too few launches since 2026-01-02T00:01:00Z show anything" history a b --since bbb2222
    ovl 2 history a --since 2026-01-02
    # A change for the worse is known whatever else is not.
    era b 20 1.1 2026-01-02 bbb2222
    sed -i '3s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' b/*.jsonl
    ovl 1 history a b --since 2026-01-02
    # A cell that is new has too few launches yet, and nothing is wrong.
    era b 20 1 2026-01-02 bbb2222
    sed -i '/"size_bytes":8192,/d; s/"cells":4/"cells":3/' a/*.jsonl b/?.jsonl b/1[0-6].jsonl
    tells 0 "too few launches: 4, and" history a b --since 2026-01-02
}

@test "launches that tell no time are in no order, and the gate does not pass" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1 2026-01-02 bbb2222
    ovl 0 history a b --since 2026-01-02
    # Else they would stand first, and make the level before the slow ones.
    era c 20 1.3 2026-01-03 ccc3333
    for how in '' "s/2026-01-03T/T/" 's/2026-01-03T\(..:..\):..Z/2026-01-03T\1/'; do
        cp -r c undated
        sed -i "1{${how:-s/\"started\":\"[^\"]*\",//}}" undated/*.jsonl
        tells 2 "# outcome  not known: 20 launches were left out that tell no time at which they began: undated/1.jsonl" \
            history a b undated --since 2026-01-02
        prints "left out: 80 values of no claim"
        absent "in 60 launches" "$out"
        rm -r undated
    done
    ovl 1 history a b c --since 2026-01-02
}

@test "a day that is none is no date" {
    era a 20 1 2026-01-01 aaa1111
    for day in 2026-21-15 9999-99-99 2026-02-30 2026-01-01T25:00:00Z 2026-01-01T00:00:00; do
        refuses 3 "--since $day: no date such as 2026-01-31" history a --since $day
    done
    ovl 0 history a --since 2026-01-01T00:05:00Z
}

@test "launches of other work hide no change for the worse" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    era c 14 1 2026-01-03 ccc3333
    sed -i 's/"units":\([0-9]*\)/"units":1\1/' c/*.jsonl
    mkdir one
    cp c/1.jsonl one
    ovl 1 history a b one --since 2026-01-02
    [ "$(grep -c ' new WORSE$' <<<"$out")" = 4 ]
    prints "# left out: 4 values at work that too few launches did"
    # With launches enough they are looked at by themselves.
    ovl 1 history a b c --since 2026-01-02
    grep -qE '^  ialltoall host 8K units=6950 .* new WORSE$' <<<"$out"
    grep -qE '^  ialltoall host 8K units=16950 .* no change in 14 launches$' <<<"$out"
    # The one series ended before, the other has too few.
    tells 2 "in 4 cells too few launches since 2026-01-03 show anything" history a one --since 2026-01-03
}

@test "history draws its chart, and a report has it" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    ovl 0 history a b --chart h.svg
    [ "$(grep -c '2026-01-02 bbb2222' h.svg)" = 4 ]
    has h.svg 'ialltoall host 64K (2026-01-01 .. 2026-01-02)'
    refuses 3 "the name must end in .svg, .png or .pdf" history a b --chart h.gif
    [ ! -e h.gif ]
    ovl 1 report --history --since bbb a b -o r.html
    has r.html '<section id="history">'
    # Page, table and chart show the same places.
    ovl 1 history a b --since bbb --chart places.svg
    places=$(grep -oE '2026-01-02T00:01:00Z +[0-9-]+' <<<"$out" | awk '{ print $2; exit }')
    [ "$(grep -c "<td class=\"\">$places</td>" r.html)" = 4 ]
    has places.svg 'bars: where a change may be'
    [ "$(grep -c '>new WORSE</td>' r.html)" = 4 ]
    has r.html 'aria-label="total_seconds of each launch in order of time'
    refuses 3 "--since goes with --history" report --since bbb a b -o r.html
    ovl 2 report a/1.jsonl --history -o one.html
    has one.html 'too few launches'
    [ -z "$(ls tmp)" ]
}

@test "history says what is wrong" {
    launches a 2 1
    ovl 3 history
    ovl 3 history a --metric speed
    refuses 3 "--since nothing: no date such as 2026-01-31" history a --since nothing
    ovl 3 history a --since ""
    refuses 3 "--delta 5: give a number from 0 to 0.99: 0.05 is 5 %" history a -d 5
    refuses 3 "--delta 5: give a number from 0 to 0.99: 0.05 is 5 %" compare a a -d 5
    ovl 5 history nowhere
    sed -i '3s/"ranks":2/"ranks":"two"/' a/2.jsonl
    refuses 4 "a/2.jsonl:3: ranks" history a
}

# series FILE VALUE...: a record of so many launches of one cell, one a night, whose totals in us are these; those from
# number $from on are of revision new.
series() {
    local file=$1
    shift
    sed -n '1,2p; $p' "$data/ialltoall.jsonl" | sed 's/"cells":4/"cells":1/' | awk -v values="$*" -v new="${from:-0}" '
        { line[NR] = $0 }
        END {
            n = split(values, value, " ")
            for (i = 1; i <= n; i++)
                for (k = 1; k <= NR; k++) {
                    $0 = line[k]
                    gsub(/20261121T123144Z-4d4346abbbb67a49/, "night-" i)
                    sub(/"started":"[^"]*"/, sprintf("\"started\":\"2026-%02d-%02dT01:00:00Z\"", int((i - 1) / 28) + 1, (i - 1) % 28 + 1))
                    sub(/"git":"[^"]*"/, "\"git\":\"" (new && i >= new ? "new" : "old") "\"")
                    sub(/"comm_seconds":\{"max":\[[0-9.]+/, "&" sprintf("%04d", i)) # no two have the very same samples
                    sub(/"total_seconds":\{"median":[^,]*/, sprintf("\"total_seconds\":{\"median\":%.9g", value[i] * 1e-6))
                    print
                }
        }' >"$file"
}

# noise SEED COUNT: values about 100 with standard deviation 1, the same by any awk.
noise() {
    awk -v seed="$1" -v n="$2" '
        function uniform() { state = (state * 69069 + 1) % 4294967296; return (state + 0.5) / 4294967296 }
        BEGIN {
            state = (seed * 1000003 + 12345) % 4294967296
            for (i = 0; i < 10; i++)
                uniform()
            for (i = 0; i < n; i++) {
                radius = sqrt(-2 * log(uniform()))
                print 100 + radius * cos(6.283185307179586 * uniform())
            }
        }'
}

# shifted FROM SHIFT: the values of stdin, those from number FROM on larger by SHIFT.
shifted() { awk -v from="$1" -v shift="$2" '{ print $1 + (NR >= from ? shift : 0) }'; }

# night NUMBER: when that launch of a series began.
night() { printf '2026-%02d-%02dT01:00:00Z' $((($1 - 1) / 28 + 1)) $((($1 - 1) % 28 + 1)); }

@test "two or three bad launches at the end are at their place, and new since then" {
    local seed bad found
    for bad in 2 3; do
        found=0
        for seed in 1 2 3 4; do
            series s.jsonl $(noise $seed 152 | shifted $((153 - bad)) 50)
            timeout 60 "$OVL_BIN/ovl" history s.jsonl --since "$(night $((153 - bad)))" >out || [ $? = 1 ]
            grep -q ' WORSE$' out || continue
            found=$((found + 1))
            grep -qE " $((153 - bad))  $(night $((153 - bad))) +[0-9]+-$((154 - bad)) .* new WORSE$" out
            # After the change are values that launches had.
            awk '/ new WORSE$/ { exit !($(NF - 4) > 147 && $(NF - 4) < 153) }' out
        done
        [ $bad = 2 ] || [ $found = 4 ]
    done
}

# bats test_tags=long
@test "a nightly job with a fixed --since fails once a regression can be shown, and until someone has looked" {
    local n last first=0
    noise 7 60 >steady
    shifted 31 50 <steady >regressed
    for ((n = 31; n <= 38; n++)); do
        series s.jsonl $(head -$n regressed)
        if [ "$first" = 0 ] && [ $n -lt 33 ]; then
            timeout 60 "$OVL_BIN/ovl" history s.jsonl --since "$(night 21)" >out || first=$((n - 30))
        else # three nights of this noise show 50 %, and so does each night after them
            ovl 1 history s.jsonl --since "$(night 21)"
            [ "$first" != 0 ] || first=3
        fi
        series s.jsonl $(head -$n steady)
        ovl 0 history s.jsonl --since "$(night 21)"
    done
    echo "first exit 1: night $first"
    [ $first -ge 2 ]
    series s.jsonl $(head -38 regressed)
    ovl 1 history s.jsonl --since "$(night 21)"
    # Whoever has looked gives a date some launches behind the last place that the table shows, and the job is quiet.
    last=$(sed -n 's/^# places   2026.* \.\. \([^;]*\);.*/\1/p' out)
    ovl 1 history s.jsonl --since "$last"
    [ "$last" \< "$(night 33)" ]
    for ((n = 38; n <= 45; n++)); do
        series s.jsonl $(head -$n regressed)
        ovl 0 history s.jsonl --since "$(night 34)"
    done
}

# Every change that is found is new, but for one in twenty (`make changes` has the rates).
# bats test_tags=long
@test "a change at the first launch of a revision is new since that revision" {
    local seed found=0 new=0
    from=31
    for ((seed = 1; seed <= 60; seed++)); do
        series s.jsonl $(noise $seed 42 | shifted 31 2)
        timeout 60 "$OVL_BIN/ovl" history s.jsonl --since new >out || [ $? = 1 ]
        grep -q ' WORSE$' out && found=$((found + 1))
        grep -q ' new WORSE$' out && new=$((new + 1))
    done
    echo "$found found, $new new"
    [ $found -ge 54 ]
    [ $((found - new)) -le 4 ]
}

# times FACTOR NUMBER...: the values of stdin, those with these numbers times FACTOR.
times() {
    awk -v factor="$1" -v numbers="${*:2}" '
        BEGIN { n = split(numbers, number, " "); for (i = 1; i <= n; i++) slow[number[i]] = 1 }
        { print $1 * (NR in slow ? factor : 1) }'
}

# bats test_tags=long
@test "a few slow launches long before hide no change of all launches since" {
    for far in 5 20 100; do
        series s.jsonl $(noise 3 50 | shifted 41 10 | times $far 5 18 31)
        ovl 1 history s.jsonl --since "$(night 38)"
        grep -qE " 41  $(night 41) .* 1\.[01][0-9]* .* new WORSE$" <<<"$out"
        series s.jsonl $(noise 3 50 | times $far 5 18 31)
        ovl 0 history s.jsonl --since "$(night 38)"
        prints "no change in 50 launches"
    done
}

@test "a change is for the worse where many launches became slow, whatever their median does" {
    local far
    for far in 1.5 2 10; do
        series s.jsonl $(noise 3 70 | shifted 31 -2 | times $far {33..70..5} {35..70..5})
        ovl 1 history s.jsonl --since "$(night 25)"
        grep -qE " (0\.9|1\.0)[0-9]* .* new WORSE in the mean [0-9.]+$" <<<"$out"
        prints "# note     1 change is for the worse in the mean of the launches, though not in their median"
        ovl 1 history s.jsonl --since "$(night 25)" -d 0.05
        prints "# outcome  1 change for the worse since"
    done
    # Launches that became faster, one of which is slow, did.
    series s.jsonl $(noise 3 50 | shifted 31 -10 | times 10 40)
    ovl 0 history s.jsonl --since "$(night 25)"
    prints "new BETTER"
    absent "in the mean" "$out"
    # Of a gain, less is worse.
    era a 40 1 2026-01-01 aaa1111
    era b 40 1 2026-01-02 bbb2222
    gain() { # by T, as (W + B) / T
        for f in "${@:2}"; do
            awk -v gain="$1" "$(cat "$OVL_TOP/tests/tool/totals.awk")"'{
                t = median($0, "total"); w = median($0, "compute"); b = median($0, "blocking")
                print t ? follow(summary($0, "\"total_seconds", (w + b) / gain / t)) : $0 }' "$f" >t && mv t "$f"
        done
    }
    gain 1.4 a/*.jsonl
    gain 1.414 b/*.jsonl
    ovl 0 history a b --since 2026-01-02 -m speedup_vs_blocking
    prints "new BETTER"
    gain 0.7 b/*[0358].jsonl
    ovl 1 history a b --since 2026-01-02 -m speedup_vs_blocking --filter 'size_bytes=^8192$'
    grep -qE ' 1\.010 .* new WORSE in the mean 0\.[0-9]+$' <<<"$out"
}

# bats test_tags=long
@test "small changes for the worse since a day do not add up to a pass" {
    series s.jsonl $(noise 3 68 | shifted 21 4 | shifted 33 4 | shifted 45 4)
    ovl 0 history s.jsonl -d 0.05
    absent "but" "$out"
    ovl 1 history s.jsonl --since "$(night 19)" -d 0.05
    grep -qE ' 21 .* new WORSE, within 0.05$' <<<"$out"
    [ "$(grep -cE " (33|32|34|44|45|46) .* new WORSE, within 0.05, but 1\.[01][0-9]+ since $(night 19)$" <<<"$out")" = 2 ]
    prints "# note     2 changes are within 0.05, but worse by more than that beside the level at $(night 19)"
    prints "# outcome  2 changes for the worse since $(night 19)"
    # What was before the day is accepted.
    ovl 0 history s.jsonl --since "$(night 42)" -d 0.05
    grep -qE ' new WORSE, within 0.05$' <<<"$out"
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 1 report s.jsonl --history --since "$(night 19)" -d 0.05 -o page.html
    has page.html "2 changes for the worse since $(night 19)" "beside the level at $(night 19)"
}

# bats test_tags=long
@test "a job of a plan that gets slower is not hidden by the others that measure the same cell" {
    for job in a b c d; do
        for night in 1 2; do
            factor=1
            [ $job$night != d2 ] || factor=1.5
            era $night/$job 20 $factor 2026-01-0$night aaa1111
            sed -i "s/\"run_id\":\"/&$job/" $night/$job/*.jsonl
            echo '{"plan": 1}' >$night/plan.json
        done
    done
    ovl 1 history --since 2026-01-01 1 2
    grep -qE 'ialltoall host 8K job=d .* 1\.[45][0-9]* .* new WORSE$' <<<"$out"
    [ "$(grep -c 'job=[abc] .*WORSE' <<<"$out")" = 0 ]
    # Sweeps of their own that take turns: the one job hides nothing of the other.
    mkdir -p nights
    for i in {1..20}; do
        for night in 1 2; do
            for job in a d; do
                mkdir -p nights/$night-$i-$job/$job
                cp $night/$job/$i.jsonl nights/$night-$i-$job/$job/001.jsonl
                echo '{"plan": 1}' >nights/$night-$i-$job/plan.json
            done
        done
    done
    ovl 1 history --since 2026-01-01 nights
    grep -qE 'ialltoall host 8K job=d .* 1\.[45][0-9]* .* new WORSE$' <<<"$out"
    # Called by another name from the second night on, it is the same series.
    rm -r [12]/[abc]
    mv 2/d 2/e
    ovl 1 history --since 2026-01-01 1 2
    grep -qE 'ialltoall host 8K .* 1\.[45][0-9]* .* new WORSE$' <<<"$out"
    absent "job=" "$out"
    # With both in one night they are apart, and nobody knows what became of the one that ended.
    mkdir 1/e
    mv 2/e/1.jsonl 1/e/
    ovl 2 history --since 2026-01-02 1 2
    prints "in 4 cells too few launches since 2026-01-02 show anything"
}

# since CODE: of a history of 20 launches of one day and those of b on the next.
since() { ovl "$1" history a b --since 2026-01-02 "${@:2}"; }

@test "new wrong data fail, however few they are" {
    era a 20 1 2026-01-01 aaa1111
    era b 10 1 2026-01-02 bbb2222
    sed -i '/"size_bytes":8192,/s/"validated":true/"validated":false/' a/4.jsonl
    since 0
    sed -i '/"size_bytes":8192,/s/"validated":true/"validated":false/' b/4.jsonl
    since 1
    prints "# outcome  wrong data in 1 cell since 2026-01-02"
    ovl 0 history a b
    since 0 --filter 'size_bytes=^16384$'
    # Those of a launch that was cut short, too.
    sed -i '/"record":"end"/d' b/4.jsonl
    since 1
    # And those of a failed attempt, whatever stands behind them.
    for behind in '' garbage '{"record":"cell"}'; do
        { sed 's/"run_id":"[^"]*/&-2/' b/4.jsonl; echo "$behind"; } >b/004-2.partial
        sed '/"size_bytes":8192,/s/"validated":false/"validated":true/' b/4.jsonl >b/04.jsonl
        mv b/4.jsonl wrong
        since 1
        ovl 1 compare a b
        mv wrong b/4.jsonl
        rm b/04.jsonl b/004-2.partial
    done
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 1 report a b --history --since 2026-01-02 -o page.html
    has page.html "wrong data in 1 cell since 2026-01-02"
}

@test "nothing is known where most launches since then show nothing, or the last three" {
    era a 20 1 2026-01-01 aaa1111
    for how in invalid 'cut short' 'cut short before' lacking empty; do
        era b 10 1 2026-01-02 bbb2222
        for i in 1 3 5 6 8; do silence "$how" b/$i.jsonl; done
        since 0
        silence "$how" b/2.jsonl
        since 2
        prints "too few launches since 2026-01-02 show anything"
        [ "$how" = lacking ] || since 2 --filter 'size_bytes=^65536$'
        era b 10 1 2026-01-02 bbb2222
        silence "$how" b/9.jsonl
        silence "$how" b/10.jsonl
        since 0
        silence "$how" b/8.jsonl
        since 2
        ovl 0 history a b
    done
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 2 report a b --history --since 2026-01-02 -o page.html
    has page.html "not known: in 4 cells too few launches since 2026-01-02 show anything"
}

@test "a cell that is measured no more does not pass, while another one is" {
    # Each night an ialltoall, and a minute later an iallgather.
    era a 30 1 2026-01-01 aaa1111
    era g 30 1 2026-01-01 aaa1111
    sed -i 's/"ialltoall"/"iallgather"/; s/\(ended\|started\|finished\)":"2026-01-01T00:\(..\):00/\1":"2026-01-01T00:\2:30/' g/*.jsonl
    gate=(history a g --since 2026-01-01T00:15:00Z --json h.json)
    ovl 0 "${gate[@]}"
    rm a/29.jsonl a/30.jsonl # two nights may be chance
    ovl 0 "${gate[@]}"
    rm a/28.jsonl
    tells 2 "# outcome  not known: 4 cells are measured no more, while others are: ialltoall host 8K, last at 2026-01-01T00:27:00Z" "${gate[@]}"
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" h.json
    [ "$(jq -c '[.exit, .silent, .blind]' h.json)" = '[2,4,0]' ]
    tells 0 "0 changes for the worse" history a g --since 2026-01-01T00:15:00Z --filter benchmark=iallgather
    ovl 0 history a g # which asks for no change since then
    # One that is measured every other night is missed after six.
    era a 40 1 2026-01-01 aaa1111
    era g 40 1 2026-01-01 aaa1111
    sed -i 's/"ialltoall"/"iallgather"/' g/*.jsonl
    rm g/*[13579].jsonl
    ovl 0 "${gate[@]}"
    rm g/40.jsonl g/38.jsonl g/36.jsonl
    ovl 0 "${gate[@]}"
    rm g/34.jsonl
    tells 2 "measured no more, while others are: iallgather host 8K, last at 2026-01-01T00:32:00Z" "${gate[@]}"
}

# bats test_tags=long
@test "launches of other sizes beside them are held against no cell" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1 2026-01-02 bbb2222
    for i in {1..20}; do
        [ $((i % 2)) = 0 ] || sed -i '/"size_bytes":8192,/d; s/"cells":4/"cells":3/' {a,b}/$i.jsonl
        [ $((i % 2)) = 1 ] || sed -i '/"size_bytes":65536,/d; s/"cells":4/"cells":3/' {a,b}/$i.jsonl
    done
    since 0
}

# silence HOW FILE: the launch shows nothing of the cell of 64 KiB.
silence() {
    case $1 in
    invalid) sed -i '/"size_bytes":65536,/s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' "$2" ;;
    lacking) sed -i '/"size_bytes":65536,/d; s/"cells":4/"cells":3/' "$2" ;;
    empty) sed -i '/"record":"cell"/d; s/"cells":4/"cells":0/' "$2" ;;
    'cut short') sed -i '/"record":"end"/d' "$2" ;;
    *) sed -i '/"record":"end"/d; /"size_bytes":65536,/d' "$2" ;;
    esac
}

@test "a job that is measured at other settings since then is not blind for good" {
    era a 20 1 2026-01-01 aaa1111
    for other in 's/"ranks":2/"ranks":3/g; s/"binding":\["0-1"/&,"0-1"/' 's/"mode":"host"/"mode":"dpu"/g' 's/"test_calls":0/"test_calls":16/g; s/"num_test_calls":0/"num_test_calls":16/'; do
        era b 10 1 2026-01-02 bbb2222
        since 0
        absent "at settings that none before had" "$out"
        # Three of ten at the old settings, however quick these are.
        sed -i "$other" b/{1,2,3,5,6,7,9}.jsonl
        since 2
        prints "# note     7 launches since 2026-01-02 measured at settings that none before had: b/1.jsonl"
        prints "not known: in 4 cells too few launches since 2026-01-02 show anything"
        # The last three, and no more than half.
        era b 10 1 2026-01-02 bbb2222
        sed -i "$other" b/{8,9,10}.jsonl
        since 2
        # Settings that are measured beside the old ones are no move.
        era b 10 1 2026-01-02 bbb2222
        sed -i "$other" b/{1,3,5,7,9}.jsonl
        since 0
        prints "# note     5 launches since 2026-01-02 measured at settings"
    done
}

@test "launches at other work than all before are held against none" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 2 2026-01-02 bbb2222
    sed -i 's/"units":\([0-9]*\)/"units":1\1/' b/*.jsonl
    since 2
    prints "in 4 cells too few launches since 2026-01-02 show anything"
    ovl 1 history a b --since 2026-01-02 --any-work
    # Where nothing was before nothing is known.
    sed -i 's/"test_calls":0/"test_calls":4/' a/*.jsonl
    mkdir c
    mv b c
    tells 2 "not known: no launch before 2026-01-02 carries a claim" history c --since 2026-01-02
    # What most launches did at the work of before is known.
    era b 20 1 2026-01-02 bbb2222
    era a 20 1 2026-01-01 aaa1111
    for i in 1 2 3 4 5 6 7 8; do sed -i 's/"units":\([0-9]*\)/"units":1\1/' b/$i.jsonl; done
    since 0
    for i in 9 10 11; do sed -i 's/"units":\([0-9]*\)/"units":1\1/' b/$i.jsonl; done
    since 2
}

@test "launches on another processor are held against none on the old one" {
    era a 20 1 2026-01-01 aaa1111
    era b 12 1 2026-01-02 bbb2222
    ovl 0 history --since 2026-01-02 a b
    sed -i '1s/"cpu":"[^"]*"/"cpu":"twice as quick"/' b/*.jsonl
    ovl 2 history --since 2026-01-02 a b
    prints "cpu=twice as quick units=6950" "in 4 cells too few launches since 2026-01-02 show anything"
    # What no record tells of the work is not the same work.
    sed -i '1s/"cpu":"[^"]*"/"cpu":"AMD EPYC"/; s/"units":[0-9]*/"units":null/' b/*.jsonl
    ovl 2 history --since 2026-01-02 a b
}

@test "what is hidden is held against launches of the same work beside it" {
    era a 20 1 2026-01-01 aaa1111
    era b 12 1 2026-01-02 bbb2222
    ovl 0 history -m hidden_fraction --since 2026-01-02 a b
    sed -i -E '2,$s/("compute_seconds":\{"median":)([0-9])/\110\2/; 2,$s/"units":([0-9]+)/"units":\16/' b/*.jsonl
    ovl 2 history -m hidden_fraction --since 2026-01-02 a b
    # beside FOLDER W UNITS: what its launches compute beside a C of 10 us
    beside() { sed -i -E "2,\$s/(\"comm_seconds\":\{\"median\":)[0-9.e-]+/\11e-5/; 2,\$s/(\"compute_seconds\":\{\"median\":)[0-9.e-]+/\1$2/; 2,\$s/\"units\":[0-9]+/\"units\":$3/" "$1"/*.jsonl; }
    # One between two works is of one of them, and counts once, whichever is first.
    era a 20 1 2026-01-01 aaa1111
    rm -r b && era b 20 1 2026-01-02 bbb2222
    beside a 1e-5 100 && beside b 2e-5 200
    for day in 2026-01-03 2026-01-02; do
        era c 1 1 $day ccc3333
        beside c 1.4e-5 140
        "$OVL_BIN/ovl" history -m hidden_fraction a b c >out || [ $? = 2 ]
        has out "units=100" "units=200"
        absent "values at work that too few launches did" "$(<out)"
    done
}

@test "launches whose clock went back are told, and say nothing of a change since then" {
    launches h 32 1
    for i in {21..32}; do sed -i 's/"started":"2026-/"started":"2020-/; s/"finished":"2026-/"finished":"2020-/' h/$i.jsonl; done
    tells 2 "not known: a clock went back, and launches stand before those that they came after: h/32.jsonl" history h --since 2026-01-01T00:10:00Z
    tells 0 "not known: a clock went back" history h
    # One that was made again is later than those after it, which the log of its sweep tells.
    swept g 24 1
    sed -i 's/"started":"[^"]*/"started":"2026-01-01T00:30:00Z/; s/"finished":"[^"]*/"finished":"2026-01-01T00:30:01Z/' g/a/001.jsonl
    echo '{"started":"2026-01-01T00:30:00Z","job":"a","launch":1,"attempt":2}' >>g/sweep.log
    echo '{"ended":"2026-01-01T00:30:01Z","job":"a","launch":1,"attempt":2,"status":"done","why":"","exit":0,"seconds":1.0}' >>g/sweep.log
    sealed g
    ovl 0 history g --since 2026-01-01T00:10:00Z
    cp -r g/a flat
    tells 2 "not known: a clock went back" history flat --since 2026-01-01T00:10:00Z
}

@test "dates that numbers, the log of a sweep or today contradict are in no known order" {
    swept s 24 1
    sealed s
    ovl 0 history --last s --within 1e5 --json h.json
    ovl 0 history s --since 2026-01-01T00:10:00Z
    [ "$(jq .clock_went_back h.json)" = false ]
    # moved FOLDER NUMBER DATE: as if that launch had begun then.
    moved() { sed -i "s/\"started\":\"[^\"]*/\"started\":\"$3/; s/\"finished\":\"[^\"]*/\"finished\":\"${3%Z}.5Z/" "$1/$2.jsonl"; }
    # A launch of a day to come is the last one for good, and a bad last one is hidden among the others.
    cp -r s far && moved far/a 003 2099-01-01T00:00:00Z
    cp -r s among && moved among/a 024 2026-01-01T00:10:30Z
    cp -r s turned && moved turned/a 011 2026-01-01T00:12:00Z && moved turned/a 012 2026-01-01T00:11:00Z
    cp -r s other && sed -i 's/2026-01-01T/2026-02-01T/g' other/a/*.jsonl
    tells 2 "not known: a launch began after now: far/a/003.jsonl says 2099-01-01T00:00:00Z" history far --since 2026-01-01T00:10:00Z
    tells 2 "not known: a clock went back" history among --since 2026-01-01T00:10:00Z
    tells 2 "not known: a clock went back" history turned --since 2026-01-01T00:10:00Z
    tells 2 "not known: a launch began on another day than its attempt in sweep.log: other/a/" history other --since 2026-01-01T00:10:00Z
    for how in far among turned other; do
        tells 2 "# note     the order of launches is not known: a " history --last --within 1e5 $how --json h.json
        [ "$(jq -c '[.exit, .clock_went_back]' h.json)" = '[2,true]' ]
        ovl 0 history $how
        [ $how = far ] || ovl 2 history --last --within 1e5 $how/a
    done
    # That hides no launch that is worse.
    swept worse 24 1.5
    cp worse/a/024.jsonl turned/a/
    tells 1 "# note     the order of launches is not known: a " history --last --within 1e5 turned
    sed -i 's/"validated":true/"validated":false/' among/a/020.jsonl
    tells 1 "not known: a clock went back" history among --since 2026-01-01T00:10:00Z
    prints "# outcome  wrong data in 4 cells since 2026-01-01"
    sed -i 's/"validated":false/"validated":true/' among/a/020.jsonl
    # Files that are numbered are in that order without a log, too; others are only held against today.
    mkdir bare && cp among/a/*.jsonl bare/
    tells 2 "not known: a clock went back" history bare --since 2026-01-01T00:10:00Z
    for i in {001..024}; do mv bare/$i.jsonl bare/n$i.jsonl; done
    ovl 0 history bare --since 2026-01-01T00:10:00Z
}

@test "nights whose launches failed under ovl sweep show nothing, and do not pass" {
    mkdir -p nights/{001..020}/a
    launches a 20 1 nights/%03d/a/001
    for night in nights/*/a; do : >"$night/001.log"; done
    tells 0 "0 changes for the worse" history nights --since 2026-01-01T00:10:00Z
    for i in 021 022 023; do
        mkdir -p "nights/$i/a"
        sed -n "s/-20\"/-$i\"/; s/T00:20:0/T00:${i#0}:0/g; 1,2p" nights/020/a/001.jsonl >"nights/$i/a/001.partial"
        : >"nights/$i/a/001.log"
    done
    tells 2 "in 4 cells too few launches since 2026-01-01T00:10:00Z show anything" history nights --since 2026-01-01T00:10:00Z
    # The same where nothing came about but NNN.log: sweep.log says when.
    rm nights/*/a/001.partial
    for i in nights/*; do
        printf '{"jobs":[{"name":"a","program":"ovl_ialltoall"}],"launches":1,"plan":1}' >"$i/plan.json"
        echo '{"opened":"2026-01-01T00:00:00Z"}' >"$i/sweep.log"
        [ ! -e "$i/a/001.jsonl" ] || echo '{"job":"a","launch":1,"status":"done"}' >>"$i/sweep.log"
        sealed "$i"
    done
    tells 2 "note     3 launches of a sweep left no record, and count as lost: nights/021/a/001.log" history nights --since 2026-01-01T00:10:00Z
    # Nor that, as where its hook failed.
    for i in 021 022 023; do mv nights/$i/a/001.log nights/$i/a/001.before.log; done
    tells 2 "note     3 launches of a sweep left no record, and count as lost: nights/021/a/001.before.log" history nights --since 2026-01-01T00:10:00Z
    for i in 021 022 023; do mv nights/$i/a/001.before.log nights/$i/a/001.log; done
    for i in 021 022 023; do
        printf '{"started": "2026-01-01T00:05:%s0Z", "job": "a", "launch": 1, "attempt": 1}\n' "${i#02}" >"nights/$i/sweep.log"
    done
    tells 0 "note     3 launches of a sweep left no record" history nights --since 2026-01-01T00:10:00Z
    # Nights that never came to the job: the log ends after another one's.
    rm nights/02[123]/a/*
    for i in 021 022 023; do
        printf '{"ended": "2026-01-01T00:%s:00Z", "job": "b", "launch": 1, "attempt": 1}\n' "${i#0}" >"nights/$i/sweep.log"
    done
    tells 2 "note     3 launches of a sweep left no record, and count as lost: nights/021/a/001.jsonl" history nights --since 2026-01-01T00:10:00Z
    prints "in 4 cells too few launches since 2026-01-01T00:10:00Z show anything"
    # Without a log nobody knows what the folder is.
    rm nights/02[123]/sweep.log
    ovl 0 history nights --since 2026-01-01T00:10:00Z
    # Single files hide what failed beside them, and a note says so.
    : >nights/020/a/002.log
    tells 0 "note     1 launch that failed stands beside these files and counts for nothing; give folders: nights/020/a/002.log" \
        history nights/*/a/*.jsonl --since 2026-01-01T00:10:00Z
    tells 0 "note     1 launch of a sweep left no record" history nights --since 2026-01-01T00:10:00Z
    [[ $out != *"beside these files"* ]]
    "$OVL_BIN/ovl" export --to csv nights/*/a/*.jsonl 2>&1 >/dev/null | grep -q "note     1 launch that failed stands beside"
}

# In all launches each split has both levels on either side.
@test "a level that went and came back hides nothing that is new since it went" {
    era a 20 1 2026-01-01 aaa1111
    era b 10 1.25 2026-01-02 bbb2222
    era c 10 1 2026-01-03 ccc3333
    ovl 0 history a b c --since 2026-01-03
    era d 12 1.25 2026-01-04 ddd4444
    tells 1 "# outcome  4 changes for the worse since 2026-01-03" history a b c d --since 2026-01-03
    [ "$(grep -cE '  41  2026-01-04T00:01:00Z .* ccc3333 -> ddd4444 +new WORSE$' <<<"$out")" = 4 ]
}

@test "the last launch is held against all before" {
    era a 24 1 2026-01-01 aaa1111
    era b 1 1.1 2026-01-01 aaa1111
    sed -i 's/"started":"2026-01-01T00:01/"started":"2026-01-01T01:01/' b/1.jsonl
    ovl 0 history --last --within 1e5 a
    prints "# last     4 of 4 cells looked at: the last launch is worse in 0, better in 0"
    ovl 1 history --last --within 1e5 a b --json h.json
    [ "$(grep -c ' WORSE$' <<<"$out")" = 4 ]
    # One night of long ago was ten times as slow.
    era far 1 10 2026-01-01 aaa1111
    sed -i 's/"started":"2026-01-01T00:01/"started":"2025-12-01T00:01/' far/1.jsonl
    ovl 1 history --last --within 1e5 far a b
    [ "$(grep -c ' WORSE$' <<<"$out")" = 4 ]
    ovl 0 history --last --within 1e5 far a
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" h.json
    [ "$(jq -c '[.exit, (.last | length), (.last[0] | .verdict, .p_worse < 0.001, .value > .usual)]' h.json)" = '[1,4,"WORSE",true,true]' ]
    era c 1 0.9 2026-01-01 aaa1111
    sed -i 's/"started":"2026-01-01T00:01/"started":"2026-01-01T02:01/' c/1.jsonl
    tells 0 "better in 4" history --last --within 1e5 a c
    # A launch without a claim, wrong data, one of long ago, and too few.
    cp -r b d; sed -i 's/"status":"[a-z_]*","reason"/"status":"invalid","reason"/; s/"run_id":"b/"run_id":"d/' d/1.jsonl
    tells 2 "a later launch carries no claim" history --last --within 1e5 a d
    sed -i 's/"validated":true/"validated":false/' d/1.jsonl
    tells 1 "WRONG DATA" history --last --within 1e5 a d
    # Also of the same second as the last good one.
    mkdir same
    last=$(grep -ho '"started":"[^"]*"' a/*.jsonl | sort | tail -n 1)
    sed "s/\"started\":\"[^\"]*\"/$last/" d/1.jsonl >same/1.jsonl
    tells 1 "WRONG DATA" history --last --within 1e5 a same
    # Of an attempt of that night before it, and where no launch counts.
    sed 's/"started":"[^"]*/"started":"2026-01-01T00:20:30Z/' d/1.jsonl >same/1.jsonl
    tells 1 "WRONG DATA: wrong data in a launch of that night or a later one" history --last --within 1e5 a same
    tells 1 "WRONG DATA" history --last --within 1e5 same
    sed '/"size_bytes":8192,/d; s/"cells":4/"cells":3/; s/"started":"2026-01-01/"started":"2026-01-03/' b/1.jsonl >late.jsonl
    tells 1 "no launch within half a day" history --last --within 1e5 a late.jsonl
    tells 2 "fewer than 20 launches before" history --last --within 1e5 a/?.jsonl
    # A later launch that lacks the cell, or was cut short before it, shows nothing of it.
    for what in lacking empty 'cut short' both; do
        era e 1 1 2026-01-01 aaa1111
        sed -i 's/"started":"2026-01-01T00:01/"started":"2026-01-01T02:01/' e/1.jsonl
        ovl 0 history --last --within 1e5 a e
        silence "$what" e/1.jsonl
        tells 2 "not looked at: a later launch " history --last --within 1e5 a e
        [ "$what" = "cut short" ] || prints "a later launch was cut short, or lacks the cell"
    done
    # Later nights that left a log alone.
    for i in 26 27; do
        : >a/0$i.log
        touch -d "2026-01-01T00:$i:00Z" a/0$i.log
    done
    for i in a/?.jsonl a/??.jsonl; do mv "$i" "a/$(printf %03d "$(basename "$i" .jsonl)").jsonl"; done
    tells 2 "not looked at: a later launch left no record" history --last --within 1e5 a
    prints "# last     0 of 4 cells looked at: the last launch is worse in 0, better in 0"
    refuses 3 "--last looks at no changes: it goes without --since" history --last --since 2026-01-01 a
    refuses 3 "it goes without --delta" history --last -d 0.1 a
}

@test "the last launch is held against those of its own work and processor" {
    era a 24 1 2026-01-01 aaa1111
    era b 24 1 2026-01-02 bbb2222
    sed -i 's/"units":\([0-9]*\)/"units":1\1/' b/*.jsonl
    tells 0 "# last     4 of 4 cells looked at" history --last --within 1e5 a b
    era c 1 1.5 2026-01-03 bbb2222
    sed -i 's/"units":\([0-9]*\)/"units":1\1/' c/*.jsonl
    ovl 1 history --last --within 1e5 a b c
    [ "$(grep -c ' WORSE$' <<<"$out")" = 4 ]
    # Of two processors in turn each has its last launch of that night.
    era d 24 1 2026-01-02 bbb2222
    sed -i '1s/"cpu":"[^"]*"/"cpu":"another"/; s/"started":"2026-01-02T00:/"started":"2026-01-02T01:/' d/*.jsonl
    sed -i 's/"units":\([0-9]*\)/"units":1\1/' d/*.jsonl
    tells 0 "# last     8 of 8 cells looked at" history --last --within 1e5 b d
    era e 1 1.5 2026-01-02 bbb2222
    sed -i 's/"started":"2026-01-02T00:/"started":"2026-01-02T02:/; s/"units":\([0-9]*\)/"units":1\1/' e/*.jsonl
    ovl 1 history --last --within 1e5 b d e
    # At work that nobody did before nothing is known.
    sed -i 's/"units":1\([0-9]*\)/"units":2\1/' c/*.jsonl
    ovl 2 history --last --within 1e5 a b c
}

# dated FILE DAYS [HOURS]: as if it had begun so long ago.
dated() {
    local day
    TZ=UTC printf -v day '%(%FT%T)T' $((EPOCHSECONDS - ($2 * 24 + ${3:-0}) * 3600))
    sed -i "s/\"started\":\"[^\"]*/\"started\":\"${day}Z/; s/\"finished\":\"[^\"]*/\"finished\":\"${day}.5Z/" "$1"
}

@test "a job of each night that is run no more does not stay green" {
    era a 24 1 2026-01-01 aaa1111 a/n%d
    nights() { for ((i = 1; i <= 24; i++)); do dated a/n$i.jsonl $((24 - i + $1)); done; }
    nights 0
    tells 0 "# newest   launch of $(date -u +%F)" history --last a
    nights 1
    tells 0 "1.0 days ago" history --last a --json h.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" h.json
    [ "$(jq -c '[.exit, (.newest.within_days | round), .newest.stale]' h.json)" = '[0,2,false]' ]
    # For three days, and for weeks.
    for days in 3 40; do
        nights $days
        tells 2 "# not known the newest launch is older than 2.0 days: is the job still run?" history --last a --json h.json
        prints "# last     4 of 4 cells looked at: the last launch is worse in 0, better in 0" "$days.0 days ago"
        [ "$(jq -c '[.exit, .newest.stale]' h.json)" = '[2,true]' ]
    done
    ovl 0 history --last a --within 41
    ovl 2 history --last a --within 39
    # Pauses over week-ends are usual where they were; one of long ago says nothing.
    for ((i = 1; i <= 24; i++)); do dated a/n$i.jsonl $((24 - i + (24 - i) / 5 * 2 + 4)); done
    tells 0 "4.0 days ago" history --last a
    dated a/n1.jsonl 300
    nights 4
    dated a/n1.jsonl 300
    ovl 2 history --last a
    # Where it is run every eight hours, too: the last 20 nights are not the launches of a year.
    era often 70 1 2026-01-01 aaa1111 often/n%d
    for ((i = 1; i <= 70; i++)); do
        dated often/n$i.jsonl $(((70 - i) / 3 + 10)) $(((70 - i) % 3 * 8))
    done
    dated often/n1.jsonl 300
    tells 2 "# not known the newest launch is older than 2.0 days" history --last often
    refuses 3 "--within goes with --last and --since" history a --within 3
    # And where a change is asked for: nothing is new where nothing runs.
    launches ended 12 1
    ovl 0 history ended --since 2026-01-01T00:06:00Z
    tells 2 "# not known the newest launch is older than 3.0 days" history ended --since 2026-01-01T00:06:00Z --within 3 --json h.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" h.json
    [ "$(jq -c '[.exit, .newest.stale]' h.json)" = '[2,true]' ]
    ovl 0 history ended --since 2026-01-01T00:06:00Z --within 1e5
}

@test "where no launch before the point shows anything nothing is known, and a clock of 1970 is none" {
    era a 20 1 2026-01-01 aaa1111
    era b 14 1.1 2026-01-02 bbb2222
    ovl 1 history a b --since 2026-01-02
    # Their nights are gone, are of no claim, or lie behind the point as well.
    tells 2 "# outcome  not known: no launch before 2026-01-02 carries a claim" history b --since 2026-01-02
    tells 2 "not known: no launch before 1970-01-01" history a --since 1970-01-01
    cp -r a none
    sed -i '2,$s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' none/*.jsonl
    ovl 2 history none b --since 2026-01-02
    # So it is of one cell; one that is new beside others passes.
    cp -r a one
    sed -i '/"size_bytes":65536,/s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' one/*.jsonl
    era good 14 1 2026-01-02 bbb2222
    tells 2 "not known: in 1 cell too few launches since" history one good --since 2026-01-02
    sed -i '/"size_bytes":65536,/d; s/"cells":4/"cells":3/' one/*.jsonl
    ovl 0 history one good --since 2026-01-02
    # Who starts before all others hides behind nothing.
    for i in b/*.jsonl; do mv "$i" "b/n${i#b/}"; done
    sed -i 's/"started":"2026/"started":"1970/' b/*.jsonl
    tells 2 "a launch began before there was ovl: b/n" history a b --since 2026-01-02
    ovl 2 history a b --last --within 1e5
}
