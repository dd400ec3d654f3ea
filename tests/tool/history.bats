#!/usr/bin/env bats
# `ovl history` on launches whose change is known.

load ../cli/lib
load tool

# era FOLDER COUNT FACTOR DATE REVISION: launches() of that day and that revision.
era() {
    launches "$1" "$2" "$3"
    sed -i "s/\"started\":\"2026-01-01T/\"started\":\"$4T/; 1s/\"git\":\"[^\"]*\"/\"git\":\"$5\"/" "$1"/*.jsonl
}

@test "history finds where launches changed, and says what changed there" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    era c 12 0.9 2026-01-03 bbb2222
    sed -i '1s/"seed":1,/"seed":1,"blas":"other",/' c/*.jsonl
    ovl 0 history b a c
    prints "# launches 52 in 52 files, 2026-01-01T00:01:00Z .. 2026-01-03T00:12:00Z"
    [ "$(grep -cE '  21  2026-01-02T00:01:00Z .* 1\.10[0-9] .* aaa1111 -> bbb2222 +WORSE$' <<<"$out")" = 4 ]
    [ "$(grep -cE '  41  2026-01-03T00:01:00Z .* 0\.8[0-9]+ .* bbb2222 +BETTER$' <<<"$out")" = 4 ]
    prints "# at       2026-01-02T00:01:00Z: 4 changes; b/1.jsonl after a/20.jsonl"
    prints "# note     git: aaa1111 -> bbb2222"
    prints "# differs  blas: not set -> other"
    prints "# outcome  4 changes for the worse, 4 for the better"
}

@test "a new change for the worse fails, an old one, a small one and one for the better do not" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    ovl 1 history a b --since 2026-01-02
    [ "$(grep -c ' new WORSE$' <<<"$out")" = 4 ]
    prints "# outcome  4 changes for the worse since 2026-01-02"
    ovl 1 history a b --since bbb
    ovl 1 history a b --since 2026-01-02T00:01:00Z
    ovl 0 history a b --since 2026-01-02T00:02:00Z
    [ "$(grep -c ' WORSE$' <<<"$out")" = 4 ]
    ovl 0 history a b --since 2026-01-02 --delta 0.2
    [ "$(grep -c ' new WORSE, within 0.2$' <<<"$out")" = 4 ]
    prints "# outcome  0 changes for the worse since 2026-01-02"
    # More is better of a gain: the same values are a change for the better.
    sed -i -E 's/"speedup_vs_blocking":\{"value":[0-9.e-]+/"speedup_vs_blocking":{"value":2.0/' b/*.jsonl
    ovl 0 history a b --since 2026-01-02 -m speedup_vs_blocking
    [ "$(grep -c ' new BETTER$' <<<"$out")" = 4 ]
}

@test "what did not change is steady, and too few launches are told" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1 2026-01-02 bbb2222
    ovl 0 history a b --since bbb2222
    [ "$(grep -c ' no change in 40 launches$' <<<"$out")" = 4 ]
    ovl 2 history a/1.jsonl a/2.jsonl
    [ "$(grep -c ' too few launches: 2, and 10 are needed$' <<<"$out")" = 4 ]
    prints "# outcome  no point has the 10 launches that a change needs"
}

@test "two cells of which one has a launch too few for two settle on the other" {
    era a 11 1 2026-01-01 aaa1111
    sed -i '3d; s/"cells":4/"cells":3/' a/11.jsonl
    ovl 0 history a --filter 'size_bytes=^(8192|16384)$'
    prints " no change in 11 launches"
    prints " too few launches: 10, and 11 are needed"
}

@test "a level that leaves what has no ratio is worse by its difference" {
    mkdir a
    for ((i = 10; i < 34; i++)); do
        value=$([ $i -lt 22 ] && echo "-2e-06" || echo "3e-05")
        sed -E "s/20[0-9]{6}T[0-9]{6}Z-[0-9a-f]{16}/a-$i/; s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$i:00Z/
            s/\"exposed_comm_seconds\":\{\"value\":[-0-9.e]+/\"exposed_comm_seconds\":{\"value\":$value/" "$data/fft3d.jsonl" >a/$i.jsonl
    done
    ovl 1 history a -m exposed_comm_seconds --since 2026-01-01
    grep -qE ' -2.00 +30.00 +- .* new WORSE$' <<<"$out"
}

@test "launches of other work, without a claim and copies do not count" {
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    units=$(sed -n '2s/.*"units":\([0-9]*\).*/\1/p' a/3.jsonl)
    sed -i "2s/\"units\":$units/\"units\":$((units + 1))/" a/3.jsonl
    sed -i '3s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' a/4.jsonl
    cp a/5.jsonl a/again.jsonl
    ovl 0 history a b
    prints "# note     1 copy of a launch passed over"
    prints "# left out: 1 value of no claim"
    prints "# left out: 1 value at other work than that of the point's last launch"
    [ "$(grep -c '  20  2026-01-02T00:01:00Z .* WORSE$' <<<"$out")" = 2 ]
    ovl 0 history a b --any-work
    absent 'other work' "$out"
    ovl 0 history a b -m comm_seconds
    absent 'other work' "$out"
}

@test "history draws its chart, and a report has it" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    era a 20 1 2026-01-01 aaa1111
    era b 20 1.1 2026-01-02 bbb2222
    ovl 0 history a b --chart h.svg
    [ "$(grep -c '2026-01-02 bbb2222' h.svg)" = 4 ]
    has h.svg 'ialltoall host 64K (2026-01-01 .. 2026-01-02)'
    ovl 3 history a b --chart h.gif
    says "the name must end in .svg, .png or .pdf"
    [ ! -e h.gif ]
    ovl 0 report --history --since bbb a b -o r.html
    has r.html '<section id="history">'
    [ "$(grep -c '>new WORSE</td>' r.html)" = 4 ]
    has r.html 'aria-label="history"'
    ovl 3 report --since bbb a b -o r.html
    says "--since goes with --history"
    ovl 0 report a/1.jsonl --history -o one.html
    has one.html 'too few launches'
    [ -z "$(ls tmp)" ]
}

@test "history says what is wrong" {
    launches a 2 1
    ovl 3 history
    ovl 3 history a --metric speed
    ovl 3 history a --since nothing
    says "--since nothing: no date such as 2026-01-31"
    ovl 3 history a --since ""
    ovl 5 history nowhere
    sed -i '3s/"ranks":2/"ranks":"two"/' a/2.jsonl
    ovl 4 history a
    says "a/2.jsonl:3: ranks"
}
