#!/usr/bin/env bats
# --plan with a network: an operation, or a plan of an application, simulated on ranks that nobody has. No MPI job is
# started. Times that are checked are those of LogGP, by hand; tests/unit/test_simulate*.c have the model's.

load tool

net=(--link-rate 80gbit --latency 2us) # 100 ps a byte
plan() { "$OVL_BIN/$1" "${@:2}" >told; }
cell() { awk -v size="$1" -v mode="$2" -v at="$3" '$1 == size && $2 == mode { print $at }' told; }
says() {
    local code=0
    "$OVL_BIN/$2" "${@:3}" >out 2>told || code=$?
    [ $code = 3 ] && [ ! -s out ] && [ "$(wc -l <told)" = 1 ] && grep -qF -- "$1" told
}

# no_record FILE: each command that reads records refuses it, by the same words.
no_record() {
    local command code
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "serve"}, "metric": "total_seconds", "operator": "<", "limit": 1}]}' >l.json
    for command in show validate "export --to csv" "accept l.json" "compare $1"; do
        code=0
        # shellcheck disable=SC2086
        "$OVL_BIN/ovl" $command "$1" >out 2>said || code=$?
        [ $code = 4 ] || { echo "ovl $command: exit $code, not 4"; return 1; }
        grep -q "$1:1: simulated, not measured" out said || { echo "ovl $command: not told"; return 1; }
    done
}

@test "an operation in three ways, with C, W, T and what the link allows; every output says that it is simulated" {
    plan ovl_allreduce --plan 64 "${net[@]}" --overhead 0.5 -m 1K,64K --mode host,dpu --json s.jsonl
    [ "$(sed -n 1p told)" = "# ovl_allreduce --plan: simulated, not measured" ]
    grep -q '^# ranks     64, 1 a node, on 64 nodes$' told
    tail -n 1 told | grep -q '^# simulated, not measured'
    [ "$(grep -vc '^#' told)" = 7 ]
    # Recursive doubling: six times 0.5 + 2 + 1024 x 100 ps + 0.5.
    [ "$(cell 1024 blocking 4)" = 18.61 ]
    [ "$(cell 1024 blocking 6)" = 37.23 ]
    # By then the first message is here; then five more rounds, and the overhead at the post and of the message.
    [ "$(cell 1024 host 6)" = 35.13 ]
    [ "$(cell 1024 dpu 6)" = 18.61 ]
    [ "$(cell 1024 dpu 8)" = 100.0 ]
    [ "$(cell 65536 host 3)" = rabenseifner ]
    [ "$(grep -c '"record":"simulated".*"note":"simulated, not measured"' s.jsonl)" = 6 ]
    grep -q '"simulated_total_seconds":' s.jsonl
    ! grep -q '"\(run_id\|total_seconds\|samples\)"' s.jsonl
}

@test "within a node no link bounds a step" {
    plan ovl_ibcast --plan 16:16 -m 1M:1M --link-rate 1gbit --latency 2us --copy 1e-10
    [ "$(cell 1048576 blocking 9)" = "$(cell 1048576 blocking 5)" ] # W alone
}

@test "what is simulated is read as a record by no command, and mixed with none" {
    plan ovl_ialltoall --plan 16:4 "${net[@]}" -m 1K:1K --json s.jsonl
    no_record s.jsonl
    says "what is simulated stands in a file of its own" ovl_ialltoall --plan 16 "${net[@]}" --json s.jsonl
    cp "$(ls "$OVL_TOP"/tests/cli/data/*.jsonl | head -n 1)" r.jsonl
    says "what is simulated stands in a file of its own" ovl_ialltoall --plan 16 "${net[@]}" --json r.jsonl
}

@test "what is missing is asked for in one line, and what is not simulated is refused" {
    says "give --link-rate of a node, such as 200gbit, and --latency" ovl_ialltoall --plan 16:4
    says "give --latency from node to node" ovl_ialltoall --plan 16:4 --link-rate 1gbit
    says "give --link-rate of a node" ovl_ialltoall --plan 16:4 --latency 2us
    says "--link-rate fast: give bits a second" ovl_ialltoall --plan 16:4 --link-rate fast --latency 2us
    says "--latency 2: give a time" ovl_ialltoall --plan 16:4 --link-rate 1gbit --latency 2
    says "--plan 16:0: give a number of ranks" ovl_ialltoall --plan 16:0 "${net[@]}"
    says "--latency: a network is told for --plan" ovl_ialltoall --latency 2us
    says "leave out --in-place" ovl_ialltoall --plan 16 "${net[@]}" --in-place
    for option in "worker-slowdown 4" "dpu-min 1M" "cadence stream" persistent; do
        # shellcheck disable=SC2086
        says "leave out --${option% *}, which is not simulated" ovl_ialltoall --plan 16 "${net[@]}" --mode host,dpu --$option
    done
    for option in "engine mpi" "work-from nobody.jsonl" "format omb" "energy 1" per-rank "percentiles 99" "rotate 8"; do
        # shellcheck disable=SC2086
        says "leave out --${option% *}, which is not simulated" ovl_ialltoall --plan 16 "${net[@]}" --mode dpu --compute-us 9 --$option
    done
    says "leave out --engine, which is not simulated" ovl_hpl --plan 4 "${net[@]}" --flops 60e9 --mode dpu --engine mpi
    for option in "worker-slowdown 4" "dpu-min 1M" "skew random:5" "energy 1" per-rank; do
        # shellcheck disable=SC2086
        says "leave out --${option% *}, which is not simulated" ovl_hpl --plan 4 "${net[@]}" --flops 60e9 --mode host,dpu --$option
    done
    for program in ovl_allreduce "ovl_hpl --flops 60e9"; do
        # shellcheck disable=SC2086
        says "--plan with --workers 0: nobody would carry messages; give 1 or more" $program --plan 4:2 "${net[@]}" --mode host,dpu --workers 0
        # shellcheck disable=SC2086
        plan $program --plan 4:2 "${net[@]}" --mode host --workers 0
    done
    says "ovl_p2p has no schedule" ovl_p2p --plan 16 "${net[@]}"
    says "ovl_null has no schedule" ovl_null --plan 16 "${net[@]}"
    says "--root 16: there are not so many ranks" ovl_ibcast --plan 16 "${net[@]}" --root 16
    says "--root 1: there is no root" ovl_ialltoall --plan 16 "${net[@]}" --root 1
    says "--algorithm bruck: workers do it" ovl_ialltoall --plan 16 "${net[@]}" --algorithm bruck
    says "its nodes are not alike" ovl_ialltoall --plan 100001:8 "${net[@]}" -m 4K:4K
}

@test "what the link allows is not known where nodes have unlike numbers of ranks" {
    plan ovl_ialltoall --plan 6:3 "${net[@]}" -m 1M:1M --json like.jsonl
    grep -q '"least_total_seconds":[0-9]' like.jsonl
    plan ovl_ialltoall --plan 5:4 "${net[@]}" -m 1M:1M --json unlike.jsonl
    absent '"least_total_seconds":[0-9]' "$(<unlike.jsonl)"
}

@test "more tests bring the host nearer to its workers, and a network twice as quick halves what is long" {
    plan ovl_allreduce --plan 512:8 "${net[@]}" -m 1M:1M --mode host,dpu
    none=$(cell 1048576 host 6)
    plan ovl_allreduce --plan 512:8 "${net[@]}" -m 1M:1M --mode host,dpu -t 100
    awk -v none="$none" -v some="$(cell 1048576 host 6)" -v dpu="$(cell 1048576 dpu 6)" \
        'BEGIN { exit !(dpu < none && some < none) }'
    plan ovl_ialltoall --plan 64:8 "${net[@]}" -m 1M:1M
    slow=$(cell 1048576 blocking 4)
    plan ovl_ialltoall --plan 64:8 --link-rate 160gbit --latency 2us -m 1M:1M
    awk -v slow="$slow" -v quick="$(cell 1048576 blocking 4)" 'BEGIN { exit !(slow > 1.9 * quick && slow < 2.1 * quick) }'
}

# bats test_tags=long
@test "100,000 ranks: by log P rounds one by one, and by P messages of each where one node stands for all" {
    plan ovl_allreduce --plan 100000:8 "${net[@]}" -m 1K:1K --mode dpu
    # Only leaders have many messages, whose tags are those of the ranks whose blocks they carry: a ring of 12,500.
    plan ovl_iallgather --plan 100000:8 "${net[@]}" -m 8:8 --mode dpu --compute-us 10
    awk -v c="$(cell 8 dpu 4)" 'BEGIN { ring = 12499 * (2 + 64e-4); exit !(c > 0.999 * ring && c < 1.01 * ring) }'
    grep -q 'give one size, as -m 64K:64K' <("$OVL_BIN/ovl_allreduce" --plan 20000 "${net[@]}" --mode dpu --compute-us 1)
    plan ovl_ialltoall --plan 100000:8 "${net[@]}" -m 4K:4K --mode dpu
    # The link has 8 x 99,992 messages of 4 KiB.
    awk -v c="$(cell 4096 dpu 4)" 'BEGIN { least = 8 * 99992 * 4096 * 1e-4; exit !(c > least && c < 1.02 * least) }'
}

@test "Open MPI's algorithms by its own names, and no others" {
    plan ovl_allreduce --plan 64:8 "${net[@]}" -m 1K:64K --library openmpi
    [ "$(cell 1024 host 3)" = binomial ]
    [ "$(cell 65536 host 3)" = redscat_allgather ]
    grep -q "^# host      Open MPI's algorithms" told
    # Two trees of six rounds, of which three are within nodes.
    plan ovl_allreduce --plan 64 "${net[@]}" --overhead 0.5 -m 1K:1K --library openmpi --json s.jsonl
    [ "$(cell 1024 blocking 4)" = 37.23 ]
    grep -q '"library":"openmpi"' s.jsonl
    says "--library lam" ovl_allreduce --plan 64 "${net[@]}" --library lam
}

@test "a thread of its own hides as a worker does by the library's algorithm; on the rank's core it costs what it works" {
    plan ovl_allreduce --plan 64 "${net[@]}" --overhead 0.5 -m 1K:1K --mode host,thread,dpu
    [ "$(cell 1024 thread 6)" = 18.61 ]
    grep -q '^# thread    .* on a core of its own' told
    # Six messages out and six in, of 0.5 each, come to the work.
    plan ovl_allreduce --plan 64 "${net[@]}" --overhead 0.5 -m 1K:1K --mode host,thread,dpu --compute-us 100 --shared-cores
    [ "$(cell 1024 thread 6)" = 106.00 ]
    [ "$(cell 1024 dpu 6)" = 106.00 ]
    grep -q '^# dpu       .* on cores of ranks, whose computation waits for it' told
}

row() { awk -v mode="$1" -v at="$2" '$1 == mode { print $at }' told; }

# Layers of a million numbers, each of 5 G multiply-adds forwards.
model() {
    local layers='{"tensors": [1000000], "macs": 5e9, "activation_bytes": 4}'
    for ((i = 1; i < $1; i++)); do layers+=,${layers%%\}*}\}; done
    echo '{"schema": "ovl-model-1", "name": "made", "dtype": "f32", "sample_bytes": 4, "layers": ['"$layers"']}' >m.json
}

@test "a step of training: W by the rate of a rank, C by hand, and of two buckets the last one alone is seen" {
    model 1
    plan ovl_train --model ./m.json --plan 4 "${net[@]}" --overhead 0.5 --flops 1e12 --mode blocking,host,thread,dpu \
        --json s.jsonl
    [ "$(sed -n 1p told)" = "# ovl_train --plan: simulated, not measured" ]
    tail -n 1 told | grep -q '^# simulated, not measured'
    # 2 (5 + 10) G, and two for each number of the update.
    [ "$(row blocking 3)" = 30.004 ]
    # Halving and doubling: four messages that ask, 4 o + 3 L each, and 1.5 times 4 MB.
    [ "$(row blocking 2)" = 0.632 ]
    [ "$(row blocking 4)" = 30.636 ]
    # A ring of the workers: six messages, of 1 MB.
    [ "$(row dpu 2)" = 0.648 ]
    [ "$(row dpu 4)" = 30.652 ]
    [ "$(grep -c '"record":"simulated".*"note":"simulated, not measured".*"benchmark":"train"' s.jsonl)" = 4 ]
    if "$OVL_BIN/ovl" show s.jsonl >out 2>said; then return 1; fi
    model 2
    plan ovl_train --model ./m.json --plan 4 "${net[@]}" --overhead 0.5 --flops 1e12 --mode blocking,host,thread,dpu
    [ "$(row blocking 4)" = 61.272 ]
    [ "$(row thread 4)" = 60.640 ]
    [ "$(row dpu 4)" = 60.656 ]
    awk -v t="$(row host 4)" 'BEGIN { exit !(t > 61 && t <= 61.272) }'
    grep -q '^# workers   would cost 0.0 % of a step against thread' told
}

@test "W of a step follows C, or is given; what is not simulated of a training is refused" {
    model 2
    plan ovl_train --model ./m.json --plan 4 "${net[@]}" --compute-ratio 2 --mode blocking
    awk -v c="$(row blocking 2)" -v w="$(row blocking 3)" 'BEGIN { exit !(w > 1.999 * c && w < 2.001 * c) }'
    plan ovl_train --model ./m.json --plan 4 "${net[@]}" --compute-us 5000 --mode blocking
    [ "$(row blocking 3)" = 5.000 ]
    plan ovl_train --model ./m.json --plan 4 "${net[@]}" --flops 60e9 --compute-real --mode blocking
    w=$(row blocking 3)
    plan ovl_train --model ./m.json --plan 4 "${net[@]}" --flops 60e9 --compute-real --scale-flops 10 --mode blocking
    awk -v w="$w" -v tenth="$(row blocking 3)" 'BEGIN { exit !(tenth > 0.099 * w && tenth < 0.101 * w) }'
    says "its teams are not simulated" ovl_train --model resnet50 --strategy pp --plan 4 "${net[@]}"
    says "--compress is not simulated" ovl_train --model ./m.json --compress szx:1e-3 --plan 4 "${net[@]}"
    says "--dataset is not simulated" ovl_train --model ./m.json --dataset d --plan 4 "${net[@]}"
    says "give --latency from node to node" ovl_train --model ./m.json --plan 4 --link-rate 1gbit
    says "--flops: a network is told for --plan" ovl_train --model ./m.json --flops 1e9
    says "say how quick a rank computes" ovl_fft3d --plan 4 "${net[@]}"
    says "say how quick a rank computes" ovl_hpl --plan 4 "${net[@]}"
}

@test "sums by an operation of one's own go otherwise in MPICH, and a line says what was solved" {
    model 2
    bytes=(ovl_train --model ./m.json --plan 8 "${net[@]}" --compute-us 5000 --mode host)
    plan "${bytes[@]}"
    float=$(row host 2)
    # As many bytes of bf16: the whole message three times in place of 2 x 7 / 8 of it.
    plan "${bytes[@]}" --dtype bf16
    awk -v own="$(row host 2)" -v float="$float" 'BEGIN { r = 2 * own / float; print r; exit !(r > 1.6 && r < 1.8) }'
    plan "${bytes[@]}" --dtype bf16 --library openmpi
    awk -v own="$(row host 2)" -v float="$float" 'BEGIN { r = 2 * own / float; print r; exit !(r > 0.8 && r < 1.3) }'
    for more in "--dtype bf16" "--scale-bytes 16" "--bucket 1M" "--strategy horovod --cycle all" "--compress fp16"; do
        rm -f s.jsonl
        # shellcheck disable=SC2086
        plan "${bytes[@]}" $more --json s.jsonl
        jq -r .problem s.jsonl >>problems
    done
    [ "$(sort -u problems | wc -l)" = 5 ]
    # A node with fewer ranks than the others is of as many nodes.
    "$OVL_BIN/ovl_serve" --plan 4:3 --strategy tp >uneven
    "$OVL_BIN/ovl_serve" --plan 4:2 --strategy tp >even
    [ "$(awk '/^  link / { print $2, $3 }' uneven)" = "$(awk '/^  link / { print $2, $3 }' even)" ]
}

@test "a transform: its work, and exchanges of slabs and pencils by hand" {
    plan ovl_fft3d -g 64 --transform c2c --vars 1 --procs 1x4 --plan 4 "${net[@]}" --overhead 0.5 --flops 1e9 \
        --mode blocking,host,thread,dpu
    # 2 x 5 N log2 N operations on 4 ranks; two exchanges one by one, of three messages that ask.
    [ "$(row blocking 3)" = 11.796 ]
    [ "$(row blocking 2)" = 0.205 ]
    [ "$(row blocking 4)" = 12.002 ]
    # Rows on a node, of which nothing goes over a link, and columns of one rank on each of two.
    plan ovl_fft3d -g 64 --transform c2c --vars 1 --procs 2x2 --plan 4:2 "${net[@]}" --flops 1e9 --mode blocking
    # Half of a rank's 1 MiB, two ranks on a link, there and back.
    awk -v c="$(row blocking 2)" 'BEGIN { link = 2 * 2 * 524288 * 1e-7; exit !(c > link && c < link + 0.03) }'
}

@test "a solution: panels that travel are hidden by workers, and not by blocking calls" {
    plan ovl_hpl -n 20000 --plan 8 --procs 1x8 --link-rate 1gbit --latency 20us --flops 50e9 \
        --mode blocking,host,thread,dpu
    # 2/3 N^3 by 8 ranks; the rank with the last columns has a little more.
    awk -v w="$(row blocking 3)" 'BEGIN { all = 2 / 3 * 20000 ^ 3 / 8 / 50e9 * 1000; exit !(w > all && w < 1.05 * all) }'
    awk -v b="$(row blocking 4)" -v d="$(row dpu 4)" -v w="$(row dpu 3)" 'BEGIN { exit !(d >= w && d < 0.95 * b) }'
    # Workers do it as they are told to.
    for algorithm in binomial chain; do
        plan ovl_hpl -n 20000 --plan 8 --procs 1x8 --link-rate 1gbit --latency 20us --flops 50e9 --mode dpu --algorithm $algorithm
        row dpu 2
    done >times
    [ "$(sort -u times | wc -l)" = 2 ]
}

@test "a served trace: keys and values of a prompt, or sums, by hand; what workers hide of them; a record of its own kind" {
    # 512 tokens of 2 x 12 x 768 numbers of two bytes, in a message that asks.
    one=(--model gpt2-small --requests 1 --prompt 512 --kv-messages 1 "${net[@]}" --overhead 0.5)
    plan ovl_serve "${one[@]}" --plan 2 --output 2 --compute-us 10000 --mode blocking,host,dpu --json s.jsonl
    [ "$(sed -n 1p told)" = "# ovl_serve --plan: simulated, not measured" ]
    tail -n 1 told | grep -q '^# simulated, not measured'
    awk -v c="$(row blocking 2)" 'BEGIN { us = 4 * 0.5 + 3 * 2 + 512 * 36864 * 1e-4; exit !(c > 1e-3 * us - 0.001 && c < 1e-3 * us + 0.001) }'
    [ "$(row blocking 3)" = 10.000 ]
    [ "$(grep -c '"record":"simulated".*"note":"simulated, not measured".*"benchmark":"serve"' s.jsonl)" = 3 ]
    no_record s.jsonl
    # A reader of eight prompts has the next one meanwhile, unless it waits; the host goes on with none of them in its work.
    plan ovl_serve --model gpt2-small --requests 8 --output 2 --plan 2 "${net[@]}" --compute-us 40000 --mode blocking,host,host-t,thread,dpu -t 4
    awk -v b="$(row blocking 4)" -v h="$(row host 4)" -v t="$(row host-t 4)" -v d="$(row dpu 4)" -v w="$(row dpu 3)" -v c="$(row blocking 2)" \
        'BEGIN { exit !(d >= w && d + 0.7 * c < b && d <= t && t < h) }'
    # What the writer waits for the first prompt is no message's: the least T has it, and workers are near that.
    awk -v least="$(row dpu 7)" -v d="$(row dpu 4)" -v w="$(row dpu 3)" 'BEGIN { exit !(least > 1.01 * w && d >= least && d < 1.02 * least) }'
    grep -q '^# left out  times of single requests.* so hold T against least T' told
    # 24 sums of 512 x 768 numbers: of four bytes by halving and doubling, four messages that ask; of bf16, whose sum MPICH
    # does not know, whole ones twice.
    plan ovl_serve --model gpt2-small --requests 1 "${net[@]}" --overhead 0.5 --strategy tp --plan 4 --output 1 --flops 1e12 --mode blocking --act f32
    awk -v c="$(row blocking 2)" 'BEGIN { us = 24 * (4 * (4 * 0.5 + 3 * 2) + 1.5 * 512 * 768 * 4e-4); exit !(c > 1e-3 * us - 0.001 && c < 1e-3 * us + 0.001) }'
    plan ovl_serve --model gpt2-small --requests 1 "${net[@]}" --overhead 0.5 --strategy tp --plan 4 --output 1 --flops 1e12 --mode blocking,dpu
    awk -v c="$(row blocking 2)" 'BEGIN { us = 24 * (2 * (4 * 0.5 + 3 * 2) + 2 * 512 * 768 * 2e-4); exit !(c > 1e-3 * us - 0.001 && c < 1e-3 * us + 0.001) }'
    awk -v t="$(row dpu 4)" -v w="$(row dpu 3)" -v c="$(row dpu 2)" 'BEGIN { exit !(t > w + c - 0.002 && t < w + c + 0.002) }' # nothing stands beside a sum
    plan ovl_serve --model gpt2-small --strategy tp --overlap two --plan 4 "${net[@]}" --mode blocking,dpu
    awk -v t="$(row dpu 4)" -v b="$(row blocking 4)" 'BEGIN { exit !(t < 0.9 * b) }'
    # Of a tier both ways.
    plan ovl_serve --model gpt2-small --strategy tier --shared 2:2048 --plan 4:2 "${net[@]}" --mode blocking,host,dpu
    awk -v t="$(row dpu 4)" -v w="$(row dpu 3)" -v b="$(row blocking 4)" 'BEGIN { exit !(t >= w && t < b) }'
}

@test "what is not simulated of a served trace is refused" {
    says "give pd, tp or tier" ovl_serve --model mixtral-8x7b --strategy ep --plan 4 "${net[@]}"
    says "--tiny is not simulated" ovl_serve --tiny --plan 2 "${net[@]}"
    says "--latency: a network is told for --plan" ovl_serve --latency 2us
    says "give --latency from node to node" ovl_serve --plan 4 --link-rate 1gbit
    says "give 2 ranks or more" ovl_serve --plan 1 "${net[@]}"
    says "are simulated; give fewer requests" ovl_serve --strategy tp --plan 4 --requests 5000 "${net[@]}"
}

@test "a simulation that is refused or stopped before its first line leaves no file, and none that was there is lost" {
    says "say how quick a rank computes" ovl_hpl --plan 4 "${net[@]}" --json s.jsonl
    [ ! -e s.jsonl ]
    code=0
    timeout -s INT 1 "$OVL_BIN/ovl_ialltoall" --plan 400000:8 "${net[@]}" -m 4K:4K --json s.jsonl >out 2>said || code=$?
    [ $code = 124 ]
    [ ! -e s.jsonl ]
    : >s.jsonl
    says "say how quick a rank computes" ovl_hpl --plan 4 "${net[@]}" --json s.jsonl
    [ -e s.jsonl ]
    # Several problems stand in one file.
    rm s.jsonl
    plan ovl_fft3d -g 32,64 --chunks 1 --procs 1x4 --plan 4 "${net[@]}" --flops 1e9 --mode blocking --json s.jsonl
    [ "$(grep -c '"record":"simulated"' s.jsonl)" = 2 ]
    ln -s nothing link.jsonl
    plan ovl_allreduce --plan 4 "${net[@]}" -m 1K:1K --json link.jsonl
    [ -L link.jsonl ]
    [ -s nothing ]
    code=0
    "$OVL_BIN/ovl_allreduce" --plan 4 "${net[@]}" -m 1K:1K --json no/folder.jsonl >out 2>said || code=$?
    [ $code = 5 ] && [ ! -s out ] && [ "$(wc -l <said)" = 1 ]
}

# bats test_tags=long
@test "1,024 ranks of resnet50, and the answer with its assumptions on one screen" {
    plan ovl_train --model resnet50 --batch 32 --plan 512:8 --link-rate 200gbit --latency 2us --overhead 0.5 \
        --flops 60e12 --mode blocking,host,host-t,thread,dpu -t 1
    [ "$(wc -l <told)" -le 24 ]
    grep -Eq '^# workers   would (save|cost) [0-9.]+ % of a step against [a-z-]+, the quickest' told
    for mode in ddp horovod zero1 zero2; do
        plan ovl_train --model resnet50 --strategy $mode --plan 1024:8 --link-rate 200gbit --latency 2us --flops 60e12 \
            --mode blocking,host,thread,dpu
        awk -v w="$(row dpu 3)" -v t="$(row dpu 4)" -v b="$(row blocking 4)" 'BEGIN { exit !(t >= w && t <= b) }'
    done
}

# between_nodes ENVIRONMENT: a made record of messages of 8 bytes, 1 and 2 MiB between two nodes.
between_nodes() {
    sed -e 's/"benchmark":"ialltoall"/"benchmark":"p2p"/g; s/"nodes":1,/"nodes":2,/' -e 's/"size_bytes":8192,/"size_bytes":8,/' \
        -e 's/"size_bytes":32768,/"size_bytes":1048576,/; s/"size_bytes":65536,/"size_bytes":2097152,/' \
        -e "s/\"environment\":{[^}]*}/\"environment\":{$1}/" "$OVL_TOP/tests/cli/data/ialltoall.jsonl"
}

@test "rates come from records of a site, which the head names; what is given counts; what no record has is asked for" {
    data=$OVL_TOP/tests/cli/data
    between_nodes '' >p2p.jsonl
    plan ovl_allreduce --plan 64 --rates p2p.jsonl -m 1K:1K
    # C of 8 bytes, 4.672 us; of 1 and 2 MiB 9.985 and 20.0895 us, 9.636 ps a byte.
    grep -q '^# network   830.2 Gbit/s in and out of each node, 4.672 us from node to node' told
    grep -q '^# rates     link: ovl_p2p between nodes, median of 1, p2p.jsonl$' told
    grep -q '^# rates     latency: ovl_p2p between nodes, median of 1, p2p.jsonl$' told
    plan ovl_allreduce --plan 64 --rates p2p.jsonl -m 1K:1K --latency 1us --json s.jsonl
    grep -q ' 1 us from node to node' told
    if grep -q '^# rates     latency' told; then return 1; fi
    grep -q '"rates_from":{"link":"ovl_p2p between nodes' s.jsonl
    plan ovl_hpl -n 2000 --plan 4 --rates p2p.jsonl --rates "$data/hpl.jsonl" --mode blocking
    grep -Eq '^# rates     flops: work alone, median of 6, the first in .*hpl.jsonl$' told
    # A rate of records is none of a step whose work is to follow its communication.
    model 1
    plan ovl_train --model ./m.json --plan 4 --rates p2p.jsonl --mode blocking
    awk -v c="$(row blocking 2)" -v w="$(row blocking 3)" 'BEGIN { exit !(w > 0.99 * c && w < 1.01 * c) }'
    plan ovl_train --model ./m.json --plan 4 --rates p2p.jsonl --compute-real --mode blocking
    # The kernel fma, 16 flops in 1 / 609287354.986 s.
    awk -v w="$(row blocking 3)" 'BEGIN { all = 30.004e9 / 16 / 609287354.986 * 1e3; exit !(w > 0.999 * all && w < 1.001 * all) }'
    says "the records of --rates do not say what the network is like; give --latency" \
        ovl_allreduce --plan 4 --rates "$data/hpl.jsonl" --link-rate 1gbit
    code=0
    "$OVL_BIN/ovl_allreduce" --plan 4 --rates nowhere.jsonl >out 2>said || code=$?
    [ $code = 5 ] && [ "$(wc -l <said)" = 1 ]
}

@test "an emulated cluster tells its rate, its burst and what a byte costs a core" {
    between_nodes '"OVL_CLUSTER":"nodes=2 rate=1000000000 burst=80000 cores=1 carry=5e-10 payload=0.95"' |
        sed 's/"benchmark":"p2p"/"benchmark":"ialltoall"/g' >c.jsonl
    plan ovl_allreduce --plan 2 --rates c.jsonl --latency 10us -m 1M:1M
    grep -q '^# network   0.95 Gbit/s' told
    grep -q '^# cores     0 us a message at each end; 0.5 ns a byte between nodes, 0 ns in memory$' told
    [ "$(grep -c '^# rates     .* of the emulated cluster, median of 1, c.jsonl$' told)" = 3 ]
    # What passes in the burst is in the least T, too: no T is below it.
    plan ovl_ialltoall --plan 2 --rates c.jsonl --latency 10us -m 64K:64K --mode host
    awk -v t="$(cell 65536 host 6)" -v least="$(cell 65536 host 9)" 'BEGIN { exit !(t > 0 && least > 0 && least <= t) }'
    # With a rate of its own there is no burst.
    plan ovl_allreduce --plan 2 --rates c.jsonl --latency 10us -m 1M:1M --link-rate 1gbit
    ! grep -q '^# rates     burst' told
}

@test "a chart over ranks, of what is simulated alone, with what was published of the same model beside it" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    edsr=(--model edsr_x2 --compute-us 200000 "${net[@]}" --mode blocking,host,dpu)
    for n in 4 64 512; do plan ovl_train "${edsr[@]}" --plan $n:4 --json n$n.jsonl; done
    "$OVL_BIN/ovl" plot --chart ranks -o charts n512.jsonl n4.jsonl n64.jsonl >told
    [ "$(cat told)" = charts/train-ranks.svg ]
    chart_shows charts/train-ranks.svg 'ovl_train: simulated, not measured' 'LogGPS; links of' \
        'published, measured' NCCL MPI optimised blocking host workers 'libraries are not' 512 4
    # All numbers of ranks are in one panel, whose name fits.
    [ "$(chart_texts charts/train-ranks.svg | grep -cx 'computing, of T (%)')" = 1 ]
    chart_shows charts/train-ranks.svg 'edsr_x2, ddp, batch 1, f32: 93.85 GMAC forwards'
    [ "$(chart_texts charts/train-ranks.svg | grep -cE 'samples a step|.{76}')" = 0 ]
    # A driver's chart has times, and no published figure.
    for n in 4 8; do plan ovl_ialltoall --plan $n:2 "${net[@]}" -m 64K:128K --json a$n.jsonl; done
    "$OVL_BIN/ovl" plot --chart ranks -o charts a4.jsonl a8.jsonl >told
    chart_shows charts/ialltoall-ranks.svg 'ovl_ialltoall: simulated, not measured' '65536 bytes' '131072 bytes'
    if grep -q published charts/ialltoall-ranks.svg; then return 1; fi
    refuses() {
        local code=0
        "$OVL_BIN/ovl" plot "${@:3}" >out 2>told || code=$?
        [ $code = "$1" ]
        [ ! -s out ]
        [ "$(wc -l <told)" = 1 ]
        grep -qF -- "$2" told
    }
    cp "$OVL_TOP/tests/cli/data/ialltoall.jsonl" m.jsonl
    refuses 4 'm.jsonl:1: no line of what is simulated' --chart ranks m.jsonl
    refuses 4 'm.jsonl:1: no line of what is simulated' --chart ranks a4.jsonl m.jsonl
    refuses 4 'a4.jsonl:1: simulated, not measured' --chart total a4.jsonl
    refuses 3 'leave out the other charts' --chart ranks,total a4.jsonl
    refuses 3 'leave out --filter' --chart ranks --filter 'mode=dpu' a4.jsonl
    refuses 3 'leave out --term text' --chart ranks --term text a4.jsonl
    refuses 3 'a4.jsonl:1: of another program, or with other rates' --chart ranks n4.jsonl a4.jsonl
    plan ovl_ialltoall --plan 16:2 --link-rate 1gbit --latency 2us -m 64K:128K --json other.jsonl
    refuses 3 'other.jsonl:1: of another program, or with other rates' --chart ranks a4.jsonl other.jsonl
    refuses 5 'nowhere.jsonl: cannot read' --chart ranks nowhere.jsonl
    echo '{"record":"simulated","ranks":4,"mode":"dpu"}' >bare.jsonl
    refuses 4 'bare.jsonl:1: rates: is missing' --chart ranks bare.jsonl
    sed 's/"ranks":4/"ranks":-4/' a4.jsonl >less.jsonl
    refuses 4 'less.jsonl:1: ranks or simulated_total_seconds' --chart ranks less.jsonl
    : >empty.jsonl
    refuses 4 'empty.jsonl' --chart ranks empty.jsonl
}

@test "the README's question, would a DPU help, has its answer and its assumptions on one screen" {
    sed -nE '/^Machines that you do not have/,/^Your own program/s/^    build\/bin\/(ovl_train .*)$/\1/p; /^Machines that/,/^Your/s/^        (--flops .*)$/\1/p' "$OVL_TOP/README" |
        tr -d '\\' | tr '\n' ' ' >line
    read -ra words <<<"$(<line)"
    [ "${words[0]}" = ovl_train ]
    plan "${words[@]}"
    [ "$(wc -l <told)" -le 24 ]
    grep -q '^# network   200 Gbit/s in and out of each node' told
    grep -q '^# ranks     512, ' told
    # What README shows of it is what it prints.
    while IFS= read -r shown; do grep -qxF -- "$shown" told; done \
        < <(sed -nE '/^Machines that you do not have/,/^Your own program/s/^    (#|[a-z-]+ +[0-9])/\1/p' "$OVL_TOP/README")
}

# bats test_tags=long
@test "README's and the pages' questions about a served model are answered" {
    {
        sed -n '/^Machines that you do not have/,/^Your own program/s/^    build\/bin\/\(ovl_serve .*\)$/\1/p' "$OVL_TOP/README"
        sed -n 's/^\.Dl \(ovl_serve --plan .*--link-rate .*\)$/\1/p' "$OVL_TOP/man/ovl_serve.1"
        grep '^ovl_serve --plan .*--link-rate ' "$OVL_TOP/man/ovl.7"
    } >lines
    [ "$(wc -l <lines)" = 3 ]
    while read -ra words; do
        plan "${words[@]}"
        [ "$(wc -l <told)" -le 24 ]
        grep -Eq '^dpu +[0-9]' told
        grep -Eq '^# workers   would (save|cost) [0-9.]+ % of the trace against [a-z-]+, the quickest' told
    done <lines
}
