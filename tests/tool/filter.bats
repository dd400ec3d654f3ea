#!/usr/bin/env bats
# --filter: cells by regular expressions, alike in all commands that take it.

load tool

@test "show has the cells that match, and the whole text is not needed" {
    ovl 0 show "$data/ialltoall.jsonl" --filter 'size_bytes=^(8192|65536)$'
    [ "$(grep -cE '^ +(8192|65536) ' <<<"$out")" = 2 ]
    [ "$(grep -cE '^ +[0-9]+ ' <<<"$out")" = 2 ]
    ovl 0 show "$data/ialltoall.jsonl" --filter 'size_bytes=6' --filter size_bytes=3
    [ "$(grep -cE '^ +[0-9]+ ' <<<"$out")" = 3 ] # 16384, 32768, 65536
    ovl 0 show "$data/ialltoall.jsonl" "$data/ibarrier.jsonl" --filter 'benchmark=^ibarr'
    absent ialltoall "$out"
    ovl 0 show "$data/hpl.jsonl" --filter 'benchmark=hpl|x'
}

@test "compare, history, export, plot and report look at the same cells" {
    sides 10 1.1
    tells 1 "of 1 cell" compare old new --filter 'size_bytes=^8192$'
    ovl 2 history old --filter 'size_bytes=^8192$' new/1.jsonl --metric update_slowdown_ratio
    ovl 0 history old new --filter 'size_bytes=^(8192|16384)$'
    [ "$(grep -c '^  ialltoall' <<<"$out")" = 2 ]
    ovl 0 export --to csv old --filter size_bytes=65536 --filter 'mode=host'
    [ "$(grep -c . <<<"$out")" = 11 ]
    ovl 0 report old --old new --filter 'size_bytes=^8192$' -o r.html
    absent 'ialltoall host 16K' "$(cat r.html)"
    has r.html 'ialltoall host 8K'
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot old/1.jsonl --filter 'size_bytes=^(8192|16384)$' --chart overlap
    has ialltoall-overlap.svg '>16K<'
    absent '>64K<' "$(cat ialltoall-overlap.svg)"
}

@test "a wrong filter is a usage error, and so is one that leaves nothing" {
    launches old 2 1
    for command in "show old/1.jsonl" "plot old/1.jsonl" "compare old old" "history old" "report old" "export --to csv old"; do
        refuses 3 "--filter size_bytes=(8: no POSIX extended regular expression: " $command --filter 'size_bytes=(8'
        refuses 3 "--filter speed=8: no such field; give one of benchmark, ranks, nodes," $command --filter 'speed=8'
        refuses 3 "--filter 8192: give FIELD=REGEX" $command --filter '8192'
        refuses 3 "--filter size_bytes=^1\$: none of the " $command --filter 'size_bytes=^1$'
    done
    ovl 3 show old/1.jsonl --filter
    ovl 3 show old/1.jsonl --filter ''
    many=()
    for i in {1..17}; do many+=(--filter mode=host); done
    refuses 3 "at most 16 of them" show old/1.jsonl "${many[@]}"
}

@test "launches of one processor or library are a series of their own" {
    launches a 3 1; launches b 3 2
    sed -i 's/"cpu":"[^"]*"/"cpu":"Genoa 9654"/; s/"library":"MPICH[^"]*"/"library":"MPICH 5.0"/' b/*.jsonl
    ovl 0 export --to csv a b --filter 'hosts[].cpu=^Genoa'
    [ "$(grep -c ',ialltoall,' <<<"$out")" = 12 ]
    ovl 0 export --to csv a b --filter 'hosts[].cpu=EPYC' --filter mpi.library=4.0
    [ "$(grep -c ',ialltoall,' <<<"$out")" = 12 ]
    refuses 3 "none of the 24 cells" show a b --filter mpi.library=^Open
    refuses 3 "no such field" show a --filter 'environment.*=x'
}
