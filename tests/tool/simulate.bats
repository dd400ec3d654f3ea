#!/usr/bin/env bats
# --plan of the drivers: an operation simulated on ranks that nobody has. No MPI job is started. Times that are checked
# are those of LogGP, by hand; tests/unit/test_simulate.c has the model's.

load tool

net=(--link-rate 80gbit --latency 2us) # 100 ps a byte
plan() { "$OVL_BIN/$1" "${@:2}" >told; }
cell() { awk -v size="$1" -v mode="$2" -v at="$3" '$1 == size && $2 == mode { print $at }' told; }
says() {
    local code=0
    "$OVL_BIN/$2" "${@:3}" >out 2>told || code=$?
    [ $code = 3 ] && [ ! -s out ] && [ "$(wc -l <told)" = 1 ] && grep -qF -- "$1" told
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

@test "what is simulated is read as a record by no command, and mixed with none" {
    plan ovl_ialltoall --plan 16:4 "${net[@]}" -m 1K:1K --json s.jsonl
    for command in show validate "export --format csv" "accept --limits l.json" "compare s.jsonl"; do
        echo '{}' >l.json
        ! "$OVL_BIN/ovl" $command s.jsonl >out 2>said
    done
    for command in show validate; do
        code=0
        "$OVL_BIN/ovl" $command s.jsonl >out 2>said || code=$?
        [ $code = 4 ]
        cat out said | grep -q 's.jsonl:1: simulated, not measured'
    done
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
    says "threads are not simulated" ovl_ialltoall --plan 16 "${net[@]}" --mode host,thread
    says "leave out --in-place" ovl_ialltoall --plan 16 "${net[@]}" --in-place
    says "ovl_p2p has no schedule" ovl_p2p --plan 16 "${net[@]}"
    says "ovl_null has no schedule" ovl_null --plan 16 "${net[@]}"
    says "--root 16: there are not so many ranks" ovl_ibcast --plan 16 "${net[@]}" --root 16
    says "--root 1: there is no root" ovl_ialltoall --plan 16 "${net[@]}" --root 1
    says "--algorithm bruck: workers do it" ovl_ialltoall --plan 16 "${net[@]}" --algorithm bruck
    says "its nodes are not alike" ovl_ialltoall --plan 100001:8 "${net[@]}" -m 4K:4K
    # Of which only the leaders have many messages.
    says "iallgather by hierarchical has" ovl_iallgather --plan 100000:8 "${net[@]}" -m 8:8 --mode dpu --compute-us 10
}

@test "more tests bring the host nearer to its workers, and a network twice as quick halves what is long" {
    plan ovl_allreduce --plan 512:8 "${net[@]}" -m 1M:1M --mode host,dpu
    none=$(cell 1048576 host 6)
    plan ovl_allreduce --plan 512:8 "${net[@]}" -m 1M:1M --mode host,dpu -t 100
    awk -v none="$none" -v some="$(cell 1048576 host 6)" -v dpu="$(cell 1048576 dpu 6)" \
        'BEGIN { exit !(dpu <= some && some < none) }'
    plan ovl_ialltoall --plan 64:8 "${net[@]}" -m 1M:1M
    slow=$(cell 1048576 blocking 4)
    plan ovl_ialltoall --plan 64:8 --link-rate 160gbit --latency 2us -m 1M:1M
    awk -v slow="$slow" -v quick="$(cell 1048576 blocking 4)" 'BEGIN { exit !(slow > 1.9 * quick && slow < 2.1 * quick) }'
}

@test "100,000 ranks: by log P rounds one by one, and by P messages of each where one node stands for all" {
    plan ovl_allreduce --plan 100000:8 "${net[@]}" -m 1K:1K --mode dpu
    plan ovl_ialltoall --plan 100000:8 "${net[@]}" -m 4K:4K --mode dpu
    # The link has 8 x 99,992 messages of 4 KiB.
    awk -v c="$(cell 4096 dpu 4)" 'BEGIN { least = 8 * 99992 * 4096 * 1e-4; exit !(c > least && c < 1.02 * least) }'
}
