#!/usr/bin/env bats
# ovl_train as a user runs it: its plans without a launcher, what it prints and records, that wrong sums are seen, and
# what it refuses. What each strategy moves, and what the small network learns by it, is for tests/mpi/train.c, of many in one job.

load lib

short=(-i 6:6 -x 0 --max-time 5 --compute sleep --compute-us 500)

# posts: of a dumped plan, the operations with their bytes.
posts() { sed -n 's/.*"kind":"POST","op":"\([a-z_]*\)","bytes":\([0-9]*\).*/\1 \2/p'; }

digest() { sha256sum "$1" | cut -c 1-64; }

@test "a plan is printed without a launcher, as JSON: the messages of PyTorch and Horovod to the byte" {
    [ "$("$OVL_BIN/ovl_train" --dump-plan --model resnet50 --strategy ddp | posts | cut -d' ' -f2 | xargs)" = \
        "8196000 31502336 26255360 26550272 9724160" ]
    for cycle in full all; do
        [ "$("$OVL_BIN/ovl_train" --dump-plan --strategy horovod:0.19 --cycle $cycle | posts | xargs)" = \
            "iallreduce 66117644 iallreduce 66088960 iallreduce 30711808" ]
    done
    [ "$("$OVL_BIN/ovl_train" --dump-plan --model resnet50 --strategy horovod:0.25 | posts)" = "iallreduce 102228128" ]
    "$OVL_BIN/ovl_train" --dump-plan --plan 8 --plan-rank 3 >dump
    [ "$(tail -n 2 dump | head -n 1)" = '{"kind":"STEP"}' ]
    [ "$(grep -c POST dump)" = "$(grep -c WAIT dump)" ]
    # Five ms of the backward pass at a time: more and smaller messages, of the same bytes.
    "$OVL_BIN/ovl_train" --dump-plan --strategy horovod --cycle 5ms | posts >cycles
    [ "$(wc -l <cycles)" -gt 8 ]
    [ "$(awk '{ n += $2 } END { printf "%d", n }' cycles)" = 162918412 ]
    "$OVL_BIN/ovl_train" --plan 64:8 --model gpt2 >told
    grep -q '124439808 parameters in 148 tensors' told
    grep -q '13 iallreduce of 474.7 MiB in all' told
    timeout 60 "$OVL_BIN/ovl_train" --plan 16777216:8 | grep -q ' on 16777216 ranks, 8 a node' # the most there may be
    # A network that learns has its samples for all ranks together; and a node has no more ranks than there are.
    "$OVL_BIN/ovl_train" --plan 4:8 --tiny | grep -qx 'tiny, ddp, on 4 ranks, 4 a node, batch 1: 24 samples a step'
    # Of parts of a gather a node with one rank lacks 8 of 9, twice 155.4 MiB; of the sums it needs its own part, 1 of 9.
    "$OVL_BIN/ovl_train" --plan 9:8 --strategy zero3 |
        grep -qx '  link      293.5 MiB come in over the link of a node in a step: of node 1, the most of all 2'
    # Operations, their tokens and the link at one scale: a node of one rank sends and gets what a ring does.
    "$OVL_BIN/ovl_train" --plan 2 --model resnet50 --scale-bytes 16 >told
    grep -q '^  rank 0  *5 iallreduce of 6.1 MiB in all, 6.1 MiB by a ring$' told
    grep -q '^  link      6.1 MiB come in over' told
    "$OVL_BIN/ovl_train" --plan 2 --model gpt2 --strategy moe --scale-bytes 16 >told
    tokens=$(sed -n 's/^  dispatch  24 of \(.*\) in all in f8.*/\1/p' told)
    "$OVL_BIN/ovl_train" --plan 2 --model gpt2 --strategy moe >told
    [ "$tokens" = "$(sed -n 's/^  dispatch  24 of \(.*\) MiB in all in f8.*/\1/p' told | awk '{ printf "%.1f MiB", $1 / 16 }')" ]
    # The batch of a microbatch is not that of a rank.
    "$OVL_BIN/ovl_train" --plan 4 --model gpt2 --strategy tp -b 8 --link-rate 10gbit --latency 2us |
        grep -q '^# problem   gpt2, tp, batch 8, 8 samples a step, f32: '
    # A rank's limit of memory holds for plans, as it does for runs.
    for network in "" "--link-rate 10gbit --latency 2us"; do
        # shellcheck disable=SC2086
        if "$OVL_BIN/ovl_train" --plan 4 -M 100M $network >told 2>&1; then return 1; fi
        [ "$(cat told)" = "ovl_train: --model edsr_x2, --strategy ddp: messages need 310.7 MiB a rank, and a rank has 100.0 MiB by --mem-limit; give --scale-bytes, or a smaller model" ]
    done
    # A hundred thousand ranks, of which each stage is looked at, and each node.
    timeout 60 "$OVL_BIN/ovl_train" --plan 99996:8 --model gpt2 --strategy 3d --tp 12 --pp 13 --microbatches 1000 >told
    grep -q '^  rank 0     2000 isendrecv of 5.9 GiB in all, 2.9 GiB to other ranks: of stage 0, the most of all 13$' told
    grep -q '^  link .*, the most of all 12500$' told
    # Messages of more numbers than MPI counts are told, though none can be posted.
    "$OVL_BIN/ovl_train" --plan 6 --strategy tp --model gpt2 -b 10000 | grep -q '; messages here: 2.9 TiB$'
}

# bats test_tags=long
@test "pipelines and grids of ranks: their plans, their bubble, and what their records say" {
    "$OVL_BIN/ovl_train" --strategy pp --plan 4 --microbatches 8 | grep -q '^  bubble    0.375 of the work'
    "$OVL_BIN/ovl_train" --strategy pp --plan 4 --microbatches 8 --interleave 2 | grep -q '^  bubble    0.1875 of the work'
    "$OVL_BIN/ovl_train" --strategy 3d --tp 2 --pp 2 --model gpt2 --plan 16:4 >told
    grep -q 'gpt2, 3d, on 16 ranks, 4 a node, batch 1: 16 samples a step' told
    grep -q '^  memory    1.[0-9] GiB a rank' told
    # Between the stages a block's output, 1024 x 14 x 14 numbers: 8 of them come back to rank 1.
    "$OVL_BIN/ovl_train" --model resnet152 --strategy pp --plan 4:2 |
        grep -qx '  link      6.1 MiB come in over the link of a node in a step: of node 0, the most of all 2'
    "$OVL_BIN/ovl_train" --model gpt2 --strategy 3d --tp 2 --pp 4 --plan 32:8 |
        grep -q '^  link      932.9 MiB come in' # 1.5 times all parameters, the words twice, by replicas
    for with in "pp --interleave 2 --microbatches 6" "3d --tp 2 --pp 1 --microbatches 1"; do
        # shellcheck disable=SC2086
        measure 3 ovl_train --strategy $with --model gpt2 --scale-bytes 500 --mode blocking,dpu --workers 1 --json r.jsonl \
            "${short[@]}" --max-time 1
    done
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true true" ]
    [ "$(field pipeline | uniq | xargs)" = "1x2x2 2x1x1" ]
    [ "$(field step_samples | uniq | xargs)" = "6 1" ]
    # A block's output between any two stages; the words' gradients between both ends, at the end (Megatron-LM).
    for stages in 2 3 4 8 12; do
        for rank in 0 $((stages - 1)); do
            "$OVL_BIN/ovl_train" --dump-plan --model gpt2 --strategy pp --plan $stages --plan-rank $rank | posts >sent
            [ "$(head -n -1 sent | sort -u)" = "isendrecv 3145728" ]
            [ "$(tail -n 1 sent)" = "iallreduce 154389504" ]
        done
        [ $stages = 2 ] || [ "$("$OVL_BIN/ovl_train" --dump-plan --model gpt2 --strategy pp --plan $stages --plan-rank 1 |
            posts | sort -u)" = "isendrecv 3145728" ]
    done
    # EDSR's head is added behind its blocks: its output goes along.
    [ "$("$OVL_BIN/ovl_train" --dump-plan --model edsr_x2 --strategy pp --plan 4 | posts | sort -u)" = "isendrecv 4718592" ]
    # A wrong byte between stages is seen, and one of tied weights' gradients, the only message so large.
    export OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=102
    PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_train --strategy pp --model resnet20 --mode host "${short[@]}"
    PRELOAD=$OVL_SHIM/corrupt.so OVL_CORRUPT_BYTE=500000 exits 4 2 ovl_train --strategy pp --model gpt2 --scale-bytes 200 \
        --mode host "${short[@]}"
}

@test "a mixture of experts: its plan, every word of its tokens, and what the record tells of them" {
    LIMIT=100
    moe=(ovl_train --strategy moe --model gpt2)
    "$OVL_BIN/ovl_train" "${moe[@]:1}" --plan 16:4 -b 2 --overlap two --capacity 1 --gate-skew 1 >told
    grep -qx '  rank [0-7] *96 ialltoallv of .* in all, about .* to other ranks: the most of all' told
    # Of the rank with most, which is not the first here: no other rank gives as many bytes of tokens.
    many=("${moe[@]:1}" -b 2 --overlap two --capacity 1 --gate-skew 1 --experts 16)
    most=$("$OVL_BIN/ovl_train" "${many[@]}" --plan 16:4 | sed -n 's/^  rank \([0-9]*\) *96 ialltoallv .*: the most of all.*/\1/p')
    [ "$(for rank in $(seq 0 15); do
        "$OVL_BIN/ovl_train" "${many[@]}" --dump-plan --plan 16 --plan-rank "$rank" |
            posts | awk -v rank="$rank" '/alltoallv/ { n += $2 } END { printf "%.0f %d\n", n, rank }'
    done | sort -rn | head -n 1 | cut -d' ' -f2)" = "$most" ]
    [ "$most" -gt 0 ]
    grep -q '^  experts   2 of 8, capacity 1, skew 1, f8 and bf16 a rank, two: 1 a rank, 2 rank(s) with each; 1\.[0-9]* times' told
    # Of 2 choices of each of 1024 tokens of 2 samples of each of 16 ranks in 12 layers.
    [ "$(grep -o '[1-9][0-9]* of 786432 choices dropped' told | wc -l)" = 1 ]
    grep -q '^  dispatch  48 of .* in all in f8, the largest ' told
    grep -q '^  combine   48 of .* in all in bf16, the largest ' told
    # All but the experts are everybody's: 67.8 million numbers and 12 routers, once in buckets.
    [ "$("$OVL_BIN/ovl_train" "${moe[@]:1}" --dump-plan | posts | awk '/iallreduce/ { n += $2 } END { printf "%.0f", n }')" = \
        $((4 * (124439808 - 12 * (8 * 768 * 768 + 5 * 768) + 12 * 768 * 8))) ]
    # Of a backward pass half the work has nobody to wait for it, but the update at its end: all but the scores', which
    # have no weights, 2 s^2 h multiply-adds in each of 12 blocks of two samples.
    "$OVL_BIN/ovl_train" "${moe[@]:1}" --dump-plan -b 2 --overlap two | grep '"work":"backward"' >back
    [ "$(awk -F'"units":' '{ split($2, n, ","); all += n[1]; if (/"lane":"bulk"/) bulk += n[1] }
        END { of = (all - 2 * 2 * 12 * 2 * 1024 ^ 2 * 768) / 2; print (bulk > 0.999 * of && bulk < 1.001 * of) }' back)" = 1 ]
    # A rank sends itself and others its tokens: all of them to all experts, of a byte there and of two bytes back.
    [ "$("$OVL_BIN/ovl_train" "${moe[@]:1}" --dump-plan --experts 2 | posts | grep alltoallv | sort -u | xargs)" = \
        "ialltoallv $((2 * 1024 * 768)) ialltoallv $((4 * 1024 * 768))" ]
    for with in "1 -b 2 --overlap two --mode blocking,host,host-t,dpu -t 1 --workers 1" \
        "2 --overlap none --dispatch f32 --combine f32 --top-k 3 --dtype bf16:f16:f8 --mode host,dpu --workers 1" \
        "3 --overlap shared --experts 3 --dispatch-per expert --gate-skew 1.5 --capacity 0.5 --mode host"; do
        ranks=${with%% *}
        case $with in *--workers*) ranks=$((ranks + 1)) ;; esac
        # shellcheck disable=SC2086
        measure $ranks "${moe[@]}" --scale-bytes 500 ${with#* } --json r.jsonl "${short[@]}" --max-time 1
    done
    "$OVL_BIN/ovl" validate r.jsonl
    "$OVL_BIN/ovl" show r.jsonl >shown
    [ "$(grep -cE '^# (blocking|host|host-t|dpu), experts [123] of [38], .*: exposed [0-9.]* ms of dispatch, [0-9.]* ms of combine;$' shown)" = 7 ]
    grep -q '^#   out .* MiB in f32, back .* MiB in f32; 1[.0-9]* times the mean tokens at the rank with most; 0 of 73728 choices dropped$' shown
    [ "$(field validated | xargs)" = "$(yes true | head -n 7 | xargs)" ]
    [ "$(grep -o '"moe":"[^"]*"' r.jsonl | cut -d'"' -f4 | uniq)" = "2 of 8, all tokens, skew 0, f8 and bf16 a rank, two
3 of 8, all tokens, skew 0, f32 and f32 a rank, none
2 of 3, capacity 0.5, skew 1.5, f8 and bf16 an expert, shared" ]
    # Of three experts less than half of the choices is taken.
    [ "$(field dropped | uniq | awk '{ print ($1 > 0) }' | xargs)" = "0 1" ]
    [ "$(field choices | uniq | xargs)" = "49152.0 73728.0" ]
    # In both passes over 12 blocks; of halves of a batch twice as many.
    grep -o '"exposed_dispatch_seconds":[^]]*' r.jsonl | awk -F, '{ print NF }' >values
    grep -o '"exposed_combine_seconds":[^]]*' r.jsonl | awk -F, '{ print NF }' | diff values -
    [ "$(uniq values | xargs)" = "48 24" ]
    [ "$(grep -o '"imbalance":\[[^]]*' r.jsonl | awk -F, '{ print NF }' | uniq | xargs)" = "24 12" ]
    # Work that nobody waits for has lanes of its own: with any overlap but none.
    [ "$(grep -c "\"bulk\":\[[0-9]" r.jsonl)" = 5 ]
    # Another mixture is another point; a record that lacks what was measured is no good one.
    sed 's/"moe":"2 of 8/"moe":"2 of 9/' r.jsonl >other.jsonl
    exits_tool 4 validate other.jsonl
    sed -E 's/"moe":\{[^}]*\}[^}]*\}[^}]*\},//' r.jsonl >lacks.jsonl
    exits_tool 4 validate lacks.jsonl
    grep -q '/moe: is missing, and this version tells it' out
}

# exits_tool CODE COMMAND...: of ovl; what it says in the file out.
exits_tool() {
    code=0
    "$OVL_BIN/ovl" "${@:2}" >out 2>&1 || code=$?
    code_is "$1"
}

@test "buckets of a file are those of ddp and zero" {
    echo "6511592 6567936 5905920 6113280 6176256 6112768 6176256 6112768 5321216 5194816 # of a proxy" >b
    for strategy in ddp zero1 zero2; do
        [ "$("$OVL_BIN/ovl_train" --dump-plan --model resnet152 --strategy $strategy --buckets b | posts | head -n 10 |
            cut -d' ' -f2 | xargs)" = \
            "26046368 26271744 23623680 24453120 24705024 24451072 24705024 24451072 21284864 20779264" ]
    done
    measure 2 ovl_train --model resnet152 --buckets b --scale-bytes 100 --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    grep -q '"buckets": *"10 of a file, ' r.jsonl
    grep -qF '"input_files":{"model":"'"$(digest "$OVL_TOP/src/apps/train/models/resnet152.json")"'","buckets":"'"$(digest b)"'"}' r.jsonl
    echo "500 524 -1" >b
    exits 4 2 ovl_train --model resnet20 --buckets b
    one_line
    says "--buckets b: line 1: give whole numbers of parameters"
}

@test "a model of which nodes have other files is refused" {
    mkdir other
    cp "$OVL_TOP/src/apps/train/models/resnet20.json" net.json
    sed 's/"repeat": *[0-9]*/"repeat": 1/' net.json >other/net.json
    printf '#!/bin/sh\n[ "$PMI_RANK$OMPI_COMM_WORLD_RANK" = 0 ] || cd other\nexec "$OVL_BIN/ovl_train" "$@"\n' >apart
    chmod +x apart
    export OVL_BIN
    # shellcheck disable=SC2086
    code=0 && timeout -k 5 60 $OVL_MPIEXEC -n 2 ./apart --model ./net.json "${short[@]}" >told 2>&1 </dev/null || code=$?
    cat told
    code_is 5
    grep -q '^ovl_train: --model: rank 1 read another file than rank 0; give all nodes the same$' told
}

@test "schemes are cells of one run, with all sums checked; the table is shown again from the record" {
    measure 2 ovl_train --model resnet56 --scale-bytes 4 --mode blocking,host,host-t -t 2 --json r.jsonl "${short[@]}"
    [ "$(rows | awk '{print $1, $2, $3}')" = "resnet56 ddp blocking
resnet56 ddp host
resnet56 ddp host-t" ]
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true" ]
    [ "$(field tests | xargs)" = "0 0 2" ]
    [ "$(field step_samples | xargs)" = "2 2 2" ]
    [ "$(field block_group | sort -u | wc -l)" = 1 ]
    [ "$(grep -c '"samples_per_second":{"value":' r.jsonl)" = 3 ]
    [ "$(grep -c '"histogram":\[{"class":"128 KiB to 16 MiB","calls":2,"bytes":853020.0,' r.jsonl)" = 3 ]
    [ "$(grep -c '"curve":{"exposed_comm_seconds":\[[0-9.e-]*,[0-9.e-]*\],"comm_seconds":' r.jsonl)" = 3 ]
    "$OVL_BIN/ovl" show r.jsonl >shown
    diff shown <(echo "$out")
}

@test "one rank and three, workers too, which prove what they carried" {
    measure 1 ovl_train --model resnet20 --json r.jsonl "${short[@]}"
    grep -q '^# warning   one rank: nothing is communicated' <<<"$out"
    measure 4 ovl_train --model edsr_x2 --strategy horovod:0.19 --scale-bytes 500 --mode blocking,host,dpu --workers 1 \
        --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field mode | xargs)" = "blocking host blocking host dpu" ]
    [ "$(field validated | sort -u)" = true ]
    # Three operations of three ranks, in C and T of 6 blocks, and again what started late.
    ops=$(field worker_ops | tail -n 1)
    [ "$ops" -ge 108 ] && [ $((ops % 9)) = 0 ]
}

@test "a strategy's record has its name and the samples of a step" {
    for with in "zero1 --model resnet20" "tp --model gpt2 --scale-bytes 500" "zero3 --model resnet20"; do
        # shellcheck disable=SC2086
        measure 3 ovl_train --strategy $with --mode host,dpu --workers 1 --json r.jsonl "${short[@]}" --max-time 1
    done
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | uniq)" = true ]
    [ "$(field strategy | uniq | xargs)" = "zero1 tp zero3" ]
    [ "$(field step_samples | uniq | xargs)" = "2 1 2" ]
}

@test "DeepSpeed's buckets have as many numbers of any type" {
    for dtype in f32 bf16 f8; do
        "$OVL_BIN/ovl_train" --dump-plan --model bert-2.5b --strategy zero2:deepspeed --dtype $dtype --plan 4 | posts |
            grep -c iallreduce
    done >buckets
    [ "$(xargs <buckets)" = "5 5 5" ]
    measure 1 ovl_train --strategy zero2:deepspeed --dtype f16:f16:f32 --scale-bytes 100000 --mode host --json r.jsonl \
        "${short[@]}" --max-time 1
    "$OVL_BIN/ovl" validate r.jsonl
    grep -q '"buckets":"2000000000, 1000000000"' r.jsonl
}

# bats test_tags=long
@test "the records of DeepSpeed's, Megatron's and Horovod's own ways have their buckets, and their wrong bytes are seen" {
    for with in "zero1:deepspeed --model resnet20" "zero2:overlap_comm --model resnet56 --bucket 500K" \
        "zero3:deepspeed --model gpt2 --scale-bytes 500 --bucket 64M" "horovod --fusion 0 --model resnet20" \
        "tp:sequence --model bert-large --scale-bytes 500"; do
        # shellcheck disable=SC2086
        measure 1 ovl_train --strategy $with --mode host --json r.jsonl "${short[@]}" --max-time 1
    done
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true true true" ]
    [ "$(grep -o '"strategy":"[^"]*"' r.jsonl | cut -d'"' -f4 | uniq | xargs)" = \
        "zero1:deepspeed zero2:overlap_comm zero3:deepspeed horovod tp:sequence" ]
    [ "$(grep -o '"buckets":"[^"]*"' r.jsonl | cut -d'"' -f4 | uniq | paste -sd ';')" = \
        "2000000000, 2000000000;512000, 512000;67108864, 67108864;0, cycle full;1048576, 26214400" ]
    # A wrong byte of what is gathered behind the update is seen.
    export OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=3000
    PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_train --strategy zero3:deepspeed --model resnet20 --mode host "${short[@]}"
}

# bats test_tags=long
@test "a small network learns the same on any ranks, by the host and by workers, and its record has the losses" {
    tiny=(--tiny -i 6:6 -x 0 --max-time 1 --compute-us 200 --json r.jsonl)
    measure 1 ovl_train "${tiny[@]}"
    measure 3 ovl_train "${tiny[@]}" --mode blocking,host,dpu --workers 1 --strategy zero2:overlap_comm --bucket 3000
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | uniq)" = true ]
    grep -o '"loss":[^]]*' r.jsonl >losses
    [ "$(wc -l <losses)" = 5 ]
    [ "$(sort -u losses | wc -l)" = 1 ]
    # Fifty steps; the last ten at under half of the first ten.
    head -n 1 losses | tr -d '[' | cut -d: -f2 | tr , '\n' |
        awk '{ n++; if (n <= 10) a += $1; if (n > 40) b += $1 } END { exit !(n == 50 && b < a / 2) }'
    # A wrong sum makes another network: exit 4.
    export OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=1005
    PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_train "${tiny[@]}" --mode host
    says "wrong data: tiny"
}

# bats test_tags=long
@test "numbers of any type: messages of as many bytes, and what models and records say of them" {
    [ "$("$OVL_BIN/ovl_train" --dump-plan --model resnet50 --strategy ddp --dtype bf16 --bucket 12800K --first-bucket 512K |
        posts | cut -d' ' -f2 | xargs)" = "4098000 15751168 13127680 13275136 4862080" ] # half of those of PyTorch
    [ "$("$OVL_BIN/ovl_train" --dump-plan --model gpt2 --strategy pp --plan 3 --plan-rank 1 --dtype f32:f32:f8 |
        posts | sort -u)" = "isendrecv 786432" ]
    "$OVL_BIN/ovl_train" --plan 64:8 --model gpt2 --dtype bf16:f32 | grep -q ' for a sample; numbers are bf16:f32$'
    "$OVL_BIN/ovl_train" --plan 64:8 --model gpt2 --dtype bf16 --bucket 12800K | grep -q ' iallreduce of 237.4 MiB in all'
    for with in "f16 --model resnet20" "bf16:f32:f8 --strategy tp --model gpt2 --scale-bytes 500"; do
        # shellcheck disable=SC2086
        measure 1 ovl_train --dtype $with --mode host --json r.jsonl "${short[@]}" --max-time 1
    done
    measure 3 ovl_train --model resnet20 --dtype i8 --strategy zero2 --mode blocking,dpu --workers 1 --json r.jsonl \
        "${short[@]}" --max-time 1
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true true" ]
    [ "$(grep -o '"dtype":"[^"]*"' r.jsonl | cut -d'"' -f4 | uniq | xargs)" = "f16 bf16:f32:f8 i8" ]
    # A model's own; what is none of them has its place.
    sed 's/"dtype": *"f32"/"dtype":{"parameters":"bf16","gradients":"f16","activations":"i8"}/' \
        "$OVL_TOP/src/apps/train/models/resnet20.json" >mine.json
    measure 2 ovl_train --model ./mine.json --json own.jsonl --mode host "${short[@]}" --max-time 1
    grep -qF '"dtype":"bf16:f16:i8"' own.jsonl
    sed -i 's/"f16"/"f64"/' mine.json
    exits 4 2 ovl_train --model ./mine.json
    one_line
    says 'mine.json: dtype.gradients: give "f32", "bf16", "f16", "f8" or "i8"'
    # A wrong bit of a sum is seen.
    PRELOAD=$OVL_SHIM/corrupt.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=20000 exits 4 2 ovl_train --model resnet56 --mode host \
        --dtype bf16 "${short[@]}"
    says "wrong data: resnet56"
}

# bats test_tags=long
@test "gradients in half precision are one allreduce, and those of a file are read" {
    # PyTorch's buckets, half as many bytes.
    [ "$("$OVL_BIN/ovl_train" --dump-plan --model resnet50 --compress fp16 | posts | cut -d' ' -f2 | xargs)" = \
        "4098000 15751168 13127680 13275136 4862080" ]
    "$OVL_BIN/ovl_train" --plan 64:8 --model gpt2 --compress bf16 | grep -q '13 iallreduce of 237.4 MiB in all'
    measure 3 ovl_train --model resnet56 --scale-bytes 4 --compress none,fp16 --mode blocking,dpu --workers 1 \
        --json r.jsonl "${short[@]}" --max-time 1
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | uniq)" = true ]
    # The operations of a step are two with it, as without it, of half the bytes.
    [ "$(grep -o '"class":"total","calls":2,"bytes":[0-9]*' r.jsonl | cut -d: -f4 | uniq | xargs)" = "853020 426510" ]
    [ "$(field worker_ops | grep -v null | awk '$1 % 4' | wc -l)" = 0 ] # two ranks' two
    [ "$(grep -o '"lossy":true,"ratio":[0-9.]*' r.jsonl | sed 's/.*://' | uniq)" = 2.0 ]
    printf '%b' "$(yes '\x00\x00\x80\x3d' | head -n 60000 | tr -d '\n')" >g
    measure 2 ovl_train --model resnet56 --scale-bytes 4 --bucket 64K --first-bucket 64K --compress szx:0.001,bf16 \
        --gradients g --mode host,host-t -t 1 --json file.jsonl "${short[@]}" --max-time 1
    "$OVL_BIN/ovl" validate file.jsonl
    grep -qF '"gradients":"'"$(digest g)"'"' file.jsonl
    # The same number everywhere: blocks of 128 are one number each.
    grep -o '"lossy":true,"ratio":[0-9.]*' file.jsonl | head -n 1 | sed 's/.*://' | awk '{ exit !($1 > 50) }'
    # Workers carry the whole of a compressed allreduce: two operations of two ranks, and the rank measures its ratio beside.
    measure 3 ovl_train --model resnet56 --scale-bytes 4 --compress szx:0.25 --mode dpu --workers 1 --json carried.jsonl \
        "${short[@]}" --max-time 1
    "$OVL_BIN/ovl" validate carried.jsonl
    grep -o '"worker_ops":[0-9]*' carried.jsonl | cut -d: -f2 | awk '!($1 > 0 && $1 % 4 == 0) { bad = 1 } END { exit bad || NR != 1 }'
    grep -o '"lossy":true,"ratio":[0-9.]*' carried.jsonl | sed 's/.*://' | awk '!($1 > 1) { bad = 1 } END { exit bad || NR != 1 }'
    # But for what is too small for them.
    measure 3 ovl_train --model resnet56 --scale-bytes 4 --compress szx:0.25 --mode dpu --workers 1 --dpu-min 1G --json small.jsonl \
        "${short[@]}" --max-time 1
    grep -q '"lossy":true' small.jsonl
    if grep -q '"worker_ops":[1-9]' small.jsonl; then return 1; fi
    exits 3 2 ovl_train --model resnet56 --scale-bytes 4 --compress bf16 --gradients g --mode host "${short[@]}"
    one_line
    says "--gradients g: has 60000 numbers, and the largest message "
    printf 'abc' >>g
    exits 4 2 ovl_train --model resnet56 --compress bf16 --gradients g
    one_line
    says "--gradients g: ends inside number 60000, after 240003 bytes"
}

# bats test_tags=long
@test "compressed gradients: the error keeps its bound, the record says lossy, and the table is shown again" {
    LIMIT=100
    for how in szx:2 fp16 bf16; do
        measure 3 ovl_train --model resnet56 --scale-bytes 4 --bucket 64K --first-bucket 64K --mode blocking,host,host-t \
            -t 1 --compress $how --json r.jsonl "${short[@]}"
        grep -q "^# lossy, $how: ratio of the bytes sent [1-9]" <<<"$out"
    done
    "$OVL_BIN/ovl" show r.jsonl >shown
    grep -q '^# lossy, szx:2: ratio of the bytes sent' shown
    measure 4 ovl_train --model edsr_x2 --scale-bytes 500 --mode blocking,dpu --workers 1 --compress szx:5 \
        --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "$(yes true | head -n 11 | xargs)" ]
    [ "$(grep -o '"compress":"[a-z0-9:]*"}' r.jsonl | cut -d'"' -f4 | uniq | xargs)" = "szx:2 fp16 bf16 szx:5" ]
    [ "$(field lossy | uniq)" = true ]
    # Not exact, within (P + 1) times the bound of a value, and bytes are saved.
    paste -d ' ' <(field max_error) <(field bound) <(grep -o '"lossy":true,"ratio":[0-9.]*' r.jsonl | sed 's/.*://') | awk '
        NR <= 3 && !($1 > 0 && $1 <= $2 && $2 >= 8 && $2 < 8.001) { bad = 1 }
        NR > 3 && NR <= 9 && !($1 > 0 && $2 < 1e-6 && $3 == 2) { bad = 1 }
        NR > 9 && !($1 > 0 && $1 <= $2 && $2 >= 20 && $2 < 20.001 && $3 > 1) { bad = 1 }
        END { exit bad || NR != 11 }'
    # One after the other, at the same work; one rank, which starts apart from nobody.
    measure 1 ovl_train --model resnet56 --scale-bytes 4 --compress none,szx:0.25,fp16,bf16 --mode host,blocking \
        --json ways.jsonl "${short[@]}" --max-time 1
    "$OVL_BIN/ovl" validate ways.jsonl
    [ "$(grep -o '"compress":"[a-z0-9:.]*"}' ways.jsonl | cut -d'"' -f4 | uniq | xargs)" = "szx:0.25 fp16 bf16" ]
    [ "$(grep -c '"plain_total_seconds":[0-9.e-]*}' ways.jsonl)" = 6 ]
    [ "$(grep -o '"units":[0-9]*' ways.jsonl | sort -u | wc -l)" = 1 ]
    [ "$(grep -c '; total [0-9.]* of that without$' <<<"$out")" = 6 ]
    # One rank sends nothing: no ratio, and no link on which it pays.
    [ "$(grep -c '"ratio":null,.*"break_even_bytes_per_second":null' ways.jsonl)" = 6 ]
    [ "$(grep -c 'pays on no link' <<<"$out")" = 6 ]
    # What is compressed are gradients from the first operation on, no zeros: behind another way as well as alone.
    for how in szx:0.25 none,szx:0.25; do
        measure 2 ovl_train --model resnet56 --scale-bytes 4 --compress $how --mode blocking --json ratio.jsonl "${short[@]}"
    done
    grep -o '"lossy":true,"ratio":[0-9.]*' ratio.jsonl | sed 's/.*://' | xargs | awk '
        { exit !(NF == 2 && $1 > 1 && $2 / $1 > 0.97 && $2 / $1 < 1.03) }'
    # The small network learns from compressed gradients, which is no bitwise learning, and says so.
    rm r.jsonl
    for how in szx:0.01 bf16; do
        measure 3 ovl_train --tiny --compress $how --mode blocking,host,dpu --workers 1 --json r.jsonl "${short[@]}" --max-time 1
        grep -q "^# solves .*, lossy$" <<<"$out"
    done
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field lossy | uniq)" = true ]
    [ "$(field validated | uniq)" = true ]
    grep -o '"loss":[^]]*' r.jsonl | tr -d '[' | cut -d: -f2 | awk -F, '!($50 > 0 && $50 < $1 / 2 && $1 < 3) { bad = 1 } END { exit bad || NR != 6 }'
    # Whoever carries them, the same sums; and others than exact ones.
    [ "$(grep -o '"loss":[^]]*' r.jsonl | sort -u | wc -l)" = 2 ]
    drive 1 ovl_train --tiny --json exact.jsonl --mode host "${short[@]}" --max-time 1
    if grep -qF "$(grep -o '"loss":[^]]*' exact.jsonl)" r.jsonl; then return 1; fi
    PRELOAD=$OVL_SHIM/corrupt.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=900 exits 4 2 ovl_train --tiny --mode host \
        --compress bf16 "${short[@]}"
    # A byte of a piece that is another one is beyond the bound, or no piece at all: exit 4.
    export OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=20000
    PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_train --model resnet56 --mode host --compress bf16 "${short[@]}"
    says "wrong data: resnet56"
}

# losses FILE: the first curve of losses, a value a line.
losses() { grep -o '"loss":[^]]*' "$1" | head -n 1 | tr -d '[' | cut -d: -f2 | tr , '\n'; }

@test "checkpoints are those of their steps, whoever writes them, and --resume goes on to the last bit" {
    LIMIT=100
    tiny=(--tiny -i 6:6 -x 0 --max-time 1 --compute-us 200 --json r.jsonl --checkpoint-dir)
    measure 1 ovl_train --tiny -i 6:6 -x 0 --max-time 1 --compute-us 200 --json whole.jsonl --mode host
    for kind in root thread helper sharded sharded-thread sharded-helper; do
        mkdir $kind
        measure 3 ovl_train "${tiny[@]}" $kind --checkpoint $kind --epochs 1 --steps-per-epoch 30 --checkpoints-per-epoch 3
        grep -q "^#   $kind .*: 3 checkpoints of" <<<"$out"
        rm -f resumed.jsonl
        measure 2 ovl_train "${tiny[@]}" $kind --resume --json resumed.jsonl --mode host
        [ "$(losses resumed.jsonl | grep -c null)" = 25 ]
        [ "$(losses resumed.jsonl | tail -n 25 | xargs)" = "$(losses whole.jsonl | tail -n 25 | xargs)" ]
    done
    mkdir all
    measure 3 ovl_train --model resnet56 --scale-bytes 4 "${short[@]}" --mode host,dpu --workers 1 --json r.jsonl \
        --checkpoint root,thread,helper,sharded,sharded-thread,sharded-helper --checkpoint-dir all --steps-per-epoch 6 \
        --checkpoints-per-epoch 3 --epochs 2 --state 2
    "$OVL_BIN/ovl" validate r.jsonl
    # 853018 parameters / 4, with momentum, in whole or in parts.
    [ "$(tail -n 2 r.jsonl | head -n 1 | grep -o '"count":3.0,"bytes":[0-9]*' | cut -d: -f3 | xargs)" = \
        "1706036 1706036 1706036 1706036 1706036 1706036" ]
    [ "$(tail -n 2 r.jsonl | head -n 1 | grep -o '"copy_seconds":' | wc -l)" = 4 ]
    [ "$(field validated | sort -u)" = true ]
    [ -z "$(find . -name '.ovl-*')" ]
    # Those of two bytes take half of it, in whole words.
    mkdir half
    measure 2 ovl_train --model resnet56 --scale-bytes 4 --dtype bf16 "${short[@]}" --mode host --json half.jsonl \
        --checkpoint root,sharded --checkpoint-dir half --steps-per-epoch 6 --checkpoints-per-epoch 3 --epochs 1 --state 2
    [ "$(grep -o '"count":3.0,"bytes":[0-9]*' half.jsonl | cut -d: -f3 | xargs)" = "853020 853020" ]
    exits 3 2 ovl_train --model resnet56 --scale-bytes 4 "${short[@]}" --mode host --checkpoint root --checkpoint-dir half --resume --state 2
    says "give the options of that run"
}

# bats test_tags=long
@test "by ZeRO each rank has its part of Adam's state, which rank 0 gathers to write all of it" {
    mkdir z
    measure 3 ovl_train --model resnet56 --scale-bytes 4 --strategy zero1 "${short[@]}" --mode host --json z.jsonl \
        --checkpoint root,sharded,sharded-thread --checkpoint-dir z --state-bytes 12 --steps-per-epoch 6 --checkpoints-per-epoch 2 \
        --epochs 6
    "$OVL_BIN/ovl" validate z.jsonl
    [ "$(grep -o '"count":2.0,"bytes":[0-9]*' z.jsonl | cut -d: -f3 | xargs)" = "2559056 2559056 2559056" ]
    [ "$(grep -o '"ci_low":[-0-9.]*' <<<"$(grep -o '"epochs":.*' z.jsonl)" | wc -l)" -ge 3 ]
    grep -q '^#   sharded-thread .* % \[.*\]): 2 checkpoints of 2.441 MiB, .* ms in them, .* ms copied, ' <<<"$out"
    measure 2 ovl_train --model resnet56 --scale-bytes 4 "${short[@]}" --mode host --state-bytes 12 --checkpoint-dir z --resume \
        --checkpoint root --steps-per-epoch 6 --checkpoints-per-epoch 2 --epochs 6 --json goes-on.jsonl
}

@test "by ZeRO's stages 1 and 2 rank 0 gets no parameters before it writes them, by stage 3 it does" {
    for strategy in zero1 zero2 zero3; do
        mkdir $strategy
        OVL_RECV_DELAY_US=900000 PRELOAD=$OVL_SHIM/slow_recv.so measure 2 ovl_train --model resnet20 --strategy $strategy \
            "${short[@]}" --mode host --checkpoint root --checkpoint-dir $strategy --steps-per-epoch 2 --checkpoints-per-epoch 1 \
            --epochs 1 --json r.jsonl
    done
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(grep -o '"epochs":.*' r.jsonl | grep -o '"stall_seconds":[0-9.]*' | awk -F: '{ print ($2 >= 0.9) }' | xargs)" = \
        "0 0 0 0 0 1" ] # none and root, of each
}

# bats test_tags=long
@test "failures: all go back to the last whole checkpoint, play what was lost again, and end where they must" {
    LIMIT=100
    for kinds in root,sharded helper,sharded-helper; do
        mkdir $kinds
        measure 2 ovl_train --model resnet20 --strategy zero1 --compute sleep --compute-us 300 -i 6:6 -x 0 --max-time 1 --mode host \
            --checkpoint $kinds --checkpoint-dir $kinds --steps-per-epoch 60 --epochs 6 --mtbf 12 --json r.jsonl
        "$OVL_BIN/ovl" validate r.jsonl
        grep -q '^# failures every 12 steps in the mean, epochs of 60 steps of ' <<<"$out"
        for kind in ${kinds/,/ }; do
            grep -q "^#   $kind  *every 15 steps (4 an epoch): goodput [0-9.]* % \[[0-9.]*, [0-9.]*\], of these failures [0-9.]* %, expected [0-9.]* %; [0-9.]* failures, [0-9.]* steps lost, " <<<"$out"
            grep -q "^#   $kind  *every 6 steps (10 an epoch): " <<<"$out"
            grep -q "^#   $kind  *every [0-9]* steps (daly; young: [0-9]*): " <<<"$out"
        done
        # Failures are those of the seed, whoever writes.
        [ "$(grep -o '"failures":[0-9.]*' r.jsonl | awk -F: '$2 < 1 { few++ } END { print NR, few + 0 }')" = "6 0" ]
        [ -z "$(find $kinds -name '.ovl-*')" ]
        [ -z "$(running ovl_train --mtbf.12)" ]
        "$OVL_BIN/ovl" show r.jsonl >shown
        diff shown <(echo "$out")
        # What is played and lost follows from the seed: exactly, or, where a helper takes checkpoints with it, at least.
        for change in 's/"failures":[0-9]*/"failures":0/' 's/"lost_steps":[0-9]*/"lost_steps":0/' 's/"goodput":0/"goodput":1/' \
            's/"expected_goodput":0/"expected_goodput":1/' 's/"drawn_goodput":0/"drawn_goodput":1/' \
            's/"interval_steps":15/"interval_steps":20/' 's/"mtbf_steps":12/"mtbf_steps":24/'; do
            sed "$change" r.jsonl >other.jsonl
            code=0 && "$OVL_BIN/ovl" validate other.jsonl >problems || code=$?
            [ "$code" = 4 ]
            grep -q '/faults/.*, but the samples give ' problems
        done
        if command -v gnuplot >/dev/null; then
            "$OVL_BIN/ovl" plot r.jsonl --chart excess,goodput
            for text in 'train: goodput with failures' "${kinds%,*}" "${kinds#*,}" 'failures every 12 steps' 'steps between checkpoints'; do
                tr -d '\n' <train-goodput.svg | sed 's/<[/]*tspan[^>]*>//g' | grep -q -- "$text" || { echo "not in it: $text"; return 1; }
            done
            for text in 'train: what checkpoints cost' "${kinds%,*}" "${kinds#*,}" 'longer (%)'; do
                tr -d '\n' <train-excess.svg | sed 's/<[/]*tspan[^>]*>//g' | grep -q -- "$text" || { echo "not in it: $text"; return 1; }
            done
        fi
        rm r.jsonl
    done
    mkdir tiny
    measure 3 ovl_train --tiny -i 6:6 -x 0 --max-time 1 --compute-us 200 --mode host --checkpoint sharded-helper --checkpoint-dir tiny \
        --steps-per-epoch 24 --epochs 1 --mtbf 9
}

@test "a training that is killed leaves its last whole checkpoint; damage and full disks are one line" {
    mkdir c
    tiny=(--tiny -i 6:6 -x 0 --max-time 1 --compute-us 200 --mode host --checkpoint-dir c)
    # shellcheck disable=SC2086
    timeout 60 $OVL_MPIEXEC -n 2 "$OVL_BIN/ovl_train" "${tiny[@]}" --checkpoint helper --steps-per-epoch 1000000 \
        --checkpoints-per-epoch 100000 >killed 2>&1 &
    for _ in $(seq 200); do
        [ "$(find c -name 'step-*' | wc -l)" -ge 2 ] && break
        sleep 0.1
    done
    running ovl_train --steps-per-epoch.1000000 | xargs kill -9 || true # the launcher may end one sooner
    wait $! || true
    rm -f c/.ovl-*
    find c -name 'step-*' | sort >before
    newest=$(tail -n 1 before)
    measure 2 ovl_train "${tiny[@]}" --resume
    exits 3 2 ovl_train "${tiny[@]}" --checkpoint root
    one_line
    says "--checkpoint-dir c: has checkpoints; give --resume, or another folder"
    exits 3 2 ovl_train --model resnet20 "${tiny[@]:1}" --resume
    says "--resume: no step goes on from it; give --checkpoint, too"
    exits 3 2 ovl_train --model resnet20 "${tiny[@]:1}" --resume --checkpoint root
    says "is of tiny, with 1012 numbers of 8 bytes"
    printf X | dd of="$newest" bs=1 seek=1000 conv=notrunc status=none
    exits 4 2 ovl_train "${tiny[@]}" --resume
    one_line
    says "$newest: damaged at bytes 120 to 8216; remove it"
    rm "$newest"
    if [ "$(wc -l <before)" -ge 2 ]; then
        measure 2 ovl_train "${tiny[@]}" --resume
    fi
    # A helper that is killed is named, long before the epoch would end.
    mkdir helper
    # shellcheck disable=SC2086
    timeout 60 $OVL_MPIEXEC -n 2 "$OVL_BIN/ovl_train" "${tiny[@]}" --checkpoint-dir helper --checkpoint helper \
        --steps-per-epoch 1000000 --checkpoints-per-epoch 100000 >out 2>all &
    for _ in $(seq 200); do
        [ "$(find helper -name 'step-*' | wc -l)" -ge 2 ] && break
        sleep 0.1
    done
    for pid in $(running ovl_train --steps-per-epoch.1000000); do
        case $(readlink "/proc/$(ps -o ppid= -p "$pid" | tr -d ' ')/exe") in */ovl_train) kill -9 "$pid" || true ;; esac
    done
    code=0
    wait $! || code=$?
    err=$(grep -a '^ovl_' all)
    code_is 5
    one_line
    says "the helper of rank 0 (process "
    mkdir full
    export OVL_FULL_DISK=1000000
    for kind in root thread helper sharded sharded-helper; do
        PRELOAD=$OVL_SHIM/full_disk.so exits 5 2 ovl_train --model resnet56 "${short[@]}" --mode host --checkpoint $kind \
            --checkpoint-dir full --steps-per-epoch 8
        one_line
        says ".ckpt: cannot write"
        says "bytes: No space left on device; give a --checkpoint-dir with room"
        [ -z "$(ls -A full)" ]
    done
}

@test "a timeline has the work and the operations of all ranks in each scheme" {
    measure 3 ovl_train --model resnet56 --scale-bytes 10 --mode blocking,host,dpu --timeline t.json "${short[@]}"
    if command -v python3 >/dev/null; then
        python3 -c 'import json; json.load(open("t.json"))'
    fi
    for scheme in blocking host dpu; do
        for rank in 0 1; do grep -q "\"name\":\"$scheme, rank $rank\"" t.json; done
    done
    [ "$(grep -c '"name":"iallreduce","ph":"X"' t.json)" = 12 ] # two in each of three schemes at two ranks
    [ "$(grep -c '"name":"FORWARD"' t.json)" = 6 ]
    grep -q '"bytes":[0-9]' t.json
    # One that is refused leaves the old one.
    cp t.json kept.json
    ends 5 "$OVL_BIN/ovl_train" --model resnet20 --timeline t.json --dataset nowhere/d --records cosmoflow --samples 4 --epochs 2
    cmp t.json kept.json
    # Wrong data are what a run ends with, whatever else went wrong.
    PRELOAD=$OVL_SHIM/corrupt.so OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=900 exits 4 2 ovl_train --tiny --mode host --timeline /dev/full "${short[@]}"
    # An older timeline is written over; a model, a record or the record of the same run is not.
    measure 2 ovl_train --model resnet20 --timeline t.json "${short[@]}"
    cp "$OVL_TOP/src/apps/train/models/resnet20.json" mine.json
    for more in "--timeline mine.json" "--json mine.json" "--timeline new.jsonl --json new.jsonl" "--json t.json"; do
        # shellcheck disable=SC2086
        exits 3 2 ovl_train --model mine.json $more "${short[@]}"
        one_line
    done
    cmp "$OVL_TOP/src/apps/train/models/resnet20.json" mine.json
}

@test "work by a ratio, and the model's own" {
    for work in "--compute-ratio 0.5" "--compute-real --scale-flops 1000" "--compute sleep --compute-us 2000"; do
        # shellcheck disable=SC2086
        measure 2 ovl_train --model resnet20 --json r.jsonl -i 6:6 -x 0 --max-time 5 $work
    done
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field ratio | xargs)" = "0.5 0.5 null null null null" ]
    [ "$(field scale_flops | xargs)" = "1000.0 1000.0" ]
    grep -q '^# work      kernel sleep, 2000 us$' <<<"$out"
}

# The record has the texts as they are; a terminal gets them as `ovl show` prints them.
@test "texts of a model, a variable and a host reach the terminal without control characters" {
    sed 's/"name": *"[^"]*"/"name":"a\\u001b[31mb\\n\\"q\\u009bx"/' "$OVL_TOP/src/apps/train/models/resnet20.json" >odd.json
    grep -q '"name":"a.u001b' odd.json
    export UCX_ODD=$'x\e[31my'
    measure 1 ovl_train --model odd.json --scale-bytes 10 --full --mode host --json r.jsonl "${short[@]}"
    absent $'[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$(LC_ALL=C cat "$BATS_TEST_TMPDIR"/out "$BATS_TEST_TMPDIR"/err)"
    grep -qF 'UCX_ODD=x\u001b[31my' <<<"$out"
    [ "$(rows | grep -cF 'a\u001b[31mb\u000a"q')" = 1 ]
    grep -qF '"UCX_ODD":"x\u001B[31my"' r.jsonl
    for more in "" --dump-plan; do
        # shellcheck disable=SC2086
        exits 0 1 ovl_train --model odd.json --plan 4 $more
        absent $'[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$(LC_ALL=C cat "$BATS_TEST_TMPDIR/out")"
    done
    if command -v python3 >/dev/null; then python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$out"; fi
}

@test "a step in units of the kernel is the same work in each launch" {
    for i in 1 2; do
        measure 2 ovl_train --model resnet20 --compute-units 300000 -i 6:6 -x 0 --max-time 5 --mode blocking,host --json u.jsonl
    done
    [ "$(grep -o '"units":[0-9.e+]*' u.jsonl | sort | uniq -c | xargs)" = '4 units:300000' ]
    [ "$(grep -o '"ratio":null,"us":null' u.jsonl | wc -l)" = 4 ]
    grep -qx '# work      kernel fma, 300000 units of it' <<<"$out"
    "$OVL_BIN/ovl" validate u.jsonl
    sed 's/"units":300000/"units":300002/' u.jsonl >other.jsonl
    ends 4 "$OVL_BIN/ovl" validate other.jsonl
    grep -q 'other.jsonl:2: /compute/units: 300002, by the option compute_units of 300000' out
}
