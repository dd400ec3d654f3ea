#!/usr/bin/env bats
# What the bed for workers of aarch64 (scripts/beds/aarch64) says where something is not here. The suite aarch64 runs what it
# makes.

load ../own

setup() {
    bed=$OVL_TOP/scripts/beds/aarch64 t=$BATS_TEST_TMPDIR
    export OVL_AARCH64=$t/bed
    mkdir "$t/bin"
    for program in bash cat cksum dirname echo env grep ls mkdir mktemp od readlink rm sed tail tr xargs; do
        ln -s "$(type -P $program)" "$t/bin/$program"
    done
}

# refuses LINE COMMAND: 5, and that line, on stderr.
refuses() {
    local rc=0
    PATH=$t/bin "$bed" "$2" >"$t/out" 2>"$t/err" </dev/null || rc=$?
    cat "$t/err"
    [ $rc = 5 ]
    [ "$(wc -l <"$t/err")" = 1 ]
    grep -qF "aarch64: $1" "$t/err"
}

@test "packages that are not here are named" {
    PATH=$t/bin "$bed" missing >"$t/missing"
    [ "$(xargs <"$t/missing")" = "qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross" ]
    refuses "not here: qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross" build
    DEPS=no refuses "not here, and DEPS=no forbids installing: qemu-user gcc-aarch64-linux-gnu" prepare
    DEPS='' refuses "not here, and no apt-get to install it with: qemu-user gcc-aarch64-linux-gnu" prepare
    refuses "nothing is built in $t/bed" show
}

@test "package sources without arm64: one line that names the package, and nothing is left" {
    command -v apt-get >/dev/null || skip "apt-get is not here"
    for program in apt-get apt-config dpkg dpkg-deb; do ln -s "$(command -v $program)" "$t/bin/$program"; done
    for program in qemu-aarch64 aarch64-linux-gnu-gcc; do ln -s "$(type -P true)" "$t/bin/$program"; done
    printf 'Dir::Etc::%s "/dev/null";\n' sourcelist sourceparts >"$t/sources"
    APT_CONFIG=$t/sources refuses "no libmpich12 for arm64 from this machine's package sources: E: " build
    [ -z "$(ls "$t/bed")" ]
}
