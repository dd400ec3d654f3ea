#!/usr/bin/env bats
# What a record says of a single cell: its samples as a chart, the build and the machine.

load tool

lacks() { ! grep -qF -- "$2" "$1" || { echo "$1 says: $2"; return 1; }; }

setup() {
    own_folder
    cp "$data"/*.jsonl .
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
}

@test "a chart of samples has a strip per quantity, and only where it is asked for" {
    ovl 0 plot ialltoall.jsonl
    [ ! -e ialltoall-samples.svg ]
    ovl 0 plot ialltoall.jsonl --chart samples
    prints ./ialltoall-samples.svg
    has ialltoall-samples.svg "MPI_Ialltoall: the samples of its cells" ">8K, Host<"
    for letter in T W C B; do has ialltoall-samples.svg ">$letter (µs)<"; done
    lacks ialltoall-samples.svg NaN
    ovl 0 plot ialltoall.jsonl --chart samples --filter 'size_bytes=^65536$' -o one
    has one/ialltoall-samples.svg ">64K, Host<"
    lacks one/ialltoall-samples.svg ">8K, Host<"
    [ ! -e one/ialltoall-samples-2.svg ]
}

@test "outliers are off the scale and told; what was not measured is said" {
    # 40 blocks of T, one of them ten times as long; no B at all.
    awk 'function list(first, x, i, text) {
            for (i = 1; i <= 40; i++)
                text = text (i > 1 ? "," : "") (i == 7 ? first : x == "null" ? x : x + i % 5 * 1e-7)
            return text
        }
        NR == 2 {
            for (q in was) delete was[q]
            sub(/"samples_crc32":"[0-9a-f]*",/, "")
            sub(/"blocks":[0-9]+/, "\"blocks\":40")
            split("comm compute blocking total init test wait inner_compute", names, " ")
            text = ""
            for (k = 1; k <= 8; k++) {
                one = names[k] == "blocking" ? list("null", "null") : list(names[k] == "total" ? "1e-4" : "1e-5", "1e-5")
                text = text (k > 1 ? "," : "") "\"" names[k] "_seconds\":{\"max\":[" one "],\"mean\":[" one "]}"
            }
            sub(/"samples":.*/, "\"samples\":{" text "}}")
            print
            next
        }
        NR == 1 || /"record":"end"/' ialltoall.jsonl >cell.jsonl
    ovl 0 plot cell.jsonl --chart samples
    has ialltoall-samples.svg "triangles: 1 outlier, off the scale" ">no sample<" ">B<"
}

@test "a long title has smaller letters" {
    size() { grep -B1 -F "hidden by computation" "$1" | sed -n 's/.*font-size="\([0-9.]*\)".*/\1/p'; }
    sed 's/"benchmark":"ialltoall"/"benchmark":"ireduce_scatter_block"/' ialltoall.jsonl >long.jsonl
    ovl 0 plot ialltoall.jsonl --chart overlap
    ovl 0 plot long.jsonl --chart overlap
    [ "$(size ialltoall-overlap.svg)" = 24.00 ]
    awk -v x="$(size ireduce_scatter_block-overlap.svg)" 'BEGIN { exit !(x > 15 && x < 23) }'
}
