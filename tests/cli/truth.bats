#!/usr/bin/env bats
# How close a driver comes to a known truth, at two ranks: the one accuracy that the suite holds against a bound.

load lib

@test "known fractions are found within 3 points (median of nine cells, up to five tries)" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    [ -z "${OVL_VALGRIND:-}" ] || skip "valgrind takes the time that is measured"
    run timeout -k 5 250 "$OVL_TOP/scripts/check/truth" --short
    echo "$output"
    [ "$status" != 2 ] && [ "$status" != 124 ] || skip "the machine is too busy to measure five of nine cells"
    [ "$status" = 0 ]
}

@test "a driver whose truth is another one than said is found out" {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    [ -z "${OVL_VALGRIND:-}" ] || skip "valgrind takes the time that is measured"
    # The same, with an operation that hides nothing in every run, whatever f is asked for: six of nine cells are off by
    # 50 or 100 points.
    cat >"$BATS_TEST_TMPDIR/launcher" <<END
#!/bin/sh
for word; do
    shift
    case \$word in OVL_SYNTHETIC_FRACTION=*) word=OVL_SYNTHETIC_FRACTION=0 ;; esac
    set -- "\$@" "\$word"
done
exec $OVL_MPIEXEC "\$@"
END
    chmod +x "$BATS_TEST_TMPDIR/launcher"
    OVL_BUILD=$BATS_TEST_TMPDIR OVL_MPIEXEC=$BATS_TEST_TMPDIR/launcher OVL_TRUTH_TRIES=1 run timeout -k 5 120 "$OVL_TOP/scripts/check/truth" --short
    echo "$output"
    [ "$status" != 2 ] || skip "the machine is too busy to measure five of nine cells"
    [ "$status" = 1 ]
    [ "$(grep -c 'points of [5-9] cells; 3 are allowed' <<<"$output")" = 1 ]
}

@test "a truth without an argument that there is" {
    run "$OVL_TOP/scripts/check/truth" --shirt
    [ "$status" = 3 ]
    [ "$output" = "truth: no argument --shirt; there are --short and --thread" ]
}
