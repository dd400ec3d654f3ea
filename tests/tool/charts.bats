#!/usr/bin/env bats
# What charts say of their points: which series there is room for, what they share, and what was left out. No MPI.

load tool

setup() {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    own_folder
}

# heads FILE: the texts of a chart, in one line.
heads() { chart_texts "$1" | xargs -d '\n'; }

@test "where series are too many, what only panels differ in is said of the panels, and each mode is drawn" {
    ovl 0 plot "$OVL_TOP"/results/serve/2.5gbit/{ep-two,pd,tier,tp-two} --chart fft3d,iterations
    absent 'left out|not drawn' "$out$(heads serve-fft3d.svg)"
    [ "$(chart_texts serve-fft3d.svg | grep -xE 'Host.*|DPU|Blocking|Thread' | xargs -d ,)" = "$(printf '%s\n' Blocking Host \
        'Host, 1 test a layer' DPU Thread | xargs -d ,)" ]
    chart_shows serve-fft3d.svg 'host, DPU, blocking and thread modes' gpt2-small mixtral-8x7b
    chart_shows serve-iterations.svg 'mixtral-8x7b, ep, requests 4, all, 64 in, 2 out, seed 1' 'llama-8b, messages 8 times smaller, pd'
}

@test "where series are too many in one panel, modes take turns, and the chart says what it leaves out" {
    launches one 1 1
    for n in 0 1 2 3 4 5 6; do
        for mode in host dpu thread; do
            [ $n$mode != 6thread ] || continue
            sed "s/\"run_id\":\"[^\"]*/&-$n-$mode/; s/\"test_calls\":[0-9]*/\"test_calls\":$n/; s/\"mode\":\"host\"/\"mode\":\"$mode\"/" \
                one/1.jsonl >$n$mode.jsonl
        done
    done
    rm -r one
    ovl 0 plot [0-6]*.jsonl --chart total
    for mode in Host DPU Thread; do
        [ "$(chart_texts ialltoall-total.svg | grep -cE "^$mode(, 1 MPI_Test call)?\$")" = 2 ]
    done
    chart_shows ialltoall-total.svg 'host, DPU and thread modes' '! 56 points not drawn: there is room for 6 series'
    ovl 0 report . -o page.html
    has page.html '56 points not drawn: there is room for 6 series'
    # A panel without a point is not drawn.
    sed -i '/"size_bytes":8192,/ s/"skew":"none"/"skew":"random:20"/' 6dpu.jsonl
    ovl 0 plot [0-6]*.jsonl --chart total
    absent 'random' "$(heads ialltoall-total.svg)"
}

@test "the line of the least that is possible is a median over launches, as the bars are" {
    # gnuplot that keeps what it is given
    mkdir bin
    printf '#!/bin/sh\nfor word; do case $word in *data*=*) file=${word#*data = ?}; cp "${file%%%%?; *}" data.tsv ;; esac; done\nexec %s "$@"\n' \
        "$(command -v gnuplot)" >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH ovl 0 plot "$OVL_TOP"/results/serve/2.5gbit/tp-two --chart fft3d
    for file in "$OVL_TOP"/results/serve/2.5gbit/tp-two/*.jsonl; do
        sed -n '/"mode":"dpu"/ s/.*"bound_seconds":{"median":\([0-9.e-]*\).*/\1/p' "$file"
    done | sort -g | awk '{ v[NR] = $1 } END { print (v[3] + v[4]) / 2 }' >bound
    awk '/^# /{ mode = $2 } mode == "DPU" && NF >= 8 { print $6 / $1 * $8 }' data.tsv >line
    awk -v a="$(cat bound)" -v b="$(cat line)" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < (1e-5 * a) ^ 2) }'
}

@test "a bar below iterations is drawn whole where more was exposed than the communication alone takes" {
    ovl 0 plot "$OVL_TOP"/results/serve/2.5gbit/pd --chart iterations
    chart_shows serve-iterations.svg 'no light part: more was exposed than the communication alone takes'
    chart_texts serve-iterations.svg | grep -qx 400 # above 358 ms that the host exposed
}

@test "what modes differ in is said with all modes that have it, as the legend spells them" {
    launches one 1 1
    for mode in host dpu thread; do
        tests=0 && [ $mode = host ] && tests=8
        sed "s/\"run_id\":\"[^\"]*/&-$mode/; s/\"test_calls\":[0-9]*/\"test_calls\":$tests/; s/\"rotate\":1/\"rotate\":$([ $mode = host ] && echo 3 || echo 2)/
             s/\"mode\":\"host\"/\"mode\":\"$mode\"/" one/1.jsonl >$mode.jsonl
    done
    ovl 0 plot {host,dpu,thread}.jsonl --chart total
    [[ $(heads ialltoall-total.svg) == *"8 MPI_Test calls (Host)"*"3 buffers in turn (Host), 2 buffers in turn (DPU, Thread)"* ]]
}

@test "variables that tune MPI and that all points share stand above the chart" {
    ovl 0 plot "$OVL_TOP"/results/fft3d/rivals/fft-{128,256}-tuned --chart fft3d
    chart_shows fft3d-fft3d.svg 'UCX_RNDV_THRESH=inf'
    absent 'UCX_TLS|UCX_LOG|INTERFACE_HOSTNAME' "$(heads fft3d-fft3d.svg)"
}

@test "which bar is 100 % does not depend on the order of files, and the chart says it" {
    batches=("$OVL_TOP"/results/serve/batching/{static,continuous})
    ovl 0 plot "${batches[0]}" "${batches[1]}" --chart fft3d -o one
    ovl 0 plot "${batches[1]}" "${batches[0]}" --chart fft3d -o two
    chart_shows one/serve-fft3d.svg '100 %: Blocking, batches continuous'
    of() { chart_texts "$1/serve-fft3d.svg" | grep -E ' m?s(, [+-].*)?$' | sort | xargs -d '\n'; }
    [ "$(of one)" = "$(of two)" ]
}

@test "an advice is said once, and what a line break parts stays apart" {
    launches one 2 1
    sed -i 's/"warnings":\[[^]]*\]/"warnings":["oversubscribed: 2 ranks and 2 workers on 2 cores; times hold the waiting for a core"]/' one/1.jsonl
    sed -i 's/"warnings":\[[^]]*\]/"warnings":["oversubscribed: 4 ranks and 4 workers on 2 cores; times hold the waiting for a core"]/; s/"ranks":2/"ranks":4/' one/2.jsonl
    ovl 0 plot one --chart total
    [ "$(grep -c 'the waiting' ialltoall-total.svg)" = 1 ]
    grep -q 'on 2 cores;' ialltoall-total.svg
    sed 's/.*>\(.*\)<.*/\1/' ialltoall-total.svg | xargs -d '\n' | grep -q 'oversubscribed: 4 ranks and 4'
}
