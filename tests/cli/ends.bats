#!/usr/bin/env bats
# How runs end before their time: signals, full disks, closed pipes, files that vanish, too many ranks.

load lib

# start RANKS PROGRAM OPTION...: in the background, its launcher's id in $job, until the first cell (or $kind) is on disk.
start() {
    file=$BATS_TEST_TMPDIR/r.jsonl
    rm -f "$file"
    # shellcheck disable=SC2086
    timeout -k 5 90 $OVL_MPIEXEC ${launcher_option:-} -n "$1" "$OVL_BIN/$2" --json "$file" --quiet "${@:3}" \
        </dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
    job=$!
    for _ in $(seq 300); do
        grep -qs "\"record\":\"${kind:-cell}\"" "$file" && return 0
        sleep 0.1
    done
    return 1
}

# finish: its exit code in $code.
finish() {
    code=0
    wait "$job" || code=$?
    err=$(grep -aE '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
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
    mount -t tmpfs -o size=32k tmpfs "$BATS_TEST_TMPDIR/small" 2>/dev/null || skip "cannot mount a small disk here"
    drive 2 ovl_ialltoall -m 1:1M -i 100:100 --max-time 2 --compute-us 20 --json "$BATS_TEST_TMPDIR/small/r.jsonl"
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
    timeout -k 5 60 "$OVL_BIN/ovl_ialltoall" -m 1:4K "${quick[@]}" "${work[@]}" --json "$BATS_TEST_TMPDIR/full.jsonl" >/dev/full 2>"$BATS_TEST_TMPDIR/err" || code=$?
    err=$(grep -a '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
    code_is 5
    says "cannot write to standard output"
    one_line
    # The record says so, too.
    tail -n 1 "$BATS_TEST_TMPDIR/full.jsonl" | grep -q '"record":"end".*"status":"failed".*cannot write to standard output'
    code=0
    {
        timeout -k 5 60 "$OVL_BIN/ovl_ialltoall" -m 1:64K -i 100:100 --compute-us 50 2>"$BATS_TEST_TMPDIR/err" || code=$?
        echo "$code" >"$BATS_TEST_TMPDIR/code"
    } | head -n 1 >/dev/null || true
    code=$(cat "$BATS_TEST_TMPDIR/code")
    err=$(grep -a '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
    code_is 5
    says "cannot write to standard output"
    # Nor a plan, which needs no rank.
    code=0
    "$OVL_BIN/ovl_train" --dump-plan >/dev/full 2>"$BATS_TEST_TMPDIR/err" || code=$?
    err=$(grep -a '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
    code_is 5
    says "ovl_train: cannot write to standard output"
    one_line
    # Nor help, nor the table of a self-test.
    for call in "ovl_ialltoall --help" "ovl_hpl --version" "ovl_ialltoall --self-test"; do
        code=0
        # shellcheck disable=SC2086
        timeout -k 5 60 "$OVL_BIN"/$call >/dev/full 2>"$BATS_TEST_TMPDIR/err" || code=$?
        err=$(grep -a '^ovl_' "$BATS_TEST_TMPDIR/err" || true)
        code_is 5
        says "cannot write to standard output"
        one_line
    done
}

# bats test_tags=long
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

# in_long_work RANKS PROGRAM OPTION...: as `start`, with the first sample of a long cell under way.
in_long_work() {
    kind=run start "$@"
    sleep 1
    [ -n "$(running "$2" "--json $file")" ]
}

# ended_by SIGNAL PROGRAM: a signal that its ranks got ends all.
ended_by() {
    finish
    code_is 2
    says "interrupted by SIG$1"
    says "did not end within 5 s"
    [ -z "$(running "$2" "--json $file")" ]
    "$OVL_BIN/ovl" validate "$file"
}

@test "a signal in the middle of a long sample ends the job, and the record says so" {
    in_long_work 2 ovl_ialltoall -m 64:64 --compute sleep --compute-us 1e8 --max-time 1
    # shellcheck disable=SC2046
    kill -TERM $(ranks_of)
    ended_by TERM ovl_ialltoall
    says "a block takes about 200 s, and 6 blocks and a warm-up are the least, whatever --max-time 1 says"
    tail -n 1 "$file" | grep -q '"record":"end".*"status":"interrupted".*"cells":0'
}

@test "a long run of served requests says so at once" {
    in_long_work 2 ovl_serve --requests 2 --prompt 4 --output 2 --model gpt2-small --scale-bytes 1000 --compute sleep --compute-us 1e7
    # shellcheck disable=SC2046
    kill -TERM $(running ovl_serve "--json $file")
    ended_by TERM ovl_serve
    says "a sample takes about 10 s, and the run 320 s or more; fewer requests, shorter ones or less work have it sooner"
}

# bats test_tags=long
@test "a signal ends every program in the middle of its work" {
    while read -r signal who ranks program options; do
        # shellcheck disable=SC2086
        in_long_work "$ranks" "$program" $options
        # shellcheck disable=SC2207
        all=($(running "$program" "--json $file"))
        [ "$who" = all ] || all=("${all[-1]}")
        kill "-$signal" "${all[@]}"
        ended_by "$signal" "$program"
    done <<'END'
USR1 one 2 ovl_ialltoall -m 64:64 --compute sleep --compute-us 1e8
INT all 3 ovl_ialltoall -m 64:64 --compute fma --compute-us 1e8 --mode host,dpu --workers 1
TERM all 2 ovl_train --compute sleep --compute-us 1e8 --max-time 1
TERM all 2 ovl_train --compute sleep --compute-us 1e8 --checkpoint helper --checkpoint-dir .
TERM all 1 ovl_train --compute sleep --compute-us 1e8 --offload none,o-da
TERM all 2 ovl_halo -g 256 --steps 1000
END
    for program in ovl_hpl ovl_fft3d; do
        [ -x "$OVL_BIN/$program" ] || continue
        case $program in ovl_hpl) options=(-n 9000) ;; *) options=(-g 256 --vars 4 --mem-limit 8G) ;; esac
        in_long_work 2 $program "${options[@]}"
        kill -TERM $(running $program "--json $file")
        ended_by TERM $program
    done
    [ -z "$(find . -name '.ovl-*')" ]
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
    start 2 ovl_ialltoall --mode host,dpu "$@" : -n 1 "$OVL_BIN/ovl_worker"
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
            # Rank 0 may live to tell that the others are gone.
            absent '"record":"end".*"status":"complete"' "$(cat "$file")"
        done
    done
}

# bats test_tags=long
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

# bats test_tags=long
@test "many ranks on few cores end and say that they are oversubscribed" {
    cores=$(nproc)
    for ranks in 5 16; do
        measure $ranks ovl_ialltoall -m 64:64 "${quick[@]}" "${work[@]}" -f --json "$BATS_TEST_TMPDIR/$ranks.jsonl"
        rows | grep -q ' ok '
        [ "$ranks" -le "$cores" ] && continue
        grep -q "^# warning .*oversubscribed: $ranks ranks on $cores cores" <<<"$out"
        grep -q "oversubscribed: $ranks ranks" "$BATS_TEST_TMPDIR/$ranks.jsonl"
    done
}

# Otherwise the next file that is opened, such as a record, gets the number, and a table is printed into it.
@test "a program that is started without standard streams has none of its files among them" {
    cd "$BATS_TEST_TMPDIR"
    for program in ovl_ialltoall ovl_halo ovl_noise ovl_worker; do
        rm -f streams
        timeout -k 5 60 env OVL_STREAMS=streams LD_PRELOAD="$OVL_SHIM/streams.so" "$OVL_BIN/$program" --help \
            <&- >&- 2>&- || true
        [ "$(cat streams)" = 012 ] || { echo "$program: $(cat streams)"; return 1; }
    done
}

@test "a carrier that is started without standard streams has no socket among them" {
    cd "$BATS_TEST_TMPDIR"
    mkfifo pipe
    exec 4<>pipe
    timeout -k 5 60 "$OVL_BIN/ovl_carrier" 3<&4 4<&- <&- >&- 2>&-
    carrier=
    for _ in $(seq 100); do
        for pid in $(running ovl_carrier); do
            [ "$(readlink "/proc/$pid/fd/3")" != "$PWD/pipe" ] || carrier=$pid
        done
        [ -z "$carrier" ] || [ ! -e "/proc/$carrier/fd/1" ] || break
        sleep 0.1
    done
    exec 4<&-
    for fd in 0 1 2; do
        at[fd]=$(readlink "/proc/$carrier/fd/$fd") || true
    done
    kill "$carrier"
    echo "${at[*]}"
    [ "${at[*]}" = "/dev/null /dev/null /dev/null" ]
}
