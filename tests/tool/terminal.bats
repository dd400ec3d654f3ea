#!/usr/bin/env bats
# ovl at a terminal: charts as text, and completion.

load tool

@test "plot --term text prints a chart, or writes it where -o says" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    ovl 0 plot "$data/ialltoall.jsonl" --term text --chart total
    prints "MPI_Ialltoall" "message size (bytes)" "Host"
    [ "$(awk '{ if (length($0) > n) n = length($0) } END { print n <= 80 }' <<<"$out")" = 1 ]
    ! grep -q $'[\f\033]' <<<"$out" || false
    [ -z "$(ls ./*.text 2>/dev/null)" ]
    text=$out
    ovl 0 plot "$data/ialltoall.jsonl" --term text --chart total -o d
    [ "$out" = d/ialltoall-total.text ]
    [ "$(sed 's/ *$//' d/ialltoall-total.text | tr -d '\f')" = "$text" ]
    # A folder is taken as a file is.
    mkdir in; cp "$data/ialltoall.jsonl" in
    tells 0 "MPI_Ialltoall" plot in --term text --chart latency
    refuses 3 "--term gif" plot in --term gif
    refuses 5 "cannot" plot in --term text -o /dev/null/x
}

# completes WORD...: what stands for the last of these words of a command line, in $all.
completes() {
    mapfile -t all < <(
        . "$OVL_BUILD/share/ovl/completion.bash"
        COMP_WORDS=(ovl "$@") COMP_CWORD=$#
        _ovl "$OVL_BIN/ovl" "${@: -1}" "${@: -2:1}"
        printf '%s\n' "${COMPREPLY[@]}"
    )
}

@test "bash completes commands and options" {
    completes re
    [ "${all[*]}" = report ]
    completes ''
    # As --help has them.
    [ "$(printf '%s\n' "${all[@]}" | grep -v '^-' | sort)" = "$("$OVL_BIN/ovl" --help | awk '/^  [a-z]/ { print $1 }' | sort)" ]
    completes sweep --re
    [ "${all[*]}" = "--resume --retry" ]
    completes rank --ref
    [ "${all[*]}" = --reference ]
    completes rank s
    [ "${all[*]}" = "" ]
    completes nothing --x
    [ "${all[*]}" = "" ]
}

@test "bandwidths are those of nccl-tests' formulas" {
    ovl 0 show --format bandwidth "$data/ialltoall.jsonl"
    prints "alg GB/s" "bus GB/s"
    # Of 2 ranks: 2 x 8192 bytes in 4.672 us, and half of them over the wire.
    [ "$(awk '$1 == 8192 { print $2, $3, $4, $8 }' <<<"$out")" = "host 4.67 3.507 1.753" ]
    sed 's/"benchmark":"ialltoall"/"benchmark":"iallreduce"/; s/"ranks":2/"ranks":4/' "$data/ialltoall.jsonl" >sum.jsonl
    ovl 0 show --format bandwidth sum.jsonl
    # 8192 bytes, and 2 x 3 / 4 of them.
    [ "$(awk '$1 == 8192 { print $4, $8 }' <<<"$out")" = "1.753 2.630" ]
    # Of neighbours each rank sends two messages.
    sed 's/"benchmark":"ialltoall"/"benchmark":"p2p"/; 1s/"options":{/"options":{"pairs":"neighbours",/' "$data/ialltoall.jsonl" >two.jsonl
    ovl 0 show --format bandwidth two.jsonl
    [ "$(awk '$1 == 8192 { print $4, $8 }' <<<"$out")" = "3.507 3.507" ]
    sed 's/"benchmark":"ialltoall"/"benchmark":"ineighbor_alltoall"/; 3s/"validated":true/"validated":false/' "$data/ialltoall.jsonl" >near.jsonl
    ovl 4 show --format bandwidth near.jsonl
    prints "no formula for this operation"
    sed '2s/"validated":true/"validated":false/' "$data/ialltoall.jsonl" >wrong.jsonl
    ovl 4 show --format bandwidth wrong.jsonl
    [ "$(grep -c '^  *[0-9]' <<<"$out")" = 3 ]
    sed '3s/"status":"[a-z_]*"/"status":"invalid"/' "$data/ialltoall.jsonl" >invalid.jsonl
    ovl 2 show --format bandwidth invalid.jsonl
    ovl 0 show --format bandwidth "$data/hpl.jsonl"
    refuses 3 "--format bandwith" show --format bandwith "$data/ialltoall.jsonl"
}

@test "a chart names the grid of a neighbourhood, and none where there is none" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    for dims in 0 3; do
        sed "s/\"pairs\":null,/&\"dims\":$dims,/" "$data/kept/demo.jsonl" >$dims.jsonl
        grep -q "\"dims\":$dims," $dims.jsonl
        ovl 0 plot $dims.jsonl --chart overlap -o $dims
    done
    chart_texts 0/ialltoall-overlap.svg >texts
    grep -q '2 nodes' texts
    [ "$(grep -c 'grid of' texts)" = 0 ]
    chart_shows 3/ialltoall-overlap.svg 'grid of 3 dimensions'
}
