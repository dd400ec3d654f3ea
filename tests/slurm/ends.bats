#!/usr/bin/env bats
# Exit codes through srun, and through Hydra within a Slurm job: four processes on two nodes. Run inside scripts/slurm.
# MPICH's own MPI_Finalize hangs in a part of such runs, so that some are repeated.

load lib

short=("$OVL_BIN/ovl_ialltoall" -m 64:64 "${quick[@]}" --compute-us 50)

@test "a measurement" {
    bounded "${four[@]}" "${short[@]}"
    code_is "${measured[@]}"
}

@test "a usage error, also where the first bad exit ends the step" {
    for option in "" -K; do
        for _ in 1 2; do
            bounded "${four[@]}" $option "$OVL_BIN/ovl_ialltoall" --mode nonsense
            code_is 3
            one_line
        done
    done
}

@test "a record that cannot be written, where the first bad exit ends the step" {
    bounded "${four[@]}" -K "${short[@]}" --json /nowhere/r.jsonl
    code_is 5
    one_line
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
    # The rank it served names it, unless the other worker's MPI, which loses its endpoint, is quicker to abort the step.
    grep -qE 'died: its process has ended|Endpoint timeout|Connection reset' <<<"$err"
    nothing_left
}
