#!/usr/bin/env bats
# `ovl guidelines` on operations whose times are known.

load tool

# operation NAME FACTOR COUNT [STALLS]: launches of a job s/NAME, whose communication alone takes FACTOR times that of
# ialltoall.jsonl, and the first STALLS of them 2.5 times as long.
operation() {
    launches "$1" "$3" 1
    mkdir -p "s/$1"
    for ((i = 1; i <= $3; i++)); do
        awk -v name="$1" -v f="$2" -v stalls="${4:-0}" -v i="$i" -v own=$((${#1} * i)) '
            function scaled(text) { return sprintf("%.17g", text * f * (i <= stalls ? 2.5 : 1) * (1 + 0.01 * ((i * 7 + own) % 11 - 5) / 5)) }
            {
                sub(/"benchmark":"ialltoall"/, "\"benchmark\":\"" name "\"")
                if (match($0, /"comm_seconds":\{"median":[^,]*,"ci_low":[^,]*,"ci_high":[^,]*,/)) {
                    split(substr($0, RSTART, RLENGTH), word, /[:,]/)
                    $0 = substr($0, 1, RSTART - 1) "\"comm_seconds\":{\"median\":" scaled(word[3]) ",\"ci_low\":" scaled(word[5]) \
                        ",\"ci_high\":" scaled(word[7]) "," substr($0, RSTART + RLENGTH)
                }
                print
            }' "$1/$i.jsonl" >"s/$1/$(printf %03d "$i").jsonl"
    done
}

row() { awk -v text="$1" -v size="$2" 'index($0, "  " text " ") == 1 && $0 ~ " " size " " { print }' <<<"$out"; }

@test "an allreduce that is slower than a reduce and a broadcast breaks a guideline" {
    operation iallreduce 2.5 12
    operation ireduce 1 12
    operation ibcast 1 12
    ovl 1 guidelines s
    [[ $(row "iallreduce <= ireduce + ibcast" 64K) = *" 1.2"*" 12  BROKEN" ]]
    [[ $(row "ireduce <= iallreduce" 64K) = *" 0.4"*" 12  kept" ]]
    [ "$(grep -c 'iallreduce <= ireduce + ibcast .*BROKEN' <<<"$out")" -ge 3 ]
    # As JSON, too: the same rows.
    ovl 1 guidelines s --json g.json
    "$OVL_BUILD/tests/sim" schema "$OVL_BUILD/share/ovl/answer.schema.json" g.json
    [ "$(jq -c '[.command, .exit, .delta, .wrong]' g.json)" = '["guidelines",1,0.05,0]' ]
    [ "$(jq '.rows | length' g.json)" = "$(grep -c ' <= ' <<<"$out")" ]
    [ "$(jq '[.rows[] | select(.verdict == "BROKEN")] | length' g.json)" = "$(grep -c 'BROKEN$' <<<"$out")" ]
    jq -e '[.rows[] | select(.guideline == "iallreduce <= ireduce + ibcast" and .size_bytes == 65536 and .mode == "host")] |
        length == 1 and (.[0] | .ratio > 1.2 and .ratio < 1.3 and .ratio_low < .ratio and .pairs == 12)' g.json
    # 25 % slower is within 30.
    ovl 1 guidelines s --delta 0.3
    absent BROKEN "$(grep '+ ibcast' <<<"$out")"
}

@test "a left side that stalls in some launches keeps no guideline" {
    operation iallgather 0.9 40 7
    operation ialltoall 1 40
    tells 2 "not known: some launches stall" guidelines s
    [[ $(row "iallgather <= ialltoall" 64K) = *" 0.9"*" 40  not known: some launches stall" ]]
    rm -r s
    operation iallgather 0.9 40
    operation ialltoall 1 40
    ovl 0 guidelines s
}

@test "what is measured on one side only is not tried, and few launches show nothing" {
    operation iallreduce 2.5 3
    operation ireduce 1 3
    operation ibcast 1 3
    tells 2 "launches of each job are needed: with fewer none can be found broken" guidelines s
    operation iallreduce 2 12
    rm -r s/ibcast s/ireduce
    ovl 2 guidelines s --filter benchmark=nothing || [ "$code" = 3 ]
    ovl 0 guidelines s || ovl 2 guidelines s || ovl 1 guidelines s
    absent 'ireduce' "$(grep -v '^#' <<<"$out")"
}

@test "a right side that was measured on other nodes alone is not left out in silence" {
    operation iallreduce 1 12
    operation ireduce 1 12
    operation igather 1 12
    ovl 0 guidelines s --filter mode=host
    sed -i 's/"nodes":1/"nodes":2/' s/ireduce/*.jsonl
    ovl 2 guidelines s --filter mode=host --json g.json
    prints "# not known of 4 guidelines, whose right side was measured in another setting alone (nodes): measure both"
    [ "$(jq .elsewhere g.json)" = 4 ]
    ovl 0 guidelines s --filter mode=host --filter nodes=1
}

@test "a launch that gave the others their work is no side" {
    operation ialltoall 1 8
    plan "$(job work good ', "launches": 1'), $(job ialltoall good ', "work_of": "work"')"
    sed -i 's/"launches": 2/"launches": 8/' plan.json
    cp plan.json s
    launches work 1 1.1
    mkdir s/work && cp work/1.jsonl s/work/001.jsonl
    tells 2 "# note     4 cells of launches that gave others their work are left out" guidelines s
    [ "$(grep -c "non-blocking alone <= blocking .* kept" <<<"$out")" = 4 ]
    # Two jobs of one point are not.
    operation ialltoall 1 3
    cp -r s/ialltoall s/again
    sed -i 's/ialltoall-\([0-9]\)/again-\1/g' s/again/*.jsonl
    refuses 3 "of its jobs that measure the same the folder of one, and by --filter one algorithm" guidelines s
    ovl 0 guidelines s/again
}

@test "sizes follow from the ranks of the operation, whatever their number" {
    # Of 49 ranks, a 49th of what is broadcast: 50176 times 1 / 49 is not 1024.
    operation ibcast 2.5 12
    operation iscatter 1 12
    operation iallgather 1 12
    sed -i 's/"ranks":2/"ranks":49/' s/*/*.jsonl
    for size in 8192 16384 32768 65536; do
        sed -i "s/\"size_bytes\":$size,/\"size_bytes\":$((size * 49)),/" s/ibcast/*.jsonl
    done
    ovl 1 guidelines s
    [ "$(grep -c "^  ibcast <= iscatter + iallgather .*BROKEN" <<<"$out")" -ge 3 ]
    # The ranks of a communicator count, and not those of the run.
    sed -i 's/"ranks":49/"ranks":98/; s/"options":{/&"group":"49",/' s/*/*.jsonl
    ovl 1 guidelines s
    [ "$(grep -c "^  ibcast <= iscatter + iallgather .*BROKEN" <<<"$out")" -ge 3 ]
    sed -i 's/"group":"49"/"group":"7"/' s/*/*.jsonl
    ovl 0 guidelines s || ovl 2 guidelines s || ovl 1 guidelines s
    absent 'ibcast <= ' "$(grep -v '^#' <<<"$out")"
}

@test "workers that did other work than the host keep no guideline" {
    operation ireduce 1 12
    for file in s/*/*.jsonl; do
        awk '{ print } /"record":"cell"/ { sub(/"mode":"host"/, "\"mode\":\"dpu\""); sub(/"units":[0-9]*/, "\"units\":7"); print }' "$file" |
            sed 's/"cells":4/"cells":8/' >both
        mv both "$file"
    done
    tells 2 "# not known of 4 cells of workers, which did other work than the host's" guidelines s
}

@test "two sweeps are refused, and what failed or has no size is left out" {
    operation iallgather 1 12
    operation ialltoall 1 12
    mv s first
    operation iallgather 1 12
    sed -i 's/"run_id":"iallgather/&-again/' s/iallgather/*.jsonl
    refuses 3 "001.jsonl: another cell of a launch of this number measured the same; give one sweep" guidelines first s
    # Of another work of its own: a job that --filter leaves out.
    sed -i 's/"num_test_calls":0/"num_test_calls":8/; s/"test_calls":0/"test_calls":8/' s/iallgather/*.jsonl
    ovl 0 guidelines first s || ovl 2 guidelines first s || ovl 1 guidelines first s
    cp first/ialltoall/001.jsonl first/ialltoall/013.partial
    sed -i 's/"run_id":"ialltoall/&-failed/' first/ialltoall/013.partial
    sed 's/"run_id":"ialltoall/&-barrier/; s/"benchmark":"ialltoall"/"benchmark":"ibarrier"/; s/"size_bytes":[0-9]*/"size_bytes":null/' \
        first/ialltoall/001.jsonl | awk '!/"record":"cell"/ || !cell++' | sed 's/"cells":4/"cells":1/' >first/barrier.jsonl
    ovl 0 guidelines first || ovl 2 guidelines first || ovl 1 guidelines first
    [ "$(grep -c '^  iallgather <= ialltoall ' <<<"$out")" = 4 ]
}

@test "the plan of the page has all guidelines, and bad calls are one line" {
    ovl 0 sweep "$OVL_TOP/scripts/plans/guidelines.json" --dry-run
    for name in allreduce ireduce ibcast iallgather igather iscatter ialltoall ireduce_scatter_block; do
        prints "ovl_$name "
    done
    operation ireduce 1 2
    mv s/ireduce/001.jsonl first.jsonl
    refuses 3 "first.jsonl: this launch has no number" guidelines first.jsonl
    refuses 3 "give one record file or more" guidelines
    refuses 3 "--delta 2" guidelines s --delta 2
    refuses 5 "nothing: cannot read" guidelines nothing
    refuses 3 "s/ireduce/002.jsonl: this file" guidelines s --json s/ireduce/002.jsonl
    refuses 5 "no/g.json: cannot write" guidelines s --json no/g.json
}

@test "a job whose records are gone keeps no guideline, whether a log or the plan alone names it" {
    operation iallreduce 1 12
    operation ireduce 1 12
    operation ibcast 1 12
    echo '{"jobs":[{"name":"iallreduce","program":"ovl_allreduce","ranks":2},{"name":"ireduce","program":"ovl_ireduce","ranks":2},{"name":"ibcast","program":"ovl_ibcast","ranks":2}],"launches":12,"plan":1}' >s/plan.json
    for i in {1..12}; do
        for job in iallreduce ireduce ibcast; do
            printf '{"started":"2026-01-01T00:%02d:00Z","job":"%s","launch":%d,"attempt":1}\n' "$i" $job "$i"
            printf '{"ended":"2026-01-01T00:%02d:30Z","job":"%s","launch":%d,"attempt":1,"status":"done"}\n' "$i" $job "$i"
        done
    done >s/sweep.log
    sealed s
    ovl 0 guidelines s --filter mode=host
    # Whatever the program is called that measures it.
    cp -r s most; rm most/iallreduce/00?.jsonl
    tells 2 "# not known of 4 cells, of which too many launches are lost" guidelines most --filter mode=host
    rm s/ibcast/*
    tells 2 "# lost     12 launches of jobs that left no cell: s/ibcast/001.jsonl" guidelines s
    ovl 0 guidelines s --filter mode=host --filter 'benchmark=^(iallreduce|ireduce)$'
    rm -r s/sweep.log s/ibcast
    tells 2 "# lost     12 launches of jobs that left no cell: s/ibcast/001.jsonl" guidelines s
    prints "# not known s/sweep.log is gone or empty"
}

@test "wrong data, lost launches and other machines keep no guideline" {
    operation iallreduce 1 12
    operation ireduce 1 12
    operation ibcast 1 12
    ovl 0 guidelines s --filter mode=host
    cp -r s kept
    sed -i 's/"validated":true/"validated":false/' s/iallreduce/00[1-3].jsonl
    tells 4 "# wrong data in 4 cells" guidelines s --filter mode=host
    rm -r s && cp -r kept s
    sed -i -E '/"record":"cell"/s/"status":"[a-z_]*"/"status":"invalid"/' s/iallreduce/00[1-6].jsonl
    tells 2 "# not known of 4 cells, of which too many launches are lost" guidelines s --filter mode=host
    rm -r s && cp -r kept s
    sed -i 's/"cpu":"[^"]*"/"cpu":"Slow 1"/' s/ireduce/*.jsonl
    tells 2 "pairs are of launches that differ in hosts[].cpu, and count for nothing" guidelines s --filter mode=host
    # Nor do other libraries or variables.
    rm -r s && cp -r kept s
    sed -i 's/"environment":{/&"UCX_TLS":"tcp,self",/' s/ireduce/*.jsonl
    tells 2 "pairs are of launches that differ in UCX_TLS, and count for nothing" guidelines s --filter mode=host
}

@test "launches of one number that were not taken in turns, or have no partner, keep no guideline" {
    operation iallreduce 1 12
    operation ireduce 1 12
    ovl 0 guidelines s --filter mode=host
    cp -r s kept
    # Another job's, a month later.
    sed -i -E 's/"(started|finished)":"2026-0[0-9]/"\1":"2026-11/' s/ireduce/*.jsonl
    tells 2 "# not known of 4 guidelines, whose launches of one number were not taken in turns" guidelines s --filter mode=host
    rm -r s && cp -r kept s
    sed -i -E 's/"(started|finished)":"2026-0[0-9]/"\1":"2026-11/' s/ireduce/00[1-3].jsonl # a few make no difference
    ovl 0 guidelines s --filter mode=host
    rm -r s && cp -r kept s
    sed -i -E '/"record":"cell"/s/"status":"[a-z_]*"/"status":"invalid"/' s/iallreduce/00[1-3].jsonl s/ireduce/00[4-6].jsonl
    tells 2 "# not known of 4 guidelines, of which too many launches have no partner" guidelines s --filter mode=host
    absent "  kept" "$(grep 'ireduce <= iallreduce .* 64K ' <<<"$out")"
    # No number in common.
    rm -r s && cp -r kept s
    for i in {01..12}; do mv "s/ireduce/0$i.jsonl" "s/ireduce/1$i.jsonl"; done
    tells 2 "of which too many launches have no partner" guidelines s --filter mode=host
    # What is left of a guideline does not break it.
    rm -r s && cp -r kept s
    operation ireduce 2.5 12
    ovl 1 guidelines s --filter mode=host
    sed -i -E 's/"(started|finished)":"2026-0[0-9]/"\1":"2026-11/' s/ireduce/00[1-5].jsonl
    ovl 1 guidelines s --filter mode=host # an ireduce of 2.5 times its blocking twin breaks another one
    grep -q 'ireduce <= iallreduce .* not known: not taken in turns' <<<"$out"
}
