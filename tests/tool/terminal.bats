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
