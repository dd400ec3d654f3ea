#!/usr/bin/env bats
# scripts/check/rooms refuses what is planted: a use against the table, by include and by symbol, and a circle. And
# scripts/check/headers a name with two meanings. And the sources name nothing that another version of an MPI may lack.

load ../own

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p src/base src/stats kernels scripts obj/src/base obj/src/stats
    echo 'int ovl_a(void); int ovl_b(void);' >src/base/ab.h
    printf '#include "base/ab.h"\nint ovl_a(void)\n{\n    return 1;\n}\n' >src/base/a.c
    printf '#include "base/ab.h"\nint ovl_b(void)\n{\n    return ovl_a();\n}\n' >src/stats/b.c
}

# check CODE: compiles what is there and checks it; what it says in $output.
check() {
    for file in src/*/*.c; do
        ${CC:-cc} -Isrc -c -o "obj/${file%.c}.o" "$file" || return 1
    done
    run "$OVL_TOP/scripts/check/rooms" "$PWD" "$PWD/obj"
    echo "$output"
    [ "$status" = "$1" ]
}

@test "rooms that keep to the table pass" {
    check 0
}

@test "a circle between two files is refused" {
    sed -i 's/return 1/return ovl_b()/' src/base/a.c
    check 1
    grep -q 'use each other in a circle' <<<"$output"
    grep -q 'base/a.c' <<<"$output"
    grep -q 'stats/b.c' <<<"$output"
}

@test "a use against the table is refused, by include and by symbol" {
    mkdir -p src/tool obj/src/tool
    printf 'int ovl_t(void)\n{\n    return 2;\n}\n' >src/tool/t.c
    echo 'int ovl_t(void);' >src/tool/t.h
    printf '#include "tool/t.h"\nint ovl_c(void)\n{\n    return 3;\n}\n' >src/base/c.c
    check 1
    grep -q 'base/c.c: includes tool/t.h; base may use only: base' <<<"$output"
    # Without the include, by a declaration of its own.
    printf 'int ovl_t(void);\nint ovl_c(void)\n{\n    return ovl_t();\n}\n' >src/base/c.c
    check 1
    grep -q 'base/c.c: uses ovl_t of tool/t.c; base may use only: base' <<<"$output"
}

@test "a name that two headers give two meanings is refused" {
    export OVL_CC="${CC:-cc} -Isrc"
    printf '#ifndef G\n#define G\nstruct ovl_g { int a; };\n#endif\n' >src/base/g.h
    run "$OVL_TOP/scripts/check/headers" "$PWD"
    [ "$status" = 0 ]
    sed 's/G/H/; s/int a/int b/' src/base/g.h >src/stats/h.h
    run "$OVL_TOP/scripts/check/headers" "$PWD"
    echo "$output"
    [ "$status" = 1 ]
    grep -q 'they do not compile in one unit' <<<"$output"
}

@test "a header that needs another before it, and one that is not guarded, are named" {
    export OVL_CC="${CC:-cc} -Isrc"
    echo 'struct ovl_o { int a; };' >src/base/open.h
    printf '#ifndef N\n#define N\nstruct ovl_n { struct ovl_g g; };\n#endif\n' >src/stats/needs.h
    run "$OVL_TOP/scripts/check/headers" "$PWD"
    echo "$output"
    [ "$status" = 1 ]
    grep -qx 'src/base/open.h: does not compile alone' <<<"$output"
    grep -qx 'src/stats/needs.h: does not compile alone' <<<"$output"
    [ "$(grep -c 'does not compile alone' <<<"$output")" = 2 ]
}

@test "MPI in a room that knows none, an include without a room, and a long file are refused" {
    printf '#include <mpi.h>\n#include "ab.h"\n' >src/base/d.h
    for ((i = 0; i < 401; i++)); do echo "/* $i */"; done >src/base/e.h
    check 1
    grep -q 'base/d.h: knows no MPI' <<<"$output"
    grep -q 'base/d.h: name the room' <<<"$output"
    grep -q 'base/e.h: 401 lines, over 400' <<<"$output"
}

# The compiler refuses each name of MPI's headers that is not the standard's.
# bats test_tags=long
@test "no source names what only one MPI's header has" {
    cd "$OVL_TOP"
    read -ra cc <<<"$OVL_CC"
    echo '#include <mpi.h>' >"$BATS_TEST_TMPDIR/mpi.c"
    "${cc[@]}" -M -MF - "$BATS_TEST_TMPDIR/mpi.c" | tr -s ' \\' '\n' | grep '/mpi[^/]*\.h$' >"$BATS_TEST_TMPDIR/headers"
    # shellcheck disable=SC2046
    names=$(grep -ohE '\b(P?MPI[A-Z]+|OMPI|ompi|opal|OPAL)_[A-Za-z0-9_]+' $(cat "$BATS_TEST_TMPDIR/headers") | sort -u | tr '\n' ' ')
    [ -n "$names" ]
    echo "#pragma GCC poison $names" >"$BATS_TEST_TMPDIR/poison.h"
    # One that does, so that a check that finds nothing is seen.
    printf '/* MPI_ */\n#include <mpi.h>\nint %s;\n' "${names%% *}" >"$BATS_TEST_TMPDIR/one.c"
    # What else a file lacks here, such as a library that is not built with, is not asked.
    grep -rlE '\bMPI_' src tests "$BATS_TEST_TMPDIR/one.c" --include='*.c' | xargs -P 2 -n 8 "${cc[@]}" -w -include mpi.h \
        -include "$BATS_TEST_TMPDIR/poison.h" -fsyntax-only >"$BATS_TEST_TMPDIR/said" 2>&1 || true
    grep -q '/one\.c:.*poisoned' "$BATS_TEST_TMPDIR/said"
    found=$(grep -h 'poisoned' "$BATS_TEST_TMPDIR/said" | grep -v '/one\.c:' | sort -u)
    [ -z "$found" ] || { echo "$found"; return 1; }
}

@test "a file or a name that src/README has and the tree has not is told" {
    sed 's/worker\/worker\.c/worker\/wroker.c/; s/ovl_p2p_send/ovl_p2p_sent/' "$OVL_TOP/src/README" >page
    run "$OVL_TOP/scripts/check/map" "$PWD/page"
    [ "$status" = 1 ]
    [ "$output" = "$PWD/page: no file worker/wroker.c"$'\n'"$PWD/page: nothing is called ovl_p2p_sent" ]
}
