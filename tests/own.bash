# What every file of tests does in its own way, where bats's (1.8 to 1.11) hangs or is slow.

# The countdown that ends a test after BATS_TEST_TIMEOUT seconds, in place of bats's own. Bats tells it once that the test
# has ended, and its own does not hear that while it begins: it, or its sleep, stays behind with the pipe that bats reads to
# the end, and the run stands still for as long as a test may take. This one looks each second.
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

# Bats notes the place of each command before this runs, which takes a quarter of the time of tests: here a command that fails
# notes its own. `bats --trace` shows each, and so has bats's way.
if [ "${BATS_TRACE_LEVEL:-0}" = 0 ] && declare -F bats_setup_tracing bats_debug_trap bats_error_trap >/dev/null &&
    ! declare -F bats_own_bats_setup_tracing >/dev/null; then
    eval "bats_own_$(declare -f bats_setup_tracing)"
    bats_setup_tracing() {
        bats_own_bats_setup_tracing
        trap - DEBUG
        trap 'BATS_ERROR_STATUS=${BATS_ERROR_STATUS:-$?}; bats_debug_trap "$BASH_SOURCE"
            BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1; bats_error_trap' ERR
    }
fi
