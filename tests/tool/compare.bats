#!/usr/bin/env bats
# `ovl compare` on launches whose change is known.

load tool

@test "compare passes launches that did not change, and says what it would have found" {
    sides 10 1
    sed -i 's/"run_id":"old/"run_id":"other/' new/*.jsonl
    tells 0 "10 launches in 10 files" compare old new
    [ "$(grep -c ' 10 v 10 .* OK$' <<<"$out")" = 4 ]
    prints "# 0 REGRESSED, 0 INCONCLUSIVE, 4 OK, 0 IMPROVED" "adjusted for 4 cells by steps as Holm's"
    prints "# outcome  the gate passes: each cell shows alone that it is less than 0.05 worse"
    # Scripts count rows by the word that ends them.
    [ "$(grep -cE " (REGRESSED|INCONCLUSIVE|OK|IMPROVED)\$" <<<"$out")" = 4 ]
    finds=$(awk '/ 10 v 10 / { print $(NF - 1); exit }' <<<"$out")
    awk -v x="$finds" 'BEGIN { exit !(x > 1.05 && x < 1.12) }'
}

@test "compare finds what got worse, and what got better" {
    launches old 10 1
    launches worse 10 1.1
    launches better 10 0.9
    ovl 1 compare old worse
    [ "$(grep -c ' REGRESSED$' <<<"$out")" = 4 ]
    ratio=$(awk '/ 10 v 10 / { print $6; exit }' <<<"$out")
    awk -v x="$ratio" 'BEGIN { exit !(x > 1.09 && x < 1.11) }'
    ovl 0 compare old worse --delta 0.2
    tells 1 '# pairs    by launch number' compare --paired old worse
    prints '# outcome  the gate fails: 4 cells are worse by more than 0.05'
    tells 0 "# 0 REGRESSED, 0 INCONCLUSIVE, 0 OK, 4 IMPROVED" compare old better
}

@test "totals at different work are not compared, however small the difference" {
    sides 11 1
    # A hundredth of a per cent in one launch of one cell; its time says nothing of it.
    units=$(sed -n '2s/.*"units":\([0-9]*\).*/\1/p' new/3.jsonl)
    sed -i "2s/\"units\":$units/\"units\":$((units + 1))/" new/3.jsonl
    ovl 2 compare old new
    [ "$(grep -c 'INCONCLUSIVE: different work$' <<<"$out")" = 1 ]
    prints "# 0 REGRESSED, 1 INCONCLUSIVE, 3 OK" "# in 1 cell the launches did not the same work" "--work-from FILE"
    ovl 2 compare --paired old new
    ovl 2 compare --metric speedup_vs_blocking old new
    # A gate does not let through what it did not compare.
    ovl 3 compare --inconclusive pass old new
    says "--inconclusive pass: in 1 cell the launches did not the same work, and nothing was compared"
    says "--work-from"
    ovl 1 compare --inconclusive fail old new
    # What does not follow the amount of work is compared, and so are totals when one insists.
    ovl 0 compare --metric comm_seconds old new
    absent 'the same work' "$out"
    tells 0 "# 0 REGRESSED, 0 INCONCLUSIVE, 4 OK" compare --any-work old new
    prints "a change of the total may be one of the work"
    # Both sides alike, but for different work within a side.
    sed -i "2s/\"units\":$units/\"units\":$((units + 1))/" old/3.jsonl
    ovl 2 compare old new
    # A launch that carries no claim does not count.
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' old/3.jsonl new/3.jsonl
    ovl 0 compare old new
}

@test "INCONCLUSIVE becomes pass or fail for pipelines that know only two" {
    # Within the margin and beyond it, as far as ten launches can tell.
    sides 10 1.05
    tells 2 "# 0 REGRESSED, 4 INCONCLUSIVE" compare old new
    ovl 0 compare old new --inconclusive pass
    ovl 1 compare old new --inconclusive fail
    refuses 3 "--inconclusive maybe: give pass|fail" compare old new --inconclusive maybe
    launches a 10 1
    launches b 10 1.2
    ovl 1 compare a b --inconclusive pass
    # What is gone does not pass.
    launches lost 10 1
    sed -i '/"size_bytes":8192,/d; s/"cells":4/"cells":3/' lost/*.jsonl
    refuses 3 "the new side lacks 1 of the 4 cells of the old one" compare old lost --inconclusive pass
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' new/*.jsonl
    refuses 3 "in 1 of the 4 cells no launch of one side is fit to be compared" compare old new --inconclusive pass
    sed -i '/"record":"cell"/d; s/"cells":4/"cells":0/' old/*.jsonl
    ovl 2 compare old new
    refuses 3 "the old side has no cell" compare old new --inconclusive pass
    # Nor what was not tested: too few launches or pairs to call anything REGRESSED, however slow, or most of them lost.
    launches nine 9 1
    launches slow 9 9.5
    ovl 2 compare nine slow
    ovl 3 compare nine slow --inconclusive pass
    says "in 4 of the 4 cells no change, however large, could be called REGRESSED; it takes 10 launches a side"
    ovl 1 compare nine slow --inconclusive fail
    launches crashed 3 1
    ovl 3 compare a crashed --inconclusive pass
    mkdir four worse
    cp nine/[1-4].jsonl four
    cp slow/[1-4].jsonl worse
    ovl 2 compare --paired four worse
    refuses 3 "it takes 7 pairs of launches" compare --paired four worse --inconclusive pass
}

@test "a chart with nothing to draw changes no verdict, and JSON is written, but by a call that is refused" {
    sides 10 1
    sed -i 's/"validated":true/"validated":false/' new/*.jsonl
    ovl 1 compare old new --chart c.svg --json c.json
    says "ovl compare: no chart made: no cell could be compared"
    [ "$(jq -c '[.exit, .verdicts.REGRESSED]' c.json)" = "[1,4]" ]
    rm -r new && launches new 1 1
    ovl 3 compare old new --inconclusive pass --json c.json
    [ "$(jq .exit c.json)" = 1 ] # of before
}

@test "a pair is two launches that follow each other, and the order of all pairs is told" {
    sides 12 1.2
    at() { sed -i "s/\"started\":\"[^\"]*\"/\"started\":\"$2\"/" "$1"; }
    # Two months apart: whatever changed with the machine would be the build's.
    for i in {1..12}; do at new/$i.jsonl "2026-03-01T00:$(printf %02d "$i"):00Z"; done
    ovl 2 compare --paired old new
    [ "$(grep -c 'INCONCLUSIVE: launches of one number do not follow each other in time: take them in turns' <<<"$out")" = 4 ]
    ovl 3 compare --paired old new --inconclusive pass
    # In turns, but the old one first each time; then old, new, new, old.
    for i in {1..12}; do
        at old/$i.jsonl "2026-01-01T00:$(printf %02d "$i"):00Z"
        at new/$i.jsonl "2026-01-01T00:$(printf %02d "$i"):30Z"
    done
    tells 1 "# note     in 4 of 4 cells one side began first in every pair" compare --paired old new
    for i in 2 4 6; do
        at new/$i.jsonl "2026-01-01T00:$(printf %02d "$i"):00Z"
        at old/$i.jsonl "2026-01-01T00:$(printf %02d "$i"):30Z"
    done
    ovl 1 compare --paired old new
    absent 'began first' "$out"
    # One that was measured again at the end is no pair any more; the others are.
    at old/5.jsonl "2026-01-01T01:00:00Z"
    ovl 1 compare --paired old new
    [ "$(grep -c ' 11 v 11 .* REGRESSED (left out: 0 unusable and 2 unmatched launches; of the unmatched 2 have launches between' <<<"$out")" = 4 ]
}

@test "compare says when it cannot tell" {
    launches old 10 1
    launches worse 10 1.1
    ovl 2 compare old/1.jsonl worse/1.jsonl
    [ "$(grep -c 'INCONCLUSIVE: too few launches: 10 a side, or pairs' <<<"$out")" = 4 ]
    ovl 2 compare --paired old/1.jsonl worse/1.jsonl
    [ "$(grep -c 'INCONCLUSIVE: one pair of launches cannot tell$' <<<"$out")" = 4 ]
    # Numbers that have no match are no pair.
    ovl 2 compare --paired old/1.jsonl worse/2.jsonl
    prints "no two valid launches make a pair (left out: 0 unusable and 2 unmatched launches)"
    mkdir six few
    cp old/[1-6].jsonl six
    cp worse/[1-6].jsonl few
    ovl 2 compare --paired six few
    [ "$(grep -c 'INCONCLUSIVE: too few launches to call any change a regression$' <<<"$out")" = 4 ]
    prints "# at the strictest step 7 pairs of launches are needed: with fewer no cell of 4 can be called REGRESSED"
    prints "# outcome  the gate is open: 4 of 4 cells not shown to be less than 0.05 worse"
}

# Drivers append to a record: each file of a stale folder has yesterday's launch before today's.
@test "records that are sent once more under other names and dates are no other launches" {
    launches old 12 1
    mkdir new
    for ((i = 1; i <= 12; i++)); do sed -i "s/\"samples\":{/\"samples_crc32\":\"$(printf %08x $((i * 77777)))\",&/" old/$i.jsonl; done
    for ((i = 1; i <= 12; i++)); do sed "s/old-$i/new-$i/g; s/2026-01-01T00/2026-01-02T00/g" "old/$i.jsonl" >"new/$i.jsonl"; done
    tells 2 "note     48 cells have the very samples of another launch, and count for nothing: new/1.jsonl" compare old new
    tells 2 "have the very samples of another launch" history --since 2026-01-02 old new
}

@test "without their CRC-32, or without samples, they are none either" {
    launches old 12 1
    again() { for ((i = 1; i <= 12; i++)); do sed "s/old-$i/new-$i/g; s/2026-01-01T00/2026-01-02T00/g; $1" "old/$i.jsonl" >"new/$i.jsonl"; done; }
    mkdir new
    again ''
    tells 2 "note     48 cells have the very samples of another launch, and count for nothing: new/1.jsonl" compare old new
    tells 2 "have the very samples of another launch" history --since 2026-01-02 old new
    # Taken out of one side, of a version that tells it.
    mkdir told untold
    cp "$data/fft3d.jsonl" told
    sed -E 's/20[0-9]{6}T[0-9]{6}Z-[0-9a-f]{16}/other/; s/"samples_crc32":"[^"]*",//' "$data/fft3d.jsonl" >untold/1.jsonl
    tells 2 "note     6 cells have the very samples of another launch" compare told untold
    sed -i 's/,"samples":{[^{}]*\({[^{}]*}[^{}]*\)*}//; s/"samples_crc32":"[^"]*",//' old/*.jsonl
    again ''
    tells 2 "note     48 cells have the very samples of another launch" compare old new
}

@test "a launch is a copy only where it holds the same, and impossible values are no improvement" {
    launches old 12 1
    launches new 12 1
    launches bad 12 3
    sed 's/bad-5"/new-5"/g' bad/5.jsonl >new/95.jsonl
    refuses 4 "new/95.jsonl: another launch of run_id new-5 holds other values" compare old new
    refuses 4 "new/95.jsonl: another launch of run_id new-5 holds other values" history new
    # A file that was copied while it was written is a copy.
    sed '$d' new/5.jsonl | sed '$d' >new/95.jsonl
    ovl 0 compare old new
    prints "note     1 copy of a launch passed over"
    rm new/95.jsonl
    for total in 0 -0.0 1e-300 1e-9; do
        launches new 12 1
        sed -i "s/\"total_seconds\":{\"median\":[0-9.e-]*/\"total_seconds\":{\"median\":$total/" new/*.jsonl
        ovl 2 compare old new
    done
    launches new 12 1
    sed -i 's/"hidden_fraction":{"value":[0-9.e-]*/"hidden_fraction":{"value":500/' new/*.jsonl
    ovl 2 compare -m hidden_fraction old new
}

@test "a stored value that no measurement gives is no improvement, whichever the metric is" {
    local name
    launches old 10 1
    for name in comm compute blocking init wait inner_compute; do
        launches new 10 1
        sed -i "s/\"${name}_seconds\":{\"median\":[0-9.e-]*/\"${name}_seconds\":{\"median\":1e-12/" new/*.jsonl
        ovl 2 compare -m "${name}_seconds" old new
    done
    for name in hidden_fraction hideable_fraction overlap_ratio efficiency_vs_blocking speedup_vs_blocking hidden_fraction_rank_mean; do
        launches new 10 1
        sed -i "s/\"$name\":{\"value\":[0-9.e-]*/\"$name\":{\"value\":700/" new/*.jsonl
        ovl 2 compare -m "$name" old new
        ovl 2 history -m "$name" new
    done
    for name in compute_slowdown_ratio nbc_penalty_ratio; do
        launches new 10 1
        sed -i "s/\"$name\":{\"value\":[0-9.e-]*/\"$name\":{\"value\":0.01/" new/*.jsonl
        ovl 2 compare -m "$name" old new
    done
    # What may be below 0 is within its own samples.
    launches new 10 1
    sed -i 's/"own_exposed_seconds":{"median":[0-9.e-]*/"own_exposed_seconds":{"median":1e-12/' new/*.jsonl
    ovl 2 compare -m own_exposed_seconds old new
    # Within what may be, and not what T gives.
    launches new 10 1
    sed -i 's/"speedup_vs_blocking":{"value":[0-9.e-]*/"speedup_vs_blocking":{"value":1.4/' new/*.jsonl
    ovl 2 compare -m speedup_vs_blocking old new
}

@test "what one side has more of is thinned by value, and pairs nothing" {
    launches old 10 1
    launches good 10 1
    launches worse 10 1.5
    for i in {1..10}; do
        sed 's/T00:/T05:/' "worse/$i.jsonl" >>"good/$i.jsonl"
    done
    ovl 2 compare old good
    [ "$(grep -c ' 10 v 10 .* INCONCLUSIVE: .*(left out: 0 unusable and 10 unmatched launches)$' <<<"$out")" = 4 ]
    ovl 2 compare --paired old good
    [ "$(grep -c 'INCONCLUSIVE: too many launches have no partner' <<<"$out")" = 4 ]
    # Nobody chooses which of them count, by whatever name.
    launches new 20 1
    sed -i 's/"total_seconds":{"median":[0-9.e-]*/"total_seconds":{"median":9/' new/{3,4,7,11,13,14,16,17,18,19}.jsonl
    ovl 2 compare old new
}

@test "compare holds cells apart that are not the same, and misses those that are gone" {
    sides 10 1
    sed -i 's/"run_id":"old/"run_id":"other/; s/"test_calls":0/"test_calls":4/' new/*.jsonl
    ovl 2 compare old new
    [ "$(grep -c 'INCONCLUSIVE: not measured on the new side$' <<<"$out")" = 4 ]
    prints "4 on the new side only"
    launches gone 10 1
    sed -i '/"size_bytes":8192,/d; s/"cells":4/"cells":3/' gone/*.jsonl
    tells 2 "# 0 REGRESSED, 1 INCONCLUSIVE, 3 OK" compare old gone
    launches bad 10 1
    sed -i 's/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' bad/[1-7].jsonl
    ovl 2 compare old bad
    prints "INCONCLUSIVE: too many new launches are unusable, were cut short or lack the cell: measure them again (left out: 7 unusable and 7 unmatched launches)"
    rm bad/[1-7].jsonl
    ovl 2 compare old bad
    prints "too few launches: 10 a side, or pairs taken in turns (--paired) (left out: 0 unusable and 7 unmatched launches)"
}

@test "compare tells when all old launches are later than the new ones" {
    sides 10 1.3
    sed -i 's/"started":"2026-01-01T/"started":"2026-01-31T/; s/"finished":"2026-01-01T/"finished":"2026-01-31T/' new/*.jsonl
    ovl 1 compare old new
    absent 'right way round' "$out"
    tells 0 "# note     all old launches began later than all new ones: are the sides the right way round?" compare new old
    sed -i 's/2026-01-31T/2026-01-01T/' new/1.jsonl
    ovl 0 compare new old
    absent 'right way round' "$out"
}

@test "compare tells how a plan of FFTW and a cycle's device were asked for" {
    sides 10 1
    sed -i 's/"warmup":2/&,"fftw":"measure","device_rate":5.8/' old/*.jsonl
    sed -i 's/"warmup":2/&,"fftw":"estimate","device_rate":1.4/' new/*.jsonl
    tells 0 "# note     options.fftw: measure -> estimate" compare old new
    prints "# note     options.device_rate: 5.8 -> 1.4"
}

@test "compare shows first in what settings differ, and refuses without --across" {
    sides 10 1
    sed -i 's/MPICH Version: 4.0.2/MPICH Version: 4.2.0/; s/"binding":\["0-1","0-1"\]/"binding":["0","1"]/' new/*.jsonl
    sed -i 's/"UCX_LOG_LEVEL":"error"/"UCX_TLS":"tcp"/; s/"warmup":2/"warmup":9/' new/*.jsonl
    tells 5 "# differs  mpi.library: MPICH Version: 4.0.2 -> MPICH Version: 4.2.0" compare old new
    prints "# differs  binding[]: 0-1 0-1 -> 0 1" "# differs  UCX_LOG_LEVEL: error -> not set"
    prints "# differs  UCX_TLS: not set -> tcp" "# note     options.warmup: 2 -> 9"
    absent ' OK$' "$out"
    says "--across"
    tells 0 "4 OK" compare --across old new
    # A variable that only some launches of a side have is told too.
    launches mixed 10 1
    sed -i 's/"UCX_LOG_LEVEL":"error",//' mixed/[1-3].jsonl
    tells 5 "UCX_LOG_LEVEL: error -> error (7 launches), not set (3 launches)" compare old mixed
}

# tcp FILE...: those launches are of another transport than the others.
tcp() { sed -i 's/"UCX_LOG_LEVEL":"error"/"UCX_LOG_LEVEL":"error","UCX_TLS":"tcp"/' "$@"; }

# bats test_tags=long
@test "settings mixed within a side are compared only where each cell has as many launches of each on both sides" {
    sides 20 1
    tcp old/{1..19}.jsonl
    tcp new/1.jsonl
    for how in "" --paired; do
        ovl 5 compare $how old new
        prints "# differs  UCX_TLS: tcp (19 launches), not set (1 launch) -> tcp (1 launch), not set (19 launches), unlike in a cell"
        absent ' OK$' "$out"
        says "unlike mixtures"
        ovl 0 compare $how --across old new
    done
    tells 5 "unlike in a cell" report new --old old -o page.html
    # As many of each.
    launches new 20 1
    tcp new/{2..20}.jsonl
    tells 0 "# differs  UCX_TLS: tcp (19 launches), not set (1 launch), on both sides, alike in each cell" compare old new
    # A launch whose cells carry no claim is none of the mixture.
    sed -i 's/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' new/1.jsonl
    ovl 5 compare old new
}

@test "two settings, each alike on both sides, that go together otherwise are unlike" {
    sides 12 1
    tcp old/{1..6}.jsonl new/{1..6}.jsonl
    sed -i 's/"UCX_LOG_LEVEL":"error"/&,"UCX_RNDV_THRESH":"8192"/' old/{1..6}.jsonl new/{1..6}.jsonl
    ovl 0 compare old new
    sed -i 's/,"UCX_RNDV_THRESH":"8192"//' new/{1..6}.jsonl
    sed -i 's/"UCX_LOG_LEVEL":"error"/&,"UCX_RNDV_THRESH":"8192"/' new/{7..12}.jsonl
    ovl 5 compare old new
    prints "# differs  UCX_RNDV_THRESH: 8192 (6 launches), not set (6 launches), on both sides, unlike in a cell"
}

# bats test_tags=long
@test "cells of different settings stand each against its own, whatever launches are lost" {
    sides 12 1
    for side in old new; do # two jobs, of other cells
        launches $side.b 12 1
        sed -i '/"record":"cell"/{/"size_bytes":16384,/!d}; s/"cells":4/"cells":1/; s/"run_id":"/&b/' $side.b/*.jsonl
        sed -i '/"size_bytes":16384,/d; s/"cells":4/"cells":3/' $side/*.jsonl
    done
    tcp old.b/*.jsonl new.b/*.jsonl
    mkdir both now
    cp -r old old.b both
    cp -r new new.b now
    rm now/new.b/12.jsonl
    ovl 0 compare both now
    prints "# differs  UCX_TLS: tcp (12 launches), not set (12 launches) -> tcp (11 launches), not set (12 launches), alike in each cell"
    # The same shares of the whole, and each cell of the other setting.
    rm -r now/new now/new.b
    cp -r new new.b now
    sed -i 's/"UCX_TLS":"tcp",\{0,1\}//; s/"UCX_LOG_LEVEL":"error",}/"UCX_LOG_LEVEL":"error"}/' now/new.b/*.jsonl
    tcp now/new/*.jsonl
    tells 5 ", on both sides, unlike in a cell" compare both now
}

@test "a new side whose data nobody checked is told" {
    sides 10 1
    ovl 0 compare old new
    absent 'data not checked' "$out"
    sed -i 's/"validated":true/"validated":null/' new/[1-5].jsonl
    tells 0 "# note     data not checked in 20 of 40 cells of the new side, and in 0 of 40 of the old one" compare old new
    # Of what moves none there is nothing to tell.
    sed -i 's/"benchmark":"ialltoall"/"benchmark":"null"/' old/*.jsonl new/*.jsonl
    ovl 0 compare old new
    absent 'data not checked' "$out"
}

@test "adapters, a longer kernel's name, and the binding of any rank are settings" {
    # Of two hosts; each case changes one thing of the new side.
    host='"name":"h","cpu":"A","cores":2,"numa":1,"machine":null,"governor":null'
    hosts="{$host,\"kernel\":\"Linux 6.1.0-28\",\"adapters\":[{\"name\":\"mlx5_0\",\"rate_gbps\":200,\"firmware\":\"20.1\"}]}"
    many=$(seq -f '"%g",' 300 | tr -d '\n')
    mkdir old new
    sed "1s/\"hosts\":\[.*\],\"binding\":\[/\"hosts\":[$hosts,$hosts],\"binding\":[$many/; s/\"ranks\":2,\"nodes\":1/\"ranks\":302,\"nodes\":2/; s/\"ranks\":2/\"ranks\":302/; s/\"nodes\":1/\"nodes\":2/" \
        "$data/ialltoall.jsonl" >old/1.jsonl
    ovl 0 validate old/1.jsonl
    while read -r change field; do
        sed "s/\"run_id\":\"/&x/; 1s/$change" old/1.jsonl >new/1.jsonl
        tells 5 "# differs  $field: " compare old new
        [ "$(grep -c '^# differs' <<<"$out")" = 1 ]
    done <<'END'
mlx5_0/mlx5_2/2 hosts[].adapters[].name
"rate_gbps":200/"rate_gbps":100/2 hosts[].adapters[].rate_gbps
20\.1/20.2/2 hosts[].adapters[].firmware
6\.1\.0-28/6.2.0/2 hosts[].kernel
"300","0-1"/"300","1-1"/ binding[]
END
    # Another patch level is told, and is no other setting.
    sed 's/"run_id":"/&x/; 1s/6\.1\.0-28/6.1.0-29/g' old/1.jsonl >new/1.jsonl
    tells 2 "# note     hosts[].kernel: Linux 6.1.0-28 -> Linux 6.1.0-29" compare old new
    absent '^# differs' "$out"
}

@test "compare is not taken in by copies" {
    launches old 10 1
    launches new 2 1.1
    refuses 3 "is on both sides" compare old old
    for i in 3 4 5 6 7 8; do cp new/1.jsonl new/$i.jsonl; done
    tells 2 "# new      new: 2 launches in 8 files" compare old new
    prints "# note     6 copies of a launch passed over"
}

@test "compare takes other metrics, more of which may be better" {
    sides 10 1.2
    ovl 1 compare --metric hidden_fraction old new
    [ "$(grep -cE -- ' -[0-9.]+ +-[0-9.]+ .. -[0-9.]+ .* REGRESSED$' <<<"$out")" = 4 ]
    refuses 3 "no metric speed; give one of comm_seconds" compare --metric speed old new
}

@test "compare writes JUnit's XML and a chart, whole or not at all" {
    sides 10 1.1
    ovl 1 compare old new --junit verdicts.xml
    has verdicts.xml '<testsuites name="ovl" tests="4" failures="4" errors="0" skipped="0">'
    [ "$(grep -c '<failure message="REGRESSED: total_seconds 1.1' verdicts.xml)" = 4 ]
    mkdir none && grep -v '"cell"' old/1.jsonl >none/1.jsonl
    ovl 2 compare none new --junit none.xml
    has none.xml 'tests="1" failures="0" errors="0" skipped="1"' 'the old side has no cell, and nothing was compared'
    refuses 5 "nowhere/verdicts.xml: cannot write" compare old new --junit nowhere/verdicts.xml
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    refuses 3 "must end in .svg, .png or .pdf" compare old new --chart chart.gif
    ovl 1 compare old new --chart chart.svg
    for text in "total_seconds: new launches against old ones" "ialltoall host 64K" REGRESSED gate "new / old"; do
        has chart.svg "$text"
    done
    [ -z "$(ls -A tmp)" ]
    [ -z "$(find . -maxdepth 1 -name '.ovl-*')" ]
}

@test "compare names the file, line and field of what is damaged" {
    sides 2 1
    sed -i '2s/"mode":"host"/"mode":7/' new/2.jsonl
    refuses 4 "new/2.jsonl:2: mode: a short text is wanted here" compare old new
    refuses 3 "give two: OLD and NEW" compare old
    ovl 5 compare old nowhere
    mkdir empty
    refuses 5 "empty: no record file in this folder" compare old empty
}

@test "a missing launch shifts no pair" {
    # The machine slows down by the hour: each launch has its own pace, and pairs of one number share it.
    mkdir old new
    for k in 1 2 3 4 5 6 7 8; do
        launches "pace$k" 1 "$((10 + k * k))"
        launches "slow$k" 1 "$((12 + k * k)).2"
        mv "pace$k/1.jsonl" "old/$k.jsonl"
        mv "slow$k/1.jsonl" "new/$k.jsonl"
    done
    ovl 1 compare --paired --delta 0.01 old new
    rm old/2.jsonl
    ovl 1 compare --paired --delta 0.01 old new
    [ "$(grep -c ' 7 v 7 .* REGRESSED (left out: 0 unusable and 1 unmatched launch)$' <<<"$out")" = 4 ]
    # Without numbers, by the time at which they began: old and new in turns.
    for side in old new; do
        for file in "$side"/?.jsonl; do
            k=${file//[!0-9]/}
            minute=$((10 + 2 * k + ($([ $side = old ] || echo 1) + k) % 2))
            sed -i "s/\"started\":\"[^\"]*\"/\"started\":\"2026-01-01T00:$minute:00Z\"/" "$file"
            mv "$file" "$side/launch-$k.jsonl"
        done
    done
    tells 1 "# pairs    by start, of launches next to each other" compare --paired --delta 0.01 old new
    [ "$(grep -c ' 7 v 7 .* REGRESSED' <<<"$out")" = 4 ]
}

# bats test_tags=long
@test "pairs of which some new launches stall do not pass, however well the others are" {
    sides 12 0.98
    for i in {1..12}; do # in turns
        sed -i "s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$(printf %02d $i):30Z/" new/$i.jsonl
    done
    ovl 0 compare --paired old new
    launches slow 12 9.8
    for i in 2 5 6 9 11; do
        sed "s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$(printf %02d $i):30Z/" slow/$i.jsonl >new/$i.jsonl
        [ $i != 2 ] || ovl 0 compare --paired old new # one alone may be chance
    done
    ovl 2 compare --paired old new
    [ "$(grep -c ' INCONCLUSIVE: 5 of 12 pairs are worse by over twice the margin: some launches stall$' <<<"$out")" = 4 ]
    refuses 3 "in 4 of the 4 cells some new launches stall, which is shown and no doubt" compare --paired --inconclusive pass old new
    prints "# outcome  the gate is open: 4 of 4 cells"
}

@test "the gate passes although a label among many is INCONCLUSIVE" {
    sides 6 1.01
    # Six pairs: 2^-6 is below 0.05, and not below a quarter of it.
    tells 0 "# 0 REGRESSED, 4 INCONCLUSIVE, 0 OK, 0 IMPROVED" compare --paired old new
    [ "$(grep -c 'INCONCLUSIVE: within the margin by its own test, not among 4 cells$' <<<"$out")" = 4 ]
    prints "# outcome  the gate passes"
    ovl 0 compare --paired old new --inconclusive fail --junit verdicts.xml
    has verdicts.xml 'failures="0" errors="0" skipped="4"'
    # One cell that is gone has not passed.
    sed -i '/"size_bytes":8192,/d' new/*.jsonl
    ovl 2 compare --paired old new
    ovl 1 compare --paired old new --inconclusive fail
}

@test "a machine that computes slower is no regression of the total" {
    sides 10 1.08
    # W takes all of the change: its share is four fifths of T.
    for file in old/*.jsonl new/*.jsonl; do
        awk '{ while (match($0, /"compute_seconds":\{"median":[0-9.e-]+/)) {
                   total = $0; sub(/.*"total_seconds":\{"median":/, "", total); sub(/,.*/, "", total)
                   rest = FILENAME ~ /^new/ ? 0.2 / 1.08 : 0.2
                   $0 = substr($0, 1, RSTART - 1) "\"compute-seconds\":{\"median\":" sprintf("%.12g", total * (1 - rest)) substr($0, RSTART + RLENGTH)
               }
               gsub(/compute-seconds/, "compute_seconds"); print }' "$file" >t && mv t "$file"
    done
    ovl 2 compare old new
    [ "$(grep -cE 'INCONCLUSIVE: the machine computes (9|10)\.[0-9] % slower, and T and T - W do not both tell$' <<<"$out")" = 4 ]
    ovl 0 compare old new --delta 0.2
    [ "$(grep -cE ' OK \(the machine computes (9|10)\.[0-9] % slower\)$' <<<"$out")" = 4 ]
    # T is worse beyond doubt, whoever slows it: no pipeline that takes noise for a pass lets that through.
    refuses 3 "in 4 of the 4 cells the total is worse, which is shown, and so is the work alone" compare old new --inconclusive pass
    ovl 1 compare old new --inconclusive fail
    # In turns, now the one side first and now the other, no machine's pace favours a side.
    for i in {1..10}; do
        sed -i "s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$(printf %02d:%02d $i $((i % 2 ? 30 : 20)))Z/" old/$i.jsonl
        sed -i "s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$(printf %02d:%02d $i $((i % 2 ? 40 : 10)))Z/" new/$i.jsonl
    done
    ovl 1 compare --paired old new
    [ "$(grep -cE ' REGRESSED \(the same work takes (9|10)\.[0-9] % longer\)$' <<<"$out")" = 4 ]
}

# bats test_tags=long
@test "compare --plan says beforehand how many launches a margin needs" {
    launches old 10 1
    sed -i 's/"finished":"[^"]*"/"finished":"2026-01-01T00:20:30Z"/' old/*.jsonl
    ovl 0 compare --plan old
    [ "$(grep -cE '^  ialltoall host [0-9]+K +[0-9.]+ +10 +0.64% +[0-9]+ +10$' <<<"$out")" = 4 ]
    prints "# needed   7 pairs (old, new, new, old, ...; --paired), or 10 launches of each side"
    # Two sides of 7 launches of 900 s on average.
    prints "# time     7 launches of each side take 12600 s (210.0 min)"
    ovl 0 compare --plan old --launches 12
    grep -qE '^  ialltoall host 8K .* 1\.0[56][0-9] +1\.0[56][0-9]$' <<<"$out"
    prints "# time     12 launches of each side take 21600 s"
    # A tighter margin needs more of them, and some none can give.
    ovl 0 compare --plan old --delta 0.005
    awk '/ialltoall host 8K/ { exit !($7 > 20) }' <<<"$out"
    tells 0 "over 1000" compare --plan old --delta 0.00001
    sed -i 's/"units":[0-9]*/"units":77/' old/3.jsonl
    tells 0 "# note     the old launches did not the same work" compare --plan old
    refuses 2 "no cell has the 3 valid launches that show a spread" compare --plan old/1.jsonl
    refuses 3 "--plan takes one: OLD, a record file or a folder of them" compare --plan old old
    refuses 3 "--launches N goes with --plan" compare old old --launches 3
}

@test "launches of several builds are never one sample without a word" {
    launches old 10 1
    launches mixed 10 1
    sed -i '1s/"git":"[^"]*"/"git":"feedbee"/' mixed/[1-4].jsonl
    tells 0 "# note     git: 75acdfc-dirty -> " compare old mixed
    prints "feedbee (4 launches)"
    tells 0 "# note      of 2 builds: ovl_version, git or build of their records differ" show mixed/*.jsonl
    ovl 0 show old/*.jsonl
    absent builds "$out"
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 report mixed -o page.html
    has page.html "<li>The launches are of 2 builds of the programs; the set-up names them.</li>"
    ovl 0 report old -o page.html
    absent "builds of the programs" "$(cat page.html)"
}

@test "launches that did not come to their end count for nothing, and are told" {
    sides 11 1
    mkdir failed cut
    for i in {1..10}; do
        sed "s/\"run_id\":\"/&f/; s/\"status\":\"complete\"/\"status\":\"failed\",\"reason\":\"rank 1 died\"/" "new/$i.jsonl" >"failed/$i.jsonl"
        grep -v '"record":"end"' "new/$i.jsonl" | sed 's/"run_id":"/&c/' >"cut/$i.jsonl"
    done
    for side in failed cut; do
        ovl 2 compare old $side
        prints "# note     10 of 10 new launches did not come to their end, and count for nothing: $side/1.jsonl: "
        [ "$(grep -c 'INCONCLUSIVE: no launch of one side is valid' <<<"$out")" = 4 ]
        ovl 3 compare old $side --inconclusive pass
        ovl 2 compare --plan $side
    done
    prints "cut/1.jsonl: no end line"
    ovl 2 history failed
    prints "# note     10 of 10 launches did not come to their end, and count for nothing: failed/1.jsonl: failed: rank 1 died"
    cp failed/1.jsonl new/1.jsonl
    ovl 0 compare old new
    prints "# note     1 of 11 new launches did not come to their end, and count for nothing: new/1.jsonl: failed: rank 1 died"
    timeout 60 "$OVL_BIN/ovl" export failed --to bmf >exported 2>err || [ $? = 2 ]
    [ "$(tr -d ' \n' <exported | grep -o '"launches_without_claim":{"value":10}' | wc -l)" = 4 ]
}

@test "work of an odd launch hides no change of the communication" {
    # As where the launch that set the work had 50 times the communication: W and T are 50 times C, and 3 C are nothing.
    sides 10 1
    sed -i 's/"run_id":"/&n/' new/*.jsonl
    ovl 0 compare old new
    sed -i -E 's/("comm_seconds":\{"median":)[0-9.e-]*/\11e-7/' old/*.jsonl new/*.jsonl
    ovl 2 compare old new
    [ "$(grep -c 'INCONCLUSIVE: the work is [0-9.e+]* times the multiple of the communication that its ratio says' <<<"$out")" = 4 ]
    ovl 0 compare old new --any-work
    refuses 3 "--delta" compare old new -d 5
}

# bats test_tags=long
@test "jobs of a plan that measure the same cell do not thin each other out" {
    for side in old new; do
        for job in a b c d e f g h; do
            launches $side/$job 10 1
            [ $side$job != newh ] || { rm -r new/h; launches new/h 10 1.25; }
            sed -i "s/\"run_id\":\"/&$side$job/" $side/$job/*.jsonl
        done
        echo '{"plan": 1}' >$side/plan.json
    done
    ovl 1 compare old new
    [ "$(grep -c ' REGRESSED$' <<<"$out")" = 4 ]
    grep -qE 'ialltoall host 8K job=h .* 10 v 10 .* REGRESSED$' <<<"$out"
    grep -qE 'ialltoall host 8K job=a .* 10 v 10 .* OK$' <<<"$out"
    # A job that is called by another name on one side hides nothing of the others.
    mv new/a new/z
    ovl 1 compare old new
    grep -qE 'ialltoall host 8K job=h .* 10 v 10 .* REGRESSED$' <<<"$out"
    grep -qE 'ialltoall host 8K job=a .* INCONCLUSIVE: not measured on the new side$' <<<"$out"
    mv new/z new/a
    # Nor another job that only the new side has.
    launches new/more 40 0.5
    sed -i 's/"run_id":"/&newmore/' new/more/*.jsonl
    rm -r old/[b-g]
    mv old/h kept
    ovl 2 compare old new --delta 0.0001
    grep -qE 'ialltoall host 8K job=a .* 10 v 10 ' <<<"$out"
    rm -r new/more old
    mkdir old
    mv kept old/h
    # Jobs that are the sides are compared with each other.
    tells 1 "# 4 REGRESSED" compare new/a new/h
    absent "job=" "$out"
}

@test "launches of folders that no plan tells apart are never taken together without a word" {
    launches old 10 1
    mkdir new
    launches new/a 5 1
    launches new/b 5 1
    sed -i 's/"run_id":"/&n/' new/a/*.jsonl
    sed -i 's/"run_id":"/&m/' new/b/*.jsonl
    timeout 60 "$OVL_BIN/ovl" compare old new >told || :
    has told "# note     2 folders without a plan.json: their launches of one cell are taken together"
    [ "$(grep -c 'without a plan.json' told)" = 1 ]
    echo '{"plan": 1}' >new/plan.json
    timeout 60 "$OVL_BIN/ovl" compare old new >told || :
    absent "without a plan.json" "$(cat told)"
}

@test "a folder or a pipe that has the name of a record beside NNN.log is a launch that left none" {
    launches old 14 1
    launches new 14 1
    for i in {1..9}; do
        mv new/$i.jsonl new/00$i.log
        [ $((i % 2)) = 0 ] && mkdir new/00$i.jsonl || mkfifo new/00$i.jsonl
    done
    ovl 2 compare old new --junit v.xml
    prints "# note     9 new launches of a sweep left no record, and count as lost: new/001.log"
    grep -q '<error' v.xml || grep -q '<failure' v.xml || grep -q '<skipped' v.xml
    tells 2 "note     9 launches of a sweep left no record, and count as lost: new/001.log" history old new --since 2026-01-01
    ovl 0 report new -o r.html
    has r.html "left no record"
}

@test "a total below zero is no improvement, and a file that cannot be read is told" {
    sides 10 1
    sed -i 's/"run_id":"/&n/; s/"total_seconds":{"median":[0-9.e-]*/"total_seconds":{"median":-0.001/' new/*.jsonl
    ovl 2 compare old new
    [ "$(grep -c 'INCONCLUSIVE: no launch of one side is valid' <<<"$out")" = 4 ]
    ln -s gone new/11.jsonl
    refuses 5 "new/11.jsonl: cannot read" compare old new
}

# wrong FILE...: their launches found wrong data in the cell of 8 KiB.
wrong() { sed -i '/"size_bytes":8192,/{s/"validated":true/"validated":false/;s/"status":"[a-z_]*","reason":"[^"]*"/"status":"invalid","reason":"wrong data"/}' "$@"; }

@test "wrong data on the new side are REGRESSED, however quick the launches are that are left" {
    launches old 14 1
    launches new 14 1
    ovl 0 compare old new
    wrong new/{1..8}.jsonl
    ovl 1 compare --paired old new --junit v.xml
    prints "REGRESSED: wrong data in 8 of 14 launches of the new side"
    prints "# 1 REGRESSED, 0 INCONCLUSIVE, 3 OK, 0 IMPROVED of 4 cells"
    prints "# outcome  the gate fails: wrong data in 1 cell of the new side"
    grep -qE '<testsuites .*tests="4" failures="1"' v.xml
    grep -qE '8K".*<failure message="REGRESSED: .*wrong data in 8 of 14 launches' v.xml
    ovl 1 compare --paired --inconclusive pass old new
    # One launch is enough, and what the others show does not matter: here they are quicker.
    launches fast 14 0.8
    wrong fast/3.jsonl
    ovl 1 compare old fast
    prints "REGRESSED: wrong data in 1 of 14 launches of the new side"
    prints "# 1 REGRESSED, 0 INCONCLUSIVE, 0 OK, 3 IMPROVED of 4 cells"
    # What else is worse is told as well.
    launches slow 14 1.2
    wrong slow/3.jsonl
    ovl 1 compare old slow
    prints "# outcome  the gate fails: 3 cells are worse by more than 0.05"
    # Old launches may be wrong: the new side mended that.
    launches mended 14 1
    wrong old/1.jsonl
    ovl 0 compare old mended
    launches old 14 1
    # A cell that only the new side has, one that was wrong before its run was cut short, and one that is there twice.
    for kind in added cut twice; do launches $kind 14 1; done
    mkdir less
    for i in {1..14}; do sed '/"size_bytes":8192,/d; s/"cells":4/"cells":3/' old/$i.jsonl >less/$i.jsonl; done
    ovl 0 compare less added
    prints "; 1 on the new side only"
    wrong added/1.jsonl cut/1.jsonl twice/1.jsonl
    ovl 1 compare less added
    prints "# 1 REGRESSED, 0 INCONCLUSIVE, 3 OK, 0 IMPROVED of 4 cells"
    sed -i '/"record":"end"/d' cut/1.jsonl
    ovl 1 compare old cut
    { sed '$d; s/"validated":false/"validated":true/; s/"status":"invalid"/"status":"ok"/' twice/1.jsonl
        sed -n '/"size_bytes":8192,/p; $s/"cells":4/"cells":5/p' twice/1.jsonl; } >both
    mv both twice/1.jsonl
    ovl 1 compare old twice
    prints "# note     1 cells that a launch has twice passed over"
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 1 report new --old old --paired -o page.html
    has page.html "wrong data in 8 of 14 launches of the new side"
    has page.html "the gate fails: wrong data in 1 cell of the new side"
}

@test "no cell passes that lost more than half as many launches as are left" {
    launches old 40 1
    launches new 40 1
    ovl 0 compare old new
    # 13 of 40 are fewer, 14 are more.
    sed -i '3s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' new/{1..13}.jsonl
    ovl 0 compare old new
    sed -i '3s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' new/14.jsonl
    for how in "" --paired; do
        ovl 2 compare $how old new
        prints "INCONCLUSIVE: too many new launches are unusable, were cut short or lack the cell: measure them again"
        prints "# 0 REGRESSED, 1 INCONCLUSIVE, 3 OK, 0 IMPROVED of 4 cells"
        ovl 3 compare $how old new --inconclusive pass
        ovl 2 compare $how new old
        prints "INCONCLUSIVE: too many old launches are unusable, were cut short or lack the cell: measure them again"
    done
    # Launches that were cut short before a cell are lost to it, too, and those of other jobs are not.
    launches short 40 1
    sed -i '/"record":"end"/d; /"size_bytes":65536,/d' short/{1..14}.jsonl
    ovl 2 compare old short
    prints "# 0 REGRESSED, 4 INCONCLUSIVE, 0 OK, 0 IMPROVED of 4 cells"
    ovl 2 compare old short --filter 'size_bytes=^65536$'
    # So are those that came to their end without it, or without any, and not those of other cells or ranks.
    launches poor 40 1
    sed -i '/"size_bytes":65536,/d; s/"cells":4/"cells":3/' poor/{1..13}.jsonl
    ovl 0 compare old poor
    sed -i '/"record":"cell"/d; s/"cells":4/"cells":0/' poor/14.jsonl
    ovl 2 compare old poor
    prints "INCONCLUSIVE: too many new launches are unusable, were cut short or lack the cell: measure them again"
    prints "# 0 REGRESSED, 1 INCONCLUSIVE, 3 OK, 0 IMPROVED of 4 cells"
    sed -i '1s/"ranks":2/"ranks":4/' poor/14.jsonl
    ovl 0 compare old poor
    sed -i '1s/"ranks":4/"ranks":2/; /"record":"cell"/d; s/"cells":[34]/"cells":0/' poor/*.jsonl
    cp old/{1..20}.jsonl poor
    sed -i 's/"run_id":"/&p/' poor/*.jsonl
    ovl 2 compare old poor
    prints "# 0 REGRESSED, 4 INCONCLUSIVE, 0 OK, 0 IMPROVED of 4 cells"
    ovl 2 compare old poor --filter 'size_bytes=^65536$'
    # One that lacks just the cell that is asked for.
    launches few 40 1
    sed -i '/"record":"cell".*"size_bytes":65536,/d; s/"cells":4/"cells":2/' few/{1..14}.jsonl
    ovl 2 compare old few --filter 'size_bytes=^65536$'
    prints "INCONCLUSIVE: too many new launches are unusable, were cut short or lack the cell: measure them again"
    # And those that left their output, and no record.
    launches gone 40 1
    for i in {1..14}; do mv gone/$i.jsonl gone/$i.log; done
    touch gone/15.log
    ovl 2 compare old gone
    prints "# 0 REGRESSED, 4 INCONCLUSIVE, 0 OK, 0 IMPROVED of 4 cells"
    rm gone/14.log
    ovl 0 compare old gone
    # The same of sweeps of one launch each, which have a folder of their own.
    launches each 40 1
    for i in {1..40}; do
        mkdir -p nights/$i/a
        mv each/$i.jsonl nights/$i/a/001.jsonl
        printf '{"jobs":[{"name":"a","program":"ovl_ialltoall"}],"launches":1,"plan":1}' >nights/$i/plan.json
        echo '{"job":"a","launch":1,"status":"done"}' >nights/$i/sweep.log
        sealed nights/$i
    done
    for i in {1..14}; do
        : >nights/$i/a/001.log
        rm nights/$i/a/001.jsonl
    done
    ovl 2 compare old nights
    prints "# note     14 new launches of a sweep left no record, and count as lost: nights/1/a/001.log"
    prints "# 0 REGRESSED, 4 INCONCLUSIVE, 0 OK, 0 IMPROVED of 4 cells"
    : >nights/2/a/001.partial
    echo damaged >nights/3/a/001.partial
    ovl 2 compare old nights
    prints "# note     14 new launches of a sweep left no record"
    sed -i 's/ovl_ialltoall/ovl_iallgather/' nights/4/plan.json
    sealed nights/4
    ovl 0 compare old nights
    # Pairs are lost to either side: 9 of 40 each by an unusable launch and by none.
    launches mixed 40 1
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' mixed/{1..9}.jsonl
    rm mixed/1[0-8].jsonl
    ovl 2 compare --paired old mixed
    prints "INCONCLUSIVE: too many launches have no partner"
}

@test "a library of the same version with another device is another library" {
    sides 10 1
    for side in old new; do cp -r $side $side.device; done
    sed -i '1s/"standard":/"library_more":"MPICH Device: ch4:ucx",&/' old.device/*.jsonl
    sed -i '1s/"standard":/"library_more":"MPICH Device: ch3:nemesis:tcp",&/' new.device/*.jsonl
    tells 5 "# differs  mpi.library_more: MPICH Device: ch4:ucx -> MPICH Device: ch3:nemesis:tcp" compare old.device new.device
    # Records of before do not tell it.
    ovl 0 compare old new.device
    ovl 0 compare old.device new
}

@test "another machine under the same host name is told, other cores and caches are another setting" {
    sides 10 1
    ovl 0 compare old new
    absent "hosts[].machine" "$out"
    sed -i '1s/"machine":"[^"]*"/"machine":"00c0ffee00c0ffee"/' new/{1..5}.jsonl
    tells 0 "# note     hosts[].machine: a8ea07b15e708b07 -> 00c0ffee00c0ffee (5 launches), a8ea07b15e708b07 (5 launches)" compare old new
    sed -i '1s/"synchronised":true/"synchronised":false/' new/{1..5}.jsonl
    tells 0 "# note     clock.synchronised: true -> false (5 launches), true (5 launches)" compare old new
    for side in old new; do cp -r $side $side.cores; done
    sed -i '1s/"cores":2,/&"physical_cores":2,"caches":[{"level":3,"type":"unified","bytes":33554432}],/' {old,new}.cores/*.jsonl
    ovl 0 compare old.cores new.cores
    ovl 0 compare old new.cores
    sed -i '1s/"physical_cores":2/"physical_cores":1/; 1s/33554432/16777216/' new.cores/*.jsonl
    tells 5 "# differs  hosts[].physical_cores: 2 -> 1" compare old.cores new.cores
    prints "# differs  hosts[].caches[].bytes: 33554432 -> 16777216"
}
