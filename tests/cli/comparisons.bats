#!/usr/bin/env bats
# The comparisons with other programs, here with scripts in their place: what is said, never who is quicker.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir built
}

# compare NAME ARGUMENT...: a script of the comparisons, its file in ./to; its outputs in $out and $err, its code in $code
compare() {
    local name=$1
    shift
    code=0
    TO=$PWD/to timeout -k 5 120 "$OVL_TOP/scripts/compare/$name" "$@" >said 2>err </dev/null || code=$?
    out=$(cat said) err=$(cat err)
    echo "exit $code"; echo "$out"; echo "$err"
}

# program NAME: what stands in the place of another program, from standard input
program() {
    { echo '#!/bin/sh'; cat; } >"built/$1"
    chmod +x "built/$1"
}

@test "P3DFFT's answer and times are read, and both sides stand in the file" {
    program test_sine_f.x <<'END'
read -r grid rest <stdin
[ "$PMI_RANK$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0
printf ' Results are correct\n proc_id, cpu time per loop           0   2.5E-003\n'
END
    ROUNDS=6 GRIDS=16 compare fft p3dfft built
    code_is 0
    [ "$(grep -cE '^16\^3 round [1-6]: ovl_fft3d [0-9.]+ ms, P3DFFT 2\.5000 ms$' <<<"$out")" = 6 ]
    grep -qE '^16\^3 medians: ovl_fft3d [0-9.]+ ms, P3DFFT 2\.50 ms, ratio [0-9.]+ \(95 %: [0-9.]+\.\.[0-9.]+\)$' <<<"$out"
    diff to said
    program test_sine_f.x <<<"echo ' Results are not correct'"
    ROUNDS=1 GRIDS=16 compare fft p3dfft built
    code_is 4
    says "P3DFFT's answer is wrong"
}

@test "OMB's and IMB's tables are read beside ovl's" {
    program osu_ialltoall <<'END'
[ "$PMI_RANK$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0
printf '# OSU MPI Non-blocking All-to-All Latency Test v7.4\n# Size  Overall(us)\n65536  30 20 20 75.0\n'
END
    SIZES=65536:65536 MAX_TIME=0.3 ROUNDS=1 F='0 0.5' S=0.25 compare known-truth omb built
    code_is 0
    # f = 0.5 with W = C hides half; a quarter of the core taken leaves two thirds of the gain.
    [ "$(grep -cE '^   0\.5  osu_ialltoall +50\.0 +75\.0 +25\.0 +25\.0 +1$' <<<"$out")" = 1 ]
    [ "$(grep -cE '^     0  osu_ialltoall +0\.0 +75\.0 +75\.0 +75\.0 +1$' <<<"$out")" = 1 ]
    [ "$(grep -cE '^  0\.25  osu_ialltoall +66\.7 +75\.0 +8\.3 +8\.3 +1$' <<<"$out")" = 1 ]
    grep -qF 'Latency Test v7.4' to
    program IMB-NBC <<'END'
[ "$PMI_RANK$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0
case "$*" in *16:16*) echo 'IMB takes no range of one size'; exit 1 ;; esac
printf '#    Intel(R) MPI Benchmarks 2021.7, MPI-NBC part\n'
printf '       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%%]\n 0 9 1 1 1 1.00\n 65536 9 30 20 5 20.0\n'
END
    SIZES=65536:65536 MAX_TIME=0.3 ROUNDS=1 F=0.5 S=0.25 compare known-truth imb built
    code_is 0
    # W = C / 4: no more than a quarter can hide.
    grep -qF 'MPI Benchmarks 2021.7' to
    grep -q '^ovl ' to
    [ "$(grep -cE '^   0\.5  IMB-NBC +25\.0 +20\.0 +5\.0 +5\.0 +1$' <<<"$out")" = 1 ]
}

@test "FFTW's and HPL's times are read, and both sides' versions stand in the file" {
    mkdir tests
    cat >tests/fftw_mpi <<'END'
#!/bin/sh
[ "$PMI_RANK$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0
echo "$1x$2x$3 fftw-mpi ms: median 2.50 least 2.00 most 3.00 (fftw-3.3.10-sse2)"
END
    chmod +x tests/fftw_mpi
    OVL_BUILD=$PWD ROUNDS=2 GRIDS=16 compare fft fftw
    code_is 0
    [ "$(grep -cE '^16\^3 round [12]: ovl_fft3d blocking [0-9.]+ ms, fftw-mpi 2\.50 ms$' <<<"$out")" = 2 ]
    grep -qE '^16\^3 medians: ovl_fft3d [0-9.]+ ms, fftw-mpi 2\.50 ms, ratio [0-9.]+ \(no interval' <<<"$out"
    grep -q '^fftw-3.3.10-sse2$' to
    diff to said
    [ -x "$OVL_BIN/ovl_hpl" ] || skip "no CBLAS: ovl_hpl is left out"
    program hpcc <<'END'
[ "$PMI_RANK$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0
below() { awk -v what="$1" '$2 == what { getline; print }' hpccinf.txt; } # the line behind "2 depths"
{
    echo 'HPLinpack 2.0  --  High-Performance Linpack benchmark'
    for n in $(sed -n 6p hpccinf.txt); do for nb in $(sed -n 8p hpccinf.txt); do
        for b in $(below broadcasts); do for d in $(below depths); do
            [ $b$d = 31 ] && g=2 || g=1
            echo "WR$d${b}R2C4 $n $nb 1 2 0.01 $g.$nb"
        done; done
    done; done
} >hpccoutf.txt
END
    OVL_MPI="Open MPI in name" PATH=$PWD/built:$PATH NBS="32 64" DEPTHS="0 1" N=300 ROUNDS=2 compare hpl
    code_is 0
    grep -q '^HPL 2.0 of hpcc' to
    grep -q '^search: HPL 24 settings, best 2.640 GFLOP/s: NB 64, depth 1, broadcast 3, UCX_RNDV_THRESH default$' to
    # Of 14; those without a claim, as on a busy machine, are left out.
    grep -qE '^search: ovl_hpl host [0-9]+ settings, best [0-9.]+ GFLOP/s: NB (32|64), ' to
    [ "$(grep -cE '^round [12]: HPL [0-9.]+, ovl_hpl host [0-9.]+ GFLOP/s$' to)" = 2 ]
    grep -qE '^host: medians: ovl_hpl [0-9.]+ GFLOP/s, HPL [0-9.]+ GFLOP/s, ratio [0-9.]+ \(no interval' to
    diff to said
    NBS="x" compare hpl built
    code_is 3
    one_line
    says "'x' is no whole number"
    compare hpl built
    code_is 3
    says "no xhpl under built"
}

@test "wrong calls: one line that says how to mend it" {
    compare fft p3dfft nowhere
    code_is 3
    one_line
    says "make compare-p3dfft P3DFFT=DIR"
    compare known-truth omb built
    code_is 3
    says "no osu_ialltoall under built"
    ROUNDS=x compare known-truth imb built
    code_is 3
    says "ROUNDS: 'x' is no whole number"
    program test_sine_f.x </dev/null
    GRIDS="16 x" compare fft p3dfft built
    code_is 3
    says "'x' is no whole number"
}
