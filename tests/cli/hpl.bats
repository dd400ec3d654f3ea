#!/usr/bin/env bats
# ovl_hpl as a user runs it: its table, HPL's lines, the record, and results that do not pass.

load lib

# Cells of few blocks; ranks that have to share cores may start apart.
told='  (few|invalid)(, (drifting|wide|uneven|noisy))*$'

setup() {
    cd "$BATS_TEST_TMPDIR"
    [ -x "$OVL_BIN/ovl_hpl" ] || skip "no CBLAS: ovl_hpl is left out"
}

@test "the BLAS is the one that is there when it runs, and a reference one is warned of" {
    PRELOAD=$OVL_SHIM/blas.so measure 1 ovl_hpl -n 60 --json r.jsonl -i 6:6 -x 0 --max-time 5
    grep -q '"blas":"OpenBLAS 99.9 PRETENDED"' r.jsonl
    grep -q '1 thread a rank, OpenBLAS 99.9$' <<<"$out"
    absent "netlib" "$out"
    PRELOAD=$OVL_SHIM/blas.so measure 1 ovl_ialltoall -m 8:8 --compute dgemm --compute-us 20000 -i 6:6 -x 0 --json d.jsonl
    grep -q '"blas":"OpenBLAS 99.9 PRETENDED"' d.jsonl
    "$OVL_BIN/ovl" validate r.jsonl d.jsonl
    # With its own: what the record says and whether that is warned of agree.
    measure 1 ovl_train --tiny --compute dgemm --json t.jsonl -i 6:6 -x 0 --max-time 5
    warned=0 reference=0
    grep -q "^# warning .*the BLAS is netlib's reference" <<<"$out" && warned=1
    grep -q '"blas":"reference BLAS"' t.jsonl && reference=1
    grep -q '"blas":"[A-Z]\|"blas":"reference' t.jsonl
    [ $warned = $reference ]
}

@test "lists of orders and broadcasts, checked and recorded" {
    measure 2 ovl_hpl -n 60,37 --nb 8 --bcast ring,ring-m,long,ibcast -i 2 -x 0 -f --json r.jsonl
    [ "$(rows | awk '{print $1, $2}' | xargs)" = \
        "60 ring 60 ring-m 60 long 60 ibcast 37 ring 37 ring-m 37 long 37 ibcast" ]
    [ "$(rows | grep -cE "$told")" = 8 ]
    grep -q '# solves .*no rated HPL run; grid 1 x 2, NB 8, look-ahead 1;' <<<"$out"
    grep -q '# *1 thread a rank, ' <<<"$out"
    "$OVL_BIN/ovl" show -f r.jsonl | diff <(grep -v '^exit' <<<"$out") - # the table again
    ends 0 "$OVL_BIN/ovl" validate r.jsonl
    grep -q '8 cells, ok' out
    grep '"record":"cell"' r.jsonl | head -n 1 >"$BATS_TEST_TMPDIR/cell"
    for field in '"n":60' '"nb":8' '"procs":"1x2"' '"depth":1' '"bcast":"ring"' '"threads":1' '"gflops":{"value":' \
        '"exposed_comm_seconds":{"value":' '"check":{"name":"residual","value":' '"curve":{"exposed_comm_seconds":\[' '"hpl_line":"WR10R2L8'; do
        grep -q "$field" "$BATS_TEST_TMPDIR/cell" || { echo "no $field"; return 1; }
    done
    # One value a panel: 60 columns in panels of 8.
    sed 's/.*"curve":{"exposed_comm_seconds":\[\([^]]*\)\].*/\1/' "$BATS_TEST_TMPDIR/cell" | tr , '\n' | grep -c . >"$BATS_TEST_TMPDIR/n"
    [ "$(cat "$BATS_TEST_TMPDIR/n")" = 8 ]
}

# numbers NAME: the array of that name in the first cell's curve, added up.
panels_sum() {
    sed -n '2s/.*"curve":{\([^}]*\)}.*/\1/p' r.jsonl |
        sed 's/.*"'"$1"'":\[\([^]]*\)\].*/\1/' | tr , '\n' | awk '{ sum += $1 } END { printf "%.12g\n", sum }'
}

@test "the time of the broadcasts is the sum of their curve, in T and alone, and bounds stand beside T" {
    # With one block the curve of medians is that of the block.
    measure 2 ovl_hpl -n 300 --nb 16 --bcast ring -i 1 -x 0 -f --json r.jsonl
    for pair in '"comm_seconds":{"median":' '"exposed_comm_seconds":{"value":'; do
        name=${pair#?} name=${name%%\"*}
        # C is read by the loop, outside of the last panel's end.
        within=1e-9 && [ $name = comm_seconds ] && within=0.05
        whole=$(grep -o "$pair[^,]*" r.jsonl | sed 's/.*://')
        [ "$whole" = null ] && rows | grep -q invalid && continue # it never began in time
        awk -v whole="$whole" -v sum="$(panels_sum "$name")" -v name="$name" -v within="$within" 'BEGIN {
            if (whole > 0 && (whole - sum) ^ 2 <= (within * whole) ^ 2) exit 0
            print name, whole, "but its curve adds up to", sum; exit 1 }'
    done
    for field in bound_seconds any_bound_seconds; do
        grep -q "\"$field\":{\"median\":[0-9]" r.jsonl || { echo "no $field"; return 1; }
    done
    rows | grep -q invalid || grep -q '"bound_ratio":{"value":[0-9]' r.jsonl
    grep -q '"phase_seconds":{"compute":{"min":.*"post":.*"test":.*"wait":' r.jsonl
    grep -q ' bound ms *T/bound ' <<<"$out"
}

@test "a chart of the orders, and one of the panels" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    measure 2 ovl_hpl -n 300,360 --nb 40 --bcast ring,long -i 8 -x 0 --json r.jsonl
    "$OVL_BIN/ovl" plot r.jsonl -o charts
    [ "$(ls "$BATS_TEST_TMPDIR/charts" | xargs)" = "hpl-breakdown.svg hpl-hpl.svg hpl-panels.svg" ]
    for text in "N 300" "N 360" "Host, ring" "Host, long"; do
        grep -qF "$text" "$BATS_TEST_TMPDIR/charts/hpl-hpl.svg" || { echo "no $text"; return 1; }
    done
    grep -qF "exposed broadcast of each panel" "$BATS_TEST_TMPDIR/charts/hpl-panels.svg"
    # The rest of a kept record: on a busy machine bars may be missing, and a long name of a processor breaks lines elsewhere.
    ends 0 "$OVL_BIN/ovl" plot "$OVL_TOP/tests/cli/data/hpl.jsonl" -o kept
    for text in "hpl-panel: speed of the solution" "N 200" "; NB 64" "Host, ring-m" "DPU, ibcast" "no rated HPL run"; do
        grep -qF "$text" kept/hpl-hpl.svg || { echo "no $text"; return 1; }
    done
    # One bar of a group is the fastest of the host; each other says how far off it is.
    [ "$(grep -oE '>[+-]?[0-9]+ %<' kept/hpl-hpl.svg | tr -d '<>' | sort | xargs)" = "-19 % -21 % -32 % -8 %" ]
}

@test "grids, look-ahead and one process" {
    measure 2 ovl_hpl -n 50 --nb 8 --procs 2x1 --depth 0 -i 1 -x 0 --bcast ring
    grep -q 'grid 2 x 1, NB 8, look-ahead 0' <<<"$out"
    grep -q '^# warning   no broadcast on this grid' <<<"$out"
    absent 'one rank: nothing is communicated' "$out"
    measure 1 ovl_hpl -n 50 --nb 64 -i 1 -x 0
    absent 'no broadcast on this grid' "$out"
    grep -q '^# warning   one rank: nothing is communicated' <<<"$out"
    [ "$(rows | grep -cE "$told")" = 2 ]
}

@test "fifteen blocks are not few" {
    measure 1 ovl_hpl -n 200 --nb 40 -i 25 -x 0 --bcast ring --json r.jsonl # some may start late
    rows | grep -qE '  (ok|drifting)(, (wide|uneven|noisy))*$'
    measure 1 ovl_hpl -n 200 --nb 40 -i 14 -x 0 --bcast ring --json r.jsonl
    [ -z "$err" ]
    rows | grep -qE '  few(, (drifting|wide|uneven|noisy))*$'
    grep -q '"status":"few","marks":\["few"[^]]*\],"reason":"[0-9]* valid blocks' r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
    sed '/"status":"few"/s/"status":"few"/"status":"ok"/' r.jsonl >"$BATS_TEST_TMPDIR/praised.jsonl"
    ends 4 "$OVL_BIN/ovl" validate praised.jsonl
    grep -q '/status: "ok", but the samples give "few"' out
}

@test "result lines as HPL prints them" {
    measure 2 ovl_hpl -n 64 --nb 16 -i 1 -x 0 --bcast long --format hpl
    line='^W[RC][0-9]{2}[LCR][0-9][LCR][0-9] +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+\.[0-9]{2} +[0-9]\.[0-9]{4}e[+-][0-9]{2}$'
    [ "$(grep -cE "$line" <<<"$out")" = 1 ]
    [ "$(grep -E '^W' <<<"$out" | awk '{print substr($1, 1, 4), $2, $3, $4, $5}')" = "WR14 64 16 1 2" ]
    [ "$(grep -E '^W' <<<"$out" | wc -c)" = 81 ]
    grep -qE '^\|\|Ax-b\|\|_oo/\(eps\*\(\|\|A\|\|_oo\*\|\|x\|\|_oo\+\|\|b\|\|_oo\)\*N\)=   [0-9]\.[0-9]{8}e-[0-9]{2} \.{6} PASSED$' <<<"$out"
    grep -q 'hpl-panel' <<<"$out"
}

# bats test_tags=long
@test "all broadcasts along rows of two to four, with HPL's digits" {
    for ranks in 2 3 4; do
        measure $ranks ovl_hpl -n 37 --nb 5 --procs 1x$ranks -i 1 -x 0 --json r.jsonl --format hpl \
            --bcast ring,ring-m,2ring,2ring-m,long,long-m,ibcast
        [ "$(grep -E '^W' <<<"$out" | cut -c 4 | xargs)" = "0 1 2 3 4 5 6" ]
        [ "$(grep -c 'PASSED$' <<<"$out")" = 7 ]
    done
    [ "$(field bcast | head -n 7 | xargs)" = "ring ring-m 2ring 2ring-m long long-m ibcast" ]
}

@test "wrong results end with 4 and say why" {
    exits 4 2 ovl_hpl -n 60 --nb 8 -i 1 -x 0 --bcast ring --spoil panel --json r.jsonl
    says "wrong data: N 60, ring: the residual is"
    one_line
    grep -q '"status":"invalid"' r.jsonl
    # A disk without room for that cell hides nothing.
    OVL_FULL_DISK=$(($(head -n 1 r.jsonl | wc -c) + 200)) PRELOAD=$OVL_SHIM/full_disk.so \
        exits 4 2 ovl_hpl -n 60 --nb 8 -i 1 -x 0 --bcast ring --spoil panel --json full.jsonl
    [ "$(tail -c 1 full.jsonl | wc -l)" = 0 ]
    exits 4 2 ovl_hpl -n 60 --nb 8 -i 1 -x 0 --bcast ring --spoil singular
    says "singular: column 30 has no pivot"
    exits 4 2 ovl_hpl -n 60 --nb 8 -i 1 -x 0 --bcast ring --spoil nan --procs 2x1 --format hpl
    says "not a number"
    grep -q 'FAILED$' <<<"$out"
    # HPL's lines have no place for a row that counts for nothing.
    grep -q '^# invalid: wrong data: .* not a number; its time and rate are none$' <<<"$out"
}

@test "--plan tells what many ranks would need, without running them" {
    code=0
    out=$("$OVL_BIN/ovl_hpl" -n 100000 --plan 64:16 --mode blocking,host,dpu --bcast ring-m,long,ibcast) || code=$?
    code_is 0
    # 2/3 of 1e15; 8 ranks a row, two rows a node; the first panel of a rank: the 65 blocks of its rows, of 192 columns.
    grep -q '^N 100000, NB 192, on 8 x 8 ranks, 16 a node: 6.667e+05 GFLOP, 1.042e+04 a rank$' <<<"$out"
    grep -q '^  memory    1.3 GiB a rank, 20.1 GiB a node$' <<<"$out"
    grep -q '^  panels    521 of up to 18.6 MiB, 4.8 GiB in all, along each of 8 rows of 8 ranks$' <<<"$out"
    grep -q '^  blocking  ring-m   depth 1: 7 messages a panel along each row, its root sends 2 panels; by the host; 0 bytes' <<<"$out"
    grep -q '^  host      long     depth 1: 56 messages a panel along each row, its root sends 1.75 panels; by the host;' <<<"$out"
    grep -q '^  host      ibcast   depth 1: a broadcast a panel along each row; by the MPI library;' <<<"$out"
    grep -q '^  dpu       ibcast   depth 1: a broadcast a panel along each row; by workers; 0 bytes or more come in' <<<"$out"
    # What is below --dpu-min stays with the host.
    "$OVL_BIN/ovl_hpl" -n 100000 --plan 64:16 --mode dpu --dpu-min 1M >told
    grep -q '^  dpu       ibcast   .*; by workers, what is below 1.0 MiB by the MPI library; 0 bytes or more come in' told
    "$OVL_BIN/ovl_hpl" -n 100000 --plan 64:16 --mode dpu --dpu-min 19M | grep -q '^  dpu .*; by the MPI library; 0 bytes or more'
    # By columns each rank of a row is on another node: 7 of 8 panels of 4.8 GiB come in, for each of two rows of ranks.
    out=$("$OVL_BIN/ovl_hpl" -n 100000 --plan 64:8 --pmap col --mode host,dpu --bcast ring)
    [ "$(grep -oE '[0-9.]+ GiB (or more )?come in' <<<"$out" | awk '{print $1}' | uniq | wc -l)" = 1 ]
    if grep -q ' 0 bytes' <<<"$out"; then return 1; fi
    "$OVL_BIN/ovl_hpl" -n 1000 --plan 4 --procs 4x1 | grep -q 'no panel travels$'
    # The node that gets most of all, which is not the first; orders of the runs of today, and beyond. The panels of 1e8
    # columns are half a matrix of 8e16 bytes, by 250 rows.
    timeout 60 "$OVL_BIN/ovl_hpl" -n 3000000,100000000 --plan 100000:128 >told
    grep -q '^  host      ibcast .* or more come in over the link of a node in a solution: of node [1-9][0-9]*, the most of all 782$' told
    grep -q '^  panels    520834 of up to 586.4 MiB, 145.7 TiB in all' told
    exits 3 - ovl_hpl -n 2200000 --nb 1024 --plan 1024 --procs 1x1024
    says "--order 2200000 on 1 x 1024: a panel of 2253849608 numbers is more than MPI counts; give more process rows"
    # What would take too long is told.
    timeout 60 "$OVL_BIN/ovl_hpl" -n 1000000 --plan 100000:128 --procs 1x100000 --bcast ring,long >told
    grep -q '^  host      ring .*, the most of all 782$' told
    grep -q '^  host      long .*; what comes in over links is not told: too much to count$' told
}

# carried CELL LEAST UNIT: workers carried at least so many operations, which are whole samples; what started late was
# done again.
carried() {
    local ops
    ops=$(field worker_ops | sed -n "$1p")
    [ "$ops" -ge "$2" ] && [ $((ops % $3)) = 0 ]
}

engine() { field name | grep -v residual; }

@test "workers carry the panels beside the host's broadcasts, by both paths, and prove it" {
    for path in shm cma; do
        rm -f r.jsonl
        measure 3 ovl_hpl -n 60,37 --nb 8 --mode host,dpu --bcast ring,ibcast --path $path -i 2 -x 0 \
            --json r.jsonl
        [ "$(rows | awk '{print $1, $2, $3}' | xargs)" = \
            "60 ring host 60 ibcast host 60 ibcast dpu 37 ring host 37 ibcast host 37 ibcast dpu" ]
        [ "$(rows | grep -cE "$told")" = 6 ]
        grep -q "^# dpu  *engine worker, path $path, on host-core: emulated, no BlueField" <<<"$out"
        grep -q '2 ranks on 1 node, 1 worker' <<<"$out"
        # 8 panels and 5, 2 ranks, 2 blocks, each overlapped and alone.
        carried 3 64 16
        carried 6 40 10
        [ "$(engine | xargs)" = "host mpi worker host mpi worker" ]
        "$OVL_BIN/ovl" validate r.jsonl
    done
    ends 0 "$OVL_BIN/ovl" show r.jsonl
    [ "$(grep -v '^#' out | awk '{print $1, $2, $3}' | xargs)" = \
        "60 ring host 60 ibcast host 60 ibcast dpu 37 ring host 37 ibcast host 37 ibcast dpu" ]
    command -v gnuplot >/dev/null || return 0
    "$OVL_BIN/ovl" plot r.jsonl -o "$BATS_TEST_TMPDIR/charts"
    for text in "Host, ring" "Host, ibcast" "DPU, ibcast"; do
        grep -qF "$text" "$BATS_TEST_TMPDIR/charts/hpl-hpl.svg" || { echo "no $text"; return 1; }
        grep -qF "$text" "$BATS_TEST_TMPDIR/charts/hpl-panels.svg" || { echo "no $text"; return 1; }
    done
}

@test "workers as programs of their own, two process rows, and HPL's lines" {
    two_programs || skip "$no_two_programs"
    measure 4 ovl_hpl -n 37 --nb 5 --depth 0 --mode dpu -i 1 -x 0 --format hpl : -n 1 "$OVL_BIN/ovl_worker"
    grep -q 'grid 2 x 2, NB 5, look-ahead 0' <<<"$out"
    grep -qE '^WR07R2L8 +37 +5 +2 +2 ' <<<"$out"
    grep -q 'PASSED$' <<<"$out"
}

@test "workers pass panels on along HPL's rings where they are asked to" {
    for way in chain chain_modified two_chains two_chains_modified; do
        rm -f r.jsonl
        measure 5 ovl_hpl -n 60,37 --nb 8 --procs 1x4 --mode dpu --algorithm $way --depth 2 -i 1 -x 0 \
            --json r.jsonl
        [ "$(field algorithm | sort -u | xargs)" = $way ]
        [ "$(field validated | sort -u)" = true ]
        carried 1 64 16
    done
}

@test "small panels go by the host where --dpu-min says so" {
    measure 3 ovl_hpl -n 60 --nb 8 --mode dpu --dpu-min 2K -i 1 -x 0 --json r.jsonl
    measure 3 ovl_hpl -n 60 --nb 8 --mode dpu --dpu-min 1M -i 1 -x 0 --json r.jsonl
    # A panel has 80 numbers and 8 for each row under it: those with 22 rows and more are of 2 KiB, the first four.
    carried 1 16 8
    [ "$(field worker_ops | tail -n 1)" = null ]
    [ "$(engine | xargs)" = "worker mpi" ]
    [ "$(field placement | xargs)" = "host-core host" ]
}

@test "the library tier makes plain calls" {
    measure 2 ovl_hpl -n 60 --nb 8 --mode dpu --engine mpi -i 1 -x 0 --json r.jsonl
    [ "$(rows | awk '{print $2, $3}')" = "ibcast dpu" ]
    [ "$(engine) $(field placement) $(field workers | head -n 1)" = "mpi library 0" ]
}

@test "wrong solutions have no offload_efficiency" {
    measure 3 ovl_hpl -n 60 --nb 8 -i 2 -x 0 --mode host,dpu --bcast ibcast --json "$BATS_TEST_TMPDIR/right.jsonl"
    grep -q '"status":"invalid"' "$BATS_TEST_TMPDIR/right.jsonl" ||
        grep -q '"mode":"dpu".*"offload_efficiency":[0-9]' "$BATS_TEST_TMPDIR/right.jsonl"
    exits 4 3 ovl_hpl -n 60 --nb 8 -i 2 -x 0 --mode host,dpu --bcast ibcast --spoil panel --json r.jsonl
    [ "$(field status | xargs)" = "invalid invalid" ]
    [ "$(grep -c '"offload_efficiency":null' r.jsonl)" = 2 ]
    "$OVL_BIN/ovl" validate r.jsonl
}

@test "a panel that is damaged on its way by workers is seen" {
    exits 4 3 ovl_hpl -n 60 --nb 8 -i 1 -x 0 --mode dpu --spoil panel --json r.jsonl
    says "wrong data: N 60, ibcast: the residual is"
    one_line
    [ "$(field status)" = invalid ]
}

# bats test_tags=long
@test "look-ahead of any depth on any grid gives the right answer, by host and workers" {
    for grid in 1x2 2x1 2x2 1x3; do
        ranks=$((${grid%x*} * ${grid#*x}))
        for depths in 0,2 3,7; do
            measure $((ranks + 1)) ovl_hpl -n 50,37 --nb 5 --procs $grid --depth $depths -i 1 -x 0 --mode blocking,host,dpu \
                --bcast ring,ibcast --json r.jsonl
        done
    done
    grep -q ', look-ahead 3, 7;' <<<"$out"
    [ "$(rows | awk '{print $4}' | head -n 7 | xargs)" = "3 3 3 7 7 3 7" ]
    [ "$(field validated | sort | uniq -c | xargs)" = "112 true" ]
    [ "$(field depth | sort | uniq -c | xargs)" = "32 0 24 2 32 3 24 7" ]
    [ "$(field mode | head -n 7 | xargs)" = "blocking host host host host dpu dpu" ]
    [ "$(field bcast | head -n 7 | xargs)" = "ring ring ibcast ring ibcast ibcast ibcast" ]
    [ "$(field hpl_line | head -n 7 | cut -c 1-4 | xargs)" = "WR00 WR00 WR06 WR20 WR26 WR07 WR27" ]
    [ "$(field block_group | sort -u | wc -l)" = 16 ] # an order's are measured together
    "$OVL_BIN/ovl" validate r.jsonl
}

@test "--ci goes on until the interval is narrow, and says where it is not" {
    measure 1 ovl_hpl -n 40 --nb 8 -i 6:8 -x 0 --ci 0.01 --bcast ring --json r.jsonl
    [ "$(field blocks)" = 8 ]
    grep -q '"status":"few","marks":\["few",[^]]*"wide"[^]]*\],"reason":"[5-8] valid blocks (--iterations)' \
        r.jsonl
    rm r.jsonl
    measure 1 ovl_hpl -n 40 --nb 8 -i 6:8 -x 0 --bcast ring --json r.jsonl
    [ "$(field blocks)" = 6 ]
}

# bats test_tags=long
@test "every exchange of rows on every grid passes its residual" {
    for grid in 1x4 2x2 4x1 2x3 3x2; do
        ranks=$((${grid%x*} * ${grid#*x}))
        for swap in "long" "mix" "mix --swap-threshold 7" "mix --swap-threshold 1000"; do
            # shellcheck disable=SC2086
            measure $ranks ovl_hpl -n 37,23 --nb 5 --procs $grid --swap $swap -i 1 -x 0 --bcast ring \
                --json r.jsonl
        done
    done
    [ "$(field validated | sort | uniq -c | xargs)" = "40 true" ]
    # What is not the usual exchange is part of the problem.
    [ "$(field swap | sort | uniq -c | xargs)" = "30 mix" ]
    [ "$(field swap_threshold | sort -n | uniq -c | xargs)" = "10 7 10 64 10 1000" ]
    grep -q 'look-ahead 1, swap mix up to 1000 columns;' <<<"$out"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$("$OVL_BIN/ovl" export --to csv r.jsonl | sort -u | wc -l)" = 41 ] # no two are one point
}

@test "--pmap col fills the grid by columns, and says so" {
    for order in row col; do
        measure 4 ovl_hpl -n 37 --nb 5 --procs 2x2 --pmap $order -i 1 -x 0 --bcast ring --format hpl \
            --json r.jsonl
    done
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field pmap)" = col ] # the usual order is not named
    [ "$(field validated | xargs)" = "true true" ]
    [ "$(field hpl_line | cut -c 1-2 | xargs)" = "WR WC" ]
}

@test "--max-time ends an order, but not before six repetitions" {
    measure 2 ovl_hpl -n 40 --nb 8 -i 100000 -x 0 --max-time 0.01 --bcast ring --json r.jsonl
    blocks=$(field blocks)
    [ "$blocks" -ge 6 ]
    [ "$blocks" -lt 100000 ]
    "$OVL_BIN/ovl" validate r.jsonl
}

@test "a signal ends the run with what is finished" {
    # shellcheck disable=SC2086
    timeout -k 5 60 $OVL_MPIEXEC -n 1 "$OVL_BIN/ovl_hpl" -n 40,400 --nb 8 -i 100000 -x 0 --json "$BATS_TEST_TMPDIR/r.jsonl" \
        >/dev/null 2>"$BATS_TEST_TMPDIR/err" </dev/null &
    launcher=$!
    for i in $(seq 100); do
        pid=$(ps -eo pid,ppid,args | awk -v file="$BATS_TEST_TMPDIR/r.jsonl" '$3 ~ /ovl_hpl$|valgrind/ && index($0, file) {print $1; exit}')
        [ -n "$pid" ] && [ -s r.jsonl ] && break
        sleep 0.1
    done
    kill -TERM "$pid"
    code=0
    wait $launcher || code=$?
    [ "$code" = 2 ]
    grep -q 'interrupted by SIGTERM' "$BATS_TEST_TMPDIR/err"
    tail -n 1 r.jsonl | grep -q '"status":"interrupted"'
}

# dat NS BCASTS P Q: a HPL.dat as HPL has it.
dat() {
    printf '%s\n' "HPLinpack benchmark input file" "Innovative Computing Laboratory, University of Tennessee" "HPL.out output file" \
        "8 device out" "$(wc -w <<<"$1") # of problems sizes (N)" "$1 Ns" "1 # of NBs" "8 NBs" "0 PMAP" "1 # of process grids" "$3 Ps" "$4 Qs" \
        "16.0 threshold" "1 # of panel fact" "0 PFACTs" "1 #" "8 NBMINs" "1 #" "2 NDIVs" "1 #" "2 RFACTs" "$(wc -w <<<"$2") # of broadcast" \
        "$2 BCASTs" "1 # of lookahead depth" "1 DEPTHs" "1 SWAP" "64 swapping threshold" "1 L1" "1 U" "0 Equilibration" "8 alignment" >HPL.dat
}

# refused RANKS CODE WORDS CALL...
refused() { exits "$2" "$1" "${@:4}" && says "$3"; }

@test "HPL.dat stands for its options, and others override it" {
    dat "60 37" "0 4" 1 2
    measure 2 ovl_hpl HPL.dat -i 2 -x 0 --json r.jsonl
    [ "$(rows | awk '{print $1, $2}' | xargs)" = "60 ring 60 long 37 ring 37 long" ]
    grep -qF '# warning   HPL.dat stands for --order 60,37 --nb 8 --procs 1x2 --pmap row --bcast ring,long --depth 1 --swap long; not used of it: the output file, memory alignment' <<<"$out"
    grep -q '"command":\["[^"]*ovl_hpl","--order","60,37","--nb","8","--procs","1x2","--pmap","row","--bcast","ring,long","--depth","1","--swap","long","-i","2"' r.jsonl
    ends 0 "$OVL_BIN/ovl" validate r.jsonl
    measure 2 ovl_hpl HPL.dat --order 40 --bcast ibcast -i 2 -x 0
    [ "$(rows | awk '{print $1, $2}' | xargs)" = "40 ibcast" ]
    # What does not go is one line.
    dat "60" "6" 1 2
    refused 2 3 "HPL.dat:23: BCASTs: 6 is no number that goes here; give 0 to 5" ovl_hpl HPL.dat
    dat "60 37" "0" 1 2
    sed -i '6s/.*/60/' HPL.dat # the second is not the number of the next line
    refused 2 3 "HPL.dat:6: Ns:" ovl_hpl HPL.dat
    dat "60" "0" 2 2
    refused 2 3 "2x2" ovl_hpl HPL.dat
    refused 2 5 "nothing.dat" ovl_hpl nothing.dat
    head -n 20 HPL.dat >short.dat
    refused 2 3 "short.dat ends at line 20; a HPL.dat has 31 lines" ovl_hpl short.dat
    refused 2 3 "stray argument HPL.dat" ovl_hpl -n 60 HPL.dat
}
