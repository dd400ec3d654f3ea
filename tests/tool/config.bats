#!/usr/bin/env bats
# What configure finds and keeps: builds in folders of their own, of as few files as show it.

load ../own

setup_file() {
    cd "$OVL_TOP"
    [ -e configure ] || autoconf -o "$BATS_FILE_TMPDIR/configure" configure.ac
}

setup() {
    [ -z "${OVL_SANITIZE:-}" ] || skip "what is built here has no sanitizer"
    cd "$OVL_TOP"
    t=$BATS_TEST_TMPDIR b=$BATS_TEST_TMPDIR/b
    mkdir -p "$t/bin"
    fresh "$b"
    # As a user types them: nothing of the make that runs this.
    unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS MPICC MPIEXEC PKG_CONFIG_PATH DEPS prefix OVL_BUILD
    mpicc=$(sed -n 's/^MPICC := //p' "$OVL_BIN/../config.mk")
}

# fresh FOLDER: a build folder that has configure and nothing else.
fresh() {
    mkdir -p "$1"
    [ ! -e "$BATS_FILE_TMPDIR/configure" ] || cp "$BATS_FILE_TMPDIR/configure" "$1"
    b=$1
}

our() { timeout -k 5 120 make --no-print-directory B="$b" "$@" 3>&- 2>&1; }

# kept NAME VALUE...: one line of `make config`
kept() {
    our config | grep -qE "^  $1 +$2 +$3\$" || { echo "not kept: $*"; our config; return 1; }
}

# program NAME: a program in $t/bin, from standard input
program() {
    { echo '#!/bin/sh'; cat; } >"$t/bin/$1"
    chmod +x "$t/bin/$1"
}

@test "a tree may lie in a folder with a space, a build folder with one is refused, and any place comes to install as it is" {
    mkdir -p "$t/a b/tree"
    cp -R Makefile configure.ac scripts kernels "$t/a b/tree"
    printf '#!/bin/sh\nprintf "%%s|" "$prefix" "$bindir" "$mandir" "$DESTDIR"\n' >"$t/a b/tree/scripts/build/install"
    [ ! -e "$b/configure" ] || { mkdir "$t/a b/tree/build" && cp "$b/configure" "$t/a b/tree/build"; }
    [ ! -e configure ] || cp configure "$t/a b/tree"
    cd "$t/a b/tree"
    b=build
    our config prefix="/x/o'vl" bindir="/x/a 'b' \$\$c/bin" mandir="/x/m n" | grep -qE '^  MPICC +[a-z]+ '
    [ "$(our uninstall DESTDIR="$t/d'e")" = "/x/o'vl|/x/a 'b' \$c/bin|/x/m n|$t/d'e|" ]
    [ "$(our uninstall)" = "/x/o'vl|/x/a 'b' \$c/bin|/x/m n||" ]
    b="$PWD/build" our config | grep -q 'B=.* has a space'
    run scripts/cluster run -- true
    [ "$status" = 5 ]
    [[ $output == *"a folder with a space"* ]]
}

@test "make clean takes away what make made, and nothing else" {
    # A folder with a file for each that this build has, and of a user's: results, and programs and objects of his own.
    (cd "$OVL_BIN/.." && find bin lib obj pic share tests -type f ! -name '*.new' 2>/dev/null) >"$t/made"
    [ "$(wc -l <"$t/made")" -gt 100 ]
    for own in "" yes; do
        rm -rf "$t/own"
        mkdir "$t/own"
        (cd "$t/own" && xargs dirname <"$t/made" | sort -u | xargs mkdir -p && xargs touch <"$t/made")
        (cd "$t/own" && touch flags sources version.h config.log config.status make_tables)
        printf 'configured := yes\n' >"$t/own/config.mk"
        sed "s|@abs_srcdir@|$OVL_TOP|; s|@abs_builddir@|$t/own|" scripts/build/build.mk.in >"$t/own/Makefile"
        [ -z "$own" ] || (cd "$t/own" && mkdir results src tests/mine obj/mine && touch a.jsonl .hidden results/b.jsonl bin/mine tests/mine/c.o obj/mine/d.o)
        run make --no-print-directory -C "$t/own" clean 3>&-
        echo "$output"
        [ "$status" = 0 ]
        if [ -z "$own" ]; then
            [ ! -e "$t/own" ]
        else
            [[ $output == *"own keeps what make did not make: .hidden a.jsonl bin obj results src tests" ]]
            [ "$(cd "$t/own" && find . -type f | sort | xargs)" = "./.hidden ./a.jsonl ./bin/mine ./obj/mine/d.o ./results/b.jsonl ./tests/mine/c.o" ]
        fi
    done
}

@test "make clean looks at a folder with our config.mk only, and not at one that the environment names" {
    mkdir -p "$t/data/bin"
    touch "$t/data/bin/ovl"
    for there in none theirs; do
        [ $there = none ] || echo 'CC = gcc' >"$t/data/config.mk"
        b=$t/data run our clean
        [ "$status" = 2 ]
        [[ $output == *"data has no config.mk of ovl's, so nothing is taken away there"* ]]
        [ -e "$t/data/bin/ovl" ]
    done
    B=$t/data run make --no-print-directory -n clean dist 3>&-
    [ "$status" = 0 ]
    [[ $output == *"B=$t/data of the environment is not taken"* ]]
    [ "$(grep -c "$t/data" <<<"$output")" = 1 ]
    b= run our -n all
    [ "$status" = 2 ]
    [[ $output == *"B is empty"* ]]
}

# bats test_tags=long
@test "what was given once holds until it is given anew, in each build folder by itself" {
    our config MPICC="$mpicc" CFLAGS='-O1 -g' LDFLAGS=-Wl,-O1 prefix="$t/ovl" PKG_CONFIG_PATH="$t/pc" >/dev/null
    kept CFLAGS given '-O1 -g'
    kept LDFLAGS given -Wl,-O1
    kept PKG_CONFIG_PATH given "$t/pc"
    kept prefix given "$t/ovl"
    kept bindir default "$t/ovl/bin"
    our -n "$b/obj/src/base/checksum.o" | grep -q -- ' -O1 '
    # The environment counts only where nothing is configured, and is told when it is passed over.
    CFLAGS=-O3 our config | grep -qx "CFLAGS=-O3 of the environment is not taken: $b holds -O1 -g, and .make CFLAGS=.*"
    kept CFLAGS given '-O1 -g'
    our reconfigure | grep -qE '^  jansson +[0-9y]'
    kept CFLAGS given '-O1 -g'
    our config CFLAGS= >/dev/null
    kept CFLAGS default '-O2 -g'
    kept prefix given "$t/ovl"
    fresh "$t/other"
    CFLAGS=-O0 our config >/dev/null
    kept CFLAGS environment -O0
    CFLAGS=-O1 our config CFLAGS=-O3 >/dev/null
    kept CFLAGS given -O3
    kept prefix default /usr/local
}

@test "a configuration that fails says what to do here in one line, and leaves the one before, which has a locale if the machine has" {
    echo 'echo C; echo POSIX' | program locale
    PATH=$t/bin:$PATH our config CFLAGS=-O1 >/dev/null
    grep -qx 'export LC_ALL := C' "$b/config.mk"
    run our config MPICC="$t/none/mpicc"
    [ "$status" != 0 ]
    grep -qE 'MPI \(no .*/none/mpicc on PATH\): .*MPICC=' <<<"$output"
    run our config CC=nocc
    [ "$status" != 0 ]
    grep -q 'no C compiler on PATH named nocc: ' <<<"$output"
    kept CFLAGS given -O1
    kept MPICC default "[^ ]*mpicc[^ ]*"
    echo 'echo C; echo C.utf8' | program locale
    fresh "$t/other"
    PATH=$t/bin:$PATH our config >/dev/null
    grep -qx 'export LC_ALL := C.UTF-8' "$b/config.mk"
}

# bats test_tags=long
@test "another compiler under the same name is noticed, and all is built anew; one that is not on PATH any more is named" {
    mkdir "$t/one" "$t/two"
    for d in one two; do printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$mpicc")" >"$t/$d/mpicc-of-module"; done
    chmod +x "$t"/*/mpicc-of-module
    object=$b/obj/src/base/checksum.o
    PATH=$t/one:$PATH our MPICC=mpicc-of-module "$object" >/dev/null
    run env PATH="$t/one:$PATH" make --no-print-directory B="$b" "$object"
    [[ $output != *"CC "* ]]
    run env PATH="$t/two:$PATH" make --no-print-directory B="$b" "$object"
    [ "$(grep -c "^the compilers are others than before; all is built anew with .*$t/two/mpicc-of-module" <<<"$output")" = 1 ]
    [[ $output == *"CC "*checksum.c* ]]
    our config | grep -q 'or mpicc-of-module is not on PATH now: load the module that .* was configured with, or'
    # Whose build it is not, such as root in `sudo make install`, takes it as it is.
    [ "$(id -u)" = 0 ] || skip "the rest needs another user"
    chown nobody "$b/config.mk"
    run env PATH="$t/one:$PATH" make --no-print-directory B="$b" "$object" prefix="$t/elsewhere"
    [[ $output != *"CC "* && $output != *others* ]]
    grep -q "$t/two/mpicc" "$b/config.mk"
}

@test "only deps, check and demo install, by sudo -n alone, and nothing does under make -n" {
    real=$(command -v gcc || command -v cc)
    printf 'case " $* " in *" -E -x c - "*) exit 1 ;; esac\nexec %s "$@"\n' "$real" | program cc-without-headers
    echo "echo \"\$0 \$*\" >>$t/log; case \$1 in -n) shift; [ \"\$1\" = true ] || exec \"\$@\" ;; esac" | program sudo
    echo "echo \"\$0 \$*\" >>$t/log" | program apt-get
    export PATH=$t/bin:$PATH
    our -n check CC="$t/bin/cc-without-headers" >/dev/null || true
    our -n demo CC="$t/bin/cc-without-headers" >/dev/null || true
    our config CC="$t/bin/cc-without-headers" >/dev/null
    [ ! -e "$t/log" ] || { cat "$t/log"; return 1; }
    run our deps CC="$t/bin/cc-without-headers"
    cat "$t/log"
    grep -q 'apt-get .*install .*libc6-dev' "$t/log"
    ! grep '/sudo ' "$t/log" | grep -qv '/sudo -n '
}

# blas FOLDER SOURCE: libraries that go for a CBLAS there, and a broken OpenBLAS before them on the linker's path.
blas() {
    mkdir "$t/$1"
    echo 'double cblas_ddot(int, const double *, int, const double *, int); void cblas_dgemm(void);' >"$t/$1/cblas.h"
    { echo 'double cblas_ddot(int n, const double *x, int a, const double *y, int b) { return n * *x * *y + 0 * (a + b); }
        void cblas_dgemm(void) {}'; echo "$2"; } | gcc -shared -fPIC -x c - -Wl,-soname,libcblas.so.9 -o "$t/$1/libcblas.so.9"
    ln -s libcblas.so.9 "$t/$1/libcblas.so"
    echo broken >"$t/$1/libopenblas.so"
}

reference='int RowMajorStrg, CBLAS_CallFromC;'
tuned='int RowMajorStrg; const char *openblas_get_config(void) { return "OpenBLAS 9.9 FAKE"; }'

# bats test_tags=long
@test "a reference BLAS is a note of configure, and does not do for install-deps" {
    blas slow "$reference"
    blas quick "$tuned"
    our config CFLAGS=-O0 CBLAS_CFLAGS="-I$t/slow" CBLAS_LIBS="-L$t/slow -Wl,-rpath,$t/slow -lcblas" >"$t/said"
    grep -q '^  CBLAS  *yes (.*-lcblas): reference BLAS, many times slower than a tuned one (.*blas' "$t/said"
    our config CFLAGS=-O0 CBLAS_CFLAGS="-I$t/quick" CBLAS_LIBS="-L$t/quick -Wl,-rpath,$t/quick -lcblas" >"$t/said"
    grep -q '^  CBLAS  *yes (.*-lcblas): OpenBLAS 9.9$' "$t/said"
    echo 'exit 1' | program pkg-config
    echo "echo \"\$*\" >>$t/log; exit 1" | program apt-get
    echo 'exit 1' | program sudo
    for one in slow quick; do
        : >"$t/log"
        env PATH="$t/bin:$PATH" CPATH="$t/$one" LDFLAGS="-L$t/$one" LD_LIBRARY_PATH="$t/$one" B="$b" scripts/build/install-deps \
            </dev/null >>"$t/log" 2>&1 || true
        cat "$t/log"
        wanted=0
        grep -q libopenblas-dev "$t/log" && wanted=1
        [ $wanted = $([ $one = slow ] && echo 1 || echo 0) ]
    done
}

@test "who may install nothing is told what is not here, and goes on" {
    [ "$(id -u)" = 0 ] || skip "needs another user"
    command -v setpriv >/dev/null || skip "setpriv is not here"
    echo 'exit 1' | program sudo
    echo "echo called >>$t/log" | program apt-get
    printf 'case " $* " in *" -E -x c - "*) exit 1 ;; esac\n' | program cc
    deps=$t/scripts/build/install-deps
    mkdir -p "$t/scripts/build"
    cp scripts/build/install-deps scripts/build/packages.inc "$t/scripts/build"
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR" "$t" "$t/bin" 2>/dev/null || true
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$deps" || skip "another user cannot get here"
    run env PATH="$t/bin:$PATH" CC=cc setpriv --reuid=65534 --regid=65534 --clear-groups "$deps" </dev/null
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 1 ]
    [[ $output == "not here: "*"; going on without; as root: apt-get install "* ]]
    [ ! -e "$t/log" ]
}

# bats test_tags=long
@test "configure in a folder of its own, with the options that it is used to" {
    cp "$(ls configure "$b/configure" 2>/dev/null | head -n 1)" "$t/configure"
    cd "$b"
    "$t/configure" -q --srcdir="$OVL_TOP" --prefix="$t/p" --bindir="$t/p/mpich/bin" --mandir='${prefix}/man' CFLAGS=-O0
    make --no-print-directory -j2 "$b/bin/ovl" "$b/share/man/man1/ovl.1" 3>&-
    make --no-print-directory config 3>&- | grep -qE "^  bindir +given +$t/p/mpich/bin$"
    cd "$OVL_TOP"
    # What programs look for stands beside their folder.
    prefix="$t/p" bindir="$t/p/mpich/bin" mandir="$t/p/man" scripts/build/install put "$b" bin/ovl share/man/man1/ovl.1
    "$t/p/mpich/bin/ovl" --version
    [ -s "$t/p/man/man1/ovl.1" ]
    prefix="$t/p" bindir="$t/p/mpich/bin" mandir="$t/p/man" scripts/build/install remove
    [ ! -e "$t/p" ]
}

# bats test_tags=long
@test "a cross build makes what runs while building by this machine's compiler" {
    # Programs of this compiler run nowhere.
    our config host=aarch64-linux-gnu CC='gcc -Wl,--dynamic-linker=/nowhere' BUILD_CC=gcc MPICC="$mpicc" CFLAGS=-O0 >/dev/null
    kept BUILD_CC given gcc
    our -j2 "$b/share/ovl/record.schema.json" "$b/share/man/man1/ovl_bench.1" "$b/lib/libovlkernels.a" >"$t/log" || { cat "$t/log"; return 1; }
    cmp "$b/share/ovl/record.schema.json" "$OVL_BIN/../share/ovl/record.schema.json"
    cmp "$b/share/man/man1/ovl_bench.1" "$OVL_BIN/../share/man/man1/ovl_bench.1"
}

# bats test_tags=long
@test "a library elsewhere without an rpath stops neither the build nor the programs" {
    mkdir "$t/lib"
    echo 'int extra(void) { return 1; }' | gcc -shared -fPIC -x c - -Wl,-soname,libextra.so.1 -o "$t/lib/libextra.so"
    ln -s libextra.so "$t/lib/libextra.so.1"
    our config CFLAGS=-O0 JANSSON_LIBS="-Wl,--no-as-needed -L$t/lib -lextra -Wl,--as-needed -ljansson" >/dev/null
    # A program of the build that runs while building, of archives that are there already.
    mkdir -p "$b/lib"
    cp "$OVL_BIN"/../lib/libovl{core,kernels}.a "$b/lib"
    our -o "$b/lib/libovlcore.a" -o "$b/lib/libovlkernels.a" "$b/share/ovl/record.schema.json" >"$t/log" || { cat "$t/log"; return 1; }
    [ -s "$b/share/ovl/record.schema.json" ]
    ldd "$b/make_tables" | grep -q "libextra.so.1 => $t/lib/"
}

# bats test_tags=long
@test "without hwloc, libibverbs and a library for SHA-256 the programs measure all the same" {
    our config CFLAGS=-O0 WITH_HWLOC=none WITH_VERBS=none WITH_SHA256=none WITH_CBLAS=none WITH_FFTW=none >"$t/said"
    grep -q '^  SHA-256 *code of our own' "$t/said"
    grep -q '^  hwloc *no: records say of the machine what the kernel shows' "$t/said"
    our -j2 "$b/bin/ovl_null" "$b/share/ovl/record.schema.json" >"$t/log" || { cat "$t/log"; return 1; }
    if ldd "$b/make_tables" | grep -E 'hwloc|ibverbs|crypto|blas'; then return 1; fi
    run timeout -k 5 60 $OVL_MPIEXEC -n 1 "$b/bin/ovl_null" -i 6:6 -x 0 --json "$t/null.jsonl"
    [ "$status" = 0 ] || [ "$status" = 2 ]
    "$OVL_BIN/ovl" validate "$t/null.jsonl"
    grep -q '"binding":\["[0-9]' "$t/null.jsonl"
    grep -q '"numa":[1-9n]' "$t/null.jsonl"
    # Cores, binding and what is warned of are the same as by hwloc.
    timeout -k 5 60 $OVL_MPIEXEC -n 1 "$OVL_BIN/ovl_null" -i 6:6 -x 0 --json "$t/other.jsonl" >/dev/null || [ $? = 2 ]
    told() { grep -o '"cores":[0-9]*\|"binding":\[[^]]*\]\|[^"]* not bound [^"]*' "$1"; }
    [ "$(told "$t/null.jsonl")" = "$(told "$t/other.jsonl")" ]
}

# bats test_tags=long
@test "with an MPI whose programs ovl offload cannot serve it is left out with a word, and all else is built" {
    printf 'exec %s -DMPI_Pack_c=ovl_no_such_function "$@"\n' "$(command -v "$mpicc")" | program mpicc
    our config MPICC="$t/bin/mpicc" MPIEXEC="$OVL_MPIEXEC" >"$t/said"
    grep -qE '^  +offload +no: no ovl offload, which serves MPICH 4' "$t/said"
    our -n tests >"$t/log"
    grep -q 'bin/ovl_ialltoall' "$t/log"
    if grep -q 'libovl_offload' "$t/log"; then return 1; fi
    mkdir -p "$t/alone/bin"
    cp "$OVL_BIN/ovl" "$OVL_BIN/ovl_carrier" "$t/alone/bin"
    OVL_MPIEXEC=$OVL_MPIEXEC timeout -k 5 60 "$t/alone/bin/ovl" doctor >"$t/said" || [ $? = 5 ]
    grep -qE '^  lacks  ovl offload +it wants a build with MPICH 4 or a relative: ' "$t/said"
    run "$t/alone/bin/ovl" offload -- true
    [ "$status" = 5 ]
    [[ $output == *"libovl_offload.so is not there: run \`make\` with MPICC of MPICH or a relative"* ]]
}

@test "SHA-256 is the same by libcrypto and by our own code" {
    echo '#include "base/sha256.h"
        int main(void) { char text[OVL_SHA256_TEXT]; ovl_sha256_bytes("abc", 3, text); puts(text); return ovl_sha256_stream(stdin, text) || !puts(text); }' >"$t/main.c"
    head -c 100001 /dev/zero >"$t/zeros"
    for row in crypto:openssl/evp.h none:stdio.h; do
        IFS=: read -r name header <<<"$row"
        echo "#include <$header>" | gcc -E -x c - >/dev/null 2>&1 || continue
        gcc -std=c11 -D_GNU_SOURCE -Isrc -I. -o "$t/sha" "$t/main.c" src/base/sha256.c src/base/sha256_own.c "src/base/sha256_$name.c" \
            src/base/error.c src/base/printable.c src/base/utf8.c -ljansson -ldl
        [ "$("$t/sha" <"$t/zeros" | tr '\n' ' ')" = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad $(sha256sum <"$t/zeros" | cut -d ' ' -f 1) " ]
    done
}

# bats test_tags=long
@test "libraries that are too old are named with their version, or left out with a word" {
    mkdir -p "$t/inc/infiniband"
    echo 'struct ibv_device **ibv_get_device_list(int *);' >"$t/inc/infiniband/verbs.h"
    our config CPPFLAGS="-I$t/inc" | grep -qE '^  libibverbs +no: 1[^ ]* is too old, rdma-core 32 is needed'
    grep -qx 'WITH_VERBS := none' "$b/config.mk"
    echo 'void json_decref(void *); void *json_null(void);' >"$t/inc/jansson.h"
    fresh "$t/other"
    run our config CPPFLAGS="-I$t/inc"
    [ "$status" != 0 ]
    grep -qE 'jansson 2\.13 or newer \(here is 2[^)]*\): .*PKG_CONFIG_PATH=' <<<"$output"
    run our .FEATURES= help
    [ "$status" = 2 ]
    [[ $output == *"ovl needs GNU make 4.0 or newer: try gmake"* ]]
}

# bats test_tags=long
@test "where there is only srun it is the launcher, and libraries may be named outright" {
    printf 'exec %s "$@"\n' "$(command -v "$mpicc")" | program mpicc-alone
    echo 'exit 0' | program srun
    mkdir "$t/alone" && mv "$t/bin/mpicc-alone" "$t/alone/mpicc"
    library=$(gcc -print-file-name=libjansson.so)
    PATH=$t/bin:$PATH our config MPICC="$t/alone/mpicc" PKG_CONFIG=false JANSSON_LIBS="$library" >/dev/null
    kept MPIEXEC default srun
    kept JANSSON_LIBS given "$library"
    our config MPIEXEC='srun --mpi=pmix' >/dev/null
    kept MPIEXEC given 'srun --mpi=pmix'
    our -n "$b/bin/ovl" | grep -q "$library"
}

# bats test_tags=long
@test "objects for link-time optimisation get the archiver that knows them" {
    command -v gcc-ar >/dev/null || skip "gcc-ar is not here"
    our config CC=gcc CFLAGS='-O1 -flto' >/dev/null
    kept AR default gcc-ar
    our -j2 "$b/make_tables" >"$t/log" || { cat "$t/log"; return 1; }
    "$b/make_tables" record-schema | cmp - "$OVL_BIN/../share/ovl/record.schema.json"
}

@test "a carrier needs no library of adapters" {
    ! ldd "$OVL_BIN/ovl_carrier" | grep -E 'ibverbs|nl-'
}
