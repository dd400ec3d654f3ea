#!/usr/bin/env bats
# The Debian package of a worker for arm64 (scripts/beds/aarch64 deb): what it says of itself, and the program that it holds,
# unpacked and run by QEMU.

load lib

# bats test_tags=long
@test "the package for arm64 has a worker that works, and asks for what that needs" {
    local field package program
    command -v dh >/dev/null || skip "debhelper is not here"
    "$OVL_TOP/scripts/beds/aarch64" deb 3>&- >said
    package=$(cat said)
    [ "$package" = "$bed/ovl-worker_$("$OVL_BIN/ovl" --version | cut -d ' ' -f 2)-1_arm64.deb" ]
    [ "$(dpkg-deb -f "$package" Package)" = ovl-worker ]
    [ "$(dpkg-deb -f "$package" Architecture)" = arm64 ]
    for field in mpich libc6 libmpich12 libibverbs1; do
        dpkg-deb -f "$package" Depends | tr , '\n' | grep -qE "^ *$field( |$)" || { dpkg-deb -f "$package" Depends; return 1; }
    done
    dpkg-deb -x "$package" unpacked
    program=$PWD/unpacked/usr/bin/ovl_worker
    readelf -h "$program" | grep -q 'Machine: *AArch64'
    absent 'R(UN)?PATH' "$(readelf -d "$program")"
    # The page of the program is the one on DPUs.
    zcat unpacked/usr/share/man/man1/ovl_worker.1.gz | grep -q '^\.Dt OVL_DPU 7'
    ends 0 "$bed/run" "$program" --version
    [[ $out == "ovl_worker $("$OVL_BIN/ovl" --version | cut -d ' ' -f 2) "* ]]
    drive 2 ovl_ialltoall --mode host,dpu --workers 0 "${work[@]}" "${quick[@]}" -m 8,64K --json r.jsonl \
        : -n 1 "$bed/run" "$program"
    code_is "${measured[@]}"
    [ "$(field validated | sort | uniq -c | xargs)" = "4 true" ]
    grep -qF '"architecture":"aarch64","emulated":true' r.jsonl
}

# bats test_tags=long
@test "lintian finds nothing in it but what is overridden with a reason" {
    command -v lintian >/dev/null || skip "lintian is not here"
    ls "$bed"/ovl-worker_*_arm64.deb || "$OVL_TOP/scripts/beds/aarch64" deb 3>&-
    lintian --no-cfg --fail-on error,warning,info "$bed"/ovl-worker_*_arm64.deb
}

# Spack itself is not here: tests/tool/recipe.py plays it.
@test "what the Spack recipe does for ovl+worker makes and installs such a worker, by a compiler for aarch64" {
    local program
    command -v python3 >/dev/null || skip "python3 is not here"
    mkdir tree
    cp -r "$OVL_TOP"/{Makefile,configure.ac,scripts,src,kernels,man} tree
    cd tree
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL python3 "$OVL_TOP/tests/tool/recipe.py" worker scripts/spack/packages/ovl/package.py \
        "$bed/mpicc" "$BATS_TEST_TMPDIR/prefix" 3>&-
    program=$BATS_TEST_TMPDIR/prefix/bin/ovl_worker
    readelf -h "$program" | grep -q 'Machine: *AArch64'
    ends 0 "$bed/run" "$program" --version
    [[ $out == "ovl_worker $("$OVL_BIN/ovl" --version | cut -d ' ' -f 2) "* ]]
    [ -s "$BATS_TEST_TMPDIR/prefix/share/man/man7/ovl_dpu.7" ]
}
