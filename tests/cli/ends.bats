#!/usr/bin/env bats
# How runs end before their time: signals, full disks, closed pipes, files that vanish, too many ranks.

load lib

# start RANKS PROGRAM OPTION...: in the background, its launcher's id in $job, until the first cell is on disk.
start() {
    local ranks=$1 program=$2
    shift 2
    file=$BATS_TEST_TMPDIR/r.jsonl
    rm -f "$file"
    # shellcheck disable=SC2086
    timeout -k 5 60 $OVL_MPIEXEC -n "$ranks" "$OVL_BIN/$program" "$@" --json "$file" --quiet \
        </dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
    job=$!
    for _ in $(seq 300); do
        grep -qs '"record":"cell"' "$file" && return 0
        sleep 0.1
    done
    return 1
}

# finish: its exit code in $code.
finish() {
    code=0
    wait "$job" || code=$?
    err=$(grep -E '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
    echo "exit $code"; cat "$BATS_TEST_TMPDIR/err"
}

long=(-m 64:256M -M 2G -i 1000:1000 --max-time 2)

# The ranks of the job that was started last.
ranks_of() { running ovl_ialltoall "--json $file"; }

@test "INT, TERM and USR1 end the run in good order" {
    for signal in INT TERM USR1; do
        start 1 ovl_ialltoall "${long[@]}"
        # shellcheck disable=SC2046
        kill -$signal $(ranks_of)
        finish
        code_is 2
        says "interrupted by SIG$signal"
        tail -n 1 "$file" | grep -q '"record":"end".*"status":"interrupted"'
        tail -n 1 "$file" | grep -q "\"reason\":\"SIG$signal\""
        "$OVL_BIN/ovl" validate "$file"
        "$OVL_BIN/ovl" show "$file" >"$BATS_TEST_TMPDIR/shown"
        grep -qi interrupted "$BATS_TEST_TMPDIR/shown"
    done
}

@test "a signal at one rank of two ends both" {
    start 2 ovl_ialltoall "${long[@]}"
    kill -USR1 "$(ranks_of | tail -n 1)"
    finish
    code_is 2
    says "interrupted by SIGUSR1"
    [ -z "$(ranks_of)" ]
}

@test "Ctrl-C at the launcher ends the run in good order" {
    start 2 ovl_ialltoall "${long[@]}"
    kill -INT "$job" # timeout passes it on to the launcher
    finish
    absent '"status":"complete"' "$(tail -n 1 "$file")" # the launcher has an exit code of its own
    cells=$(grep -c '"record":"cell"' "$file")
    [ "$cells" -ge 1 ]
    "$OVL_BIN/ovl" validate "$file"
    for _ in $(seq 50); do [ -z "$(ranks_of)" ] && break; sleep 0.1; done
    [ -z "$(ranks_of)" ]
}

@test "a full disk: one line, exit 5, what was written before stays" {
    mkdir "$BATS_TEST_TMPDIR/small"
    mount -t tmpfs -o size=64k tmpfs "$BATS_TEST_TMPDIR/small" 2>/dev/null || skip "cannot mount a small disk here"
    drive 2 ovl_ialltoall -m 1:1M -i 200:200 --max-time 2 --compute-us 20 --json "$BATS_TEST_TMPDIR/small/r.jsonl"
    cp "$BATS_TEST_TMPDIR/small/r.jsonl" "$BATS_TEST_TMPDIR/r.jsonl"
    umount "$BATS_TEST_TMPDIR/small"
    code_is 5
    says "No space left on device"
    one_line
    run "$OVL_BIN/ovl" show "$BATS_TEST_TMPDIR/r.jsonl"
    [ "$status" = 0 ]
    grep -qi truncated <<<"$output"
    [ "$(grep -c '"record":"cell"' "$BATS_TEST_TMPDIR/r.jsonl")" -ge 1 ]
}

@test "a table that cannot be printed: one line, exit 5, no rank left behind" {
    code=0
    # shellcheck disable=SC2086
    timeout -k 5 60 "$OVL_BIN/ovl_ialltoall" -m 1:4K "${quick[@]}" "${work[@]}" >/dev/full 2>"$BATS_TEST_TMPDIR/err" || code=$?
    err=$(grep '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
    code_is 5
    says "cannot write to standard output"
    one_line
    code=0
    {
        timeout -k 5 60 "$OVL_BIN/ovl_ialltoall" -m 1:64K -i 100:100 --compute-us 50 2>"$BATS_TEST_TMPDIR/err" || code=$?
        echo "$code" >"$BATS_TEST_TMPDIR/code"
    } | head -n 1 >/dev/null || true
    code=$(cat "$BATS_TEST_TMPDIR/code")
    err=$(grep '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
    code_is 5
    says "cannot write to standard output"
    # Nor a plan, which needs no rank.
    code=0
    "$OVL_BIN/ovl_train" --dump-plan >/dev/full 2>"$BATS_TEST_TMPDIR/err" || code=$?
    err=$(grep '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
    code_is 5
    says "ovl_train: cannot write to standard output"
    one_line
    # Nor help, nor the table of a self-test.
    for call in "ovl_ialltoall --help" "ovl_hpl --version" "ovl_ialltoall --self-test"; do
        code=0
        # shellcheck disable=SC2086
        timeout -k 5 60 "$OVL_BIN"/$call >/dev/full 2>"$BATS_TEST_TMPDIR/err" || code=$?
        err=$(grep '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
        code_is 5
        says "cannot write to standard output"
        one_line
    done
}

@test "a record that vanishes while it is written is an error" {
    mkdir "$BATS_TEST_TMPDIR/gone"
    file=$BATS_TEST_TMPDIR/gone/r.jsonl
    # shellcheck disable=SC2086
    timeout -k 5 60 $OVL_MPIEXEC -n 1 "$OVL_BIN/ovl_ialltoall" -m 64K:64M -i 1000:1000 --max-time 1 --json "$file" --quiet \
        </dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
    job=$!
    for _ in $(seq 300); do [ -s "$file" ] && break; sleep 0.1; done
    rm -r "$BATS_TEST_TMPDIR/gone"
    finish
    code_is 5
    says "r.jsonl"
    one_line
}

@test "SIGKILL loses at most the cell in progress" {
    start 1 ovl_ialltoall "${long[@]}"
    kept=$(grep -c '"record":"cell"' "$file")
    # shellcheck disable=SC2046
    kill -KILL $(ranks_of)
    finish
    [ "$code" != 0 ]
    [ "$(grep -c '"record":"cell"' "$file")" -ge "$kept" ]
    run "$OVL_BIN/ovl" show "$file"
    [ "$status" = 0 ]
    grep -qi truncated <<<"$output"
    "$OVL_BIN/ovl" validate "$file"
}

# beside OPTION...: two ranks and a worker in the background, as `start` has ranks alone.
beside() {
    two_programs || skip "$no_two_programs"
    file=$BATS_TEST_TMPDIR/r.jsonl
    rm -f "$file"
    # shellcheck disable=SC2086
    timeout -k 5 60 $OVL_MPIEXEC ${launcher_option:-} -n 2 "$OVL_BIN/ovl_ialltoall" --mode host,dpu "$@" --json "$file" \
        --quiet : -n 1 "$OVL_BIN/ovl_worker" </dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
    job=$!
    for _ in $(seq 300); do
        grep -qs '"record":"cell"' "$file" && return 0
        sleep 0.1
    done
    return 1
}

parent_of() { sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$1/stat"; }

# worker_of: the id of this job's; `running` sees those of other jobs too.
worker_of() {
    local pid parent
    parent=$(parent_of "$(ranks_of | head -n 1)")
    for pid in $(running ovl_worker); do
        [ "$(parent_of "$pid")" != "$parent" ] || echo "$pid"
    done
}

gone() { # ID...
    local pid
    for pid; do
        for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        if kill -0 "$pid" 2>/dev/null; then echo "$pid runs on"; return 1; fi
    done
}

@test "shared memory has no name that could stay" {
    beside -m 64K:64M -i 100:100
    worker=$(worker_of)
    grep -q '/memfd:ovl' "/proc/$worker/maps"
    absent '/dev/shm/ovl' "$(cat "/proc/$worker/maps")"
    # shellcheck disable=SC2046
    kill -KILL $(ranks_of) "$worker"
    finish
    [ "$code" != 0 ]
}

# bats test_tags=long
@test "ranks or launcher killed: nothing runs on" {
    case $OVL_MPI in MPICH*) options=("" -disable-auto-cleanup) ;; *) options=("") ;; esac
    for victim in rank ranks parent; do
        for launcher_option in "${options[@]}"; do
            beside -m 1K:64M -i 20:20
            worker=$(worker_of)
            # shellcheck disable=SC2207
            all=($(ranks_of) "$worker")
            case $victim in
            rank) kill -KILL "${all[0]}" ;;
            ranks) kill -KILL "${all[0]}" "${all[1]}" ;;
            parent) kill -KILL "$(parent_of "$worker")" ;;
            esac
            finish
            [ "$code" != 0 ]
            gone "${all[@]}"
            absent '"record":"end"' "$(cat "$file")"
        done
    done
}

@test "a job that was stopped for longer than --worker-timeout goes on" {
    beside -m 1K:1M -i 20:20 --worker-timeout 1
    # shellcheck disable=SC2207
    all=($(ranks_of) "$(worker_of)")
    kill -STOP "${all[@]}"
    before=$(grep -c '"record":"cell"' "$file")
    sleep 3
    kill -CONT "${all[@]}"
    for _ in $(seq 300); do
        [ "$(grep -c '"record":"cell"' "$file")" -gt $((before + 2)) ] && break
        sleep 0.1
    done
    kill -TERM "${all[@]}" 2>/dev/null || true
    finish
    code_is 2
    says "interrupted by SIGTERM"
    [ "$(grep -c '"record":"cell"' "$file")" -gt $((before + 2)) ]
}

@test "many ranks on few cores end and say that they are oversubscribed" {
    cores=$(nproc)
    for ranks in 5 16; do
        drive $ranks ovl_ialltoall -m 64:64 "${quick[@]}" "${work[@]}" -f --json "$BATS_TEST_TMPDIR/$ranks.jsonl"
        code_is "${measured[@]}"
        rows | grep -q ' ok '
        [ "$ranks" -le "$cores" ] && continue
        grep -q "^# warning .*oversubscribed: $ranks ranks on $cores cores" <<<"$out"
        grep -q "oversubscribed: $ranks ranks" "$BATS_TEST_TMPDIR/$ranks.jsonl"
    done
}
