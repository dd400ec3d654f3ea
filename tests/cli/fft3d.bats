#!/usr/bin/env bats
# ovl_fft3d as a user runs it: what it prints and records, what it refuses, and that a wrong answer is seen.

load lib

setup() {
    ! grep -qx 'WITH_FFTW := none' "$OVL_BUILD/config.mk" || skip "built without FFTW"
    cd "$BATS_TEST_TMPDIR"
}

short=(-i 6:6 -x 0 --max-time 5 --fftw estimate)

@test "grids and schemes are cells, with their answers checked" {
    measure 2 ovl_fft3d -g 34x16x16,12x10x9 --json r.jsonl "${short[@]}"
    [ "$(rows | awk '{print $1, $2}')" = "34x16x16 blocking
34x16x16 host
12x10x9 blocking
12x10x9 host" ]
    grep -q '^# solves    r2c transforms on 1 x 2 ranks, forwards and back; 3 variables, times of one; fftw-3' <<<"$out"
    grep -q 'total ms .* GFLOP/s exposed ms  hidden %  gain %  T/bound     error' <<<"$out"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true true" ]
    [ "$(field chunks | xargs)" = "1 4 1 4" ]
    [ "$(field window | xargs)" = "0 2 0 2" ]
    # 18 numbers along x, or slabs of 8 and 10 of them; 16 along y, 8 along z; 16 bytes each. 7 numbers are one slab.
    [ "$(field column | xargs)" = "36864 20480 5600 5600" ]
    [ "$(field row | xargs)" = "null null null null" ]
    # Four cells with a bound, which is the work's: on one node no byte needs time.
    [ "$(grep -o '"any_bound_seconds":{"median":[0-9]' r.jsonl | wc -l)" = 4 ]
    [ "$(grep -o '"bound_ratio":{"value":' r.jsonl | wc -l)" = 4 ]
    absent '"bound_here_seconds"' "$(cat r.jsonl)"
    awk '{ if ($1 > 1e-14) exit 1 }' <<<"$(grep -o '"max_error","value":[^,]*' r.jsonl | sed 's/.*://')"
    "$OVL_BIN/ovl" show r.jsonl | diff - <(echo "$out")
}

@test "times are those of one variable, and the largest slab is named" {
    measure 1 ovl_fft3d -g 64 --vars 8 --json r.jsonl "${short[@]}"
    grep -q '^# warning   one rank: nothing is communicated' <<<"$out"
    # A thread has no more CPU time in T than T takes, whatever else the machine does; of a variable an eighth.
    grep '"record":"cell"' r.jsonl | while read -r cell; do
        cpu=$(sed 's/.*"cpu_seconds":{"thread":\([^,]*\),.*/\1/' <<<"$cell")
        most=$(sed 's/.*"total_seconds":{"median":[^}]*"max":\([^,]*\),.*/\1/' <<<"$cell")
        awk -v cpu="$cpu" -v most="$most" 'BEGIN { if (cpu <= 1.5 * most + 20e-6) exit 0
            print "cpu", cpu, "total at most", most; exit 1 }' || exit 1
    done
    # 65 columns in two slabs: 32 and 33 of them, 128 x 64 numbers of 16 bytes for each.
    measure 2 ovl_fft3d -g 128 --vars 1 --chunks 2 --mode host --json r2.jsonl "${short[@]}"
    grep -q '"exchange_bytes":{"row":null,"column":4325376}' r2.jsonl
    # T of one scheme beside W and B of another says nothing.
    grep -q '"speedup_vs_blocking":{"value":null' r2.jsonl
    absent 'gain_bound' "$(cat r.jsonl r2.jsonl)"
}

@test "complex numbers, uneven parts, test calls, one variable, a wide window" {
    measure 4 ovl_fft3d -g 9x7x11 --transform c2c --procs 2x2 --vars 1 --chunks 3 --window 4 -t 8 --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field transform | xargs)" = "c2c c2c" ]
    [ "$(field procs | xargs)" = "2x2 2x2" ]
    [ "$(field test_lines | xargs)" = "0 8" ]
    measure 3 ovl_fft3d -g 5x3x7 --procs 3x1 "${short[@]}"
}

@test "blocking, host, host with tests and dpu share the blocks of one run" {
    measure 3 ovl_fft3d -g 12 --mode blocking,host,host-t,dpu -t 16 --chunks 1 --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field mode | xargs)" = "blocking host host dpu" ]
    [ "$(field test_lines | xargs)" = "0 0 16 0" ]
    [ "$(rows | awk '{print $2}' | xargs)" = "blocking host host-t dpu" ]
    [ "$(field chunks | xargs)" = "1 1 1 1" ]
    [ "$(field block_group | sort -u | wc -l)" = 1 ]
    grep '"record":"cell"' r.jsonl | sed -n 3p | grep -q '"test":{"min":[0-9.e-]*[1-9]' # it did test
}

@test "auto takes a number of slabs that is tried" {
    measure 2 ovl_fft3d -g 16 --chunks auto --mode host --json r.jsonl "${short[@]}"
    case $(field chunks) in 1 | 2 | 4 | 8) ;; *) return 1 ;; esac
    [ "$(rows | awk '{print $8}')" = - ] # no gain without the blocking scheme
}

@test "wisdom is kept" {
    measure 2 ovl_fft3d -g 8 --wisdom w "${short[@]}" --fftw measure
    grep -q fftw_wisdom w
    read=$(sha256sum <w | cut -c 1-64)
    measure 2 ovl_fft3d -g 8 --wisdom w "${short[@]}" --fftw measure --json r.jsonl
    grep -q '"input_files":{"wisdom":"'"$read" r.jsonl
    rm r.jsonl
    [ "$(ls w*)" = w ]
    # A file of something else stays as it is.
    echo "my notes" >notes
    exits 3 2 ovl_fft3d -g 8 --wisdom notes "${short[@]}"
    says "it holds no wisdom of this FFTW"
    one_line
    [ "$(cat notes)" = "my notes" ]
    # Two jobs may keep it at the same time; and it is no place for records.
    mkdir w.new
    measure 2 ovl_fft3d -g 8 --wisdom w "${short[@]}"
    for record in w both; do
        exits 3 2 ovl_fft3d -g 8 --wisdom $record --json $record "${short[@]}"
        one_line
        says "$record: this file is no record"
    done
    grep -q fftw_wisdom w
}

@test "workers carry rows and columns at the same time, and prove it" {
    measure 6 ovl_fft3d -g 13x11x12 --mode blocking,host,dpu --workers 2 --window 3 --json r.jsonl "${short[@]}"
    grep -q '4 ranks on 1 node, 2 workers' <<<"$out"
    [ "$(rows | awk '{print $2}' | xargs)" = "blocking host dpu" ]
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true" ]
    [ "$(field procs | xargs)" = "2x2 2x2 2x2" ]
    # There and back, rows and columns, 3 variables, 4 slabs, 4 ranks: 192 exchanges a pair; C and T of 6 blocks,
    # and again what started late.
    read -r _ _ ops < <(field worker_ops | xargs)
    [ "$ops" -ge 2304 ] && [ $((ops % 192)) = 0 ]
}

@test "only the exchanges that --offload names are for the workers" {
    # There and back, 3 variables, 4 slabs, 4 ranks: 96 exchanges of rows a pair, and as many of columns.
    for which in rows columns all; do
        measure 6 ovl_fft3d -g 12 --mode dpu --workers 2 --procs 2x2 --offload $which --json r.jsonl "${short[@]}"
    done
    "$OVL_BIN/ovl" validate r.jsonl
    read -r rows columns all < <(field worker_ops | xargs)
    [ "$rows" -ge 1152 ]
    [ $((rows % 96)) = 0 ]
    [ "$columns" -ge 1152 ]
    [ $((columns % 96)) = 0 ]
    [ "$all" -ge 2304 ]
    [ $((all % 192)) = 0 ]
    # A grid of one row exchanges nothing there, and its record is as good.
    measure 3 ovl_fft3d -g 12 --mode dpu --procs 1x2 --offload rows --json one.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate one.jsonl
}

@test "--pmap col fills the decomposition by columns, and is part of the point" {
    for order in row column; do
        measure 4 ovl_fft3d -g 9x7x11 --procs 2x2 --pmap $order --json r.jsonl "${short[@]}"
    done
    measure 5 ovl_fft3d -g 12 --procs 2x2 --pmap col --mode dpu --json r.jsonl "${short[@]}"
    [ "$(field pmap | xargs)" = "col col col" ] # the usual order is not named
    [ "$(field validated | sort -u)" = true ]
    "$OVL_BIN/ovl" validate r.jsonl
}

@test "ranks that arrive late are part of the point" {
    measure 2 ovl_fft3d -g 8 --skew one-late:200 --json r.jsonl "${short[@]}"
    [ "$(grep -c '"record":"cell".*"skew":"one-late:200"' r.jsonl)" = 2 ]
}

@test "small exchanges go by the host where --dpu-min says so; the library tier makes plain calls" {
    # Slabs of 8 and 10 numbers along x, 3 along y, 3 along z, of 16 bytes each: blocks of 1152 and 1440 bytes.
    for least in 1200 1M; do
        measure 3 ovl_fft3d -g 34x6x6 --mode dpu --dpu-min $least --chunks 2 --json r.jsonl "${short[@]}"
    done
    [ "$(field name | grep -v max_error | xargs)" = "worker mpi" ]
    # Every exchange of the workers was one of the larger slabs: two blocks.
    [ "$(field worker_ops | tail -n 1)" = null ]
    [ "$(field worker_bytes | head -n 1)" = $((2880 * $(field worker_ops | head -n 1))) ]
    rm r.jsonl
    measure 2 ovl_fft3d -g 8 --mode dpu --engine mpi --json r.jsonl "${short[@]}"
    [ "$(field name | grep -v max_error) $(field placement)" = "mpi library" ]
    measure 2 ovl_fft3d -g 8 --mode blocking,dpu --engine mpi --json r2.jsonl "${short[@]}" # blocking calls are not offloaded
    grep -q '"status":"invalid"' r2.jsonl || grep -q '"mode":"dpu".*"gain_vs_blocking":{"value":' r2.jsonl
}

@test "--plan tells what many ranks would need, without running them" {
    code=0
    out=$("$OVL_BIN/ovl_fft3d" -g 2048 --mode blocking,dpu --plan 1024:16) || code=$?
    code_is 0
    # Pencils of 2048 x 64 x 64 doubles, 3 variables; columns hold x, and 33 of 1025 numbers along it: 33 x 64 x 2048.
    grep -q '^grid 2048x2048x2048, r2c, 3 variables, on 32 x 32 ranks, 16 a node$' <<<"$out"
    grep -q '^  memory    [0-9.]* MiB a rank, [0-9.]* GiB a node$' <<<"$out"
    # There and back, 3 variables; 4 slabs of dpu. 33 x 64 x 2048 numbers of 16 bytes are 66 MiB, a slab is 9 of 33.
    grep -q '^  blocking  columns      6 exchanges of a sample among 32 ranks, of up to 66.0 MiB a rank, 2.1 MiB to each; by the host$' <<<"$out"
    grep -q '^  dpu       columns     24 exchanges of a sample among 32 ranks, of up to 18.0 MiB a rank, .*; by workers$' <<<"$out"
    # A row of 32 ranks lies on two nodes.
    grep -q '^  dpu       rows        24 exchanges .*; by workers$' <<<"$out"
    # By columns the rows cross nodes.
    out=$("$OVL_BIN/ovl_fft3d" -g 64 --mode dpu --plan 8:2 --procs 2x4 --pmap col)
    [ "$(grep -cE '^  dpu +(rows|columns) .*; by workers$' <<<"$out")" = 2 ]
    [ "$("$OVL_BIN/ovl_fft3d" -g 2048 --mode dpu --plan 1024:32 | grep -c '^  dpu       rows .*; by the host$')" = 1 ]
    # Of rows of three ranks two cross nodes of four, and two lie on one.
    "$OVL_BIN/ovl_fft3d" -g 96 --mode dpu --plan 12:4 --procs 3x4 | grep -q '^  dpu       rows .*; by workers, and by the host within a node$'
    # What is below --dpu-min stays with the host: a slab of columns has 8 or 9 of 33 numbers along x, by 64 x 64.
    out=$("$OVL_BIN/ovl_fft3d" -g 2048 --mode dpu --dpu-min 576K --plan 1024:32)
    grep -q '^  dpu       columns .*; by workers, what is below 576.0 KiB by the host$' <<<"$out"
    [ "$("$OVL_BIN/ovl_fft3d" -g 2048 --mode dpu --dpu-min 577K --plan 1024:16 | grep -c ' rank, .*; by the host$')" = 2 ]
    # A rank's limit of memory holds for plans, as it does for runs.
    if "$OVL_BIN/ovl_fft3d" -g 1024 --plan 64 -M 1G >told 2>&1; then return 1; fi
    grep -qx 'ovl_fft3d: --grid 1024x1024x1024: 3 variables need .* a rank, and a rank has 1.0 GiB by --mem-limit; give a smaller grid, .*' told
    [ "$(wc -l <told)" = 1 ]
    # Many ranks, each node of which is looked at.
    timeout 60 "$OVL_BIN/ovl_fft3d" -g 4096 --vars 1000 --chunks 64 --plan 65536:64 >told
    grep -q '^  host      rows     128000 exchanges of a sample among 256 ranks' told
    [ "$(grep -c '^  [a-z]* *link .* come in over the link of a node in a sample: of node 0, the most of all 1024$' told)" = 2 ]
}
