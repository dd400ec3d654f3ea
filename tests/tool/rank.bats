#!/usr/bin/env bats
# `ovl rank` on sides whose order is known.

load tool

# jobs COUNT NAME FACTOR...: the sweep s of these jobs, whose total times are FACTOR times those of ialltoall.jsonl.
jobs() {
    local count=$1 names= job
    shift
    mkdir -p s
    while [ $# -gt 0 ]; do
        launches "$1" "$count" "$2" "s/$1/%03d"
        names+=${names:+,}"{\"name\":\"$1\",\"program\":\"x\",\"ranks\":2}"
        shift 2
    done
    echo "{\"jobs\":[$names],\"launches\":$count,\"plan\":1}" >s/plan.json
    for job in s/*/; do basename "$job"; done | awk -v count="$count" '{ jobs[NR] = $0 }
        END {
            for (i = 1; i <= count; i++)
                for (k = 1; k <= NR; k++)
                    printf "{\"ended\":\"2026-01-01T00:00:00Z\",\"job\":\"%s\",\"launch\":%d,\"status\":\"done\"}\n", jobs[k], i
        }' >s/sweep.log
    sealed s
}

@test "the jobs of a sweep are ranked against the best of them, with intervals" {
    jobs 14 offload 1 tuned 1.3 host 1.5 twin 1.3
    tells 0 "# launches 56 in 56 files" rank s
    prints "signed ranks" "offload (reference)" "# offload is 1.3" ") times faster than tuned" "# offload is 1.5" "all 4 together (geometric mean)"
    [ "$(grep -cE '^  ialltoall 64K ' <<<"$out")" = 4 ]
    # Two that are alike share their places.
    [ "$(awk '/^  all 4/ { print $6, $NF }' <<<"$out" | tr '\n' ' ')" = "1 (reference) 2-3 tuned 2-3 twin 4 host " ]
    tells 0 "# offload is 1.5" rank s --reference host
    prints "times faster than host" "host (reference)"
    absent "twin and tuned" "$out"
    ovl 0 rank s --json r.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" r.json
    [ "$(jq -c '[.command, .exit, .paired, (.works | length), (.together.sides | map(.side) | .[0], .[3])]' r.json)" = '["rank",0,true,4,"offload","host"]' ]
    [ "$(jq -c '.together.sides[3] | [.change > 1.49, .change < 1.51, .change_low < .change, .change < .change_high, .places]' r.json)" = '[true,true,true,true,[4,4]]' ]
    # As one reads it in a pipeline: the best of each work.
    [ "$(jq -r '.works[] | .label + ": " + .sides[0].side' r.json | grep -c ': offload$')" = 4 ]
}

@test "too few launches have no places, and other work is not ranked" {
    jobs 4 a 1 b 1.4
    tells 2 "launches of each side are needed" rank s
    prints "1-2"
    jobs 12 a 1 b 1.4
    ovl 0 rank s
    units=$(sed -n '2s/.*"units":\([0-9]*\).*/\1/p' s/b/003.jsonl)
    sed -i "2s/\"units\":$units/\"units\":$((units + 1))/" s/b/003.jsonl
    tells 2 "different work: give all launches the units of one record" rank s
    # Each sentence says of which of the others it is.
    [ "$(grep -cE '^# ialltoall [0-9]+K: a is 1\.[0-9]+ \([0-9. ]+\) times faster than b$' <<<"$out")" = 3 ]
    sealed s
    ovl 0 rank s --any-work
    ovl 0 rank s -m comm_seconds
    # A launch that is no measurement leaves its pair out.
    sed -i '2,5s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' s/b/003.jsonl
    sealed s
    tells 0 "11 of 12" rank s
}

@test "launches of one number that were not taken in turns, or have no partner, are no pairs" {
    jobs 14 a 1 b 1.4
    ovl 0 rank s
    cp -r s kept
    sed -i -E 's/"(started|finished)":"2026-0[0-9]/"\1":"2026-11/' s/b/*.jsonl # a later night
    tells 2 "launches of one number were not taken in turns, as pairs have to be: measure them again in one sweep" rank s
    absent "times faster" "$out"
    rm -r s && cp -r kept s
    sed -i '2,5s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' s/a/00[1-4].jsonl s/b/00[5-8].jsonl
    tells 2 "too many launches have no partner: give all sides as many, taken in turns" rank s
    # An honest sweep keeps its ranking: one launch was made up for on a later day, one side ends sooner, some are lost.
    rm -r s && cp -r kept s
    sed -i -E 's/"(started|finished)":"2026-0[0-9]/"\1":"2026-11/' s/b/002.jsonl
    sealed s
    tells 0 "times faster" rank s
    sed -i '2,5s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' s/a/007.jsonl
    sealed s
    ovl 0 rank s
    rm -r s && cp -r kept s
    rm s/b/01[1-4].jsonl
    sed -i 's/"name":"b"/"launches":10,&/' s/plan.json
    sed -i '/"job":"b","launch":1[1-4],/d' s/sweep.log
    sealed s
    ovl 0 rank s
    # A file that is no launch of the sweep does not make its pairs single launches.
    rm -r s && cp -r kept s
    sed 's/"run_id":"[^"]*/&-stray/' s/a/001.jsonl >s/a/x.jsonl
    refuses 3 "s/a/x.jsonl: no launch of its sweep" rank s
}

@test "the order of launches is that of sweep.log, whatever the clocks of their nodes say" {
    local i name
    jobs 14 a 1 b 1.4
    # at MINUTES...: the log has the launches of a, then those of b, at these minutes; the records say that they took turns.
    at() {
        for name in a b; do
            for i in {1..14}; do
                printf '{"started":"2026-01-01T%02d:%02d:00Z","job":"%s","launch":%d,"attempt":1}\n' $1 $((i + 14 * $2)) $name $i
                printf '{"ended":"2026-01-01T%02d:%02d:30Z","job":"%s","launch":%d,"status":"done"}\n' $1 $((i + 14 * $2)) $name $i
            done
            shift 2
        done | sort -s -t'"' -k4,4 >s/sweep.log
        sealed s
    }
    for i in {1..14}; do
        sed -i "s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$(printf %02d $i):00Z/" s/a/$(printf %03d $i).jsonl
        sed -i "s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$(printf %02d $i):40Z/" s/b/$(printf %03d $i).jsonl
    done
    at 9 0 9 0
    tells 0 "times faster" rank s
    at 9 0 9 1
    tells 2 "launches of one number were not taken in turns, as pairs have to be" rank s
    absent "times faster" "$out"
}

@test "wrong data, or too many lost launches, of a side are no ranking" {
    launches a 12 1; launches b 12 1.4
    ovl 0 rank a b
    cp -r a c
    sed -i 's/"validated":true/"validated":false/' c/3.jsonl
    tells 4 "a launch has wrong data" rank c b
    # Seven that left only a log beside twelve that count.
    for i in {21..26}; do echo x >a/$i.log; done
    ovl 0 rank a b
    echo x >a/27.log
    tells 2 "too many launches of a side are unusable" rank a b
    jobs 16 p 1 q 1.4
    ovl 0 rank s
    sed -i '2,5s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' s/q/00[1-6].jsonl
    tells 2 "too many launches of a side" rank s
}

@test "a side all of whose launches are lost is named, and nothing is ranked as if it had not been there" {
    jobs 12 p 1 q 1.4 r 0.5
    tells 0 "# r is " rank s
    # They left a log alone, a record that was cut short before its first cell, and nothing but the plan's word.
    cp -r s logs
    for i in logs/r/*.jsonl; do mv "$i" "${i%.jsonl}.log"; done
    tells 2 "# lost     r: no launch of 12 left a cell" rank logs
    prints "# p is 1.4"
    ovl 2 rank logs --json r.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" r.json
    [ "$(jq -c '[.exit, .lost]' r.json)" = '[2,["r"]]' ]
    cp -r s short
    sed -i '2,$d' short/r/*.jsonl
    tells 2 "# lost     r: no launch of 12 left a cell" rank short
    tells 2 "# lost     short/r: no launch of 12 left a cell" rank short/p short/q short/r
    cp -r s none
    rm -r none/r
    tells 2 "# lost     r: no launch of 12 left a cell" rank none # by its log, and by its plan
    echo '{"started":"2026-01-01T00:00:00Z","job":"r","launch":1,"attempt":1}' >none/sweep.log
    tells 2 "# lost     r: no launch of 12 left a cell" rank none
    # Of two sides one is left.
    rm -r logs/q none/q
    tells 2 "one side only" rank logs
    prints "# lost     r"
    # What a filter leaves out is not lost.
    sed -i 's/"mode":"host"/"mode":"dpu"/' s/r/*.jsonl
    sealed s
    ovl 0 rank s --filter mode=host
    absent "# lost" "$out"
}

@test "a fraction that is worse is so by as much, and of another work beside it is not ranked" {
    derive=1 jobs 12 a 1 b 1.3
    ovl 0 rank s -m hidden_fraction --reference a
    [ "$(grep -cE '^# ialltoall [0-9]+K: b is [01]\.[0-9]+ \([01]\.[0-9]+ \.\. [01]\.[0-9]+\) worse than a$' <<<"$out")" = 4 ]
    # A third of C beside the same W, at other units.
    for file in s/b/*.jsonl; do
        jq -c 'if .record == "cell" then .samples.comm_seconds |= map_values(if type == "array" then map(. / 3) else . end) |
            .compute.units += 1 else . end' "$file" >less
        derived less "$file"
    done
    sealed s
    ovl 2 rank s -m hidden_fraction
    [ "$(grep -c ': different work: give all launches' <<<"$out")" = 8 ]
    absent "options.ci: " "$out" # 2.0 and 2, as jq writes it
    ovl 0 rank s -m hidden_fraction --any-work
}

@test "a side whose name is that of an option has its ways apart" {
    mkdir bcast
    for i in 1 2 3 4 5 6; do sed "s/\"run_id\":\"/&$i/; s/\"samples_crc32\":\"../&$i/" "$data/hpl.jsonl" >bcast/$i.jsonl; done
    "$OVL_BIN/ovl" rank bcast >out || [ $? = 2 ]
    has out "bcast host bcast=ring-m"
}

@test "folders are sides, compared without pairs, and in one setting" {
    launches a 12 1; launches b 12 1.2; launches c 12 1.4
    tells 0 "no pairs" rank a b c
    prints "# a is 1.20 (" ") times faster than b"
    sed -i 's/"library":"MPICH/"library":"OTHER/' c/*.jsonl
    refuses 5 "different settings" rank a b c
    ovl 0 rank --across a b c
    ovl 0 rank --paired a b
    mv a/1.jsonl a/first.jsonl
    refuses 3 "--paired pairs launches by the number" rank --paired a b
}

@test "a side that lacks a size which others have is named" {
    jobs 10 a 1 b 1.2 c 1.5
    ovl 0 rank s
    absent "# lacks" "$out"
    sed -i '/"size_bytes":65536,/d; s/"cells":4/"cells":3/' s/c/*.jsonl
    sealed s
    tells 0 "# lacks    c: no launch has a cell of ialltoall 64K, which others have: its place there is not known" rank s
    [ "$(grep -c '^# lacks' <<<"$out")" = 1 ]
    ovl 0 rank s --json r.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" r.json
    [ "$(jq -c '[.works[].lacks]' r.json)" = '[[],[],[],["c"]]' ]
}

@test "bad calls of rank are one line" {
    launches a 3 1; launches b 3 1.2
    refuses 3 "no such side; there are a, b" rank a b --reference c
    refuses 3 "a ranking needs two sides" rank a
    refuses 3 "give one record file or more" rank
    refuses 3 "no metric nothing" rank a b -m nothing
    refuses 5 "cannot read" rank a nowhere
    refuses 3 "no option" rank a b --refrence a || refuses 3 "--refrence" rank a b --refrence a
    ovl 5 rank a b --json nowhere/x.json
    : >bad.jsonl; echo '{"record":' >bad.jsonl; echo x >>bad.jsonl
    ovl 4 rank a bad.jsonl
}

@test "five sides have places of their own in each of several works, and who gave the work is no side" {
    jobs 10 a 1 b 1.2 c 1.5 d 1.9 e 2.4
    mkdir s/work
    launches w 1 1.01
    mv w/1.jsonl s/work/001.jsonl
    sed -i 's/"jobs":\[/&{"launches":1,"name":"work","program":"x","ranks":2},/; s/"plan":1/&,"work_of":"work"/' s/plan.json
    { echo '{"ended":"2026-01-01T00:00:00Z","job":"work","launch":1,"status":"done"}'; cat s/sweep.log; } >log
    mv log s/sweep.log
    sealed s
    tells 0 "# works    each is ranked by itself" rank s
    prints "of a job of one launch left out" "4 cells"
    [ "$(awk '$1 == "ialltoall" && $2 == "64K" { print $3 }' <<<"$out" | tr '\n' ' ')" = "1 2 3 4 5 " ]
    absent " work" "$(grep '^  ' <<<"$out")"
    ovl 0 rank s --json r.json
    [ "$(jq -c '[.works[].sides | map(.places)] | unique' r.json)" = '[[[1,1],[2,2],[3,3],[4,4],[5,5]]]' ]
}

@test "launches of one sweep on other machines are not ranked, though a plan may set variables" {
    swept s 12 1
    sealed s
    sed -i '1s/"environment":{/&"UCX_TLS":"tcp",/' s/a/00[1-6].jsonl
    sealed s
    code=0
    "$OVL_BIN/ovl" rank s >out 2>err || code=$?
    [ $code != 5 ]
    sed -i '1s/"cpu":"[^"]*"/"cpu":"another"/' s/a/00[1-6].jsonl
    sealed s
    refuses 5 "launches were measured in different settings, as listed; give --across" rank s
    code=0
    "$OVL_BIN/ovl" rank s --across >out 2>err || code=$?
    [ $code != 5 ]
}
