# The countdown that ends a test after BATS_TEST_TIMEOUT seconds, in place of bats's own. Bats tells it once that the test
# has ended, and its own (1.8 to 1.11) does not hear that while it begins: it, or its sleep, stays behind with the pipe that
# bats reads to the end, and the run stands still for as long as a test may take. This one looks each second.
bats_start_timeout_countdown() {
    # shellcheck disable=SC2064
    trap "bats_timeout_trap $$" ABRT
    (
        trap 'kill $!; exit 0' ABRT
        for ((second = 0; second < $1; second++)); do
            sleep 1 &
            wait
            builtin kill -0 $$ || exit 0
        done 2>/dev/null
        if builtin kill -ABRT $$; then
            bats_kill_childprocesses_of $$
        fi &>/dev/null
    ) &
}
