#!/usr/bin/env bats
# Exit codes through srun, and through Hydra within a Slurm job: four processes on two nodes. Run inside scripts/slurm.
# MPICH's own MPI_Finalize hangs in a part of such runs, so that some are repeated.

load ../cli/lib

# bounded COMMAND...: its outputs in $out and $err, its exit code in $code. TERM comes first: srun then ends its step.
bounded() {
    code=0
    timeout -k 5 60 "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || code=$?
    out=$(cat "$BATS_TEST_TMPDIR/out")
    err=$(grep -E '^(ovl_|cell )' "$BATS_TEST_TMPDIR/err" || true)
    echo "exit $code"; echo "$out"; cat "$BATS_TEST_TMPDIR/err"
}

four=(srun -N2 --ntasks-per-node=2 --mpi=pmi2)
short=("$OVL_BIN/ovl_ialltoall" -m 64:64 "${quick[@]}" --compute-us 50)

# driver_and_worker OPTION...: a driver's rank and a worker on each node, in the background; $job is srun's id.
driver_and_worker() {
    file=$BATS_TEST_TMPDIR/r.jsonl
    printf '%s\n' "0,2 $OVL_BIN/ovl_ialltoall --mode host,dpu --workers 0 -m 1K:1M -i 20:20 $* --json $file" \
        "1,3 $OVL_BIN/ovl_worker" >"$BATS_TEST_TMPDIR/programs"
    timeout -k 5 60 "${four[@]}" --multi-prog "$BATS_TEST_TMPDIR/programs" >"$BATS_TEST_TMPDIR/out" \
        2>"$BATS_TEST_TMPDIR/err" </dev/null 3>&- &
    job=$!
    for _ in $(seq 300); do
        grep -qs '"record":"cell"' "$file" && return 0
        sleep 0.1
    done
    return 1
}

# finish: what srun and its steps said, in $code and $err.
finish() {
    code=0
    wait "$job" || code=$?
    err=$(cat "$BATS_TEST_TMPDIR/err")
    echo "exit $code"; echo "$err"
}

# nothing_left: neither steps nor processes, after a moment.
nothing_left() {
    for _ in $(seq 100); do
        [ -z "$(squeue -h -s)$(running ovl_ialltoall)$(running ovl_worker)" ] && return 0
        sleep 0.1
    done
    squeue -s
    return 1
}

@test "a measurement" {
    for _ in 1 2 3 4; do
        bounded "${four[@]}" "${short[@]}"
        code_is "${measured[@]}"
    done
}

@test "a usage error, also where the first bad exit ends the step" {
    for option in "" -K; do
        for _ in 1 2 3 4; do
            bounded "${four[@]}" $option "$OVL_BIN/ovl_ialltoall" --mode nonsense
            code_is 3
            one_line
        done
    done
}

@test "a record that cannot be written" {
    for option in "" -K; do
        bounded "${four[@]}" $option "${short[@]}" --json /nowhere/r.jsonl
        code_is 5
        one_line
    done
}

@test "an MPI_Finalize that hangs" {
    bounded env LD_PRELOAD="$OVL_SHIM/finalize.so" "${four[@]}" "${short[@]}"
    code_is "${measured[@]}"
    bounded env LD_PRELOAD="$OVL_SHIM/finalize.so" "${four[@]}" "$OVL_BIN/ovl_ialltoall" --help
    code_is 0
    nothing_left
}

@test "Hydra within a job: its own messages, beside Slurm's variables" {
    # shellcheck disable=SC2206
    hydra=(salloc -Q -N2 --ntasks-per-node=2 $OVL_MPIEXEC -n 4)
    bounded "${hydra[@]}" "$OVL_BIN/ovl_ialltoall" --mode nonsense
    code_is 3
    bounded "${hydra[@]}" env LD_PRELOAD="$OVL_SHIM/finalize.so" "$OVL_BIN/ovl_ialltoall" --mode nonsense
    code_is 3
    nothing_left
}

@test "a stopped worker: all leave with the code of the rank that names it" {
    driver_and_worker --worker-timeout 1
    kill -STOP "$(running ovl_worker | head -n 1)"
    finish
    code_is 5
    says "shows no life for 1 s"
    nothing_left
}

@test "a killed worker: srun tells of the signal, and nothing runs on" {
    driver_and_worker
    kill -KILL "$(running ovl_worker | head -n 1)"
    finish
    code_is 137
    says "died: its process has ended"
    nothing_left
}
