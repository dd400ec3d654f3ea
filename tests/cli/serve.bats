#!/usr/bin/env bats
# ovl_serve as a user runs it: what it prints and records of both strategies, traces of both forms, and --plan.

load lib

digest() { sha256sum "$1" | cut -c 1-64; }
short=(-i 6:6 -x 0 --max-time 5 --model gpt2-small --scale-bytes 100 --compute sleep --compute-us 1000)

@test "prefill and decode apart: cells of all schemes with their answers checked, shown again from the record" {
    measure 3 ovl_serve --requests 12 --output 4 --slo 1000:1000 --mode blocking,host,host-t,dpu -t 3 --workers 1 --json r.jsonl "${short[@]}"
    [ "$(rows | awk '{print $1, $2, $3}')" = "gpt2-small pd blocking
gpt2-small pd host
gpt2-small pd host-t
gpt2-small pd dpu" ]
    grep -q '^# solves    requests (12, all, 512 in, 4 out, seed 1) by gpt2-small, pd, messages scaled down' <<<"$out"
    [ "$(sed -n 's/^# \(.*\), p50, p90, p99 of 12 requests: first token .*/\1/p' <<<"$out" | xargs)" = "blocking host host-t dpu" ]
    [ "$(grep -c '100.0 % within 1 s and 1 s$' <<<"$out")" = 4 ]
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true true" ]
    [ "$(grep -o '"layout":"[^"]*"' r.jsonl | sort -u)" = '"layout":"1+1, 8 messages, kv f16, balance 256"' ]
    [ "$(field goodput | sort -u)" = 1.0 ]
    [ "$(grep -o '"ttft_seconds":{"p50":[0-9.e-]*,"p90":[0-9.e-]*,"p99":null,"mean":[0-9.e-]*,"steps":\[\([0-9.e-]*,\)\{20\}[0-9.e-]*\]}' r.jsonl | wc -l)" = 4 ]
    [ "$(grep -o '"kv_most_bytes":[0-9.]*,"decode_slowed":[^,]*,"ttft_by_blocking":[^,]*,"output_tokens_per_second":' r.jsonl | wc -l)" = 4 ]
    # Each cell has it that has T.
    [ "$(grep -c '"output_tokens_per_second":[0-9]' r.jsonl)" = "$(grep -c '"total_seconds":{"median":[0-9]' r.jsonl)" ]
    [ "$(grep -o '"decode_slowed":null' r.jsonl | wc -l)" = 1 ] # nothing is under way beside the blocking scheme's work
    [ "$(field block_group | sort -u | wc -l)" = 1 ]
    "$OVL_BIN/ovl" show r.jsonl >shown
    diff shown <(echo "$out")
}

@test "a trace in units of the kernel is the same work in each launch" {
    for i in 1 2; do
        measure 2 ovl_serve --requests 4 --output 4 --model gpt2-small --scale-bytes 100 --compute-units 300000 \
            -i 6:6 -x 0 --max-time 5 --mode blocking,host --json r.jsonl
    done
    [ "$(grep -o '"units":[0-9.e+]*' r.jsonl | sort | uniq -c | xargs)" = '4 units:300000' ]
    "$OVL_BIN/ovl" validate r.jsonl
}

@test "a tier keeps the blocks of prompts, sends them back, and lets the oldest ones give way" {
    printf '%s\n' >t.jsonl '{"timestamp": 0, "input_length": 40, "output_length": 4, "hash_ids": [1, 2, 3]}' \
        '{"timestamp": 100, "input_length": 45, "output_length": 2, "hash_ids": [1, 2, 4]}' \
        '{"timestamp": 500, "input_length": 33, "output_length": 2, "hash_ids": [7, 8, 9]}' \
        '{"timestamp": 900, "input_length": 40, "output_length": 1, "hash_ids": [1, 2, 3]}'
    tier=(--strategy tier --kv-block 16 --trace t.jsonl --iteration-ms 100 --model gpt2-small)
    "$OVL_BIN/ovl_serve" --plan 2 "${tier[@]}" --tier-memory 1200K >told # 2 blocks of 576 KiB
    grep -q '^  tier      blocks of 16 tokens, 576.0 KiB each: 2 of 8 that prompts begin with come back, 6 go, 4 give way; at most 2 at a rank: 1.1 MiB$' told
    measure 3 ovl_serve "${tier[@]}" --tier-memory 1200K --mode blocking,host,host-t,thread,dpu -t 2 --workers 1 --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true true true" ]
    [ "$(grep -o '"layout":"[^"]*"' r.jsonl | sort -u)" = '"layout":"1+1, blocks of 16 in 1228800 bytes, kv f16, balance 256"' ]
    [ "$(grep -o '"tier":{[^}]*}' r.jsonl | sort | uniq -c | sed 's/^ *//')" = \
        '5 "tier":{"block_tokens":16,"blocks":8.0,"found":2.0,"kept":6.0,"gave_way":4.0,"most_bytes":1179648.0}' ]
    [ "$(grep -c '25.0 % of the blocks of prompts came back$' <<<"$out")" = 5 ]
    # Blocks of another length than hash_ids stand for would be found where nothing is the same.
    exits 4 - ovl_serve --plan 2 "${tier[@]}" --kv-block 8
    says "--trace t.jsonl: line 1, column 58: 3 hash_ids do not fit 40 tokens in blocks of 8; give --kv-block as the trace has it, or mend the line"
    "$OVL_BIN/ovl_serve" --plan 2 --trace t.jsonl >told # only a tier looks for them
}

@test "a first token waits for what comes back by a blocking call, and is late by that" {
    printf '%s\n' >t.jsonl '{"timestamp": 0, "input_length": 40, "output_length": 8, "hash_ids": [1, 2]}' \
        '{"timestamp": 3, "input_length": 40, "output_length": 1, "hash_ids": [1, 2]}'
    # Nothing else that rank 0 receives is waited for: one block comes back.
    export OVL_RECV_DELAY_US=50000
    PRELOAD=$OVL_SHIM/slow_recv.so measure 2 ovl_serve --strategy tier --kv-block 32 --trace t.jsonl --iteration-ms 1 --mode blocking --json r.jsonl "${short[@]}"
    grep -q '"found":1.0' r.jsonl
    for time in ttft_seconds ttft_unqueued_seconds; do
        awk -v most="$(sed -n "s/.*\"$time\":{[^}]*,\([0-9.e-]*\)\]}.*/\1/p" r.jsonl)" 'BEGIN { exit !(most > 0.05) }'
    done
}

@test "a first token that waits for a block takes what the link does, and then the work" {
    why=$(timeout 30 "$OVL_TOP/scripts/cluster" run --nodes 1 -- true 2>&1 >/dev/null) || [ $? != 5 ] || skip "$why"
    printf '%s\n' >t.jsonl '{"timestamp": 0, "input_length": 40, "output_length": 8, "hash_ids": [1, 2]}' \
        '{"timestamp": 3, "input_length": 40, "output_length": 1, "hash_ids": [1, 2]}'
    UCX_TLS=tcp,self OVL_CARRY=5e-10 timeout 60 "$OVL_TOP/scripts/cluster" run --nodes 2 --ppn 1 --rate 100mbit -n 2 -- \
        ovl_serve --strategy tier --kv-block 32 --trace t.jsonl --iteration-ms 1 --mode blocking --json r.jsonl "${short[@]}" --scale-bytes 1 || [ $? = 2 ]
    # 32 tokens of 2 * 12 layers * 768 numbers of 2 bytes come back, all but the bucket's burst at the link's payload; no
    # iteration of this trace works for longer than all of them, 8 ms.
    sed -n 's/.*"ttft_bound_seconds":{[^}]*,\([0-9.e-]*\)\]}.*/\1/p' r.jsonl | awk -v bytes=$((32 * 2 * 12 * 768 * 2)) '
        { link = (bytes - 81920) * 8 / (1e8 * 0.9565); n++; right += $1 > link && $1 < link + 0.008 }
        END { exit n != 1 || right != 1 }'
}

@test "memory is short: the youngest requests give way, go to the tier and come back" {
    # 5 requests of 16 + 7 tokens at most, of 36 KiB each, with memory for 30: while one runs the next one has no room for its second token.
    measure 3 ovl_serve --strategy tier --kv-block 16 --preempt swap --requests 5 --prompt 12 --output 8 --max-batch 6 --kv-memory 1080K \
        --mode blocking,host,dpu --workers 1 --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true" ]
    # 4 requests of 14 tokens each go and come back.
    [ "$(grep -o '"preempted":{[^}]*}' r.jsonl | sort | uniq -c | sed 's/^ *//')" = \
        '3 "preempted":{"requests":4,"times":4,"tokens_read_again":0,"moved_bytes":4128768.0}' ]
    [ "$(grep -c '^#   4 of them pushed out, 4 times: 0 tokens read again, 3.9 MiB to a tier and back$' <<<"$out")" = 3 ]
    while IFS='|' read -r edit words; do
        sed "s/$edit/" r.jsonl >bad.jsonl
        ends 4 "$OVL_BIN/ovl" validate bad.jsonl
        grep -q "/serving/$words" <<<"$out$err"
    done <<'END'
"preempted":{"requests":[0-9]*/"preempted":{"requests":9|preempted/requests: 9, of 5, pushed out
"tokens_read_again":/"tokens_read_again":-1|preempted: -1
"preempted":/"pre":|preempted: not told
"kv_most_bytes":[^,]*/"kv_most_bytes":1105921.0|kv_most_bytes: 1105921, and a rank has memory for 1105920
END
    exits 3 - ovl_serve --plan 2 --preempt recompute --kv-memory 1G
    says "--preempt: ranks of pd that write read no prompt again; give --strategy tp, tier or ep"
    exits 3 - ovl_serve --plan 2 --strategy tp --preempt swap --kv-memory 1G
    says "--preempt swap: tp has no tier; give --preempt recompute, or --strategy tier"
    exits 3 - ovl_serve --plan 2 --strategy tp --preempt recompute
    says "--preempt: without a limit memory is never short; give --kv-memory, too"
}

@test "keys and values travel as numbers of one byte, and each is as near as it must be" {
    measure 3 ovl_serve --compress i8 --requests 4 --output 2 --mode host,dpu --workers 1 --json r.jsonl "${short[@]}"
    measure 2 ovl_serve --compress f8 --strategy tier --shared 1:64 --kv-block 32 --requests 3 --output 2 --prompt 9 --arrival poisson:0.5 --mode host --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | sort -u)" = true ]
    [ "$(grep -c '"compression":{"numbers":"i8","ratio":1.88[0-9]*,"error_by_bound":[01].[0-9]*}' r.jsonl)" = 2 ]
    [ "$(grep -c '"compression":{"numbers":"f8","ratio":2.0,"error_by_bound":[01].[0-9]*}' r.jsonl)" = 1 ]
    grep -q '"layout":"1+1, 8 messages, kv f16 sent as i8, balance 256"' r.jsonl
    if grep -q '"found":0.0' r.jsonl; then return 1; fi
    "$OVL_BIN/ovl_serve" --plan 2 >plain
    "$OVL_BIN/ovl_serve" --plan 2 --compress f8 >small
    grep -q 'messages of 1.0 GiB in all' plain
    grep -q 'messages of 512.0 MiB in all' small
    export OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=1000 OVL_CORRUPT_CALL=wait
    PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_serve --mode host --compress i8 --requests 3 --output 2 "${short[@]}"
    says "keys and values of request 0, part "
    exits 3 - ovl_serve --plan 2 --tiny --compress i8
    says "--compress: --tiny answers to the last bit, and rounds nothing; leave one of them out"
    exits 3 - ovl_serve --plan 2 --strategy tp --compress i8
    says "--compress: tp sends no keys and values; give --strategy pd or tier"
    exits 3 - ovl_serve --plan 2 --kv f8 --compress i8
    says "--compress: --kv f8 has numbers of one byte already; give --kv f16"
}

@test "experts over ranks: tokens to their experts and back, with a loaded one, and halves of a batch" {
    ep=(--strategy ep --model mixtral-8x7b --gate-skew 1 --overlap two --requests 3 --output 2 --prompt 12)
    measure 3 ovl_serve "${ep[@]}" --mode host,dpu --workers 1 --json r.jsonl "${short[@]:0:6}" \
        --compute sleep --compute-us 1000 --scale-bytes 100
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true" ]
    [ "$(field operations | sort -u)" = 256 ] # 32 blocks, there and back, in two halves of each of two iterations
    [ "$(grep -o '"layout":"[^"]*"' r.jsonl | sort -u)" = '"layout":"2, overlap two, skew 1, f8 and bf16 a rank, kv f16, balance 256"' ]
    # 3 prompts and a further token each, by 32 blocks, by 2 choices.
    [ "$(grep -o '"experts":{"experts":8,"top_k":2,"experts_of_a_rank":4,"choices":2496.0,"imbalance":1.[0-9]*' r.jsonl | wc -l)" = 2 ]
    "$OVL_BIN/ovl_serve" --plan 2 "${ep[@]}" >told
    grep -q '^  rank 0    2 iterations of 26 tokens in all; 256 exchanges of tokens of .* in all, the largest ' told
    grep -q '^  experts   8 a block, 4 at a rank, 2 for a token; the rank with most work in a block has 1.[0-9]* times the mean$' told
    grep -q '^  link      .* come in over the link of a node in a trace: of node [01], the most of all 2$' told
    # What all tokens go to hides behind their way, and is no other work.
    deep=(--plan 2 --strategy ep --model deepseek-v3 --requests 2 --prompt 8 --output 2)
    "$OVL_BIN/ovl_serve" "${deep[@]}" >none
    "$OVL_BIN/ovl_serve" "${deep[@]}" --overlap shared >shared
    diff <(sed 's/overlap none/overlap shared/; s/here: .*//' none) <(sed 's/here: .*//' shared)
    grep -q '^  experts   256 a block, 128 at a rank, 8 for a token, beside those that all have; ' none
}

@test "traces of both forms, static batches and one slot, and sums of a published model's width" {
    printf '{"timestamp": 27482, "input_length": 60, "output_length": 5, "hash_ids": [1, 2]}\n{"timestamp": 27999, "input_length": 30, "output_length": 1}\n' >moon.jsonl
    printf 'TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,37,4\r\n2023-11-16 18:15:50.9951690,39,0\r\n' >azure.csv
    measure 2 ovl_serve --trace moon.jsonl --iteration-ms 100 --batching static --max-batch 1 --strategy tp --overlap two --act f32 --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | sort -u)" = true ]
    [ "$(field operations | sort -u)" = 144 ] # 12 blocks of two sums, in each of six iterations of one request
    [ "$(grep -o '"requests":"2 of a file, [0-9a-f]*"' r.jsonl | wc -l)" = 2 ]
    if grep -q "$("$OVL_BIN/ovl_serve" --plan 2 --trace azure.csv --iteration-ms 100 | grep -o '2 of a file, [0-9a-f]\{16\}')" r.jsonl; then return 1; fi
    grep -q "$("$OVL_BIN/ovl_serve" --plan 2 --trace moon.jsonl --iteration-ms 100 | grep -o '2 of a file, [0-9a-f]\{16\}')" r.jsonl
    grep -qF '"input_files":{"model":"'"$(digest "$OVL_TOP/src/apps/serve/models/gpt2-small.json")"'","trace":"'"$(digest moon.jsonl)"'"}' r.jsonl
    printf '{"timestamp": 1, "input_length": 0, "output_length": 1}\n' >bad.jsonl
    exits 4 - ovl_serve --plan 2 --trace bad.jsonl
    says "--trace bad.jsonl: line 1, column 18: give input_length, a whole number from 1 to 1048576"
}

@test "--plan tells what many ranks would need, without running them" {
    "$OVL_BIN/ovl_serve" --plan 8:4 >told
    grep -q '^llama-8b, pd 4+4, 8 messages, kv f16, balance 256, on 8 ranks, 4 a node$' told
    # 128 KiB a token; 4 requests at each writer, of 512 + 31 tokens.
    grep -q '^  memory    keys and values: 128.0 KiB a token, at most 2172 tokens at a time: 271.5 MiB; messages here: 25[67].[0-9] MiB$' told
    grep -q '^  rank 4    34 iterations of 124 tokens in all; 32 messages of 256.0 MiB in all, the largest 8.0 MiB$' told
    # All readers are on the one node, all writers on the other: 16 x 512 tokens.
    grep -q '^  link      1.0 GiB come in over the link of a node in a trace: of node 1, the most of all 2$' told
    "$OVL_BIN/ovl_serve" --plan 8:8 --strategy tp --model llama-70b >told
    grep -q '^  model     70553706496 parameters, .*: 16.4 GiB a rank in numbers of 2 bytes$' told
    grep -q '^  memory    keys and values: 40.0 KiB a token' told # a head of 8 each
    grep -q '^  link      0 bytes come in over the link of a node in a trace$' told
    for strategy in pd tp tier; do # what nobody can count is refused before it is counted
        exits 3 - ovl_serve --plan 2 --strategy $strategy --requests 1048576 --prompt 1 --output 1048576 --max-batch 1
        says "--strategy: 1.1e+12 tokens of outputs make "
    done
    exits 3 - ovl_serve --plan 2 -M 1M
    says "--model llama-8b, --strategy pd: messages and steps of 16 requests need 1.0 GiB a rank, and a rank has 1.0 MiB by --mem-limit; give --scale-bytes, or fewer requests"
    "$OVL_BIN/ovl_serve" --plan 2 -M 1M --scale-bytes 1e6 >told
    "$OVL_BIN/ovl_serve" --plan 64:8 --requests 10000 --arrival poisson:2 --prompt lognormal:1000:1 --output geometric:200 --max-batch 64 | grep -q '^  requests  10000, '
}

# answers STRATEGY RANKS OPTION...: by --tiny, in $MODES: each validates its tokens against the serial program.
MODES=host,dpu
answers() {
    measure $(($2 + 1)) ovl_serve --tiny --mode "$MODES" --workers 1 -t 2 --strategy "$1" "${@:3}" --requests 5 \
        --arrival "${ARRIVAL:-poisson:1}" --shared 2:4 --prompt geometric:3 --output "${OUTPUT:-geometric:3}" --seed 3 "${short[@]:0:6}" --compute sleep --compute-us 300 --json r.jsonl
}

# answered JOBS SCHEMES: each of them by so many, the tokens of all are the same.
answered() {
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "$(yes true | head -n $(($2 * $1)) | xargs)" ]
    [ "$(grep -o '"tokens":"[0-9a-f]\{16\}"' r.jsonl | wc -l)" = $(($2 * $1)) ]
    [ "$(grep -o '"tokens":"[^"]*"' r.jsonl | sort -u | wc -l)" = 1 ]
}

@test "a small network's tokens are those of a serial program by every strategy" {
    ARRIVAL=poisson:3 OUTPUT=8 # and memory for the longest request alone, of 16 tokens
    answers tp 2 --overlap two --chunk 5 --max-batch 3 --preempt recompute --kv-memory 3072
    answers pd 2 --kv-messages 1 --max-batch 1
    answers tier 2 --kv-block 2 --preempt swap --kv-memory 6144
    answers ep 2 --overlap two --chunk 5 --max-batch 3 --gate-skew 1 --preempt recompute --kv-memory 6144
    answered 4 2
    [ "$(grep -c '"preempted":{"requests":[1-9][0-9]*,"times":[0-9]*,"tokens_read_again":[1-9][0-9]*,"moved_bytes":0.0}' r.jsonl)" = 4 ]
    [ "$(grep -c '"preempted":{"requests":[1-9][0-9]*,"times":[0-9]*,"tokens_read_again":0,"moved_bytes":15360.0}' r.jsonl)" = 2 ]
    [ "$(grep -o '"kept":[0-9.]*' r.jsonl | sort -u | wc -l)" = 1 ]
    if grep -q '"found":0.0' r.jsonl; then return 1; fi
    grep -q '"layout":"2, overlap two, sums of i64, kv i32, balance 256"' r.jsonl
    grep -q '^# solves    requests (5, poisson:3, .*) by tiny, ep' <<<"$out"
    grep -q '"layout":"2, overlap two, skew 1, i64 and i64 a rank, kv i32, balance 256"' r.jsonl
    if grep -q '"input_files":{"model"' r.jsonl; then return 1; fi
    # Lengths are drawn again from their seed.
    sed -E 's/("prompt_tokens":)[0-9]+/\1100/' r.jsonl >drawn.jsonl
    ends 4 "$OVL_BIN/ovl" validate drawn.jsonl
    [[ $out$err == *"/serving/prompt_tokens: 100, and the options have "* ]]
    exits 3 - ovl_serve --plan 2 --tiny --kv f8
    says "--kv: --tiny has its own; leave one of them out"
    exits 3 - ovl_serve --plan 2 --tiny --scale-bytes 2
    says "--scale-bytes: --tiny has no word to spare; leave one of them out"
    exits 3 - ovl_serve --tiny --strategy tp --plan 5
    says "the 12 heads of tiny do not divide by 5; give 4 ranks"
}

# bats test_tags=long
@test "a small network's tokens are those of a serial program by every strategy and scheme, at 1 to 4 ranks" {
    LIMIT=100 MODES=blocking,host,host-t,thread,dpu
    for ranks in 1 2 3 4; do
        answers tp $ranks --batching static
        answers ep $ranks --batching static --dispatch-per expert
        [ $ranks = 1 ] || answers pd $ranks --prefill 1
        [ $ranks = 1 ] || answers tier $ranks --tier-ranks 1 --kv-block 4 --tier-memory 5K
    done
    answered 14 5
}

@test "a damaged word is told with its place, of the scheme that brought it" {
    export OVL_CORRUPT_RANK=1 OVL_CORRUPT_BYTE=1000 OVL_CORRUPT_CALL=wait
    tiny=(--tiny --requests 3 --prompt 9 --output 4 --compute sleep --compute-us 300 -i 6:6 -x 0 --max-time 1)
    # A bit of a sum that is far below what a token shows.
    OVL_CORRUPT_BYTE=192 PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_serve "${tiny[@]}" --strategy tp --mode host
    says "wrong data: tiny, "
    says "request 0, place 1, seen at rank "
    # The same of a token on its way.
    OVL_CORRUPT_BYTE=32 PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_serve "${tiny[@]}" --strategy ep --mode host
    says "wrong data: tiny, "
    says ", seen at rank "
    # Blocking calls are left alone: the place is host's.
    tier=(--strategy tier --requests 3 --arrival poisson:0.5 --shared 1:64 --prompt 4 --output 3 --kv-block 64)
    PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_serve --mode blocking,host "${tier[@]}" "${short[@]}"
    says "wrong data: gpt2-small, "
    says "keys and values of request 0, part 0, at rank 1, of rank 0"
    # A word that was right at the tier, and is damaged on its way back.
    OVL_CORRUPT_RANK=0 PRELOAD=$OVL_SHIM/corrupt.so exits 4 2 ovl_serve --mode host "${tier[@]}" "${short[@]}"
    says "keys and values of request 0, part 0, at rank 0, of rank 1"
}

@test "requests that send nothing hide nothing, and workers of them did nothing" {
    exits 2 3 ovl_serve --strategy pd --requests 4 --prompt 32 --output 0 --mode host,dpu --workers 1 --json r.jsonl "${short[@]}"
    says "mode dpu: the workers had nothing to do"
    grep -q '^# answer    none: these requests send nothing$' <<<"$out"
    [ "$(rows | awk '{print $7}' | sort -u)" = - ]
    "$OVL_BIN/ovl" validate r.jsonl
    # On a busy machine the cell may be invalid as well, which is said first.
    [ "$("$OVL_BIN/ovl" export --to csv r.jsonl | grep -cE ',dpu,.*no: (idle workers|invalid)')" = 1 ]
}
