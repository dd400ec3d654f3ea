#!/usr/bin/env bats
# Checks can fail: where messages are dropped, every benchmark and application says so, in every mode, and ends with 4.
# The programs are those of `ovl list`, the modes those of their help.
# None of its tests looks at a time.

load lib

setup() {
    case $OVL_SANITIZE in *address*|*thread*) skip "a preloaded library comes before the sanitizer's" ;; esac
    cd "$BATS_TEST_TMPDIR"
}

# Blocks that come back, too.
tier=(--strategy tier --kv-block 16 --shared 1:16 --arrival poisson:0.5)
ep="--strategy ep --model mixtral-8x7b --scale-bytes 100"

# Exempt: null posts nothing; noise looks at the nodes, and is in neither list.
exempt=(ovl_null)
short=(-i 6:6 -x 0 --max-time 0.5 -q)

# listed KIND: its programs in `ovl list`.
listed() {
    "$OVL_BIN/ovl" list | sed -n "/^$1:/,/^\$/s/^  \(ovl_[^ ]*\).*/\1/p" | grep -vxF "$(printf '%s\n' "${exempt[@]}")" |
        while read -r name; do
            [ ! -x "$OVL_BIN/$name" ] || echo "$name" # one that lacks its library was left out
        done
}

# modes PROGRAM: those of its --mode.
modes() {
    "$OVL_BIN/$1" --help | sed -n 's/^ *--mode LIST *//p' | sed 's/, with commas.*//' | grep -oE 'blocking|host-t|host|thread|dpu' |
        sort -u
}

# tiny PROGRAM: options that make it small, in words.
tiny() {
    case $1 in
    ovl_ibarrier) echo "--compute sleep --compute-us 1000" ;;
    ovl_fft3d) echo "-g 8" ;;
    ovl_halo) echo "-g 16 --steps 1" ;;
    ovl_hpl) echo "-n 32 --nb 8 --procs 1x2 --depth 10 --bcast ${BCAST:-ring,ibcast}" ;;
    ovl_serve) echo "--compute sleep --compute-us 500 --requests 4 --prompt 32 --output 3 ${SERVE:---scale-bytes 100 --model gpt2-small}" ;;
    ovl_train) echo "--compute-us 500 ${TRAIN:---model resnet20}" ;;
    *) [[ $1 != ovl_i* && $1 != ovl_p2p && $1 != ovl_allreduce ]] || echo "-m 64:64 --compute sleep --compute-us 1000" ;;
    esac
}

# wrong WHAT: the last program found that data are wrong. Where it has no such form, as one of MPI 4 in an older library, it
# says so.
wrong() {
    [ "$code" != 4 ] || return 0
    case $code$err in 3*"stays with the host"* | 3*"has no persistent form"* | 5*"has no persistent form"*) return 0 ;; esac
    echo "$1 is not seen: exit $code"
    return 1
}

# dropping CALLS PROGRAM OPTION...: with an MPI that drops these, after $AFTER of them.
dropping() {
    local calls=$1 program=$2
    shift 2
    # shellcheck disable=SC2046
    PRELOAD="$OVL_SHIM/drop.so:$OVL_SHIM/yield.so OVL_DROP=$calls ${AFTER:+OVL_DROP_AFTER=$AFTER}" \
        drive 2 "$program" $(tiny "$program") "${short[@]}" "$@"
    wrong "$program $*: dropping $calls calls"
}

@test "buffers of which the first alone stays right: of a stream, and in turn" {
    for with in "--cadence stream" "--rotate 3"; do
        # shellcheck disable=SC2086
        OVL_DROP_OTHERS=1 AFTER=10 dropping nonblocking ovl_ialltoall --mode host $with
    done
}

# idle_engine PROGRAM OPTION...: with a worker that moves nothing.
idle_engine() {
    local program=$1
    shift
    # shellcheck disable=SC2046
    drive 2 "$program" $(tiny "$program") "${short[@]}" --mode dpu --workers 0 "$@" : -n 1 "$OVL_BUILD/tests/dropping_worker"
    wrong "$program --mode dpu $*: what workers do not move"
}

# lying DATA RANKS PROGRAM OPTION...: with an MPI that sends other data than it was given: stale, halves or rank
# (tests/shim/other.c).
lying() {
    local data=$1 ranks=$2 program=$3
    shift 3
    # shellcheck disable=SC2046
    PRELOAD="$OVL_SHIM/other.so:$OVL_SHIM/yield.so OVL_OTHER=$data" drive "$ranks" "$program" $(tiny "$program") "${short[@]}" "$@"
    # Who sends to one rank alone has none with whom it could exchange what it sends.
    [ "$data" != rank ] || grep -q '^other: ' "$BATS_TEST_TMPDIR/err" || { code_is "${measured[@]}"; return; }
    wrong "$program $*: $data data at $ranks ranks"
}

# moving WHAT RANKS PROGRAM OPTION...: with a worker that moves a part of what it should (tests/drop/worker.c).
moving() {
    local what=$1 ranks=$2 program=$3
    shift 3
    # shellcheck disable=SC2046
    drive "$ranks" "$program" $(tiny "$program") "${short[@]}" --mode dpu --workers 0 "$@" : \
        -n 1 env OVL_WORKER_DROPS="$what" "$OVL_BUILD/tests/dropping_worker"
    wrong "$program --mode dpu $*: a worker that drops: $what"
}

# every_mode PROGRAM OPTION...: each mode alone.
every_mode() {
    local program=$1 mode with
    shift
    for mode in $(modes "$program"); do
        with=("$@")
        [ "$mode" != host-t ] || with+=(-t 2)
        [ "$program $mode" != "ovl_fft3d dpu" ] || with+=(--offload all) # by default those between nodes alone
        if [ "$mode" != dpu ]; then
            dropping all "$program" --mode "$mode" "${with[@]}"
        elif two_programs; then
            idle_engine "$program" "${with[@]}"
        fi
    done
}

@test "nothing is wrong where nothing is dropped" {
    for name in ovl_ibarrier ovl_ialltoall $(listed applications); do
        # shellcheck disable=SC2046
        PRELOAD="$OVL_SHIM/drop.so:$OVL_SHIM/yield.so" measure 2 "$name" $(tiny "$name") "${short[@]}" --json r.jsonl
    done
    [ "$(grep -o '"validated":[a-z]*' r.jsonl | sort -u)" = '"validated":true' ]
    rm r.jsonl
    measure 2 ovl_null "${short[@]}" --json r.jsonl
    [ "$(grep -o '"validated":[a-z]*' r.jsonl | sort -u)" = '"validated":null' ]
    "$OVL_BIN/ovl" validate r.jsonl
}

# There and back again gives the data, whatever the messages bring, where nothing travels and all stays as it lies.
@test "a Fourier transform whose exchanges stay where they are, after the check of a known spectrum" {
    for mode in blocking host; do
        AFTER=9 OVL_DROP_COPY=1 dropping all ovl_fft3d --mode $mode --chunks 1 --vars 3
    done
}

# Data that follow from a number of theirs, or from what the receiver sent itself, would come right without a message.
# bats test_tags=long
@test "applications: messages of which the first number travels alone, and the rest is made of it" {
    for mode in blocking host; do
        for how in repeat step scale; do
            OVL_DROP_PART=$how AFTER=3 dropping all ovl_halo --mode $mode --steps 2
            OVL_DROP_PART=$how AFTER=3 dropping all ovl_serve --mode $mode
            OVL_DROP_PART=$how AFTER=3 dropping all ovl_serve "${tier[@]}" --mode $mode
            OVL_DROP_PART=$how AFTER=3 dropping all ovl_train --mode $mode --strategy pp
        done
    done
}

@test "benchmarks: a call that is dropped after the first check" {
    [ "$(listed benchmarks | wc -l)" -ge 21 ]
    for name in $(listed benchmarks); do
        AFTER=5 dropping nonblocking "$name" -c
        [[ $err == *"(after the last sample)"* ]]
    done
}

# bats test_tags=long
@test "benchmarks: workers that say done and move nothing, each of them" {
    two_programs || skip "$no_two_programs"
    for name in $(listed benchmarks); do
        idle_engine "$name" -c
    done
}

@test "benchmarks: workers that say done and move nothing, beside a collective operation and messages" {
    two_programs || skip "$no_two_programs"
    for name in ovl_ialltoall ovl_p2p; do
        idle_engine $name -c
    done
}

@test "benchmarks beside workers: a blocking twin whose messages do not come" {
    for name in ovl_ialltoall ovl_p2p; do
        # shellcheck disable=SC2046
        PRELOAD="$OVL_SHIM/drop.so:$OVL_SHIM/yield.so OVL_DROP=blocking UCX_MEM_MMAP_HOOK_MODE=none" \
            drive 3 $name $(tiny $name) "${short[@]}" --mode dpu --workers 1
        wrong "$name --mode dpu: dropping blocking calls"
    done
}

@test "applications: a byte that is damaged on its way, by either way of calling: exit 4, and no valid cell" {
    while IFS='|' read -r byte what call; do
        [ -x "$OVL_BIN/${call%% *}" ] || continue
        for how in wait blocking; do
            rm -f r.jsonl
            # shellcheck disable=SC2086
            PRELOAD="$OVL_SHIM/corrupt.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=$byte OVL_CORRUPT_CALL=$how" \
                exits 4 2 $call -i 6:6 -x 0 --max-time 5 --json r.jsonl
            says "wrong data: $what: an error of"
            [ "$(field status | xargs)" = "invalid invalid" ]
            [ "$(rows | grep -cE 'invalid, wrong(, noisy)?$')" = 2 ]
            "$OVL_BIN/ovl" validate r.jsonl
        done
    done <<'END'
6|grid 16x16x16|ovl_fft3d -g 16 --fftw estimate
1500|grid 16|ovl_halo -g 16
150002|resnet20|ovl_train --model resnet20 --compute-us 1000
END
}

# Of a T so many messages that reach that byte; those of the first T end at number FIRST.
# bats test_tags=long
@test "applications: what messages brought in the first T does not pass in a later one" {
    while IFS='|' read -r byte messages first call; do
        [ -x "$OVL_BIN/${call%% *}" ] || continue
        # shellcheck disable=SC2086
        PRELOAD="$OVL_SHIM/corrupt.so:$OVL_SHIM/yield.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=$byte \
            OVL_CORRUPT_LIKE=$messages OVL_CORRUPT_AFTER=$first" exits 4 2 $call "${short[@]}" --mode host
        says "wrong data"
    done <<'END'
100|6|9|ovl_fft3d -g 8
1500|4|4|ovl_halo -g 16
1030|3|3|ovl_hpl -n 32 --nb 8 --procs 1x2 --depth 1 --bcast ibcast
100|2|2|ovl_train --compute-us 500 --model resnet20
2450|4|216|ovl_train --compute-us 500 --tiny --strategy zero3
END
}

# bats test_tags=long
@test "data of another rank, of the call before, or with their halves exchanged, at three ranks and by progress threads" {
    for data in stale halves rank; do
        lying $data 3 ovl_ialltoall --mode thread
        lying $data 3 ovl_allreduce --mode thread
        lying $data 3 ovl_halo --mode thread
    done
    two_programs || return 0
    for what in last half; do
        moving $what 3 ovl_ialltoall
        moving $what 3 ovl_halo
    done
}

# bats test_tags=long
@test "data of another rank, of the call before, or with their halves exchanged: at four ranks, in applications" {
    for name in ovl_ibcast ovl_iallgatherv ovl_ireduce_scatter; do
        lying stale 4 $name --mode dpu --engine mpi
        lying halves 3 $name --mode thread
    done
    for mode in host thread; do
        lying halves 4 ovl_fft3d --mode $mode
        lying stale 4 ovl_serve --strategy tp --mode $mode
        lying rank 4 ovl_train --strategy zero3 --mode $mode
    done
    two_programs || return 0
    moving half 4 ovl_ibcast
    moving last 4 ovl_fft3d --offload all
    moving half 4 ovl_train
}

# The first bytes are there, and the others come before a reader that begins with the first would see that they were not.
@test "data that come in order behind the call that says that they are there" {
    PRELOAD="$OVL_SHIM/tail.so" exits 4 2 ovl_ialltoall -m 1M:1M "${short[@]}" --mode host -c
    says "wrong data"
}

# What is not there when the library says so comes before the sample is looked at as a whole.
@test "training: a library that says done before it is" {
    for with in "ddp --model resnet20" "zero3 --model resnet20" "pp --model resnet20" "tp --model gpt2 --scale-bytes 1000"; do
        # shellcheck disable=SC2086
        PRELOAD="$OVL_SHIM/early.so" exits 4 2 ovl_train --strategy $with --compute-us 500 "${short[@]}" --mode host
        says "wrong data"
    done
}

# Of tokens that come back nothing follows within the sample.
@test "training: a library that says of answers of experts that they are there before they are" {
    moe=(--strategy moe --model gpt2 --scale-bytes 1000 -b 2 --compute-us 500 "${short[@]}" --mode host)
    PRELOAD="$OVL_SHIM/early.so OVL_EARLY_ANSWERS=1" exits 4 2 ovl_train "${moe[@]}"
    says "wrong data: gpt2"
    measure 2 ovl_train "${moe[@]}"
}

# They come before the check of the schemes, which would see it, too.
# bats test_tags=long
@test "training: operations of epochs that are dropped" {
    epochs=(--compute-us 500 --model resnet20 "${short[@]}" --mode host --epochs 1)
    for with in "--steps-per-epoch 6 --checkpoint root --checkpoints-per-epoch 2 --checkpoint-dir c" "--dataset d --samples 64 -b 4"; do
        rm -rf c d
        mkdir c d
        # shellcheck disable=SC2086
        PRELOAD="$OVL_SHIM/drop.so:$OVL_SHIM/yield.so OVL_DROP=nonblocking" exits 4 2 ovl_train "${epochs[@]}" $with
        says "of the steps of an epoch"
    done
}

# bats test_tags=long
@test "benchmarks: a call that is dropped at once, and its blocking twin at once and after the first check" {
    for name in $(listed benchmarks); do
        for calls in nonblocking blocking; do
            dropping $calls "$name" -c
            [[ $err != *"(after the last sample)"* ]]
        done
        AFTER=5 dropping blocking "$name" -c
    done
    for pairs in one-way two-way ring neighbours; do
        AFTER=5 dropping nonblocking ovl_p2p --pairs $pairs
        AFTER=5 dropping nonblocking ovl_p2p --pairs $pairs -t 4 --rotate 3
    done
}

# bats test_tags=long
@test "benchmarks: persistent calls that are dropped, messages in all directions, and other roots" {
    for name in $(listed benchmarks); do
        dropping nonblocking "$name" -c --persistent
    done
    for pairs in one-way two-way ring neighbours; do
        dropping nonblocking ovl_p2p --pairs $pairs
        dropping blocking ovl_p2p --pairs $pairs
    done
    for name in igather igatherv ireduce iscatter iscatterv ibcast; do
        dropping nonblocking ovl_$name --root 1
        dropping blocking ovl_$name --root 1
    done
}

@test "applications: all messages, in each mode alone" {
    [ "$(listed applications | wc -l)" -ge 2 ]
    for name in $(listed applications); do
        [ "$(modes "$name" | wc -l)" -ge 3 ]
        every_mode "$name"
    done
}

# Whatever is dropped, the place is told; tokens alone are, where their communicator has had all but one of a pass.
@test "training: tokens that do not come, of an expert or back, are named" {
    export TRAIN="--model gpt2 --scale-bytes 1000 -b 2"
    for overlap in none shared two; do
        AFTER=0 dropping nonblocking ovl_train --strategy moe --mode host --overlap $overlap
        [[ $err == *"wrong data: gpt2, dispatch of block 0, "*"forwards: token "*" of rank "*" came wrong at rank 0" ]]
    done
    AFTER=1 dropping nonblocking ovl_train --strategy moe --mode host --dispatch-per expert --gate-skew 1 --capacity 1
    [[ $err == *"wrong data: gpt2, "*" of rank "* ]]
}

@test "inference: keys and values that do not come, and sums, are named" {
    dropping all ovl_serve --mode host
    [[ $err == *"wrong data: gpt2-small, 32 message(s) with wrong data: keys and values of request 0, part 0, at rank 1, of rank 0" ]]
    AFTER=5 dropping nonblocking ovl_serve --strategy tp
    [[ $err == *"wrong data: gpt2-small, "*" of iteration "*" at rank 0" ]]
    dropping all ovl_serve "${tier[@]}" --mode host
    [[ $err == *"wrong data: gpt2-small, "*" keys and values of request "*", part "*", at rank 1, of rank 0" ]]
    SERVE="$ep" dropping all ovl_serve --mode host
    [[ $err == *"wrong data: mixtral-8x7b, "*"dispatch of block 0, iteration 0: token "*" of rank "*", at rank 0" ]]
}

# are_seen: of each line of the input, what is done, or to how many messages not, the scheme, and options.
are_seen() {
    while IFS='|' read -r how mode options; do
        # shellcheck disable=SC2086
        case $how in
        drop) dropping all ovl_serve --mode "$mode" $options ;;
        [0-9]*) AFTER=$how dropping all ovl_serve --mode "$mode" $options ;;
        *) lying "$how" 2 ovl_serve --mode "$mode" $options ;;
        esac
    done
}

# Memory is for two requests while they are read: the younger one gives way.
# bats test_tags=long
@test "inference: numbers of one byte, requests that give way, chunks of prompts, and static batches" {
    are_seen <<'END'
drop|host|--compress i8
stale|host|--compress f8
halves|host|--compress i8 --strategy tier --kv-block 16 --shared 1:16 --arrival poisson:0.5
drop|host|--strategy tp --preempt recompute --kv-memory 1216512
stale|host|--strategy tier --kv-block 64 --preempt swap --kv-memory 2433024
20|blocking|--strategy tier --kv-block 64 --preempt swap --kv-memory 2433024
drop|blocking|--strategy tp --chunk 10
halves|host|--chunk 10
drop|blocking|--batching static --max-batch 2
stale|host|--strategy tp --batching static --max-batch 2
END
}

# bats test_tags=long
@test "inference: numbers of one byte, requests that give way, chunks of prompts, and static batches, in more ways" {
    are_seen <<'END'
drop|blocking|--compress f8
200|host|--compress f8
stale|host|--compress i8
halves|host|--compress f8
drop|blocking|--compress f8 --strategy tier --kv-block 16 --shared 1:16 --arrival poisson:0.5
stale|host|--strategy tp --preempt recompute --kv-memory 1216512
drop|host|--strategy tier --kv-block 64 --preempt swap --kv-memory 2433024
halves|host|--strategy tier --kv-block 64 --preempt swap --kv-memory 2433024
stale|host|--strategy tp --chunk 10
drop|host|--chunk 10
halves|host|--strategy tier --kv-block 16 --chunk 10
stale|host|--batching static --max-batch 2
END
}

# The last sum of a sample is looked at as a whole; of the others, in the time, numbers at places that nobody knows.
# bats test_tags=long
@test "inference: sums of which only the first number is made, one in two of them" {
    for after in 1000 1001; do
        for mode in blocking host; do
            OVL_DROP_PART=sum OVL_DROP_EVERY=2 AFTER=$after dropping all ovl_serve --strategy tp --mode $mode
            [[ $err == *"wrong data: gpt2-small, "*" of iteration "* ]]
        done
    done
}

# bats test_tags=long
@test "inference by the small network: tokens that do not follow from what came are named" {
    export SERVE=--tiny
    dropping all ovl_serve --mode host
    [[ $err == *"wrong data: tiny, "*" keys and values of request 0, part 0, at rank 1, of rank 0" ]]
    AFTER=5 dropping nonblocking ovl_serve --strategy tp
    [[ $err == *"wrong data: tiny, "*" request "*", place "*", seen at rank 0" ]]
}

# bats test_tags=long
@test "inference: with and without halves of a batch, and by the small network, in each mode alone" {
    every_mode ovl_serve --strategy tp
    every_mode ovl_serve --strategy tp --overlap two
    every_mode ovl_serve "${tier[@]}"
    AFTER=5 dropping nonblocking ovl_serve --strategy tp --overlap two
    SERVE="$ep" every_mode ovl_serve
    SERVE="$ep" AFTER=5 dropping nonblocking ovl_serve --overlap two
    SERVE=--tiny every_mode ovl_serve --strategy ep
    SERVE=--tiny every_mode ovl_serve
    SERVE=--tiny every_mode ovl_serve --strategy tp --overlap two
    SERVE=--tiny every_mode ovl_serve "${tier[@]}"
}

@test "applications: data of the sample before are not taken for those of this one" {
    for name in $(listed applications); do
        AFTER=5 dropping nonblocking "$name"
    done
}

# bats test_tags=long
@test "applications: panels by all ways, halos of few and of many steps, and the blocking twins after some samples" {
    for bcast in ring ring-m 2ring 2ring-m long long-m ibcast; do
        for depth in 0 1 2 10; do
            [ -x "$OVL_BIN/ovl_hpl" ] || break
            BCAST=$bcast dropping nonblocking ovl_hpl --depth $depth
            BCAST=$bcast AFTER=5 dropping nonblocking ovl_hpl --depth $depth
        done
    done
    for steps in 1 2 3 100; do
        for calls in nonblocking blocking; do
            AFTER=5 dropping $calls ovl_halo --steps $steps
        done
    done
    AFTER=5 dropping nonblocking ovl_halo -g 5 --steps 50
    for name in $(listed applications | grep -v hpl); do # whose blocking scheme waits for non-blocking calls at once
        AFTER=5 dropping blocking "$name"
    done
}

# bats test_tags=long
@test "training: every strategy, in every mode" {
    strategies=$("$OVL_BIN/ovl_train" --strategy none --dump-plan 2>&1 | sed 's/.*give one of //; s/,/ /g')
    [ "$(wc -w <<<"$strategies")" -ge 10 ]
    for strategy in $strategies; do
        case $strategy in
        tp | moe | 3d) TRAIN="--model gpt2 --scale-bytes 1000" ;;
        *) TRAIN="--model resnet20" ;;
        esac
        every_mode ovl_train --strategy "$strategy"
        AFTER=5 dropping nonblocking ovl_train --strategy "$strategy"
    done
    for overlap in shared two; do
        TRAIN="--model gpt2 --scale-bytes 1000 -b 2" every_mode ovl_train --strategy moe --overlap $overlap
    done
    for strategy in ddp horovod zero1 zero2 zero3 fsdp; do
        TRAIN=--tiny every_mode ovl_train --strategy $strategy
        TRAIN=--tiny AFTER=60 dropping nonblocking ovl_train --strategy $strategy
    done
    for compress in fp16 bf16 szx:0.5; do
        every_mode ovl_train --compress $compress
    done
}

# each_sample BYTE CALLS PROGRAM OPTION...: in host mode, damages that byte of so many messages, wherever this begins at a
# multiple of CALLS; or, with FROM, from that number on, serves them from as many before. Sets `found` and `tried`.
each_sample() {
    local byte=$1 calls=$2 program=$3 after=${FROM:-0} of=$((${FROM:-0} + 1))
    shift 3
    found=0 tried=0
    while [ $after -lt "$of" ]; do
        PRELOAD="$OVL_SHIM/corrupt.so:$OVL_SHIM/yield.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=$byte OVL_CORRUPT_AFTER=$after"
        PRELOAD+=" OVL_CORRUPT_COUNT=$calls ${FROM:+OVL_CORRUPT_LIKE=$calls}" drive 2 "$program" "$@" "${short[@]}" --mode host
        [[ $err != *"wrong data"* ]] || code_is 4
        [ "$code" = 4 ] || code_is "${measured[@]}"
        [ "$code" != 4 ] || found=$((found + 1))
        of=$(sed -n 's/^corrupt: //p' "$BATS_TEST_TMPDIR/err")
        tried=$((tried + 1))
        after=$((after + calls))
    done
    echo "$program: $found of $tried"
}

# A scheme has 15 samples here: 2 C that warm up, a T that validates, and a C and a T of each of 6 blocks.
# bats test_tags=long
@test "applications: damage in one sample is seen if that is a T, and a C is not looked at" {
    each_sample 1500 1 ovl_halo -g 16 --steps 1
    [ "$found $tried" = "7 15" ]
    each_sample 100 3 ovl_fft3d -g 8 # half a pair; and half of one whose spectrum is known
    [ "$found $tried" = "15 31" ]
    each_sample 100 2 ovl_train --compute-us 500 --model resnet20 # has 3 C more
    [ "$found $tried" = "7 18" ]
    [ -x "$OVL_BIN/ovl_hpl" ] || return 0
    each_sample 1030 3 ovl_hpl -n 32 --nb 8 --procs 1x2 --depth 1 --bcast ibcast
    [ "$found $tried" = "7 15" ]
}

# bats test_tags=long
@test "applications: what the sample before brought, a C or a T, does not pass in a T" {
    FROM=1 each_sample 1500 1 ovl_halo -g 16 --steps 1 --seed 2 # some C come right before a T
    [ "$found $tried" = "6 14" ]
    FROM=4 each_sample 1500 4 ovl_halo -g 16
    [ "$found $tried" = "6 14" ]
    FROM=9 each_sample 100 6 ovl_fft3d -g 8
    [ "$found $tried" = "6 14" ]
    FROM=2 each_sample 100 2 ovl_train --compute-us 500 --model resnet20
    [ "$found $tried" = "7 17" ]
    [ -x "$OVL_BIN/ovl_hpl" ] || return 0
    FROM=3 each_sample 1030 3 ovl_hpl -n 32 --nb 8 --procs 1x2 --depth 1 --bcast ibcast
    [ "$found $tried" = "6 14" ]
}
