#!/usr/bin/env bats
# What the tests in guests (tests/verbs) are judged by, without a guest: each for itself, whatever the one before did.

load ../own

setup() {
    text=$BATS_TEST_TMPDIR/text limit=30
    # shellcheck source=tests/verbs/lib.bash
    . "$OVL_TOP/tests/verbs/lib.bash"
}

@test "a test that hangs costs its own time, and the next is judged for itself" {
    {
        limit=1 run "hangs" sleep 60
        run "passes" true
        says "ends with 5" 'no adapter' bash -c 'echo "ovl_null: no adapter"; exit 5'
    } >"$BATS_TEST_TMPDIR/out"
    cat "$BATS_TEST_TMPDIR/out"
    [ "$(cut -d '(' -f 1 "$BATS_TEST_TMPDIR/out" | grep ok | xargs)" = "not ok hangs ok passes ok ends with 5" ]
}

@test "what was to be done beside a test that hangs is not done beside the next" {
    done=$BATS_TEST_TMPDIR/done
    once_measuring touch "$done"
    limit=1 run "hangs before its table" sleep 60 >/dev/null
    run "has a table" bash -c 'echo size mode; sleep 1' >/dev/null
    [ ! -e "$done" ]
    once_measuring touch "$done"
    run "has a table" bash -c 'echo size mode; until [ -e "$0" ]; do sleep 0.1; done' "$done"
    [ $bad = 1 ]
}
