#!/usr/bin/env bats
# `ovl sweep` in batch jobs that end before it does: a cancelled step, a cancelled job, the time limit; and how it goes on.
# Run inside scripts/beds/slurm.
# bed: KillWait=10

load lib

# Three launches of two cells by two ranks on two nodes, here. The second runs long where there is a file `slow`, and sleeps
# where there is a file `asleep`.
make_plan() {
    cat >program <<'SCRIPT'
#!/bin/bash
case "$*" in
*.002*)
    [ ! -e asleep ] || { touch sleeping; exec sleep 90; }
    [ ! -e slow ] || set -- "$@" -m 1K:1M -i 500:500 --max-time 60
    ;;
esac
exec "$OVL_BIN/ovl_ialltoall" "$@"
SCRIPT
    printf '%s\n' '#!/bin/bash' '"$OVL_BIN/ovl" sweep plan.json -o out.d --resume' 'echo "code $?"' >job
    chmod +x program
    echo '{"plan": 1, "launches": 3, "time_limit_seconds": 90, "grace_seconds": 3,
        "launcher": {"kind": "srun", "options": ["--mpi=pmi2"]},
        "jobs": [{"name": "a", "program": "'"$PWD/program"'", "ranks": 2, "nodes": 2,
            "options": ["-m", "64:128", "-i", "6:6", "-x", "0", "--max-time", "5", "--compute-us", "50"]}]}' >plan.json
}

# Slurm looks every 30 s for jobs that are out of time: one sleeps meanwhile.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_plan
    touch asleep
    submit -t 1
    echo "$job" >id
    within 40 test -e sleeping
    scontrol update JobId="$job" EndTime=now
    now >told
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    make_plan
    touch slow
}

# submit OPTION...: $job is its id.
submit() {
    job=$(sbatch --parsable -N2 -n2 -o said --open-mode=truncate "$@" job)
    [ -n "$job" ]
}

step() { squeue -h -s -j "$job" -o %i | grep -E '^[0-9]+\.[0-9]+$'; }

in_second_launch() { within 40 grep -qs '"record":"run"' out.d/a/.002.jsonl && [ -n "$(step)" ]; }

over() { scontrol show job "$job" | grep -qE 'JobState=(COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL)'; }

# ended SECONDS WHAT [SINCE]: the job, with a figure.
ended() {
    local since=${3:-$(now)}
    within "$1" over || { squeue; cat said; return 1; }
    figure "$2: the job ends after $(seconds_since "$since") s"
    cat said
    nothing_left 10 "$job"
}

# goes_on LAUNCHES: another job does what is missing, so many launches. Each launch is there once, whole, with its two cells.
goes_on() {
    rm -f slow asleep
    cp out.d/a/001.jsonl first
    submit
    within 60 over || { squeue; cat said; return 1; }
    cat said out.d/sweep.log
    grep -q "^$1 done, 0 failed, $((3 - $1)) were there already, 0 to go" said
    grep -qE '^code [02]$' said
    [ "$(cd out.d/a && ls ./*.jsonl | xargs)" = "./001.jsonl ./002.jsonl ./003.jsonl" ]
    [ -z "$(find out.d -name '.*.jsonl')" ]
    cmp first out.d/a/001.jsonl
    for n in 1 2 3; do
        sound "out.d/a/00$n.jsonl"
        [ "$(grep -o '"size_bytes":[0-9]*' "out.d/a/00$n.jsonl" | xargs)" = "size_bytes:64 size_bytes:128" ]
        [ "$(grep -c '"record":"run"' "out.d/a/00$n.jsonl")" = 1 ]
    done
    # What ends a job may reach the step before the sweep, which then has begun the third launch.
    [[ $(attempts) =~ ^"1: 1; 2: 1 2; 3: 1"(" 2")?";"$ ]]
    nothing_left 10 "$job"
}

# The attempts that the log says were started, of each launch.
attempts() {
    for n in 1 2 3; do
        echo "$n: $(grep '"started"' out.d/sweep.log | grep "\"launch\":$n," | grep -o '"attempt":[0-9]*' | tr -dc '0-9\n' | xargs);"
    done | xargs
}

@test "a step that is cancelled: its launch has failed, the sweep goes on" {
    submit
    in_second_launch
    scancel "$(step)"
    ended 40 "scancel of a step"
    grep -q "a, launch 2: FAILED" said
    grep -q "^2 done, 1 failed, 0 were there already, 0 to go" said
    grep -q '"launch":2,"attempt":1.*exit code 137' out.d/sweep.log
    [ -e out.d/a/002.partial ]
    goes_on 1
}

@test "a job that is cancelled: its sweep goes on in another" {
    submit
    in_second_launch
    scancel "$job"
    ended 20 "scancel of a job"
    [ ! -e out.d/a/002.jsonl ]
    [ ! -e out.d/a/003.jsonl ]
    goes_on 2
}

waits_again() { [ "$(squeue -h -j "$job" -o %T)" = PENDING ]; }

@test "the example, scripts/ci/slurm.sh: told in time it asks for another turn, and goes on" {
    export SIZES=64:64 LAUNCHES=1 OPTIONS="-i 100000:100000 --max-time 2"
    job=$(sbatch --parsable --ntasks-per-node=1 -o said --open-mode=append "$OVL_TOP/scripts/ci/slurm.sh" out.d)
    within 30 grep -qs '"record":"run"' out.d/sweep/ialltoall/.001.jsonl
    since=$(now)
    scancel --batch --signal=TERM "$job" # as Slurm does two minutes before the time limit
    within 40 waits_again
    figure "TERM to the batch script: the job waits for its next turn after $(seconds_since "$since") s"
    cat said out.d/sweep/sweep.log
    grep -q '"job":"ialltoall","launch":1,"attempt":1.*"interrupted' out.d/sweep/sweep.log
    nothing_left 10 "$job"
    # Its nodes end what is left of the first turn up to KillWait (10 s) after it, by the job's number: the steps of a turn
    # that has begun by then too. Slurm itself waits two minutes.
    sleep 12
    scontrol update JobId="$job" StartTime=now
    within 90 over
    cat said
    grep -q "^2 done, 0 failed, 0 were there already, 0 to go" said
    sound out.d/sweep/ialltoall/001.jsonl
    sound out.d/sweep/ibcast/001.jsonl
    [ -s out.d/report.html ]
    nothing_left
}

@test "a job that is out of time: its sweep goes on in another" {
    cd "$BATS_FILE_TMPDIR"
    job=$(cat id)
    ended 60 "time limit" "$(cat told)"
    grep -q "CANCELLED.* DUE TO TIME LIMIT" said
    [ ! -e out.d/a/002.jsonl ]
    goes_on 2
}
