#!/usr/bin/env bats
# Scripts of the tree that judge and measure, over stand-ins for what they start: what was not tested must not pass.

load tool

# tree SCRIPT...: a copy of these scripts in ./tree, where others are stand-ins.
tree() {
    local script
    for script in "$@" beds/mpi-env beds/offload-env; do
        mkdir -p "tree/scripts/${script%/*}"
        cp "$OVL_TOP/scripts/$script" "tree/scripts/$script"
    done
}

# stand_in FILE LINE...: a program of these lines.
stand_in() {
    mkdir -p "$(dirname "$1")"
    printf '%s\n' '#!/bin/bash' "${@:2}" >"$1"
    chmod +x "$1"
}

@test "offload-claims: what differs is missed, and a part that could not be measured leaves no row and its code" {
    tree compare/offload-claims
    export TO=$PWD/claims
    stand_in tree/scripts/check/offload 'echo "check-offload: $1 programs"' 'exit $ENDS'
    stand_in tree/scripts/compare/offload-cost 'exit $ENDS'
    stand_in tree/scripts/check/foreign 'exit $ENDS'
    stand_in tree/scripts/check/mpich-tests 'echo "$SAYS pass without the workers"' 'exit $ENDS'
    ENDS=1 ends 0 tree/scripts/compare/offload-claims random:1/10
    has claims/random-1-10.txt "1000 programs"$'\t'missed
    ENDS=0 ends 0 tree/scripts/compare/offload-claims random:1/10
    has claims/random-1-10.txt "1000 programs"$'\t'met
    ENDS=5 ends 5 tree/scripts/compare/offload-claims random:1/10
    if grep -q '^claim' claims/random-1-10.txt; then return 1; fi
    for part in start calls latency fft; do printf 'claim\told\n' >claims/$part.txt; done
    ENDS=5 ends 5 tree/scripts/compare/offload-claims OMB="$PWD" TWODECOMP="$PWD" start calls latency fft
    [ -z "$(grep -h '^claim' claims/*.txt)" ]
    # It measured, and said no figure.
    ENDS=0 ends 5 tree/scripts/compare/offload-claims OMB="$PWD" latency
    ENDS=0 ends 0 tree/scripts/compare/offload-claims start
    has claims/start.txt "not shown"
    ENDS=0 SAYS="1 tests, 0" ends 0 tree/scripts/compare/offload-claims MPICH="$PWD" mpich:init:1/10
    has claims/mpich-init-1-10.txt "not shown"
    ENDS=0 SAYS="2 tests, 1" ends 0 tree/scripts/compare/offload-claims MPICH="$PWD" mpich:init:1/10
    has claims/mpich-init-1-10.txt $'\t'met
    ends 3 tree/scripts/compare/offload-claims MPICH=nowhere mpich:init:1/10
}

@test "medians: intervals come from one place, and fewer than 6 values have none" {
    medians() { printf '%s\n' "$@" >lines; "$OVL_BUILD/medians" <lines; }
    [ "$(medians "a 0.51")" = "a 0.51 - - 1" ]
    [ "$(medians "a 5" "b 1" "a 1" "a 4" "a 2" "a 3")" = $'a 3 - - 5\nb 1 - - 1' ]
    [ "$(medians "a 5" "a 1" "a 4" "a 2" "a 3" "a 9")" = "a 3.5 1 9 6" ]
    [ "$(for ((i = 10; i > 0; i--)); do echo "a $i"; done | "$OVL_BUILD/medians")" = "a 5.5 2 9 10" ]
    for line in "a b" "a" "a 1 2" "a nan"; do
        code=0
        medians "a 1" "$line" 2>err || code=$?
        [ $code = 4 ]
        has err "medians: line 2 is no label and a number"
    done
    absent '0\.5 ?\^|\*\* ?NR' "$(cat "$OVL_TOP"/scripts/compare/*)"
}

@test "offload-claims: fewer than 10 launches show nothing, whatever they say" {
    tree compare/offload-claims
    export TO=$PWD/claims
    stand_in omb/osu_ialltoall
    stand_in tree/scripts/cluster 'case "$*" in *LD_PRELOAD*) t=50 ;; *) t=100 ;; esac' \
        'for size in 524288 1048576 2097152 4194304; do echo "$size $t 40 10 60"; done'
    stand_in tree/scripts/compare/offload-cost 'echo "# a start of 4 ranks: 51.0 ms (median of $N launches; 50.0 .. 52.0); wanted at most 100"' \
        'echo "# osu_latency with / without: 1.000, interval 0.990 .. 1.010"'
    for n in 1 6 10; do
        LAUNCHES=$n N=$n ends 0 tree/scripts/compare/offload-claims OMB="$PWD/omb" totals start
        verdict=$([ $n = 10 ] && echo met || echo "not shown")
        [ "$(grep -h '^claim' claims/totals.txt claims/start.txt | cut -f 5 | sort | uniq -c | tr -s ' ')" = " 5 $verdict" ]
    done
    LAUNCHES=1 ends 0 tree/scripts/compare/offload-claims OMB="$PWD/omb" totals latency
    has claims/totals.txt "0.500 (no interval from fewer than 6), 1 launches each"
    has claims/latency.txt "not shown"
    LAUNCHES=5 ends 0 tree/scripts/compare/offload-claims OMB="$PWD/omb" latency
    has claims/latency.txt $'\t'met
}

@test "check-offload: a library that reports nothing fails, and so do no programs" {
    tree check/offload
    export OVL_BUILD=$PWD/b OVL_MPIEXEC=./launch
    stand_in b/tests/random
    mkdir -p b/lib && : >b/lib/libovl_offload.so
    stand_in tree/launch 'echo "iallreduce 4"' '[ "$REPORTS" = no ] || echo "iallreduce 4 $REPORTS" >"$OVL_OFFLOAD_REPORT"'
    REPORTS=4 ends 0 tree/scripts/check/offload 2
    prints "2 programs, 8 operations offloaded"
    REPORTS=no ends 1 tree/scripts/check/offload 2
    prints "that end otherwise 2"
    REPORTS=3 ends 1 tree/scripts/check/offload 2
    ends 3 tree/scripts/check/offload 0
}

@test "check-foreign and check-mpich-tests: where nothing was tested they do not pass" {
    tree check/foreign check/mpich-tests
    export OVL_BUILD=$PWD/b OVL_MPIEXEC=$PWD/launch
    for file in lib/libovl_offload.so tests/shim/yield.so tests/shim/alloc_mem.so; do mkdir -p b/${file%/*}; : >b/$file; done
    mkdir -p omb/non_blocking mpich/init
    stand_in omb/non_blocking/osu_ibarrier
    ends 3 tree/scripts/check/foreign
    ends 3 tree/scripts/check/foreign OMB=nowhere
    ends 3 env SETTINGS=nosuch tree/scripts/check/foreign OMB="$PWD/omb"
    ends 5 env ONLY=nosuch tree/scripts/check/foreign OMB="$PWD/omb"
    stand_in launch 'exit 7'
    # With the host's own library too it fails, so that nothing can be said.
    ends 5 env SETTINGS='without|off' tree/scripts/check/foreign OMB="$PWD/omb"
    echo 'wrong 2' >mpich/init/testlist
    stand_in mpich/init/wrong
    ends 5 tree/scripts/check/mpich-tests mpich init
    says "nothing was tested"
    ends 5 env FOLDERS=init tree/scripts/check/foreign MPICH="$PWD/mpich"
    SLICE=2/10 ends 0 tree/scripts/check/mpich-tests mpich init
    prints "0 tests"
    ends 5 env OVL_BUILD=nowhere tree/scripts/check/mpich-tests mpich init
    says "run \`make tests'"
}

# bats test_tags=long
@test "check-mpi4py: what differs with the workers is told, and where nothing was tested or offloaded it does not pass" {
    tree check/mpi4py
    export OVL_BUILD=$PWD/b OVL_BIN=$PWD/bin OVL_MPIEXEC=$PWD/launch RANKS="2 3" DID=4
    for file in b/lib/libovl_offload.so py/build/lib.any/mpi4py/MPI.any.so py/test/runtests.py py/test/test_cco_nb_buf.py; do
        mkdir -p "${file%/*}"
        : >"$file"
    done
    stand_in bin/ovl 'while [ "$1" != -- ]; do' '[ "$1" != --report ] || echo "ibcast 5 $DID 9" >"$2"; shift; done; shift' \
        '"$@" || exit' 'exit ${CODE:-0}'
    stand_in launch 'for ((i = ${LEFT_OUT:-0}; i < $2; i++)); do echo "Ran 3 tests in 0.1s"; done'
    ends 3 tree/scripts/check/mpi4py
    ends 3 tree/scripts/check/mpi4py nowhere
    ends 5 tree/scripts/check/mpi4py bin
    says "mpi4py was not built"
    ends 0 tree/scripts/check/mpi4py py
    prints "test_cco_nb_buf 3: without ok, with ok 4, off ok"
    prints "2 launches, 2 ok without the workers, 0 outcomes worse with them or with them off, 8 operations"
    DID=0 ends 1 tree/scripts/check/mpi4py py
    CODE=1 ends 1 tree/scripts/check/mpi4py py
    prints "with exit 1, off exit 1"
    LEFT_OUT=1 ends 5 tree/scripts/check/mpi4py py
    says "nothing was tested"
    ONLY=nosuch ends 5 tree/scripts/check/mpi4py py
}

@test "check-long: the build folder may be relative or absolute, and a part builds what it runs" {
    tree check/long check/within
    printf 'tests:\n\techo $(B) >made\n' >tree/Makefile
    stand_in tree/scripts/check/offload 'echo "$OVL_BUILD"'
    OVL_BUILD=$PWD/b ends 0 tree/scripts/check/long offload
    prints " $PWD/b"
    OVL_BUILD=b ends 0 tree/scripts/check/long offload
    prints " $PWD/tree/b"
    [ "$(cat tree/made)" = b ]
}

@test "check-release ends with 5 where something is missing, and .ci/run knows its parts" {
    tree check/release check/chroot
    OVL_BUILD=$PWD/b ends 5 tree/scripts/check/release root-check
    [ "$(id -u)" != 0 ] || [ "$(grep -c 'root-check .*the step root comes first' out)" = 2 ] # of two releases
    OVL_BUILD=$PWD/b ends 3 tree/scripts/check/release root-chek
    ends 5 tree/scripts/check/chroot run "$PWD/none"
    [ "$(id -u)" != 0 ] || ends 3 tree/scripts/check/chroot walk
    ends 3 "$OVL_TOP/.ci/run" sanitise
    says "no part sanitise"
}

@test "folders for results: what somebody else made is not taken away" {
    fresh=$OVL_TOP/scripts/build/fresh-folder
    ends 0 "$fresh" new/a
    touch new/a/x new/a/.y
    mkdir new/a/z
    ends 0 "$fresh" new/a
    [ "$(ls -A new/a)" = .made-by-ovl ]
    mkdir mine empty
    echo precious >mine/a.jsonl
    ln -s mine link
    touch file
    for theirs in mine link file; do
        ends 5 "$fresh" $theirs
        says "nothing shows that ovl made it"
    done
    [ "$(cat mine/a.jsonl)" = precious ]
    ends 0 "$fresh" empty
    # Those that used to empty a folder of a build folder, which may be a user's, ask for it.
    mkdir -p build/demo build/truth-short build/paper build/bin results
    for folder in demo truth-short paper; do touch build/$folder/mine; done
    printf '#!/bin/sh\n' >build/bin/ovl
    chmod +x build/bin/ovl
    : >results/figures
    export OVL_BUILD=$PWD/build OVL_BIN=$PWD/build/bin RESULTS=$PWD/results OVL_MPIEXEC=true
    ends 5 "$OVL_TOP/scripts/build/demo"
    ends 5 "$OVL_TOP/scripts/check/truth" --short
    ! command -v gnuplot >/dev/null || ends 5 "$OVL_TOP/scripts/compare/paper" draw
    [ "$(find build -name mine | wc -l)" = 3 ]
    # No script or plan empties a folder of the one where it is run, or that a variable names.
    if grep -nE 'rm -[a-z]*r[a-z]* ' "$OVL_TOP"/scripts/plans/*.json; then return 1; fi
    ! grep -nE "rm -[a-z]*r[a-z]* ('?\\$\\(B\\)|[^|;&]*\\$\\{?(OVL_BUILD|B|RESULTS|prefix)\\b)" "$OVL_TOP/Makefile" "$OVL_TOP"/scripts/*/*
}

@test "scripts/beds/vm takes away nothing but what it made" {
    mkdir -p vm/lib bin
    touch vm/lib/mine vm/kernel vm/package
    export OVL_VM=$PWD/vm PATH=$PWD/bin:$PATH
    ends 3 "$OVL_TOP/scripts/beds/vm" run nosuch
    says "no script nosuch"
    stand_in bin/qemu-system-x86_64 'for word; do case $word in *mount_tag=out*) word=${word#local,path=}; echo 7 >"${word%%,*}/rc" ;; esac; done'
    echo made >vm/package
    touch script
    ends 7 "$OVL_TOP/scripts/beds/vm" run script
    [ -z "$(ls tmp)" ]
    stand_in bin/apt-cache 'echo "  Depends: linux-image-9"'
    stand_in bin/apt-get 'echo "no network"; exit 100'
    [ -z "$("$OVL_TOP/scripts/beds/vm" missing)" ] || skip "QEMU is not here"
    ends 5 "$OVL_TOP/scripts/beds/vm" build
    says "no network"
    [ "$(find vm -type f | sort | xargs)" = "vm/kernel vm/lib/mine vm/package" ]
}

@test "make help names every target that has a word" {
    make -C "$OVL_TOP" --no-print-directory help >out 2>err 3>&-
    for target in compare-omb compare-imb compare-p3dfft; do has out " $target "; done
}

# bats test_tags=long
@test "compare-fftw, -hpl, -p3dfft: a launch that fails stops them in one line, and leaves the table of before" {
    tree compare/fft compare/hpl compare/runner compare/cells
    real=$OVL_BUILD
    export OVL_BUILD=$PWD/b OVL_BIN=$PWD/b/bin OVL_MPIEXEC=$PWD/launch OVL_MPI='' OVL_SHIM='' TO=$PWD/table
    echo before >table
    GRIDS=128x128 ends 3 tree/scripts/compare/fft fftw
    says "'128x128'"
    # -bind-to core -n 2 PROGRAM...
    stand_in launch 'shift 4' 'exec "$@"'
    stand_in b/bin/ovl '[ "$1" = --version ] || printf "gflops,nb,bcast\n2.5,8,ring\n"'
    mkdir -p b
    ln -s "$real/medians" b/medians
    stand_in b/bin/ovl_hpl
    stand_in b/bin/ovl_fft3d 'echo "8 blocking 1.5"'
    stand_in hpl/xhpl 'echo . >>launches' '[ "$(wc -l <launches)" != "$FAILS" ] || exit 7' \
        'yes "WR00L2L2 96 8 1 2 0.01 2.0" | head -n "$(wc -l <launches | sed "s/^1$/6/; s/^[2-5]$/3/")" >HPL.out' 'echo "End of Tests" >>HPL.out'
    FAILS=0 ROUNDS=2 NBS=8 DEPTHS=0 N=96 ends 0 tree/scripts/compare/hpl hpl
    has table "host: medians: ovl_hpl 2.50 GFLOP/s, HPL 2.00 GFLOP/s, ratio 1.250 (no interval from fewer than 6 rounds)"
    echo before >table
    FAILS=2 ROUNDS=2 NBS=8 DEPTHS=0 N=96 ends 5 tree/scripts/compare/hpl hpl
    [ "$err" = "compare-hpl: HPL ended before it had said all: exit 7, 0 results" ]
    stand_in p3dfft/test_sine_f.x 'exit 7'
    ROUNDS=1 GRIDS=8 ends 5 tree/scripts/compare/fft p3dfft p3dfft
    [ "$err" = "compare-p3dfft: P3DFFT said no time: exit 7" ]
    [ "$(cat table)" = before ]
}
