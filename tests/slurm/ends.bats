#!/usr/bin/env bats
# Exit codes through srun, and through Hydra within a Slurm job: four processes on two nodes. Run inside scripts/beds/slurm.
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

@test "a worker on another node of the same kernel shares no memory with a rank" {
    for path in auto shm; do
        printf '%s\n' "0 $OVL_BIN/ovl_ialltoall --mode dpu --path $path --workers 0 -m 1K:1K -i 6:6" "1 $OVL_BIN/ovl_worker" \
            >"$BATS_TEST_TMPDIR/programs"
        bounded srun -N2 --ntasks-per-node=1 --mpi=pmi2 --multi-prog "$BATS_TEST_TMPDIR/programs"
        code_is 5
        one_line
        case $path in
        auto) says "--path verbs" ;;
        shm) says "node node1 is served by worker 0 (process 1) on node node2, another machine" ;;
        esac
    done
    nothing_left
}

# said LINE: on stderr, once; or the MPI library of a process that talked to who died has ended the job before that.
said() {
    local times
    times=$(grep -c "$1" <<<"$err" || true)
    [ "$times" = 1 ] || { [ "$times" = 0 ] && grep -qE 'Endpoint timeout|^Abort\(.*: Fatal error in internal_' <<<"$err"; } || {
        echo "$times times on stderr: $1"
        return 1
    }
}

# Its peer sits in MPI, which may not tell it. With -K Slurm ends the step, and waits longer than this test.
@test "a killed rank: its worker says so, and nothing runs on" {
    for SRUN in "" -K; do
        driver_and_worker
        kill -KILL "$(running ovl_ialltoall | tail -n 1)"
        finish
        code_is 137
        said '^ovl_worker: rank [01] on node node[12] died: its process has ended$'
        absent '^ovl_ialltoall: .*(died|gave up)' "$err"
        nothing_left
        absent '"record":"end"' "$(cat "$file")"
        "$OVL_BIN/ovl" validate "$file"
    done
}

@test "a cancelled job: all end in good order" {
    driver_and_worker
    scancel "$(squeue -h -o %i)"
    finish
    says "interrupted by SIGTERM"
    nothing_left
    tail -n 1 "$file" | grep -q '"record":"end".*"status":"interrupted"'
}

@test "a killed worker: srun tells of the signal, and nothing runs on" {
    driver_and_worker
    kill -KILL "$(running ovl_worker | head -n 1)"
    finish
    code_is 137
    said 'died: its process has ended'
    nothing_left
}
