#!/usr/bin/env bats
# What make install, uninstall, dist and deb leave: trees that work from where they are put.

setup() {
    cd "$OVL_TOP"
    tree=$BATS_TEST_TMPDIR/tree
}

# As the make that runs this was called: its own variables come by MAKEFLAGS.
again() { make --no-print-directory B="${OVL_BUILD#"$OVL_TOP"/}" "$@" 3>&-; }

@test "an installed tree works from where it is, and uninstall leaves nothing of it" {
    again install DESTDIR="$tree" prefix=/opt/ovl
    at=$tree/opt/ovl
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
    for page in man1/ovl.1 man1/ovl_bench.1 man1/ovl_ibcast.1 man5/ovl-record.5 man7/ovl.7 man7/ovl_accept.7; do [ -s "$at/share/man/$page" ]; done
    if command -v mandoc >/dev/null; then
        (cd "$at/share/man" && mandoc man1/ovl_ibcast.1) | grep -q -- compute-ratio
    fi

    echo mine >"$at/share/mine"
    again uninstall DESTDIR="$tree" prefix=/opt/ovl
    [ "$(find "$tree" -type f)" = "$at/share/mine" ]
    [ ! -e "$at/bin" ] && [ ! -e "$at/share/man" ] && [ ! -e "$at/share/ovl" ]
    rm "$at/share/mine"
    again install DESTDIR="$tree" prefix=/opt/ovl
    again uninstall DESTDIR="$tree" prefix=/opt/ovl
    [ -z "$(find "$tree" -mindepth 1)" ]
}

@test "a release builds where there is no git, and passes tests that read its files" {
    [ -e .git ] || skip "this is a release"
    again dist
    tar -C "$BATS_TEST_TMPDIR" -xf "$OVL_BUILD"/ovl-*.tar.gz
    cd "$BATS_TEST_TMPDIR"/ovl-*
    [ -x configure ] && [ -s COPYING ] && [ ! -e .git ] && [ ! -e build ]
    make --no-print-directory -j2 B=build CFLAGS=-O0 build/tests/unit build/bin/ovl 3>&-
    for suite in record schema tables; do
        CK_RUN_SUITE=$suite build/tests/unit | grep '^100%: Checks: [1-9]'
    done
    build/bin/ovl --version | grep -q '(unknown)'
}

@test "a Debian package holds what install puts under /usr" {
    command -v dpkg-shlibdeps >/dev/null || skip "dpkg-dev is not here"
    [ -z "$OVL_SANITIZE" ] || skip "nobody packs a sanitizer"
    dpkg -S "$(readlink -f "$(command -v mpicc)")" >/dev/null 2>&1 || skip "the MPI library is in no Debian package"
    B=${OVL_BUILD#"$OVL_TOP"/} scripts/package-deb "$BATS_TEST_TMPDIR" 3>&-
    package=$(echo "$BATS_TEST_TMPDIR"/ovl_*.deb)
    for word in libjansson4 libhwloc15 mpi; do dpkg-deb -f "$package" Depends | grep -q $word; done
    dpkg-deb -x "$package" "$BATS_TEST_TMPDIR/out"
    again install DESTDIR="$tree" prefix=/usr
    (cd "$tree/usr" && find bin share -type f | grep -v '^share/man/' | sort) >"$BATS_TEST_TMPDIR/installed"
    (cd "$BATS_TEST_TMPDIR/out/usr" && find bin share -type f | grep -vE '^share/(man|doc|lintian)/' | sort) >"$BATS_TEST_TMPDIR/packed"
    diff "$BATS_TEST_TMPDIR/installed" "$BATS_TEST_TMPDIR/packed"
    [ "$(find "$BATS_TEST_TMPDIR/out/usr/share/man" -name '*.gz' | wc -l)" = "$(find "$tree/usr/share/man" -type f | wc -l)" ]
    for page in "$BATS_TEST_TMPDIR"/out/usr/share/man/man1/*.gz; do zcat "$page" | grep -q '^\.Sh NAME'; done
    [ -s "$BATS_TEST_TMPDIR/out/usr/share/doc/ovl/copyright" ]
    "$BATS_TEST_TMPDIR/out/usr/bin/ovl" validate tests/cli/data/ialltoall.jsonl
}
