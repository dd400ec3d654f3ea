#!/usr/bin/env bats
# Records of `ovl offload --compare` from which pairs were taken out, or that were stopped when they looked good.

load tool

# comparison PLANNED: six pairs that are all better, as planned to be so many.
comparison() {
    version=$("$OVL_BIN/ovl" --version | cut -d' ' -f2)
    for ((i = 1; i <= 6; i++)); do
        for side in with without; do
            printf '{"record":"launch","ovl_version":"%s","ended":"2026-01-01T00:00:00Z","comparison":"c",' "$version"
            printf '"pair":%d,"pairs":%d,"side":"%s","command":["x"],"wall_seconds":' $i "$1" $side
            [ $side = with ] && echo -n 1.00$i || echo -n 1.20$i
            printf ',"metric":null,"more_is_better":false,"values":{}}\n'
            [ $side = without ] || echo '{"record":"offload","ovl_version":"0.2.0","ended":"2026-01-01T00:00:00Z",' \
                '"program":"x","ranks":2,"nodes":1,"workers":1,"path":"cma","shared_cores":false,"priority":"usual",' \
                '"least_bytes":0,"operations":[{"name":"MPI_Ialltoall","calls":6,"offloaded":6,"bytes":6,"host":{}}],' \
                '"worker_operations":6,"posted":6,"packed":0,"unfinished":0,' \
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
    tells 4 'b.jsonl:18: /pairs: is missing, and this version tells it' validate b.jsonl
    shows b.jsonl 'not shown: how many pairs were planned is taken out'
    sed -i "s/$version/0.1.0/" b.jsonl
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
    shows plans.jsonl 'not shown: launches tell of different plans'
    comparison 5 >more.jsonl
    ovl 4 validate more.jsonl
    [[ $out == *'/pair: 6, of a comparison of 5 pairs' ]]
    shows more.jsonl 'not shown: pair 6 is there, and 5 were planned'
    (comparison 6; comparison 6 | sed -n '/"pair":1,.*"without"/s/1\.201/9.9/p') >twice.jsonl
    ovl 4 validate twice.jsonl
    [[ $out == *'/pair: pair 1 of this comparison is there twice' ]]
    shows twice.jsonl 'not shown: 5 of 6 pairs: pair 1 is there twice'
}

@test "a pair is missed whatever its number, and all of them by any number of lines" {
    comparison 600 | sed 's/"pair":6\([,}]\)/"pair":600\1/' >far.jsonl
    tells 4 '/pair: pair 6 of this comparison is lacking, and later ones are there' validate far.jsonl
    shows far.jsonl 'not shown: 5 of 600 pairs: pair 6 is lacking, and 594 more'
    sed 's/"pairs":600/"pairs":5/' far.jsonl >few.jsonl
    tells 4 '/pair: 600, of a comparison of 5 pairs' validate few.jsonl
    shows few.jsonl 'not shown: pair 600 is there, and 5 were planned'
}

@test "one that was killed before the library's report was written ended early, and is not damaged" {
    comparison 6 >a.jsonl
    head -n 16 a.jsonl >first.jsonl
    (head -n 15 a.jsonl; sed -n '18p;16p' a.jsonl | tac) >second.jsonl
    for cut in first second; do
        ovl 0 validate $cut.jsonl
        [ "$out" = "$cut.jsonl: 5 offloaded programs, 1 comparison that ended early, ok" ]
    done
    shows first.jsonl 'not shown: 5 of 6 pairs: pair 6 is lacking'
    shows second.jsonl "not shown: 5 of 6 pairs: pair 6 lacks the library's report"
    sed 17d a.jsonl >bare.jsonl # another launch came after it
    tells 4 '/side: no offload line tells what the library did in launch 6 with it' validate bare.jsonl
}

@test "a copy of a line counts once for validate and show, and another line of the same launch makes it none" {
    comparison 6 >a.jsonl
    cat a.jsonl a.jsonl >copies.jsonl
    ovl 0 validate copies.jsonl
    shows copies.jsonl better
    (cat a.jsonl; sed -n '2s/"ranks":2/"ranks":3/p' a.jsonl) >told.jsonl
    tells 4 '/pair: pair 1 of this comparison is there twice' validate told.jsonl
    shows told.jsonl 'not shown: 5 of 6 pairs: pair 1 is there twice'
}

@test "a comparison whose lines contradict each other, or whose workers did not do it, shows nothing and is refused" {
    comparison 6 >a.jsonl
    while IFS='|' read -r change told why; do
        sed "$change" a.jsonl >b.jsonl
        cmp -s a.jsonl b.jsonl && return 1
        tells 4 "$told" validate b.jsonl
        ovl 4 show b.jsonl
        grep -q "^  wall time, s .*  not shown: $why\$" <<<"$out"
        ovl 4 report -o page.html b.jsonl
        has page.html "Nothing is shown: $why"
    done <<'CASES'
/"without"/s/"command":\["x"\]/"command":["slow"]/|/comparison: launches are of other commands|launches are of other commands
1s/"metric":null/"metric":"y"/|/comparison: launches tell of other metrics|launches tell of other metrics
16s/"more_is_better":false/"more_is_better":true/|/comparison: launches tell both that more and that less is better|launches tell both that more and that less is better
/"with"/s/"wall_seconds":1.00/"wall_seconds":0.00/|/comparison: a launch took less time than the library tells of it|a launch took less time than the library tells of it
s/"workers":1/"workers":0/|/workers: none, and nothing is refused|a report proves no offload
5s/"unproven_ranks":0/"unproven_ranks":2/|no proof of the offload|a report proves no offload
CASES
    # The same of a program that nobody compared.
    sed -n '2s/,"comparison":"c","pair":1//; 2s/"unproven_ranks":0/"unproven_ranks":2/p' a.jsonl >alone.jsonl
    ovl 4 validate alone.jsonl
    tells 4 "SOME RANK'S WORKER DID NOT DO WHAT THE RANK POSTED" show alone.jsonl
    ovl 4 report -o page.html alone.jsonl
}
