#!/usr/bin/env bats
# Percentiles of samples: any of a record that has these, as a metric, and as what a run was asked for.

load tool

# tails FOLDER COUNT BLOCKS TAIL: launches of one cell with so many blocks, of which one in 25 takes TAIL times as long;
# STREAM is the time of an operation of a stream, where the cell has one.
tails() {
    mkdir -p "$1"
    for ((i = 1; i <= $2; i++)); do
        awk -v id="$1-$i" -v i="$i" -v blocks="$3" -v tail="$4" -v folder="$1" -v stream="${STREAM:-}" '
            function values(base, b, text) {
                for (b = 1; b <= blocks; b++)
                    text = text sprintf("%s%.9g", b > 1 ? "," : "", base * (1 + launch + ((b * 7919 + i * 131 + length(folder)) % 1009) / 2e4) * (slow && b % 25 == 0 ? tail : 1))
                return "{\"max\":[" text "],\"mean\":[" text "]}"
            }
            function quantity(name, base) { samples = samples (samples ? "," : "") "\"" name "_seconds\":" values(base) }
            BEGIN { launch = (i * 7 % 11 - 5) / 1000 }
            {
                gsub(/20261121T123144Z-4d4346abbbb67a49/, id)
                sub(/"started":"[^"]*"/, sprintf("\"started\":\"2026-01-01T00:%02d:00Z\"", i))
                sub(/"finished":"[^"]*"/, sprintf("\"finished\":\"2026-01-01T00:%02d:01Z\"", i))
                sub(/"-i","8:8"/, "\"-i\",\"" blocks ":" blocks "\"")
                sub(/"iterations":\[8,8\]/, "\"iterations\":[" blocks "," blocks "]")
                sub(/"cells":4/, "\"cells\":1")
                if (stream) {
                    sub(/"options":{/, "&\"cadence\":\"stream\",")
                    sub(/"-x",/, "\"--cadence\",\"stream\",&")
                    sub(/"compute_seconds":{"median"/, "\"comm_stream_seconds\":{\"median\":0,\"ci_low\":0,\"ci_high\":0,\"min\":0,\"max\":0,\"p99\":0,\"outliers\":0},&")
                }
            }
            NR == 2 {
                sub(/"blocks":[0-9]+/, "\"blocks\":" blocks)
                sub(/"samples":.*/, "")
                slow = 0; quantity("comm", 4e-5); quantity("compute", 5e-5); quantity("blocking", 3e-5)
                slow = 1; quantity("total", 8e-5)
                slow = 0; quantity("init", 1e-6); quantity("test", 0); quantity("wait", 2e-5); quantity("inner_compute", 5e-5)
                if (stream) quantity("comm_stream", stream)
                $0 = $0 "\"samples\":{" samples "}}"
            }
            NR < 3 || /"record":"end"/' "$data/ialltoall.jsonl" >"$1/$i.made"
        derived "$1/$i.made" "$1/$i.jsonl"
    done
}

# asked RECORD LIST: the record as if its run had been asked for these.
asked() {
    sed -i "1s/\"options\":{/&\"percentiles\":[$2],/; 1s/\"-x\"/\"--percentiles\",\"$2\",&/
        2s/\"samples\"/\"percentiles\":{},&/" "$1"
    mv "$1" again
    derived again "$1"
}

@test "any percentile of a record with samples is shown, from as many values on as it takes" {
    tails one 1 100 2
    ovl 0 validate one/1.jsonl
    ovl 0 show one/1.jsonl
    absent ' p[0-9]' "$out"
    tells 0 "total p50 us total p90 us total p99.5 us" show --percentiles 50,90,99.5 one/1.jsonl
    # 4 of 100 blocks take twice as long; the 90th value is none of them, P99 is, and P99.5 would need 200 values.
    [ "$(grep -c 'total p99.5 us' <<<"$out")" = 1 ]
    ovl 0 show -z one/1.jsonl
    prints "comm p50 us comm p90 us comm p99 us" "total p50 us total p90 us total p99 us"
    read -r p90 p99 < <(awk '$1 == 8192 { print $11, $12 }' <<<"$out")
    awk -v p90="$p90" -v p99="$p99" 'BEGIN { exit !(p90 > 80 && p90 < 88 && p99 > 160 && p99 < 176) }'
    refuses 3 "--percentiles 0: give numbers with commas between them, from 1 to 99.99" show --percentiles 0 one/1.jsonl
    refuses 3 "--percentiles 50,50: 50 stands twice" show --percentiles 50,50 one/1.jsonl
    # Of several launches beside each other, too.
    tails two 2 40 2
    tells 0 "total p90 us" show --percentiles 90 two/1.jsonl two/2.jsonl
}

@test "a run that was asked for percentiles has them in its record, where validate holds them against the samples" {
    tails one 1 400 2
    asked one/1.jsonl 90,99
    has one/1.jsonl '"percentiles":{"comm_seconds":{"p90":{"value":' '"total_seconds":{"p90":{"value":'
    ovl 0 validate one/1.jsonl
    absent note "$out"
    tells 0 "total p90 us total p99 us" show one/1.jsonl
    cp one/1.jsonl cheat.jsonl
    sed -i '2s/\(.*"percentiles":.*"total_seconds":{"p90":{"value":\)[^,]*/\18e-05/' cheat.jsonl
    ovl 4 validate cheat.jsonl
    grep -qE '^cheat.jsonl:2: /total_seconds.p90/value: 8e-05, but the samples give 8\.' <<<"$out"
    sed '2s/"p99":{"value"/"p0":{"value"/' one/1.jsonl >cheat.jsonl
    ovl 4 validate cheat.jsonl
    prints "/percentiles/comm_seconds/p0: there is no such percentile"
    sed '2s/"total_seconds":{"p90"/"total_minutes":{"p90"/' one/1.jsonl >cheat.jsonl
    ovl 4 validate cheat.jsonl
    prints "/percentiles/total_minutes/p90: there is no such percentile"
    sed '2s/\("total_seconds":{"p90":{"value":\)[^,]*/\1"quick"/' one/1.jsonl >cheat.jsonl
    ovl 4 validate cheat.jsonl
}

@test "exports have the percentiles that runs were asked for, or that they are asked for themselves" {
    tails one 1 400 2
    ovl 0 export --to csv one/1.jsonl
    absent 'total_seconds.p9' "$out"
    cp one/1.jsonl asked.jsonl
    asked asked.jsonl 90,99
    ovl 0 export --to csv asked.jsonl
    prints ',total_seconds.p90,total_seconds.p90_ci_low,total_seconds.p90_ci_high,total_seconds.p99,'
    cp out csv
    ovl 0 export --to csv --percentiles 90,99 one/1.jsonl
    diff <(sed 's/asked.jsonl/F/' csv) <(sed 's/one.1.jsonl/F/' out)
    tells 0 "| total us | total p90 us | communication us | comm p90 us |" export --to markdown -z90 one/1.jsonl
    tells 0 "total p90 us & communication us & comm p90 us" export --to latex -z90 one/1.jsonl
    tells 0 '"total_seconds.p90": {' export --to bmf -z90 one/1.jsonl
    tells 0 '"total_seconds.p90": {' export --to bmf -m total_seconds.p90 one/1.jsonl
    tells 0 '# UNIT ovl_total_p90_seconds seconds' export --to openmetrics -z90 one/1.jsonl
    tells 0 '"metric":"total_seconds.p90"' export --to extrap -m total_seconds.p90 one/1.jsonl
    ovl 0 report asked.jsonl -o page.html
    has page.html '>total p90 us<' '>comm p99 us<'
    refuses 3 "or a percentile, such as total_seconds.p99" export --to bmf -m total_seconds.p0 one/1.jsonl
    refuses 3 "no metric hidden_fraction.p90" export --to bmf -m hidden_fraction.p90 one/1.jsonl
}

@test "compare finds a tail that the median does not have" {
    tails old 10 400 2
    tails new 10 400 3
    ovl 0 compare old new
    prints "# 0 REGRESSED, 0 INCONCLUSIVE, 1 OK, 0 IMPROVED"
    tells 1 "# ovl compare: total_seconds.p99" compare -m total_seconds.p99 old new
    prints "# 1 REGRESSED"
    ratio=$(awk '/ 10 v 10 / { print $6; exit }' <<<"$out")
    awk -v x="$ratio" 'BEGIN { exit !(x > 1.45 && x < 1.55) }'
    ovl 0 compare -m total_seconds.p90 old new
    # What cannot be claimed is not compared: P99 takes 368 values.
    tails few 10 200 3
    ovl 2 compare -m total_seconds.p99 old few
    prints "1 INCONCLUSIVE"
    tells 0 "# ovl history: total_seconds.p99" history -m total_seconds.p99 old
    ovl 1 report --old old -m total_seconds.p99 new -o page.html
    has page.html "total_seconds.p99"
}

@test "streams are compared and limited as any other time" {
    STREAM=3e-5 tails old 10 40 2
    STREAM=6e-5 tails new 10 40 2
    ovl 0 validate old/1.jsonl
    absent note "$out"
    ovl 0 compare -m comm_seconds old new
    tells 1 "# 1 REGRESSED" compare -m comm_stream_seconds old new
    tells 0 " stream us " show old/1.jsonl old/2.jsonl
    tells 0 "| communication us | stream us |" export --to markdown old
    echo '{"limits": 1, "log_required": false, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "comm_stream_seconds",
        "operator": "<=", "limit": 0.00004}]}' >limits.json
    ovl 0 accept limits.json old
    ovl 1 accept limits.json new
    # A launch without streams has no such time.
    tails none 10 40 2
    ovl 1 accept limits.json none
    prints "10 of 10 launches are invalid, unshaped or without a value"
    sed 's/"cadence":"stream"/"cadence":"isolated"/; s/"--cadence","stream"/"--cadence","isolated"/' old/1.jsonl >cheat.jsonl
    ovl 4 validate cheat.jsonl
    prints '/comm_stream_seconds: has its samples, by the option cadence of "isolated"'
}

@test "accept limits a percentile, from as many values on as its interval needs" {
    rule() { echo '{"limits": 1, "log_required": false, "rules": [{"match": {"benchmark": "ialltoall"}, '"$1"', "operator": "<=", "limit": 0.0002}]}' >limits.json; }
    tails good 8 400 2
    tails bad 8 400 3
    tails few 8 360 2
    for metric in '"metric": "total_seconds.p99"' '"metric": "total_seconds", "statistic": "p99"'; do
        rule "$metric"
        ovl 0 accept limits.json good
        ovl 1 accept limits.json bad
        ovl 1 accept limits.json few
        prints "8 of 8 launches are invalid, unshaped or without a value"
    done
    rule '"metric": "total_seconds.p90"'
    ovl 0 accept limits.json few bad -o report.json
    has report.json '"metric": "total_seconds.p90"'
    ovl 0 accept --verify report.json
    rule '"metric": "total_seconds.p90", "statistic": "max"'
    refuses 4 "only times have other statistics than median" accept limits.json good
    rule '"metric": "total_seconds.p100"'
    refuses 4 "no metric total_seconds.p100" accept limits.json good
}
