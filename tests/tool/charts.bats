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
    [ "$(chart_texts serve-fft3d.svg | grep -xE 'Host.*|DPU|Blocking|Thread' | xargs -d ,)" = "$(printf '%s\n' Host \
        'Host, 1 test a layer' DPU Blocking Thread | xargs -d ,)" ]
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
