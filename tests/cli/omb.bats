#!/usr/bin/env bats
# --format omb: what parsers of the OSU benchmarks' output read.

load lib

# no_claim [SIZE]: a line says why the cell has no row, as a busy machine may make it.
no_claim() { [ "$code" = 2 ] && grep -qE "^# ${1:+$1 +}invalid: " <<<"$out"; }

# The rows, and the lines that stand for one. What a line below a row says of it is left out.
cells() { grep -E '^ *[0-9]|^# ([0-9]+ +)?invalid: ' <<<"$out"; }

@test "layout of a sized driver" {
    measure 2 ovl_ialltoall -m 1:4 "${quick[@]}" "${work[@]}" --format omb
    mapfile -t lines <"$BATS_TEST_TMPDIR/out"
    [ "${lines[0]}" = "" ]
    [ "${lines[1]}" = "# OSU MPI Non-blocking All-to-All Latency Test v7.4" ]
    [ "${lines[2]}" = "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait" ]
    [ "${lines[3]}" = "" ]
    [ "${lines[4]}" = "# Datatype: MPI_CHAR." ]
    [ "${lines[5]}" = "$(printf '%-10s%18s%18s%18s%18s' '# Size' 'Overall(us)' 'Compute(us)' 'Pure Comm.(us)' 'Overlap(%)')" ]
    [ "$(cells | wc -l)" = 3 ]
    while IFS= read -r row; do
        [[ $row =~ ^[0-9]+\ +[0-9.]+\ +[0-9.]+\ +[0-9.]+\ +[0-9.]+$ ]]
        [ "${#row}" = 82 ]
    done < <(rows)
    absent '[nN]a[nN]|inf' "$out"
}

@test "the regular expressions in use" {
    measure 2 ovl_ialltoall -m 1:4 "${quick[@]}" "${work[@]}" --format omb -c
    for size in 1 2 4; do
        no_claim $size && continue
        grep -qP "^$size.*Pass" <<<"$out"
        grep -qP "^$size\s+(\S+)" <<<"$out"
    done
    grep -qP '# OSU.*Test (v[0-9\.]+)' <<<"$out"
    drive 2 ovl_ialltoall -m 1:4 "${quick[@]}" "${work[@]}" --format omb
    grep -qP '#\s+Size\s+Overall\(us\)\s+Compute\(us\)\s+Pure Comm\.\(us\)\s+Overlap\(%\)\s*$' <<<"$out"
}

@test "full columns" {
    measure 2 ovl_ibcast -m 8:8 "${quick[@]}" "${work[@]}" --format omb -f -c
    grep -qF "$(printf '%-10s%18s%18s%18s%18s%18s%18s%18s%18s%18s%18s' '# Size' 'Overall(us)' 'Compute(us)' 'Coll. Init(us)' \
        'MPI_Test(us)' 'MPI_Wait(us)' 'Pure Comm.(us)' 'Min Comm.(us)' 'Max Comm.(us)' 'Overlap(%)' Validation)" <<<"$out"
    no_claim 8 || [ "$(rows | awk '{print NF}')" = 11 ]
    no_claim 8 || rows | awk '!($8 <= $7 + 0.01 && $7 <= $9 + 0.01) { exit 1 }' # the mean is between the ranks' means
    # Of a reduction the leaf returns early: its own mean is the least.
    measure 2 ovl_ireduce -m 1K:1K "${quick[@]}" "${work[@]}" --format omb-blocking -f --json reduce.jsonl
    no_claim 1024 || rows | awk '!($3 <= $2 + 0.01 && $2 <= $4 + 0.01) { exit 1 }'
    grep -q '"rank_samples":' reduce.jsonl
    sed 's/"rank_samples":{.*}}*$/"wire_bytes":null}/' reduce.jsonl >without.jsonl
    "$OVL_BIN/ovl" show --format omb-blocking -f without.jsonl >shown || [ $? = 2 ]
    no_claim 1024 || grep -Eq '^1024 +[0-9.]+ +- +- +[0-9]+$' shown
}

@test "reductions and drivers without a message" {
    measure 2 ovl_allreduce -m 4:4 "${quick[@]}" "${work[@]}" --format omb --json "$BATS_TEST_TMPDIR/r.jsonl"
    grep -qx '# Datatype: MPI_SIGNED_CHAR.' <<<"$out"
    grep -q '"datatype":"MPI_SIGNED_CHAR"' "$BATS_TEST_TMPDIR/r.jsonl" # and that is what was summed
    measure 2 ovl_ibarrier "${quick[@]}" "${work[@]}" --format omb
    absent Datatype "$out"
    absent Size "$out"
    grep -qF "$(printf '# Overall(us)%18s%18s%18s' 'Compute(us)' 'Pure Comm.(us)' 'Overlap(%)')" <<<"$out"
    row=$(rows)
    no_claim || [ "${#row}" = $((13 + 3 * 18)) ]
}

@test "-z has OMB's columns of percentiles, of T and in omb-blocking of B" {
    header=$(printf '%-10s%18s%18s%18s%18s%18s%18s%18s%18s' '# Size' 'Overall(us)' 'Compute(us)' 'Pure Comm.(us)' 'Overlap(%)' \
        Validation 'P50 Tail Lat(us)' 'P90 Tail Lat(us)' 'P99 Tail Lat(us)')
    measure 2 ovl_ialltoall -m 4:4 -i 100:100 -x 0 --max-time 20 --compute-us 20 --format omb -c -z --json z.jsonl
    grep -qFx "$header" <<<"$out"
    no_claim 4 || {
        # Ramble's expression, with the word that validation puts before the percentiles.
        grep -qP '^4\s+([\d.]+\s+){4}Pass\s+[\d.]+\s+[\d.]+\s+([\d.]+|-)$' <<<"$out"
        # A late start takes a block away; then P99 has too few.
        awk '$1 == 4 { exit !($7 <= $8 && ($9 == "-" || $8 <= $9)) }' <<<"$out"
    }
    shown=0
    "$OVL_BIN/ovl" show --format omb z.jsonl >shown || shown=$?
    [ $shown = "$code" ]
    diff out shown
    grep -q '"percentiles": *\[50.0,90.0,99.0\]' z.jsonl
    # What has too few values is no number, and the line below says so.
    measure 2 ovl_ialltoall -m 4:4 -i 12:12 -x 0 --compute-us 20 --format omb-blocking -z75,90,95 || true
    [ "$code" = 3 ]
    says "--percentiles 95: a number needs 20 blocks, its interval 72, and -i allows 12; give -i 72:72"
    measure 2 ovl_ialltoall -m 4:4 -i 12:12 -x 0 --compute-us 20 --format omb-blocking -z75,90
    grep -qFx "$(printf '%-10s%18s%18s%18s' '# Size' 'Avg Latency(us)' 'P75 Tail Lat(us)' 'P90 Tail Lat(us)')" <<<"$out"
    no_claim 4 || grep -qP '^4\s+[\d.]+\s+[\d.]+\s+([\d.]+|-)$' <<<"$out"
    measure 2 ovl_ibarrier -i 12:12 -x 0 --compute-us 20 --format omb --percentiles 50
    grep -qF "$(printf '# Overall(us)%18s%18s%18s%18s' 'Compute(us)' 'Pure Comm.(us)' 'Overlap(%)' 'P50 Tail Lat(us)')" <<<"$out"
}

# bats test_tags=long
@test "every row of the benchmarks keeps the layout, plain and full" {
    while read -r program call _; do
        sizes=(-m 8:16) expected=2
        case $program in
        ovl_null) continue ;; # no OSU benchmark measures nothing
        ovl_ibarrier) sizes=() expected=1 ;;
        esac
        for full in "" -f; do
            # shellcheck disable=SC2086
            measure 2 "$program" "${sizes[@]}" "${quick[@]}" "${work[@]}" --format omb -c $full
            echo "$program ($call) $full"
            mapfile -t lines <"$BATS_TEST_TMPDIR/out"
            [ "${lines[0]}" = "" ]
            grep -qP '^# OSU MPI Non-blocking [A-Z].* Latency Test v7\.4$' <<<"${lines[1]}"
            grep -qP '# OSU.*Test (v[0-9\.]+)' <<<"${lines[1]}"
            [ "${lines[2]}" = "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait" ]
            [ "${lines[3]}" = "" ]
            [ "$(cells | wc -l)" = $expected ]
            columns=(Overall Compute 'Pure Comm.')
            [ -z "$full" ] || columns=(Overall Compute 'Coll. Init' MPI_Test MPI_Wait 'Pure Comm.' 'Min Comm.' 'Max Comm.')
            if [ "$expected" = 1 ]; then
                header='# Overall(us)' columns=("${columns[@]:1}")
            else
                header=$(printf '%-10s' '# Size')
                grep -qE '^# Datatype: MPI_(CHAR|SIGNED_CHAR)\.$' <<<"$out"
                for size in 8 16; do
                    no_claim $size || { grep -qP "^$size\s+(\S+)" <<<"$out" && grep -qP "^$size.*Pass" <<<"$out"; }
                done
            fi
            header+=$(printf '%18s' "${columns[@]/%/(us)}" 'Overlap(%)' Validation)
            grep -qFx "$header" <<<"$out"
            while IFS= read -r row; do [ ${#row} = ${#header} ]; done < <(rows)
            absent '[nN]a[nN]|inf' "$out"
            [ -z "$(grep -vE '^#|^$|^ *[0-9]' <<<"$out")" ]
        done
    done < <("$OVL_BIN/ovl" list | grep -E '^  ovl_[a-z_]+ +(MPI_|nothing)')
}

@test "omb-blocking prints the blocking twin alone, from the driver and from its record" {
    record=$BATS_TEST_TMPDIR/b.jsonl
    measure 2 ovl_ialltoall -m 8,24 "${quick[@]}" --compute-us 50 --format omb-blocking -f --json "$record"
    mapfile -t lines <"$BATS_TEST_TMPDIR/out"
    [ "${lines[1]}" = "# OSU MPI All-to-All Latency Test v7.4" ]
    [ "${lines[2]}" = "# Datatype: MPI_CHAR." ]
    [ "${lines[3]}" = "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations" ]
    for size in 8 24; do
        no_claim $size || [ "$(rows | awk -v size=$size '$1 == size { print NF }')" = 5 ]
    done
    shown=0
    "$OVL_BIN/ovl" show --format omb-blocking -f "$record" >"$BATS_TEST_TMPDIR/shown" || shown=$?
    [ $shown = "$code" ]
    diff "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/shown"
    measure 2 ovl_ibarrier "${quick[@]}" --compute-us 50 --format omb-blocking
    grep -qFx "# Avg Latency(us)" <<<"$out"
    [ "$(cells | wc -l)" = 1 ]
}

@test "OMB's words for a type, a root and in place are taken" {
    measure 2 ovl_allreduce -T mpi_int -l -m 8:8 "${quick[@]}" "${work[@]}" --json r.jsonl
    grep -q '"datatype":"MPI_INT"' r.jsonl
    grep -q '"in_place":true' r.jsonl
    measure 2 ovl_ibcast -T MPI_CHAR -k fixed:1 -m 8:8 "${quick[@]}" "${work[@]}" --json r.jsonl
    grep -q '"root":1' <(tail -n 3 r.jsonl)
    measure 2 ovl_ibcast -k 1 -m 8:8 "${quick[@]}" "${work[@]}" --json r.jsonl
    ends 0 "$OVL_BIN/ovl" validate r.jsonl
}
