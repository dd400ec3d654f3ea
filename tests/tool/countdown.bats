#!/usr/bin/env bats
# The countdown of each test ends a test that hangs, ends with it, and is in every file of tests.

load ../countdown

# inner SECONDS LINE...: bats, which puts its own folder into PATH, on a file of these lines, whose tests have so many seconds each.
inner() {
    printf '%s\n' "load $OVL_TOP/tests/countdown" "${@:2}" >"$BATS_TEST_TMPDIR/inner.bats"
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

@test "every file of tests has it" {
    [ -z "$(grep -L '^load ' "$OVL_TOP"/tests/*/*.bats)" ]
}
