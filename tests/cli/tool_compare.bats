#!/usr/bin/env bats
# `ovl compare` on launches whose change is known.

load lib
load tool

@test "compare passes launches that did not change, and says what it would have found" {
    launches old 8 1
    launches new 8 1
    sed -i 's/"run_id":"old/"run_id":"other/' new/*.jsonl
    ovl 0 compare old new
    prints "8 launches in 8 files"
    [ "$(grep -c ' 8 v 8 .* OK$' <<<"$out")" = 4 ]
    prints "# 0 REGRESSED, 0 INCONCLUSIVE, 4 OK, 0 IMPROVED"
    prints "adjusted by Holm over 4 cells"
    finds=$(awk '/ 8 v 8 / { print $(NF - 1); exit }' <<<"$out")
    awk -v x="$finds" 'BEGIN { exit !(x > 1.05 && x < 1.12) }'
}

@test "compare finds what got worse, and what got better" {
    launches old 8 1
    launches worse 8 1.1
    launches better 8 0.9
    ovl 1 compare old worse
    [ "$(grep -c ' REGRESSED$' <<<"$out")" = 4 ]
    ratio=$(awk '/ 8 v 8 / { print $6; exit }' <<<"$out")
    awk -v x="$ratio" 'BEGIN { exit !(x > 1.09 && x < 1.11) }'
    ovl 0 compare old worse --delta 0.2
    ovl 1 compare --paired old worse
    absent 'the work differs' "$out"
    ovl 0 compare old better
    prints "# 0 REGRESSED, 0 INCONCLUSIVE, 0 OK, 4 IMPROVED"
}

@test "totals at different work are not compared, however small the difference" {
    launches old 8 1
    launches new 8 1
    # A hundredth of a per cent in one launch of one cell; its time says nothing of it.
    units=$(sed -n '2s/.*"units":\([0-9]*\).*/\1/p' new/3.jsonl)
    sed -i "2s/\"units\":$units/\"units\":$((units + 1))/" new/3.jsonl
    ovl 2 compare old new
    [ "$(grep -c 'INCONCLUSIVE: different work$' <<<"$out")" = 1 ]
    prints "# 0 REGRESSED, 1 INCONCLUSIVE, 3 OK"
    prints "# in 1 cell the launches did not the same work"
    prints "--work-from FILE"
    ovl 2 compare --paired old new
    ovl 2 compare --metric speedup_vs_blocking old new
    # What does not follow the amount of work is compared, and so are totals when one insists.
    ovl 0 compare --metric comm_seconds old new
    absent 'the same work' "$out"
    ovl 0 compare --any-work old new
    prints "# 0 REGRESSED, 0 INCONCLUSIVE, 4 OK"
    prints "a change of the total may be one of the work"
    # Both sides alike, but for different work within a side.
    sed -i "2s/\"units\":$units/\"units\":$((units + 1))/" old/3.jsonl
    ovl 2 compare old new
    # A launch that carries no claim does not count.
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' old/3.jsonl new/3.jsonl
    ovl 0 compare old new
}

@test "INCONCLUSIVE becomes pass or fail for pipelines that know only two" {
    launches old 2 1
    launches new 2 1
    ovl 2 compare old new
    ovl 0 compare old new --inconclusive pass
    prints "4 INCONCLUSIVE"
    ovl 1 compare old new --inconclusive fail
    ovl 3 compare old new --inconclusive maybe
    says "--inconclusive maybe: give pass|fail"
    launches a 8 1
    launches b 8 1.2
    ovl 1 compare a b --inconclusive pass
}

@test "compare says when it cannot tell" {
    launches old 8 1
    launches worse 8 1.1
    ovl 2 compare old/1.jsonl worse/1.jsonl
    [ "$(grep -c 'INCONCLUSIVE: one launch a side cannot tell$' <<<"$out")" = 4 ]
    mkdir three few
    cp old/[123].jsonl three
    cp worse/[123].jsonl few
    ovl 2 compare three few
    prints "INCONCLUSIVE: too few launches for an interval"
    prints "# for that step 5 launches a side are needed"
}

@test "compare holds cells apart that are not the same, and misses those that are gone" {
    launches old 8 1
    launches new 8 1
    sed -i 's/"run_id":"old/"run_id":"other/; s/"test_calls":0/"test_calls":4/' new/*.jsonl
    ovl 2 compare old new
    [ "$(grep -c 'INCONCLUSIVE: not measured on the new side$' <<<"$out")" = 4 ]
    prints "4 on the new side only"
    launches gone 8 1
    sed -i '/"size_bytes":8192,/d' gone/*.jsonl
    ovl 2 compare old gone
    prints "# 0 REGRESSED, 1 INCONCLUSIVE, 3 OK"
    launches bad 8 1
    sed -i 's/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' bad/[1-7].jsonl
    ovl 2 compare old bad
    prints "(7 launches left out)"
}

@test "compare shows first in what settings differ, and refuses without --across" {
    launches old 8 1
    launches new 8 1
    sed -i 's/MPICH Version: 4.0.2/MPICH Version: 4.2.0/; s/"binding":\["0-1","0-1"\]/"binding":["0","1"]/' new/*.jsonl
    sed -i 's/"UCX_LOG_LEVEL":"error"/"UCX_TLS":"tcp"/; s/"warmup":2/"warmup":9/' new/*.jsonl
    ovl 5 compare old new
    prints "# differs  mpi.library: MPICH Version: 4.0.2 -> MPICH Version: 4.2.0"
    prints "# differs  binding[]: 0-1 0-1 -> 0 1"
    prints "# differs  UCX_LOG_LEVEL: error -> not set"
    prints "# differs  UCX_TLS: not set -> tcp"
    prints "# note     options.warmup: 2 -> 9"
    absent ' OK$' "$out"
    says "--across"
    ovl 0 compare --across old new
    prints "4 OK"
    # A variable that only some launches of a side have is told too.
    launches mixed 8 1
    sed -i 's/"UCX_LOG_LEVEL":"error",//' mixed/[1-3].jsonl
    ovl 5 compare old mixed
    prints "UCX_LOG_LEVEL: error -> error (5 launches), not set (3 launches)"
}

@test "compare is not taken in by copies" {
    launches old 8 1
    launches new 2 1.1
    ovl 3 compare old old
    says "is on both sides"
    for i in 3 4 5 6 7 8; do cp new/1.jsonl new/$i.jsonl; done
    ovl 2 compare old new
    prints "# new      new: 2 launches in 8 files"
    prints "# note     6 copies of a launch passed over"
}

@test "compare takes other metrics, more of which may be better" {
    launches old 8 1
    launches new 8 1
    for file in new/*.jsonl; do
        awk '{ while (match($0, /"hidden_fraction":\{"value":-?[0-9.]+/)) {
                   text = substr($0, RSTART, RLENGTH); sub(/.*:/, "", text)
                   $0 = substr($0, 1, RSTART - 1) "\"hidden-fraction\":{\"value\":" text - 0.2 substr($0, RSTART + RLENGTH)
               }
               gsub(/hidden-fraction/, "hidden_fraction"); print }' "$file" >t && mv t "$file"
    done
    ovl 1 compare --metric hidden_fraction old new
    [ "$(grep -cE -- '-0.200 +-0.200 .. -0.200 .* REGRESSED$' <<<"$out")" = 4 ]
    ovl 3 compare --metric speed old new
    says "no metric speed; give one of comm_seconds"
}

@test "compare writes JUnit's XML and a chart, whole or not at all" {
    launches old 8 1
    launches new 8 1.1
    ovl 1 compare old new --junit verdicts.xml
    has verdicts.xml '<testsuites name="ovl" tests="4" failures="4" errors="0" skipped="0">'
    [ "$(grep -c '<failure message="REGRESSED: total_seconds 1.1' verdicts.xml)" = 4 ]
    ovl 5 compare old new --junit nowhere/verdicts.xml
    says "nowhere/verdicts.xml: cannot write"
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 3 compare old new --chart chart.gif
    says "must end in .svg, .png or .pdf"
    ovl 1 compare old new --chart chart.svg
    for text in "total_seconds: new launches against old ones" "ialltoall host 64K" REGRESSED gate "new / old"; do
        has chart.svg "$text"
    done
    [ -z "$(ls -A tmp)" ]
    [ "$(ls -A | grep -c '^\.[0-9]')" = 0 ]
}

@test "compare names the file, line and field of what is damaged" {
    launches old 2 1
    launches new 2 1
    sed -i '2s/"mode":"host"/"mode":7/' new/2.jsonl
    ovl 4 compare old new
    says "new/2.jsonl:2: mode: a short text is wanted here"
    ovl 3 compare old
    says "give two: OLD and NEW"
    ovl 5 compare old nowhere
    mkdir empty
    ovl 5 compare old empty
    says "empty: no record file in this folder"
}
