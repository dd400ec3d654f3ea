#!/usr/bin/env bats
# `ovl sweep` whose launches are steps of srun: what becomes of their tasks when time is over. Run inside scripts/beds/slurm.

load ../own

# ./program: tasks that run until they are told to end, and say so then, unless there is a file `deaf`.
setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >program <<'SCRIPT'
#!/bin/bash
trap "echo $SLURM_PROCID >>told; exit 2" TERM
[ ! -e deaf ] || trap '' TERM
echo $$ >>started
for ((i = 0; i < 600; i++)); do sleep 0.1; done
SCRIPT
    chmod +x program
    echo '{"plan": 1, "launches": 1, "time_limit_seconds": 3, "grace_seconds": 2, "launcher": {"kind": "srun"},
        "jobs": [{"name": "a", "program": "'"$PWD/program"'", "ranks": 2, "nodes": 2}]}' >plan.json
}

swept() { # CODE: in a job of its own
    local code=0
    timeout -k 5 60 salloc -Q -N2 -n2 "$OVL_BIN/ovl" sweep plan.json -o out.d >said 2>&1 </dev/null || code=$?
    cat said out.d/a/001.log
    [ "$code" = "$1" ]
}

no_steps() {
    for _ in $(seq 100); do
        [ -z "$(squeue -h -s)" ] && return 0
        sleep 0.1
    done
    squeue -s
    return 1
}

@test "all tasks of a step are asked to end, and have their grace" {
    swept 1
    [ "$(sort told | tr '\n' ' ')" = "0 1 " ]
    grep -q "not done after 3 s, killed" said
    no_steps
}

@test "tasks that do not care are killed with their step" {
    touch deaf
    swept 1
    [ ! -e told ]
    no_steps
}

@test "a launch whose tasks are jobs of one rank each has failed" {
    sed -i 's|"kind": "srun"|&, "options": ["--mpi=none"]|; s|"program": "[^"]*"|"program": "'"$OVL_BIN"'/ovl_null"|; s|"nodes": 2|"options": ["-i", "6:6"]|; s|_seconds": 3|_seconds": 60|' plan.json
    swept 1
    grep -q "its record is of one rank and the plan says 2" said
    no_steps
}

@test "a sweep that is killed leaves no step" {
    timeout -k 5 60 salloc -Q -N2 -n2 bash -c '
        "$OVL_BIN/ovl" sweep plan.json -o out.d >said 2>&1 &
        for _ in $(seq 100); do [ "$(wc -l <started)" = 2 ] && break; sleep 0.1; done 2>/dev/null
        [ "$(wc -l <started)" = 2 ] || exit 2
        kill -KILL $!
        for _ in $(seq 100); do [ -z "$(squeue -h -s)" ] && exit 0; sleep 0.1; done
        exit 1' </dev/null 3>&-
}

@test "a sweep goes through the batch system in packs, by what is left of each job" {
    printf '%s\n' '#!/bin/bash' 'for last; do :; done' '[ "$SLURM_PROCID" != 0 ] || sed "s/\"run_id\":\"/&$SLURM_JOB_ID$RANDOM/; s/\"nodes\":1/\"nodes\":2/" "$OVL_TOP/tests/cli/data/ialltoall.jsonl" >>"$last"' >program
    sed 's/"launches": 1, "time_limit_seconds": 3/"launches": 3, "time_limit_seconds": 100/' plan.json >packs.json
    for pack in 1 2; do
        # Of three launches of up to 100 s one fits into 3 minutes; then it is known how short they are.
        sbatch --wait -N2 -n2 -t 3 -o "said.$pack" --wrap "'$OVL_BIN/ovl' sweep packs.json -o packs.d --resume --budget allocation; echo code \$?"
        cat "said.$pack"
    done
    grep -q 'code 2' said.1
    grep -q -- '--budget allocation leaves out 2' said.1
    grep -q 'code 0' said.2
    [ "$(ls packs.d/a/*.jsonl | wc -l)" = 3 ]
}
