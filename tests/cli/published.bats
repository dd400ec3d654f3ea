#!/usr/bin/env bats
# ovl published: figures of publications beside those of records, never mixed; and the chart over nodes.

load lib

# samples_of: the first cell's samples/s in a table.
samples_of() { awk '/^[^#]/ { print $6; exit }'; } # model, strategy, mode, total, its interval, samples/s

# row NAME: the lines of the first case of that name.
row() { awk -v name="$1" 'index($0, name) { on = 1; print; next } /^[0-9]/ { on = 0 } on' out; }

@test "without records every row has its source, and nothing was measured" {
    "$OVL_BIN/ovl" published >out
    for row in 1 2 3 4 5 6 7 8 9 10 11 12 13; do grep -q "^$row  *[A-Za-z0-9]" out; done
    cases=$(grep -c '^[0-9]' out)
    [ "$(grep -c '^    published  [A-Za-z0-9]' out)" = "$cases" ]
    [ "$(grep -cE '^    here       (not measured$|- \()' out)" = "$cases" ]
    [ "$(grep -c 'doi:\|talk\|tutorial' out)" = "$cases" ]
    # Where sources contradict themselves that is said: rows 1, 3 and 9.
    [ "$(grep -c '^    note       mismatch: ' out)" = 4 ]
}

@test "what records have stands beside it, by set-up; invalid cells are none" {
    # One rank: nobody to start apart from, so that its samples count on any machine. Then as if there were two.
    measure 2 ovl_train --strategy horovod:0.19 --scale-bytes 50 --mode host,dpu --workers 1 --json one.jsonl -i 6:6 -x 0 \
        --max-time 5 --compute-us 1000
    sed -i 's/"status": *"\(ok\|ci_not_reached\|few\|drifting\|invalid\)"/"status":"few"/' one.jsonl
    sed 's/"ranks": *1\b/"ranks":2/; s/"run_id": *"/&x/' one.jsonl >r.jsonl
    for status in few invalid; do
        sed "s/\"status\": *\"\(ok\|ci_not_reached\|few\|drifting\|invalid\)\"/\"status\":\"$status\"/" r.jsonl >$status.jsonl
    done
    [ "$(grep -c '"status":"few"' few.jsonl)" = 2 ]
    "$OVL_BIN/ovl" published few.jsonl >out
    # What a run is given, or the source does not vary, is never held against it.
    row 'the same, total' | grep -qx '    here       - (as above)'
    row 'ResNet-20: augm' | grep -qx '    here       - (the share of augmentation in a run is the published gain itself: an input, no result)'
    # Samples a second, of one rank and of two.
    "$OVL_BIN/ovl" published one.jsonl few.jsonl >out
    row 'EDSR: images/s over ranks, 1 to 2' | grep -Eq '^    here       [0-9.e+-]+ to [0-9.e+-]+ samples/s: 0.0 % more, 50.0 % of 2 times as much \(strategy horovod:0.19, batch 1, scale_bytes 50, kernel fma, compute_us 1000, tests 0; 1 launch\)$'
    sed 's/"status":"few"/"status":"invalid"/' one.jsonl >invalid1.jsonl
    "$OVL_BIN/ovl" published invalid1.jsonl invalid.jsonl >out
    row 'EDSR: images/s over ranks, 1 to 2' | grep -q 'here       not measured: 2 cells without a claim (invalid, unshaped, emulated, wrong or cut short)$'
    # Launches of other work are another set-up.
    for f in one few; do sed 's/"us": *1000/"us":2000/; s/"run_id": *"/&y/' $f.jsonl >other-$f.jsonl; done
    "$OVL_BIN/ovl" published one.jsonl few.jsonl other-one.jsonl other-few.jsonl >out
    [ "$(row 'EDSR: images/s over ranks, 1 to 2' | grep -cE 'compute_us [12]000, tests 0; 1 launch\)$')" = 2 ]
    # Launches that calibrated their own work compute as long as they communicate: they have no rate.
    for f in one few; do sed 's/"ratio": *null/"ratio":1.0/; s/"us": *1000\(\.0\)*/"us":null/' $f.jsonl >own-$f.jsonl; done
    "$OVL_BIN/ovl" published own-one.jsonl own-few.jsonl >out
    row 'EDSR: images/s over ranks, 1 to 2' | grep -q 'here       - (2 cells took work by the ratio; a rate wants it given, by --compute-us'
    [ "$("$OVL_BIN/ovl" show own-few.jsonl | samples_of)" = - ]
    [ "$("$OVL_BIN/ovl" show few.jsonl | samples_of)" != - ]
    # Epochs with checkpoints are compared within a cell, at the number of checkpoints that was published.
    sed 's/"record": *"cell",/&"epochs":[{"checkpoint":"root","count":10.0,"median_seconds":0.5},{"checkpoint":"helper","count":10.0,"median_seconds":0.25}],/' few.jsonl >epochs.jsonl
    "$OVL_BIN/ovl" published epochs.jsonl >out
    row 'checkpoints, 10 an epoch' | grep -q 'here       500 to 250 ms: 50.0 % less (ranks 2, nodes 1'
    row 'checkpoints, 4 an epoch' | grep -q 'here       not measured$'
    # Epochs with helpers, too: a design against none, the same cell's.
    sed 's/"record": *"cell",/&"phases":{"helpers":2,"slowdown":4.0,"augment_asked":0.1,"validate_asked":0.0,"designs":[{"offload":"none","step_seconds":0.5,"au":0.8},{"offload":"o-n","step_seconds":0.4,"au":1.0},{"offload":"o-hy","step_seconds":0.4,"au":1.0}]},/' few.jsonl >phases.jsonl
    "$OVL_BIN/ovl" published phases.jsonl >out
    row '(O-N)' | grep -q 'here       500 to 400 ms: 1.250 times as fast (.*mode host, .*kernel fma, compute_us 1000, tests 0, helpers 2 x 1/4, phases 0.1:0; 1 launch)$'
    # Of other shares than the published ones a design of both says nothing.
    sed 's/"model":"edsr_x2"/"model":"resnet56"/' phases.jsonl >shares.jsonl
    "$OVL_BIN/ovl" published shares.jsonl >out
    row 'ResNet-56: both' | grep -q 'here       not measured$'
    sed 's/"augment_asked":0.1,"validate_asked":0.0/"augment_asked":0.065,"validate_asked":0.052/' shares.jsonl >asked.jsonl
    "$OVL_BIN/ovl" published asked.jsonl >out
    row 'ResNet-56: both' | grep -q 'here       500 to 400 ms: 1.250 times as fast (.*phases 0.065:0.052; 1 launch)$'
    # As many launches as there are files, and the page has the same.
    "$OVL_BIN/ovl" published one.jsonl few.jsonl -o page.html
    grep -q 'not measured' page.html
    grep -q 'kernel fma, compute_us 1000, tests 0; 1 launch)' page.html
    ! "$OVL_BIN/ovl" published none.jsonl 2>err
    grep -q none.jsonl err
}

@test "a chart over nodes has a bar for host and DPU at each number, and what the DPU gains" {
    command -v gnuplot >/dev/null || skip "there is no gnuplot"
    # One rank: nobody to start apart from, so that its samples count on any machine.
    measure 2 ovl_train --model resnet20 --mode blocking,host,dpu --workers 1 --json r.jsonl -i 6:6 -x 0 --max-time 5 \
        --compute-us 1000
    sed -i 's/"status": *"\(ok\|ci_not_reached\|few\|drifting\|invalid\)"/"status":"few"/' r.jsonl
    run_id=$(cells r.jsonl run_id | head -n 1)
    for n in 2 4; do # launches on more nodes
        sed "s/$run_id/${run_id%?}$n/g; s/\"nodes\": *1\b/\"nodes\":$n/; s/\"ranks\": *1\b/\"ranks\":$n/" r.jsonl >r$n.jsonl
    done
    "$OVL_BIN/ovl" plot r.jsonl r2.jsonl r4.jsonl --chart nodes >out
    [ "$(cat out)" = ./train-nodes.svg ]
    for text in 'train: time over nodes' Host DPU 'improvement (%)' '>1<' '>2<' '>4<'; do
        tr -d '\n' <train-nodes.svg | sed 's/<[/]*tspan[^>]*>//g' | grep -q -- "$text" || { echo "not in it: $text"; return 1; }
    done
    ! grep -q Blocking train-nodes.svg
    # One number of nodes has nothing over nodes.
    ! "$OVL_BIN/ovl" plot r.jsonl --chart nodes >out 2>err
    grep -q 'no nodes chart: no cell has a value for it' out
}
