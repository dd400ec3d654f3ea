#!/usr/bin/env bats
# ovl published: figures of publications beside those of records, never mixed; and the chart over nodes.

load lib

# samples_of: the first cell's samples/s in a table.
samples_of() { awk '/^[^#]/ { print $6; exit }'; } # model, strategy, mode, total, its interval, samples/s

# row NAME: the lines of the table of the cases of that name.
row() { grep -v '^#' out | grep -F "$1"; }

@test "without records every row has its formula and its source, and nothing was measured" {
    "$OVL_BIN/ovl" published >out
    grep -q '^#row case  *varies  *formula  *published  *here  *of$' out
    grep -v '^#' out >table
    for row in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do grep -Eq "^ $row +[A-Za-z0-9]" table; done
    cases=$(wc -l <table)
    [ "$(grep -cE ' - +(not measured|input, not result: .*|another variable.*|two variables at once: .*|which of .*|gradients here .*|a formula, .*)$' table)" = "$cases" ]
    [ "$(grep -cE '(new / old|old / new|new / \(n old\)|bytes / parameters|part / whole|not said)' table)" = "$cases" ]
    # Each source, below.
    sed '1,/^# what the sources print$/d' out >sources
    [ "$(wc -l <sources)" = "$cases" ]
    [ "$(grep -cE 'doi:|talk|tutorial|arXiv:|pull request|issue|blog|OSDI' sources)" = "$cases" ]
    # Where sources contradict themselves that is said: rows 1, 3 and 9.
    [ "$(grep -c '; note: mismatch: ' sources)" = 4 ]
    # What is put in is no result.
    [ "$(grep -c 'input, not result: ' table)" = 8 ]
    # Figures of sources by the formula that is printed: the time that is saved, and how many times as much.
    row '32 to 64 MiB' | grep -q '1 - new / old  *49.7 % '
    row 'ResNet-50 by Horovod' | grep -q 'new / old  *1.94 (PyTorch), 1.83 (TensorFlow) '
    row 'BERT of 2.5e9 parameters' | grep -q 'bytes / parameters  *8.07 '
    row 'O-N' | grep -q 'old / new / (1 + r)  *0.990 '
}

@test "a row whose two values differ in another way than by what varies is refused" {
    share=$PWD/tree/share/ovl
    mkdir -p "$share" tree/bin
    cp "$OVL_BIN/ovl" tree/bin
    for change in 's/"varies": "ranks", "from": "1", "to": "2"/"varies": "ranks", "from": "2", "to": "2"/' \
        's/"varies": "ranks", //' 's/"varies": "cold"/"varies": "mode"/' 's/"formula": "less"/"formula": "lesser"/' \
        's/"value": "kept"/"value": "keeps"/' 's/"dash": "another variable: as for a layer"/"note": "none"/'; do
        sed "$change" "$OVL_TOP/src/tool/report/published.json" >"$share/published.json"
        if cmp -s "$share/published.json" "$OVL_TOP/src/tool/report/published.json"; then return 1; fi
        code=0 && tree/bin/ovl published >out 2>err || code=$?
        [ "$code" = 4 ]
        grep -Eq 'published.json: rows\[[0-9]+\]: (give|leave out|what varies)' err
    done
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
    row 'EDSR x2, all classes' | grep -q ' -  *another variable: the source varies how a library copies'
    row 'ResNet-20: augm' | grep -q ' -  *input, not result: the share of augmentation in a run is this gain itself (--phases)$'
    # Samples a second, of one rank and of two, by the host and by workers: never one against the other.
    "$OVL_BIN/ovl" published one.jsonl few.jsonl >out
    row 'images/s, 1 to 2 by the host' | grep -Eq ' 50.0 % +[0-9.e+-]+ to [0-9.e+-]+ samples/s, strategy horovod:0.19, batch 1, scale_bytes 50, kernel fma, compute_us 1000, tests 0, buckets [^;]*; 1 launch$'
    row 'images/s, 1 to 2 by workers' | grep -Eq ' 50.0 % +[0-9.e+-]+ to [0-9.e+-]+ samples/s, '
    row 'images/s, 1 to 4' | grep -q ' -  *not measured$'
    sed 's/"status":"few"/"status":"invalid"/' one.jsonl >invalid1.jsonl
    "$OVL_BIN/ovl" published invalid1.jsonl invalid.jsonl >out
    row 'images/s, 1 to 2 by the host' | grep -q ' -  *not measured: 2 cells without a claim (invalid, unshaped, emulated, of one rank, wrong, cut short, repeated or impossible)$'
    # Launches of other work are another set-up.
    for f in one few; do sed 's/"us": *1000/"us":2000/; s/"run_id": *"/&y/' $f.jsonl >other-$f.jsonl; done
    "$OVL_BIN/ovl" published one.jsonl few.jsonl other-one.jsonl other-few.jsonl >out
    [ "$(row 'images/s, 1 to 2 by the host' | grep -cE 'compute_us [12]000, tests 0, buckets [^;]*; 1 launch$')" = 2 ]
    for n in 1000 2000; do
        for f in one few; do
            sed "s/\"us\": *1000\(\.0\)*/\"us\":null/; s/\"compute_units\": *null/\"compute_units\":$n/; s/\"run_id\": *\"/&u$n/; s/\"samples_crc32\": *\"./&$n/" \
                $f.jsonl >units$n-$f.jsonl
        done
    done
    "$OVL_BIN/ovl" published units[12]000-*.jsonl >out
    [ "$(row 'images/s, 1 to 2 by the host' | grep -cE 'compute_units [12]000; 1 launch$')" = 2 ]
    # Launches that calibrated their own work compute as long as they communicate: they have no rate.
    for f in one few; do sed 's/"ratio": *null/"ratio":1.0/; s/"us": *1000\(\.0\)*/"us":null/' $f.jsonl >own-$f.jsonl; done
    "$OVL_BIN/ovl" published own-one.jsonl own-few.jsonl >out
    row 'images/s, 1 to 2 by the host' | grep -q ' -  *not measured: 2 cells took work by the ratio; a rate wants it given, by --compute-us'
    [ "$("$OVL_BIN/ovl" show own-few.jsonl | samples_of)" = - ]
    [ "$("$OVL_BIN/ovl" show few.jsonl | samples_of)" != - ]
    # Epochs with checkpoints are compared within a cell, at the number of checkpoints that was published.
    sed 's/"record": *"cell",/&"epochs":[{"checkpoint":"root","count":10.0,"median_seconds":0.5},{"checkpoint":"helper","count":10.0,"median_seconds":0.25}],/' few.jsonl >epochs.jsonl
    "$OVL_BIN/ovl" published epochs.jsonl >out
    row 'an epoch with 10 checkpoints' | grep -q '1 - new / old  *52.0 %  *50.0 %  *500 to 250 ms, ranks 2, nodes 1'
    row 'an epoch with 4 checkpoints' | grep -q ' -  *-  *not measured$'
    # Epochs with helpers, too: a design against none, the same cell's. O-N: how much of 1 + r is reached.
    sed 's/"record": *"cell",/&"phases":{"helpers":2,"slowdown":4.0,"augment_asked":0.1,"validate_asked":0.0,"designs":[{"offload":"none","step_seconds":0.5,"au":0.8},{"offload":"o-n","step_seconds":0.4,"au":1.0},{"offload":"o-hy","step_seconds":0.4,"au":1.0}]},/' few.jsonl >phases.jsonl
    "$OVL_BIN/ovl" published phases.jsonl >out
    row '(O-N)' | grep -q ' 0.990  *1.000  *500 to 400 ms, .*mode host, .*kernel fma, compute_us 1000, tests 0, .*helpers 2 x 1/4, phases 0.1:0; 1 launch$'
    sed 's/"validate_asked":0.0/"validate_asked":0.1/' phases.jsonl >validates.jsonl
    "$OVL_BIN/ovl" published validates.jsonl >out
    row '(O-N)' | grep -q ' -  *not measured$'
    # Of other shares than the published ones a design of both says nothing.
    sed 's/"model":"edsr_x2"/"model":"resnet56"/' phases.jsonl >shares.jsonl
    "$OVL_BIN/ovl" published shares.jsonl >out
    row 'ResNet-56: both' | grep -q ' -  *not measured$'
    sed 's/"augment_asked":0.1,"validate_asked":0.0/"augment_asked":0.065,"validate_asked":0.052/' shares.jsonl >asked.jsonl
    "$OVL_BIN/ovl" published asked.jsonl >out
    row 'ResNet-56: both' | grep -q 'old / new - 1  *10.1 %  *25.0 %  *500 to 400 ms, .*phases 0.065:0.052; 1 launch$'
    # A checkpoint by all ranks, at once and behind them: the time for which it stops them. Of 6 launches with an interval.
    sed 's/"record": *"cell",/&"epochs":[{"checkpoint":"sharded","count":10.0,"median_seconds":0.5,"stall_seconds":0.3},{"checkpoint":"sharded-thread","count":10.0,"median_seconds":0.3,"stall_seconds":0.1}],/' few.jsonl >stalls.jsonl
    "$OVL_BIN/ovl" published stalls.jsonl >out
    row 'written behind them' | grep -q 'old / new  *23.62  *3.00  *30 to 10 ms, .*; 1 launch$'
    for n in 1 2 3 4 5 6; do
        sed "s/\"run_id\": *\"/&$n/; s/\"samples_crc32\": *\"./&$n/; s/\"stall_seconds\":0.1/\"stall_seconds\":0.1$n/" stalls.jsonl >stalls$n.jsonl
    done
    "$OVL_BIN/ovl" published stalls[1-6].jsonl >out
    row 'written behind them' | grep -q ' 23.62  *2.2[23] \[1.8[78], 2.73\]  *30 to 13.5 ms, .*; 6 launches$'
    # Orders of samples: the time in which they are read, not what a step takes.
    sed 's/"record": *"cell",/&"dataset":{"samples":480,"record_bytes":1000,"local_buffer":0.25,"orders":[{"order":"random","steps":10,"read_seconds":0.4,"samples_per_second":1},{"order":"solar","steps":10,"read_seconds":0.3,"samples_per_second":9}]},/' few.jsonl >orders.jsonl
    "$OVL_BIN/ovl" published orders.jsonl >out
    row 'by SOLAR' | grep -q 'old / new  *10.90 (talk), 24.40 (paper, up to)  *1.33  *40 to 30 ms, .*480 samples of 1000 B, buffer 0.25, .*; 1 launch$'
    # As many launches as there are files, and the page has the same.
    "$OVL_BIN/ovl" published one.jsonl few.jsonl -o page.html
    grep -q 'not measured' page.html
    grep -q '<td class="text">50.0 %</td><td class="text">[0-9.e+]* to [0-9.e+]* samples/s, .*compute_us 1000, tests 0, buckets [^;]*; 1 launch</td>' page.html
    if "$OVL_BIN/ovl" published none.jsonl 2>err; then return 1; fi
    grep -q none.jsonl err
}

@test "times of requests whose prefixes come from a tier, by workers against the host" {
    sed -e '/"record":"cell"/ s/"status":"[a-z_]*","marks":\["invalid",/"status":"few","marks":[/' \
        -e 's/"strategy":"pd"/"strategy":"tier"/g; s/"\(ttft\|tpot\)_seconds":{"p50":[0-9.e-]*/"\1_seconds":{"p50":0.06/g' \
        -e '/"mode":"dpu"/ s/"\(ttft\|tpot\)_seconds":{"p50":0.06/"\1_seconds":{"p50":0.04/g' "$OVL_TOP/tests/cli/data/serve.jsonl" >r.jsonl
    "$OVL_BIN/ovl" published r.jsonl >out
    row 'the host: time for a token' | grep -q 'old / new  *2.20 (up to)  *1.50  *60 to 40 ms, ranks 2, nodes 1, .*requests 12, poisson:0.5, .*; 1 launch$'
    row 'the host: first token' | grep -q 'old / new  *1.38 (up to)  *1.50  *60 to 40 ms, '
    # Where nothing is fetched it says nothing.
    sed 's/"strategy":"tier"/"strategy":"pd"/g' r.jsonl >pd.jsonl
    "$OVL_BIN/ovl" published pd.jsonl >out
    row 'the host: first token' | grep -q ' -  *not measured$'
}

@test "BERT of 192 layers on two ranks keeps 8 bytes a parameter by ZeRO's formula, as 18.42 GiB are published" {
    "$OVL_BIN/ovl_train" --model bert-2.5b --strategy zero2 --plan 2 >told
    grep -qx '            18.3 GiB of it are kept between steps: 8 bytes a parameter' told
    measure 2 ovl_train --model bert-2.5b --strategy zero2:deepspeed --scale-bytes 100000 --mode host --json r.jsonl -i 6:6 \
        -x 0 --max-time 1 --compute-us 1000
    grep -q '"kept_bytes_per_parameter":8.0' r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
    sed -i 's/"status": *"\(ok\|ci_not_reached\|few\|drifting\|invalid\)"/"status":"few"/' r.jsonl
    "$OVL_BIN/ovl" published r.jsonl >out
    row 'BERT of 2.5e9' | grep -q ' 8.07  *8.00  *8 B, nodes 1, mode host, strategy zero2:deepspeed, '
    sed 's/"strategy":"zero2:deepspeed"/"strategy":"zero3"/' r.jsonl >zero3.jsonl
    "$OVL_BIN/ovl" published zero3.jsonl >out
    row 'BERT of 2.5e9' | grep -q ' -  *not measured$'
    # A pipeline splits its states otherwise.
    "$OVL_BIN/ovl_train" --model gpt2 --strategy pp --plan 2 >told
    ! grep -q 'kept between steps' told
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
    if grep -q Blocking train-nodes.svg; then return 1; fi
    # One number of nodes has nothing over nodes.
    if "$OVL_BIN/ovl" plot r.jsonl --chart nodes >out 2>err; then return 1; fi
    grep -q 'no nodes chart: no cell has a value for it' out
}
