#!/usr/bin/env bats
# Records of `ovl offload --compare` from which pairs were taken out, or that were stopped when they looked good.

load tool

# comparison PLANNED: six pairs that are all better, as planned to be so many.
comparison() {
    for ((i = 1; i <= 6; i++)); do
        for side in with without; do
            printf '{"record":"launch","ovl_version":"0.2.0","ended":"2026-01-01T00:00:00Z","comparison":"c","pair":%d,' $i
            printf '"pairs":%d,"side":"%s","command":["x"],"wall_seconds":' "$1" $side
            [ $side = with ] && echo -n 1.00$i || echo -n 1.20$i
            printf ',"metric":null,"more_is_better":false,"values":{}}\n'
            [ $side = without ] || echo '{"record":"offload","ovl_version":"0.2.0","ended":"2026-01-01T00:00:00Z",' \
                '"program":"x","ranks":2,"nodes":1,"workers":1,"path":"cma","shared_cores":false,"priority":"usual",' \
                '"least_bytes":0,"operations":[],"worker_operations":0,"posted":0,"packed":0,"unfinished":0,' \
                '"unproven_ranks":0,"start_seconds":0.1,"seconds":1.0,"posting_seconds":0.1,"waited_seconds":0.1,' \
                "\"waited_most_seconds\":0.1,\"comparison\":\"c\",\"pair\":$i}"
        done
    done
}

# shows FILE VERDICT: as text and on the page.
shows() {
    ovl 0 show "$1"
    grep -Eq "^  wall time, s .*  $2\$" <<<"$out"
    ovl 0 report -o page.html "$1"
    grep -q "class=\"better\"" page.html && page=better || page='not shown'
    [[ $2 == "$page"* ]]
}

@test "a comparison with all its pairs is judged, and one that does not tell its plan says so" {
    comparison 6 >a.jsonl
    ovl 0 validate a.jsonl
    [ "$out" = "a.jsonl: 6 offloaded programs, ok" ]
    shows a.jsonl better
    [[ $out != *'is not told'* ]]
    sed 's/"pairs":6,//' a.jsonl >b.jsonl
    ovl 0 validate b.jsonl
    shows b.jsonl better
    has page.html 'How many pairs were planned is not told.'
    ovl 0 show b.jsonl
    [[ $out == *'# note     how many pairs were planned is not told'* ]]
}

@test "one that was stopped early, from which a pair was taken, or without a report shows nothing" {
    comparison 40 >early.jsonl
    ovl 0 validate early.jsonl
    [ "$out" = "early.jsonl: 6 offloaded programs, 1 comparison that ended early, ok" ]
    shows early.jsonl 'not shown: 6 of 40 pairs: pair 7 is lacking, and 33 more'
    has page.html 'Nothing is shown: 6 of 40 pairs'
    comparison 6 | sed '$d' >cut.jsonl
    ovl 0 validate cut.jsonl
    [ "$out" = "cut.jsonl: 6 offloaded programs, 1 comparison that ended early, ok" ]
    shows cut.jsonl 'not shown: 5 of 6 pairs: pair 6 is lacking'
    comparison 6 | sed '/"pair":3[,}]/d' >out3.jsonl
    ovl 4 validate out3.jsonl
    [[ $out == *'/pair: pair 3 of this comparison is lacking, and later ones are there' ]]
    shows out3.jsonl 'not shown: 5 of 6 pairs: pair 3 is lacking'
    comparison 6 | sed '/"pair":3,.*"with"/d' >one3.jsonl
    ovl 4 validate one3.jsonl
    [[ $out == *'the library tells of launch 3, and there is none with it' ]]
    comparison 6 | sed '/"offload".*"pair":4}/d' >bare.jsonl
    ovl 4 validate bare.jsonl
    [[ $out == *'/side: no offload line tells what the library did in launch 4 with it' ]]
    shows bare.jsonl "not shown: 5 of 6 pairs: pair 4 lacks the library's report"
    comparison 6 | sed '/"pair":2,/s/"pairs":6/"pairs":7/' >plans.jsonl
    ovl 4 validate plans.jsonl
    [[ $out == *'/pairs: launches of one comparison tell of different plans'* ]]
    comparison 5 >more.jsonl
    ovl 4 validate more.jsonl
    [[ $out == *'/pair: 6, of a comparison of 5 pairs' ]]
    (comparison 6; comparison 6 | sed -n '/"pair":1,.*"without"/s/1\.201/9.9/p') >twice.jsonl
    ovl 4 validate twice.jsonl
    [[ $out == *'/pair: pair 1 of this comparison is there twice' ]]
    shows twice.jsonl 'not shown: 5 of 6 pairs: pair 1 is there twice'
}
