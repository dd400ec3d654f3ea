#!/usr/bin/env bats
# What the tool makes of records of inference: times of requests, and what was exposed of the communication. No MPI.

load tool

setup() {
    own_folder
    # Cells that count, whatever the machine did when they were measured.
    sed '/"record":"cell"/ s/"status":"[a-z_]*","marks":\["invalid",/"status":"few","marks":[/' \
        "$OVL_TOP/tests/cli/data/serve.jsonl" >serve.jsonl
}

# of_two_strategies FILE: its records, and the same of another strategy.
of_two_strategies() {
    local run layout='2, overlap two, skew 0, f8 and bf16 a rank, kv f16, balance 256'
    run=$(grep -o '"run_id":"[^"]*"' "$1" | head -n 1)
    sed "s/$run/\"run_id\":\"other\"/; s/\"strategy\":\"pd\"/\"strategy\":\"ep\"/; s/\"layout\":\"[^\"]*\"/\"layout\":\"$layout\"/" "$1"
    cat "$1"
}

@test "charts of requests: both times by scheme, and what iterations exposed; records without them have none" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot serve.jsonl --chart requests,spread,iterations
    [ "$(grep -c . out)" = 3 ]
    chart_shows serve-spread.svg 'share of requests with this time at most' Blocking Host DPU '% of requests' 'without the time in the queue thin'
    chart_shows serve-requests.svg 'time to the first token, and for each further one' 'gpt2-small' Blocking Host DPU 'first token' \
        'without queue' 'each further' 'time (' 'the median of all requests'
    chart_shows serve-iterations.svg 'exposed, by iteration and in all' Blocking Host DPU 'exposed (' 'all (' 'light hidden'
    # What each rank did, as a run with --json has it.
    lane() { printf '{"lane":"rank %d","forward":[0.01,0.03,0.05,0.06],"operation":[0.02,0.055],"wait":[0.03,0.05]}' "$1"; }
    sed "s/\"serving\":{/\"timeline\":[$(lane 0),$(lane 1)],&/" serve.jsonl >lanes.jsonl
    ovl 0 plot lanes.jsonl --chart gantt
    chart_shows serve-gantt.svg 'serve: requests served, by scheme' '2 ranks' 'gpt2-small' Blocking Host DPU 'rank 0' 'rank 1' forward 'in flight' wait
    [ "$(chart_texts serve-gantt.svg | grep -cx 'rank [01]')" = 6 ]
    # Of two strategies both blocking schemes stand first, and no line of a title runs into its time.
    of_two_strategies lanes.jsonl >two.jsonl
    ovl 0 plot two.jsonl --chart gantt -o two
    [ "$(chart_texts two/serve-gantt.svg | grep -oE '^(Blocking|Host|DPU), ' | xargs)" = "Blocking, Blocking, Host, Host, DPU, DPU," ]
    [ "$(chart_texts two/serve-gantt.svg | grep -cE '^(kv f16, )?balance 256$')" = 3 ]
    [ "$(chart_texts two/serve-gantt.svg | grep -cE '^(Blocking|Host|DPU), .{70}')" = 0 ]
    for file in serve-*.svg; do ! grep -q NaN "$file" || { echo "$file has NaN"; return 1; }; done
    # Invalid cells are marked, and are no bars.
    sed 's/"status":"few","marks":\[/"status":"invalid","marks":["invalid",/' serve.jsonl >invalid.jsonl
    ovl 0 plot invalid.jsonl --chart requests,spread,iterations -o invalid
    chart_shows invalid/serve-spread.svg 'x: invalid'
    chart_shows invalid/serve-requests.svg 'x: invalid'
    chart_shows invalid/serve-iterations.svg 'x: invalid'
    # Values that are none are passed over.
    sed 's/"p50":[^,]*,/"p50":"x",/g; s/"steps":\[/&{},"x",/g; s/"curve":{"exposed_comm_seconds":\[/&{},/g' serve.jsonl >hostile.jsonl
    tells 4 'serve: no requests chart: no cell has a value for it' plot hostile.jsonl --chart requests
    ovl 0 plot hostile.jsonl --chart spread,iterations -o hostile
    sed 's/"steps":[^]]*]/"steps":7/g' serve.jsonl >none.jsonl # as kept records of before, which have none
    tells 4 'serve: no spread chart: no cell has a value for it' plot none.jsonl --chart spread
    cp "$OVL_TOP/tests/cli/data/train.jsonl" train.jsonl
    ovl 0 plot train.jsonl
    [ -z "$(find . -name 'train-requests*' -o -name 'train-spread*' -o -name 'train-iterations*')" ]
}

@test "charts of several strategies: no name is cut by the edge, each model is named, and a part of a trace begins at 0" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    of_two_strategies serve.jsonl >two.jsonl
    ovl 0 plot two.jsonl --chart fft3d,breakdown,requests
    for file in serve-fft3d.svg serve-requests.svg; do
        [ "$(chart_texts "$file" | grep -cE '^(Host|DPU|Blocking), ')" -gt 3 ]
        [ "$(chart_texts "$file" | grep -E '^(Host|DPU|Blocking), ' | grep -cE '.{55}')" = 0 ]
    done
    [ "$(chart_texts serve-breakdown.svg | grep -E '^(Host|DPU|Blocking), ' | grep -cE '.{72}')" = 0 ]
    ovl 0 plot "$OVL_TOP"/results/serve/2.5gbit/{tier,ep-two}/*.jsonl --chart fft3d
    chart_shows serve-fft3d.svg 'serve: all requests, by scheme' mixtral-8x7b llama-8b model
    [ "$(chart_texts serve-fft3d.svg | grep -cE '^(NaN|grid)$')" = 0 ]
    # An iteration that began half a second after the trace did.
    lane() { printf '{"lane":"rank %d","forward":[500.01,500.03,500.05,500.06],"operation":[500.02,500.055]}' "$1"; }
    sed "s/\"serving\":{/\"timeline\":[$(lane 0),$(lane 1)],&/" serve.jsonl >part.jsonl
    ovl 0 plot part.jsonl --chart gantt
    chart_shows serve-gantt.svg 'the middle iteration' '50 ms' 'time (ms)'
}

# batched HOW RATE SED: the record as one of such batches, with work by --flops and so many tokens a second.
batched() {
    sed "s/\"run_id\":\"[^\"]*/&-$1/; s/\"problem\":{/&\"flops\":1e12,/; s/\"batching\":\"continuous, /\"batching\":\"$1, /
         s/\"output_tokens_per_second\":[^,}]*/\"output_tokens_per_second\":$2/; s/\"us\":60000[.0]*/\"us\":null/; $3" serve.jsonl >"$1.jsonl"
}

@test "continuous batches stand beside static ones of the same trace, and beside what is published of them" {
    batched static 100.0 ''
    batched continuous 250.0 ''
    here() { grep -v '^#' out | grep -F 'join and leave'; }
    ovl 0 published static.jsonl continuous.jsonl
    [ "$(here | grep -cE ' 11.00 \(GPT, over\), 16.00 \(LLAMA\) +2.50 +100 to 250 tokens/s, .*batching 8 at once.*flops 1000000000000(, [^;]*)?; 1 launch$')" = 3 ] # a scheme each
    # Other numbers of slots are another set-up; work that was given as a time has no such rate.
    batched continuous 250.0 's/8 at once/9 at once/'
    ovl 0 published static.jsonl continuous.jsonl
    [ "$(here | grep -c ' -  *not measured$')" = 1 ]
    batched continuous 250.0 's/"flops":1e12,//'
    batched static 250.0 's/"flops":1e12,//'
    ovl 0 published static.jsonl continuous.jsonl
    [ "$(here | grep -c ' -  *not measured$')" = 1 ]
}

@test "the last line says whether workers help; without a measurement of both it says what is missing" {
    ovl 0 show serve.jsonl
    grep -qE '^# answer    (yes, workers help|no, workers do not help|not told apart): the trace takes [0-9.]+ ms with dpu, and [0-9.]+ ms with (host|blocking), the quickest without' out
    sed '/"mode":"dpu"/d' serve.jsonl >host.jsonl
    ovl 0 show host.jsonl
    grep -q '^# answer    none: dpu was not measured;' out
}

# short: of the rows of ovl show those columns that the page has.
short() {
    awk '/^ / { printf "%-8s %10s %20s %10s %9s %9s %8s\n", $3, $4, $5, $6, $8, $9, $11; next } { print }'
}

# It stands behind the line `.\" table of FILE`, a record, and has a head of its own.
@test "the table on the page is that of its record" {
    page=$OVL_TOP/man/ovl_serve.1
    ovl 0 show "$OVL_TOP/$(sed -n 's/^\.\\" table of //p' "$page")"
    short <out >shown
    sed -n '/^\.\\" table of /,/^\.Ed/p' "$page" | grep -v '^[.]' | sed 1d >table
    [ "$(grep -c '^dpu' table)" = 1 ]
    [ "$(grep -c '^# answer' table)" = 1 ]
    while IFS= read -r line; do
        grep -qxF -- "$line" shown || { echo "not in the record: $line"; return 1; }
    done <table
}
