#!/usr/bin/env bats
# What make install, uninstall, dist and deb leave: trees that work from where they are put.

load ../own

setup() {
    cd "$OVL_TOP"
    tree=$BATS_TEST_TMPDIR/tree
}

# As the make that runs this was called: its own variables come by MAKEFLAGS.
again() { make --no-print-directory B="${OVL_BUILD#"$OVL_TOP"/}" "$@" 3>&-; }

@test "an installed tree works from where it is, and uninstall leaves nothing of it" {
    prefix=$(again config | sed -n 's/^  prefix  *[a-z]*  *//p') # make keeps what it is given: the build's own stays
    at=$tree$prefix
    again install DESTDIR="$tree"
    [ "$(ls "$at/bin" | wc -l)" = "$(ls "$OVL_BIN" | wc -l)" ]
    "$at/bin/ovl" list | grep -q ovl_ialltoall
    "$at/bin/ovl" validate tests/cli/data/ialltoall.jsonl
    "$at/bin/ovl_null" --version | grep -q '^ovl_null '
    if command -v gnuplot >/dev/null; then
        "$at/bin/ovl" plot tests/cli/data/ialltoall.jsonl -o "$BATS_TEST_TMPDIR/charts"
        [ -s "$BATS_TEST_TMPDIR/charts/ialltoall-overlap.svg" ]
    fi
    # From its own copies: without them it says so.
    mv "$at/share/ovl" "$at/share/elsewhere"
    run "$at/bin/ovl" accept scripts/limits/example.json tests/cli/data/ialltoall.jsonl
    [ "$status" = 5 ]
    [[ $output =~ "$at/" ]]
    mv "$at/share/elsewhere" "$at/share/ovl"
    for page in man1/ovl.1 man1/ovl-compare.1 man1/ovl_bench.1 man1/ovl_ibcast.1 man5/ovl-record.5 man7/ovl.7 man7/ovl_accept.7; do [ -s "$at/share/man/$page" ]; done
    if command -v mandoc >/dev/null; then
        (cd "$at/share/man" && mandoc man1/ovl_ibcast.1) | grep -q -- compute-ratio
    fi

    echo mine >"$at/share/mine"
    again uninstall DESTDIR="$tree"
    [ "$(find "$tree" -type f)" = "$at/share/mine" ]
    [ ! -e "$at/bin" ]
    [ ! -e "$at/share/man" ]
    [ ! -e "$at/share/ovl" ]
    run again uninstall DESTDIR="$tree"
    [[ $output == *"nothing to take away: no $at/share/ovl/installed"* ]]
    rm "$at/share/mine"
}

@test "uninstall takes away what it put there and the folders that it made, and none that were there" {
    mkdir -p "$tree/usr/local/bin" "$tree/build/bin" "$tree/build/share/ovl"
    export prefix=$tree/usr/local
    touch "$tree/build/bin/ovl_one" "$tree/build/bin/ovl_two" "$tree/build/share/ovl/data"
    scripts/build/install put "$tree/build" bin/ovl_one share/ovl/data
    # An older build had another program: what either put there goes.
    scripts/build/install put "$tree/build" bin/ovl_two share/ovl/data
    scripts/build/install remove
    [ "$(cd "$prefix" && find . | sort | xargs)" = ". ./bin" ]
    export prefix=$tree/new/place
    scripts/build/install put "$tree/build" bin/ovl_one share/ovl/data
    scripts/build/install remove
    [ ! -e "$tree/new" ]
    touch "$tree/file"
    prefix=$tree/file run scripts/build/install put "$tree/build" bin/ovl_one
    [ "$status" != 0 ]
    [[ ${lines[-1]} == *"make install prefix="*"needs no root" ]]
}

@test "install takes any absolute place, and no other" {
    mkdir -p "$tree/build/bin" "$tree/build/share/ovl"
    touch "$tree/build/bin/ovl_one" "$tree/build/share/ovl/data"
    for prefix in "$tree/o'vl" "$tree/a \"b\" \$c"; do
        export prefix
        scripts/build/install put "$tree/build" bin/ovl_one share/ovl/data
        [ -x "$prefix/bin/ovl_one" ]
        scripts/build/install remove
        [ ! -e "$prefix" ]
    done
    cd "$tree"
    for what in put remove; do
        for wrong in prefix=rel "prefix=$tree/a bindir=bin" "prefix=$tree/a mandir=man"; do
            # shellcheck disable=SC2086
            run timeout 20 env -u bindir -u mandir $wrong "$OVL_TOP/scripts/build/install" $what build bin/ovl_one
            [ "$status" = 3 ]
            [ ${#lines[@]} = 1 ]
            [[ $output == "install: give absolute paths for prefix, bindir and mandir"* ]]
        done
    done
    [ "$(ls)" = build ]
}

# bats test_tags=long
@test "a release builds where there is no git, and has what is committed" {
    [ -e .git ] || skip "this is a release"
    again dist
    tar -C "$BATS_TEST_TMPDIR" -xf "$OVL_BUILD"/ovl-*.tar.gz
    cd "$BATS_TEST_TMPDIR"/ovl-*
    [ -x configure ]
    [ -s COPYING ]
    [ ! -e .git ]
    [ ! -e build ]
    for file in $(git -C "$OVL_TOP" ls-files); do [ -e "$file" ] || echo "$file"; done >"$BATS_TEST_TMPDIR/lacks"
    cat "$BATS_TEST_TMPDIR/lacks"
    [ "$(grep -vcE '^(\.git|\.ci)' "$BATS_TEST_TMPDIR/lacks")" = 0 ]
    make --no-print-directory -j2 B=build CFLAGS=-O0 build/bin/ovl 3>&-
    build/bin/ovl validate tests/cli/data/ialltoall.jsonl
    build/bin/ovl --version | grep -q '(unknown)'
}

@test "a release is what is committed, and the same bytes from each clone of it" {
    [ -e .git ] || skip "this is a release"
    for clone in one two; do
        git clone -q . "$BATS_TEST_TMPDIR/$clone"
        echo "not committed" >>"$BATS_TEST_TMPDIR/$clone/README"
        make --no-print-directory -C "$BATS_TEST_TMPDIR/$clone" B="$BATS_TEST_TMPDIR/$clone/b-$clone" dist 3>&-
    done
    cmp "$BATS_TEST_TMPDIR"/one/b-one/ovl-*.tar.gz "$BATS_TEST_TMPDIR"/two/b-two/ovl-*.tar.gz
    tar -xOf "$BATS_TEST_TMPDIR"/one/b-one/ovl-*.tar.gz --wildcards --no-wildcards-match-slash 'ovl-*/README' | cmp - <(git show HEAD:README)
}

@test "the Spack recipe that comes with a release names its place and hash, and every setting is make's" {
    command -v python3 >/dev/null || skip "python3 is not here"
    [ -e .git ] || skip "this is a release"
    out=$BATS_TEST_TMPDIR/out
    make --no-print-directory B="$out" RELEASE_URL=https://example.org/ovl.tar.gz dist 3>&-
    run env CC=cc python3 tests/tool/recipe.py told "$out/spack/packages/ovl/package.py" ~worker ~hwloc ~verbs
    [ "$status" = 0 ]
    # Spack loads that of a clone too, where @VERSION@ is no version.
    [ -z "$(grep '^ *version("@' scripts/spack/packages/ovl/package.py)" ]
    [ -z "$(grep '^ *version(.*@' "$out/spack/packages/ovl/package.py")" ]
    [[ ${lines[0]} == *"'url': 'https://example.org/ovl.tar.gz'"* ]]
    [[ ${lines[0]} == *"$(sha256sum "$out"/ovl-*.tar.gz | cut -c 1-64)"* ]]
    for word in ${lines[1]}; do
        case $word in
        all) ;;
        *=*) grep -qE "^config_vars.*\\b${word%%=*}\\b|^config_dirs.*\\b${word%%=*}\\b|^	.*\\b${word%%=*}\\b" Makefile ;;
        esac
    done
    [[ ${lines[1]} == *"WITH_HWLOC=none WITH_VERBS=none"* ]]
    # The worker alone is told nothing that configure keeps.
    run python3 tests/tool/recipe.py told "$out/spack/packages/ovl/package.py" +worker ~verbs
    [ "${lines[1]}" = "worker MPICC=mpicc-of-spack WITH_VERBS=none" ]
}
