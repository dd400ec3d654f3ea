#!/usr/bin/env bats
# The countdown of each test ends a test that hangs, and ends with it; a test that fails says where; every file has both.

load ../own

# inner SECONDS LINE...: bats, which puts its own folder into PATH, on a file of these lines, whose tests have so many seconds each.
inner() {
    printf '%s\n' "load $OVL_TOP/tests/own" "${@:2}" >"$BATS_TEST_TMPDIR/inner.bats"
    run env -i PATH="${PATH#*/bats-core:}" BATS_TEST_TIMEOUT="$1" timeout 60 bats --formatter tap "$BATS_TEST_TMPDIR/inner.bats" 3>&-
    echo "$output"
}

@test "a countdown that does not hear of the end of its test does not hold up the file" {
    inner 200 'kill() { :; }' '@test "short" { true; }' '@test "left out" { skip; }'
    [ "$status" = 0 ]
}

@test "a test that hangs is ended, with what it waits for, and the next one runs" {
    inner 1 '@test "long" { sleep 300; }' '@test "short" { true; }'
    [ "$status" = 1 ]
    [[ $output == *"not ok 1 long # timeout after 1s"*"ok 2 short"* ]]
}

@test "a test fails with the first command that does, which is told with its line, in functions and subshells too" {
    inner 20 'two() { [ "$1" = 2 ]; }' '@test "function" {' '    two 2' '    two 1' '    echo behind' '}' \
        '@test "subshell" {' '    ( exit 7; )' '}' '@test "good" {' '    ! false' '    false || true' '    run false' '    if false; then :; fi' '}'
    [ "$status" = 1 ]
    [[ $output == *"not ok 1 function"*"two' in file "*"inner.bats, line 2,"*"inner.bats, line 5)"*"two 1' failed"*"not ok 2 "* ]]
    [[ $output == *"not ok 2 subshell"*"inner.bats, line 9)"*"( exit 7; )' failed with status 7"*"ok 3 good"* ]]
    [[ $output != *behind* ]]
}

@test "every file of tests has it" {
    [ -z "$(grep -L '^load ' "$OVL_TOP"/tests/*/*.bats)" ]
}
