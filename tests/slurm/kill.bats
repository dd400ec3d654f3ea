#!/usr/bin/env bats
# A killed rank, with KillOnBadExit and without: srun's exit code, and how long the others stay. Run inside scripts/beds/slurm.
# bed: KillWait=3
#
# The bounds are Slurm's own: without KillOnBadExit there is none, so that srun is told to end after a while; with it
# TERM comes at once and KILL after KillWait.

load lib

kill_wait=3

ended() { ! kill -0 "$job" 2>/dev/null; }

# ends_within SECONDS WHAT: srun returns by then; a figure says when.
ends_within() {
    local since
    since=$(now)
    within "$1" ended || return 1
    figure "$2: srun returns after $(seconds_since "$since") s"
}

# two_ranks: a driver of two ranks, one on each node, in the background; $job is srun's id.
two_ranks() {
    file=$BATS_TEST_TMPDIR/r.jsonl
    # shellcheck disable=SC2086
    timeout -k 5 60 srun -N2 -n2 --mpi=pmi2 ${SRUN:-} "$OVL_BIN/ovl_ialltoall" -m 1K:1M -i 500:500 --json "$file" \
        >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null 3>&- &
    job=$!
    within 30 grep -qs '"record":"run"' "$file"
    sleep 0.3
}

# ranks_and_workers: the same with a rank and a worker on each.
ranks_and_workers() {
    SIGN=run driver_and_worker -i 500:500
    sleep 0.3
}

kill_a_rank() { kill -KILL "$(running ovl_ialltoall | tail -n 1)"; }

# Where nobody ends the others, srun is told to: it kills its step then.
without_kill_on_bad_exit() { # WHAT
    local since
    kill_a_rank
    if ! ends_within 3 "$1"; then
        figure "$1: the others run on (3 s), until srun is told to end"
        kill -TERM "$job"
    fi
    finish
    code_is 137 5
    since=$(now)
    nothing_left
    figure "$1: after srun's end nothing is left after $left s"
}

with_kill_on_bad_exit() { # WHAT
    kill_a_rank
    ends_within $((kill_wait + 7)) "$1"
    finish
    code_is 137 143 5
    nothing_left
    figure "$1: after srun's end nothing is left after $left s"
}

@test "a killed rank of two" {
    two_ranks
    without_kill_on_bad_exit "killed rank"
}

@test "a killed rank of two, where the first bad exit ends the step" {
    export SLURM_KILL_BAD_EXIT=1
    two_ranks
    with_kill_on_bad_exit "killed rank, KillOnBadExit"
}

@test "a killed rank beside workers" {
    ranks_and_workers
    without_kill_on_bad_exit "killed rank, with workers"
}

@test "a killed rank beside workers, where the first bad exit ends the step" {
    SRUN=-K
    ranks_and_workers
    with_kill_on_bad_exit "killed rank, with workers, -K"
}

@test "a killed rank beside workers, where srun waits 2 s for the others" {
    SRUN=--wait=2
    ranks_and_workers
    kill_a_rank
    ends_within 10 "killed rank, with workers, --wait=2"
    finish
    code_is 137 5
    nothing_left
}

@test "scancel of the job: the record has its end, or Slurm kills what does not end" {
    ranks_and_workers
    scancel "$(squeue -h -o %A)"
    ends_within $((kill_wait + 7)) "scancel"
    finish
    code_is 2 5 137 143
    [ "$code" != 2 ] || grep -q '"record":"end".*"status":"interrupted"' "$file"
    nothing_left
}

@test "srun killed by force leaves no step, when its helper is not" {
    ranks_and_workers
    kill -KILL "$(pgrep -P "$job" -x srun)"
    ends_within 10 "srun killed"
    finish
    code_is 137
    nothing_left
    figure "srun killed: nothing is left after $left s"
}
