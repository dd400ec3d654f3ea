#!/usr/bin/env bats
# No command loses a cell: of records as they are measured, each shows as many cells as there are cell lines. And none
# takes a value as it is stored where it follows from the samples.

load tool

# Of each benchmark, and each set of modes in a file, once with cells that carry no claim and once without them, the smallest
# record; of the launches of a job the first.
records() {
    find "$OVL_TOP/results" "$data" -name '*.jsonl' ! -name '00[2-9].jsonl' ! -name '0[1-9]?.jsonl' -printf '%s %p\n' |
        sort -n | cut -d ' ' -f 2- | tr '\n' '\0' | xargs -0 awk '
        FNR == 1 {
            files[++n] = FILENAME
            match($0, /"benchmark":"[^"]*"/)
            kind[n] = substr($0, RSTART, RLENGTH)
        }
        /"record":"cell"/ {
            match($0, /"mode":"[^"]*"/)
            mode = substr($0, RSTART, RLENGTH)
            if (!index(kind[n], mode)) kind[n] = kind[n] mode
            if (/"unshaped":true|"status":"invalid"/) silent[n] = "silent"
        }
        END { for (i = 1; i <= n; i++) if (!seen[kind[i] silent[i]]++) print files[i] }'
}

# count WHAT WANTED GOT
count() { [ "$2" = "$3" ] || { echo "$1: $3 cells, and the file has $2"; return 1; }; }

# bats test_tags=long
@test "tables and exports have as many cells as there are cell lines" {
    # The wire did not hold some cells to its rate: they carry no claim, and forms without a word for that lack them.
    for file in $(records); do
        echo "$file"
        cells=$(grep -c '"record":"cell"' "$file")
        silent=$(grep '"record":"cell"' "$file" | grep -cE '"unshaped":true|"status":"invalid"' || true)
        ovl 0 show "$file"
        count show "$cells" "$(grep -vcE '^#|^$' <<<"$out")"
        ovl 0 export --to csv "$file"
        count csv "$cells" "$(tail -n +2 <<<"$out" | grep -c .)"
        ovl 0 export --to junit "$file"
        count junit "$cells" "$(($(grep -c '<testcase' <<<"$out") - 1))"
        ovl 0 export --to bmf "$file"
        count bmf "$cells" "$(grep -c '^  "' <<<"$out")"
        ovl $((cells == silent ? 2 : 0)) export --to gha "$file"
        count gha "$((cells - silent))" "$(grep -c '"name"' <<<"$out")"
        [ "$silent" = 0 ] || says "$silent cell"
    done
}

# bats test_tags=long
@test "pages, comparisons and limits have as many cells as there are cell lines" {
    for file in $(records); do
        echo "$file"
        cells=$(grep -c '"record":"cell"' "$file")
        ovl 0 report "$file" -o page.html
        count report "$cells" "$(sed 's/<tr/\n<tr/g' page.html | grep -c '^<tr><td class="text">')"
        sed 's/"run_id":"/&again-/' "$file" >again.jsonl
        ovl 2 compare "$file" again.jsonl
        count compare "$cells" "$(grep -cE ' [0-9]+ v [0-9]+ ' <<<"$out")"
        benchmark=$(sed -n '1s/.*"benchmark":"\([^"]*\)".*/\1/p' "$file")
        echo "{\"limits\": 1, \"log_required\": false, \"rules\": [{\"match\": {\"benchmark\": \"$benchmark\"}, \"metric\": \"total_seconds\",
            \"operator\": \">\", \"limit\": 0}]}" >limits.json
        cp "$file" alone.jsonl # a plan beside it may have its job as a baseline, of which no rule is
        timeout 60 "$OVL_BIN/ovl" accept limits.json alone.jsonl >out || true
        count accept "$cells" "$(grep -cE '^  +1 ' out)"
    done
}

@test "proxies that differ in one thing are other points, and a rule can name each" {
    ovl 0 export --to csv "$data/hpl.jsonl" "$data/fft3d.jsonl"
    head -n 1 <<<"$out" | tr , '\n' | sed -n '/^benchmark$/,/^datatype$/p' >names
    for name in bcast procs depth threads transform variables chunks window test_lines root cold registrations device dpu_min worker_idle \
        worker_priority worker_transport worker_map worker_slowdown worker_memory; do
        grep -qx "$name" names || { echo "$name does not tell cells apart"; return 1; }
    done
    # One thing at a time, in all cells of another run.
    base=$(wc -l <<<"$out")
    for change in 's/"depth":1/"depth":0/' 's/"threads":1}/"threads":2}/' 's/"n":200/"n":250/' 's/"procs":"1x2"/"procs":"2x1"/' \
        's/"transform":"r2c"/"transform":"c2c"/' 's/"variables":3/"variables":1/' 's/"chunks":[0-9]/"chunks":8/' \
        's/"window":[0-9]/"window":4/' 's/"test_lines":0/"test_lines":16/' 's/"bcast":"[a-z-]*","depth"/"bcast":"long","depth"/' \
        's/"options":{/&"root":1,/' 's/"worker_slowdown":1.0/"worker_slowdown":3.0/' 's/"worker_idle":"auto"/"worker_idle":"spin"/' \
        's/"worker_map":"cyclic"/"worker_map":"block"/' 's/"cold":false,"dpu_min"/"cold":true,"dpu_min"/' \
        's/"dpu_min":0/"dpu_min":1024/' 's/"device":null/"device":"mlx5_0"/'; do
        rm -f tried
        for file in hpl fft3d; do
            sed "s/\"run_id\":\"/&x/; s/\"samples_crc32\":\"../\"samples_crc32\":\"zz/; $change" "$data/$file.jsonl" >other.jsonl
            cmp -s <(sed 's/"run_id":"/&x/; s/"samples_crc32":"../"samples_crc32":"zz/' "$data/$file.jsonl") other.jsonl && continue
            touch tried
            cp "$data/$file.jsonl" one.jsonl # two folders would be told
            ovl 0 export --to gha one.jsonl other.jsonl
            [ "$(grep -c '"name"' <<<"$out")" -gt 6 ] || { echo "$change: the same points"; return 1; }
        done
        [ -e tried ] || { echo "$change: changes nothing"; return 1; }
    done
    for rule in '"bcast": "ring-m"' '"procs": "1x2"' '"depth": 1, "threads": 1' '"worker_slowdown": 1, "mode": "dpu"'; do
        echo "{\"limits\": 1, \"log_required\": false, \"rules\": [{\"match\": {\"benchmark\": \"hpl\", $rule}, \"metric\": \"gflops\",
            \"operator\": \">\", \"limit\": 0}]}" >limits.json
        tells 2 "1 launch: an interval needs 6" accept limits.json "$data/hpl.jsonl"
        absent 'not measured: no cell' "$out"
    done
}

@test "what is stored and what the samples give: validate tells, and accept takes the samples, and not the record" {
    mkdir six
    for i in 1 2 3 4 5 6; do
        sed -E "s/\"synchronised\":false/\"synchronised\":true/; s/\"run_id\":\"/&$i-/; s/(\"total_seconds\":\{\"max\":\[[0-9]+\.[0-9]+),/\1$i,/" "$data/hpl.jsonl" >six/made
        derived six/made six/$i.jsonl
    done
    echo '{"limits": 1, "log_required": false, "rules": [
        {"match": {"benchmark": "hpl"}, "metric": "gflops", "operator": "<", "limit": 1000},
        {"match": {"benchmark": "hpl"}, "metric": "exposed_comm_seconds", "operator": ">", "limit": 1e-6}]}' >limits.json
    ovl 0 accept limits.json six
    sed -i 's/"gflops":{"value":[0-9.]*/"gflops":{"value":9999.0/; s/"exposed_comm_seconds":{"value":[0-9.e-]*/"exposed_comm_seconds":{"value":0.0/' \
        six/*.jsonl
    tells 4 "six/1.jsonl:2: /gflops/value: 9999, but the samples give" validate six/1.jsonl
    prints "six/1.jsonl:2: /exposed_comm_seconds/value: 0, but the samples give"
    tells 1 "12 PASS, 1 FAIL" accept limits.json six
    prints "FAIL: ovl validate finds 12 in six/1.jsonl: line 2: /gflops/value: 9999, but the samples give"
    # The other values of proxies.
    for edit in 's/2.2198e+01/2.3198e+01/' 's/\(hpl_line[^,]* \)0.00 /\10.10 /' 's/WR11R2L8         200/WR11R2L8         201/' \
        's/WR11R/WR21R/' 's/WR11R/WR12R/'; do
        sed "$edit" "$data/hpl.jsonl" >h.jsonl
        tells 4 "/hpl_line: " validate h.jsonl
    done
    sed '3s/"swap_seconds":{"median":[^,]*/"swap_seconds":{"median":1.0/' "$data/hpl.jsonl" >h.jsonl
    tells 4 "h.jsonl:3: /swap_seconds/median: 1, but the samples give" validate h.jsonl
    sed '3s/"gain_vs_blocking":{"value":[^,]*/"gain_vs_blocking":{"value":0.5/; 4s/"exposed_comm_seconds":{"value":[^,]*/"exposed_comm_seconds":{"value":1.0/' \
        "$data/fft3d.jsonl" >f.jsonl
    tells 4 "f.jsonl:3: /gain_vs_blocking/value: 0.5, but the samples give -0.208" validate f.jsonl
    prints "f.jsonl:4: /exposed_comm_seconds/value: 1, but the samples give"
    # The quickest host cell is the one whose samples are.
    sed -i 's/"metric": "gflops", "operator": "<", "limit": 1000/"metric": "offload_efficiency", "operator": "<", "limit": 1000/' limits.json
    sed 's/"match": {"benchmark": "hpl"}, "metric": "off/"match": {"benchmark": "hpl", "mode": "dpu"}, "metric": "off/' limits.json >dpu.json
    ovl 1 accept dpu.json six -o before
    sed -i 's/\("total_seconds":{"median":\)[0-9.]*/\19.9/' six/*.jsonl
    ovl 1 accept dpu.json six -o after
    [ "$(grep -A1 '"value"' before)" = "$(grep -A1 '"value"' after)" ]
}

@test "records from before an option are of the same points as those that have its usual value" {
    launches a 6 1
    launches b 6 1
    sed -i '1s/"options":{/"options":{"root":0,"op":null,"in_place":false,"dpu_min":0,/' b/*.jsonl
    ovl 2 compare a b
    [ "$(grep -c '6 v 6' <<<"$out")" = 4 ]
    absent 'not measured' "$out"
    sed -i '1s/"root":0/"root":1/' b/*.jsonl
    ovl 2 compare a b
    [ "$(grep -c 'not measured on the new side' <<<"$out")" = 4 ]
}

@test "validate holds a run line against itself, and cells and nodes against it" {
    hpl=$OVL_TOP/tests/cli/data/kept/hpl.jsonl fft=$OVL_TOP/tests/cli/data/kept/fft3d.jsonl
    train=$OVL_TOP/tests/cli/data/kept/train.jsonl ways=$OVL_TOP/results/train-checkpoints/resnet50/001.jsonl
    serve=$OVL_TOP/tests/cli/data/serve.jsonl
    while IFS='|' read -r file edit words; do
        sed -E "$edit" "${!file:-$data/ialltoall.jsonl}" >edited.jsonl
        tells 4 "$words" validate edited.jsonl
    done <<'END'
hpl|s/"problem":\{"n":6000/"problem":{"n":12000/|/problem/n: 12000, which the option order does not have
hpl|s/"bcast":"ring-m"/"bcast":"tree"/|/problem/bcast: tree, which the option bcast does not have
fft|s/"grid":"128x128x128"/"grid":"256x256x256"/|/problem/grid: 256x256x256, which the option grid does not have
train|s/"model":"edsr_x2","strategy"/"model":"resnet50","strategy"/|/problem/model: resnet50, which the option model does not have
train|s/"ratio":1.0,"us":null/"ratio":5.0,"us":null/|/compute/ratio: 5, which the option compute_ratio does not have
fft|1s/("offload":\{.*"workers":)2/\11/|/offload/workers: 1, in a run of 2 workers
coll|2s/"size_bytes":8192/"size_bytes":4096/|/size_bytes: 4096, by the option message_size of 8192 to 65536
coll|2s/"ranks":2/"ranks":64/|/ranks: 64, in a run of 2 ranks
coll|2s/"units":6950/"units":69500/|/compute/units: 69500 in 1.13e-05 s, and the kernel does 6.09e+08 a second
serve|s/"phase_seconds":\{"([a-z_]*)":\{"min":[-0-9.e]*/"phase_seconds":{"\1":{"min":1e300/|are in no order
serve|s/"curve":\{[^}]*\}/"curve":{}/|/curve: is missing, and this version tells it
serve|1s/"disturbance":/"x":/|/disturbance: is missing, and this version tells it
serve|1s/"mpi_library":"[^"]*"/"mpi_library":"Other 1.0"/|, and the first of /hosts has "Other 1.0"
serve|s/"clock_read_seconds":[0-9.e-]*/"clock_read_seconds":0/|/clock_read_seconds: 0, and whatever reads
serve|s/"clock_read_seconds":[0-9.e-]*/"clock_read_seconds":1/|/clock_read_seconds: 1, and whatever reads a clock takes time, if below 0.001 s
serve|s/"algorithm":[a-z"]*/"algorithm":"magic"/|/engine/algorithm: "magic", and this version has none of that name
serve|s/"ttft_seconds":\{"p50":[0-9.e-]*/"ttft_seconds":{"p50":1e-06/|/serving/ttft_seconds/p50: 1e-06, and the steps have
serve|s/"ttft_seconds"/"x"/; s/"ttft_unqueued_seconds"/"ttft_seconds"/; s/"x"/"ttft_unqueued_seconds"/|, and of ttft_unqueued_seconds 
serve|s/"requests":[0-9]+,"prompt_tokens"/"requests":1000,"prompt_tokens"/|/serving/requests: 1000, and the problem has
serve|s/"kv_token_bytes":[0-9.]*/"kv_token_bytes":0/|/serving/kv_token_bytes: 0
serve|1s/"schema":"[^"]*"/"schema":"2.11.0"/; s/"ttft_by_blocking":[0-9.]*/"ttft_by_blocking":0.5/|/serving/ttft_by_blocking: 0.5, but
ways|s/"checkpoint":"helper"/"checkpoint":"shard"/|/epochs: nothing of helper, which the option checkpoint has
ways|s/("checkpoint":"helper","steps":40,"seconds":\[)[^]]*\](,"median_seconds":)[^,]*/\12.7]\22.7/|/epochs: 1 epochs of helper, and the options have 3
ways|s/"epochs":\[\{/"epochs":[],"x":[{/|/epochs: nothing of none, which the option checkpoint has
coll|1s/"thread_level":"single"/"thread_level":"some"/|/mpi/thread_level: "single", "funneled"
coll|2s/"worker_ops":null/"worker_ops":5/|/engine: workers did it, by a cell of mode host
coll|2s/"workers":0/"workers":3/|/engine/workers: 3, in a run of 0 workers
coll|1s/"binding":\["0-1",/"binding":[/|/binding: of 1 ranks, in a run of 2
coll|1s/"binding"/"rank_hosts":[0,5],&/|/rank_hosts: rank 1 is on a host that /hosts does not have
coll|1s/"nodes":1/"nodes":2/|/nodes: 2, and /hosts has 1
coll|1s/"binding"/"rank_hosts":[0,0],&/; 1s/"nodes":1/"nodes":2/|/nodes: 2, and /rank_hosts has 1
hpl|s/"order":\[6000.0\]/"order":[12000.0]/|/options/order: is not the 6000.0 of the command
hpl|s/"order":\[6000.0\],//|/options/order: is missing, and the command has it
fft|s/"mode":"dpu"(.*)"worker_ops":[0-9]+/"mode":"dpu"\1"worker_ops":1/|/engine/worker_ops: 1, and C and T of 20 blocks have
fft|s/"mode":"dpu","engine":\{"name":"worker"(.*)"worker_ops":[0-9]+/"mode":"dpu","engine":{"name":"mpi"\1"worker_ops":null/|/engine/worker_ops: nan, and C and T
fft|1s/"offload":\{/&"processors":[{"host":"a","architecture":"aarch64","emulated":true,"workers":[0]}],/|/engine/placement: "host-core", and the run's processors are emulated
coll|2s/"blocks":/"slowest_rank":{"rank":0,"total_seconds":1,"inner_seconds":1,"comm_seconds":1},&/|/slowest_rank: total_seconds of 1, where a rank has
coll|2s/"blocks":/"slowest_rank":{"rank":null,"total_seconds":null,"inner_seconds":null,"comm_seconds":null},&/|/slowest_rank: is null, and
coll|1s/"started":"[^"]*"/"started":"2026-02-31T12:00:00Z"/|/started: "2026-02-31T12:00:00Z" is no time in UTC
coll|1s/"command":\["[^"]*"/"command":["ovl_ibcast"/|/command: is of ovl_ibcast, and /benchmark is ialltoall
coll|2s/"blocks":/"block_times":{"started_seconds":[1,2]},&/|/block_times/started_seconds: 2 times of 8 blocks
coll|2s/"blocks":/"block_times":{"started_seconds":[1,2,3,4,3,6,7,8]},&/|/block_times/started_seconds: block 4 began before the one before it
coll|1s/"iterations":\[8,8\]/"iterations":[8,100]/|and cells that --max-time ended took 40 s
coll|1s/"environment":\{/&"OVL_CLUSTER":"nodes=2 rate=1000000 burst=81920",/; 1s/"nodes":1/"nodes":2/|/unshaped: null, but C is under 0.9
END
    # Samples of T that no lateness explains; one sample that was in time, where others tell of theirs.
    sed -E '2s/("total_seconds":\{"max":\[)[^],]*,[^],]*,[^],]*(,[^]]*\],"mean":\[)[^],]*,[^],]*,[^],]*/\1null,null,null\2null,null,null/' \
        "$data/ialltoall.jsonl" >edited.jsonl
    tells 4 "/samples/total_seconds: 3 of 8 blocks are null, and no rank began 3 of them late" validate edited.jsonl
    sed -E '2s/("samples".*"total_seconds":\{"max":\[)[^],]*(,[^]]*\],"mean":\[)[^],]*/\1null\2null/' "$fft" >edited.jsonl
    tells 4 "/samples/total_seconds: 1 of 20 blocks are null, and no rank began 1 of them late" validate edited.jsonl
    # What a rank exposed itself is less than T and W allow; the communication of blocking alone is longer than its T.
    same() { printf -- "$1%.0s," {1..19}; echo "$1"; }
    sed -E '3s/("samples".*"own_exposed_seconds":\{"max":\[)[^]]*(\],"mean":\[)[^]]*/\1'"$(same -1e-4)"'\2'"$(same -1e-4)"'/' "$fft" >edited.jsonl
    tells 4 "/samples/own_exposed_seconds: -0.0001 in block " validate edited.jsonl
    grep -q '"mode":"blocking"' <(sed -n 2p "$fft")
    sed -E '2s/("samples".*"comm_seconds":\{"max":\[)[^]]*(\],"mean":\[)[^]]*/\1'"$(same 0.35)"'\2'"$(same 0.35)"'/' "$fft" >edited.jsonl
    derived edited.jsonl again.jsonl
    sed -n 2p again.jsonl >cell
    has cell '"status":"invalid"' "the communication alone was disturbed"
    # A node's line taken out of a record of ovl_noise.
    sed 3d "$OVL_TOP/tests/fuzz/corpus/record/noise.jsonl" >noise.jsonl
    tells 4 '/status: "complete", but of 2 nodes 1 have a line' validate noise.jsonl
}

@test "validate holds all that a cell says of its work, problem, engine and check against the options" {
    hpl=$OVL_TOP/tests/cli/data/kept/hpl.jsonl fft=$OVL_TOP/tests/cli/data/kept/fft3d.jsonl
    train=$OVL_TOP/tests/cli/data/kept/train-tuned.jsonl cluster=$OVL_TOP/results/cluster/ialltoall.jsonl
    while IFS='|' read -r file edit words; do
        sed -E "$edit" "${!file:-$data/ialltoall.jsonl}" >edited.jsonl
        tells 4 "$words" validate edited.jsonl
    done <<'END'
coll|2s/"ratio":1.0/"ratio":null/|/compute/ratio: null, which the option compute_ratio does not have
coll|2s/"us":null/"us":20.0/|/compute/us: 20, and the option compute_ratio says the work
coll|1s/"compute_us":null/"compute_us":1000.0/; s/"ratio":1.0/"ratio":null/|/compute/us: null, by the option compute_us of 1000
coll|1s/"compute_us":null/"compute_us":1000.0/; s/"us":null/"us":1000.0/|/compute/ratio: 1, and the option compute_us says the work
coll|1s/"kernel":"fma"/"kernel":"triad"/|/calibration/kernel: "triad", by the option compute of "fma"
coll|1s/"seed":1,"quiet"/"seed":2,"quiet"/|/seed: is not the 2 of the options
coll|2s/"name":"mpi"/"name":"other"/|/engine/name: "other", and a cell that no worker took part in has "mpi"
coll|2s/"path":null/"path":"shm"/|/engine/path: "shm", and a cell
train|3s/"ratio":1.0/"ratio":null/|/compute/ratio: null, which the option compute_ratio does not have
train|2s/"units":[0-9]+/"units":null/|/compute/units: null, and a step has some
train|3s/"tests":1/"tests":7/|/problem/tests: 7, which the option tests does not have
train|2s/"tests":0/"tests":1/|/problem/tests: 1, which the option tests does not have
train|3s/"buckets":"[^"]*"/"buckets":"1, 1"/|/problem/buckets: 1, 1, which
train|3s/"tests":1/&,"pipeline":"1x2x1, 4 microbatches"/|/problem/pipeline: 1x2x1, 4 microbatches, which
train|3s/"tests":1/&,"scale_flops":10.0/|/problem/scale_flops: 10, which
train|3s/"tests":1/&,"scale_bytes":10.0/|/problem/scale_bytes: 10, which
train|3s/"skew":"none"/"skew":"random:100"/|/skew: "random:100", by the option skew of "none"
fft|4s/"chunks":[0-9]+/"chunks":8/|/problem/chunks: 8, which the option chunks does not have
fft|2s/"chunks":1/"chunks":2/|/problem/chunks: 2, which
fft|4s/"window":2/"window":4/|/problem/window: 4, which the option window does not have
fft|4s/"test_lines":64/"test_lines":1/|/problem/test_lines: 1, which the option test_lines does not have
fft|4s/,"test_lines":64\}/}/|/problem/test_lines: null, which
fft|4s/"test_lines":64/&,"pmap":"col"/|/problem/pmap: col, which the option pmap does not have
fft|4s/"test_lines":64/&,"more":1/|/problem/more: the program writes none
fft|4s/"kind":""/"kind":"fma"/; 4s/"kind":null/"kind":"fma"/|/compute/kind: "fma", and the problem is the work
fft|4s/"ratio":null/"ratio":1.0/|/compute/ratio: 1, and the problem is the work
fft|4s/"validated":true/"validated":null/|/validated: null, and an application checks its answer
hpl|3s/"test_calls":0/"test_calls":7/|/test_calls: is another than that of all cells of applications
hpl|3s/"n":6000/"n":5/; 3s/"status":"[a-z]*"/"status":"invalid"/|:3: /problem/n: 5, which the option order does not have
hpl|3s/"rotate":1/"rotate":2/|/rotate: is another
hpl|3s/"persistent":false/"persistent":true/|/persistent: is another
hpl|3s/"engine":\{"name":"[a-z]+"/"engine":{"name":"host2"/|/engine/name: "host2", and a cell
hpl|3s/"workers":0/"workers":1/|/engine/workers: 1, and no worker took part
hpl|3s/"check":\{[^}]*\}/"check":{"name":"residual","value":1e9,"limit":16.0}/; 3s/"validated":true/"validated":null/|/validated: null, and reason or check say that data are wrong
coll|1s/"check_data":true/"check_data":false/|/validated: true, by the option check_data of false
hpl|3s/"check":\{[^}]*\}/"check":{"name":"residual","value":1e9,"limit":16.0}/|/validated: true, and reason or check say that data are wrong
hpl|3s/"check":\{[^}]*\}/"check":{"name":"residual","value":null,"limit":null}/|/validated: true, by a check of nan
hpl|3s/"units":[0-9]+/"units":1152216000000/|/compute/units: 1.152216e+12, and a matrix of order 6000 takes 144054000000
hpl|3s/"units":[0-9]+/"units":null/|/compute/units: nan, and a matrix
hpl|3s/"depth":1/&,"swap":"mix","swap_threshold":64/|/problem/swap: mix, which the option swap does not have
cluster|1s/"slowdown":1.0/"slowdown":8.0/|/offload/slowdown: 8, by the option worker_slowdown of 1
cluster|1s/"path":"auto"/"path":"verbs"/|/offload/path: "shm", by the option path of "verbs"
cluster|1s/"path":"shm"/"path":"cma"/|/engine/path: "shm", and the run has "cma"
cluster|1s/"worker_idle":"auto"/"worker_idle":"spin"/|/offload/idle: "sleep", by the option worker_idle of "spin"
cluster|1s/"map":"cyclic"/"map":"block"/|/offload/map: "block", by the option worker_map of "cyclic"
cluster|1s/"worker_transport":"mpi"/"worker_transport":"tcp"/|/offload/transport: "mpi", and the option worker_transport has "tcp"
cluster|1s/"adapter":null,"cold":false/"adapter":null,"cold":true/|/offload/cold: 1, by the option cold of 0
cluster|1s/"slowdown":1.0/"slowdown":8.0/; s/"status":"ok"/"status":"invalid"/|:1: /offload/slowdown: 8, by
cluster|1s/"worker_timeout":30.0/"worker_timeout":3.0/|/offload/timeout_seconds: 30, by the option worker_timeout of 3
cluster|1s/"algorithm":null/"algorithm":"bruck"/|/engine/algorithm: "pairwise", by the option algorithm of "bruck"
cluster|/"mode":"dpu"/s/"path":"shm"/"path":null/|/engine/path: "", and the run has "shm"
END
    # The long name of an order is the same.
    sed '1s/"pmap":"row"/"pmap":"column"/; 2,5s/"test_lines":[0-9]*/&,"pmap":"col"/' "$fft" >edited.jsonl
    ovl 4 validate edited.jsonl
    absent '/problem/pmap' "$out"
}

@test "validate finds a cell that is a copy of another, and a larger problem that took less work" {
    hpl=$OVL_TOP/tests/cli/data/kept/hpl.jsonl
    ring=$(grep -n '"bcast":"ring-m"' "$hpl" | cut -d: -f1) ibcast=$(grep -n '"bcast":"ibcast"' "$hpl" | cut -d: -f1)
    copy() { # also in another order
        { sed "$ibcast,\$d" "$hpl"
          sed -n "${ring}p" "$hpl" | sed -E 's/"bcast":"ring-m"/"bcast":"ibcast"/; s/"name":"host"/"name":"mpi"/; '"${1:-}"
          sed "1,${ibcast}d" "$hpl"; } >copied.jsonl
    }
    for order in '' 's/\[([0-9.e-]+),([0-9.e-]+),([0-9.e-]+)\]/[\2,\1,\3]/g'; do
        copy "$order"
        tells 4 "copied.jsonl:$ibcast: /samples/total_seconds: they are those of the cell in line $ring" validate copied.jsonl
    done
    { echo '/"bcast":"ring",/ { sub(/"n":6000/, "\"n\":12000"); sub(/"units":[0-9]+/, "\"units\":1152216000000"); $0 = total($0, 0.5, 0.5) }'
      echo '{ print }'; } >larger.awk
    awk -f "$OVL_TOP/tests/tool/totals.awk" -f larger.awk "$hpl" | sed '1s/6000.0/6000.0,12000.0/' >larger.jsonl
    derived larger.jsonl again.jsonl
    tells 4 "of work for 1.44e+11 operations, and the cell in line 2 has " validate again.jsonl
}

@test "options may be shortened in a command, and a damaged run line ends nothing" {
    sed -E '1s/"-m","8K:64K"/"--iter","8:8","--quiet","--compute-r","1"/; 1s/"quiet":false/"quiet":true/; 1s/"ovl_version":"[^"]*"/"ovl_version":"'"$("$OVL_BIN/ovl" --version | sed 's/.* //')"'"/' \
        "$data/ialltoall.jsonl" >short.jsonl
    ovl 0 validate short.jsonl
    for change in 's/"ovl_version":"[^"]*",//' 's/"command":\[[^]]*\]/"command":[1,null,"--seed"]/' 's/"command":\[[^]]*\],//' 's/"options":\{[^}]*\}/"options":[]/'; do
        sed -E "1$change" "$data/ialltoall.jsonl" >damaged.jsonl
        ovl 4 validate damaged.jsonl || ovl 0 validate damaged.jsonl
    done
}

@test "validate holds cells against each other, against the run's workers and the command" {
    cp "$data/kept/cluster.jsonl" good.jsonl
    ovl 0 validate good.jsonl
    schema=$(awk -F '"' '/define OVL_RECORD_SCHEMA/ { print $2 }' "$OVL_TOP/src/record/record.h")
    while IFS='|' read -r change problem; do
        sed "${change//SCHEMA/$schema}" good.jsonl >bad.jsonl
        ! cmp -s good.jsonl bad.jsonl || { echo "no change: $change"; return 1; }
        tells 4 "$problem" validate bad.jsonl
    done <<'END'
/"mode":"dpu"/s/"placement":"host-core"/"placement":"bluefield"/|/engine/placement: "bluefield", and the run's workers are on "host-core"
1s/"rank_hosts":\[[^]]*\],//|/rank_hosts: is missing, and this version tells it
1s/"physical_cores":2,//|/physical_cores: is missing, and this version tells it
1s/"build":{[^}]*},//|/build.compiler: is missing, and this version tells it
1s/"offload":{[^{]*{[^}]*},*[^}]*},//|/offload: is missing, and this version tells it
s/"autocorrelation":[^,]*,//|/autocorrelation: is missing, and this version tells it
s/_late_seconds":{"max":/_l_seconds":{"max":/g|/samples.comm_late_seconds: is missing, and this version tells it
1s/"machine":"[^"]*"/"machine":null/|/machine: is missing, and this version tells it
1s/"load":[^,]*,//|/load: is missing, and this version tells it
1s/"level":1,//|/caches/level: is missing, and this version tells it
1s/"datatype":"MPI_CHAR"/"datatype":null/|/datatype: is missing, and this version tells it
1s/"datatype":"MPI_CHAR",//|/datatype: is missing, and this version tells it
1s/"units_per_second":[^,]*,/"units_per_second":null,/|/calibration.units_per_second: is missing, and this version tells it
s/"samples_crc32":"[^"]*",//|/samples_crc32: is missing, and this version tells it
s/"units":[0-9]*/"units":null/|/compute.units: is missing, and this version tells it
s/"invalid_samples":{[^}]*}/"invalid_samples":{}/|/invalid_samples.comm_seconds: is missing, and this version tells it
s/"start_spread_seconds":[^,]*,/"start_spread_seconds":null,/|/start_spread_seconds: is missing, and this version tells it
s/"cpu_seconds":{"thread":[^,]*/"cpu_seconds":{"thread":null/|/cpu_seconds.thread: is missing, and this version tells it
s/"rank":[0-9]*,"host"/"rank":7,"host"/|/lateness_seconds/rank: 7, of 2 ranks
s/"rank":[0-9]*,"host":"[^"]*"/"rank":null,"host":null/|/lateness_seconds.host: is missing, and this version tells it
1s/"schema":"[^"]*"/"schema":"SCHEMA"/|/sizes_bytes: is missing, and this version tells it
1s/"schema":"[^"]*"/"schema":"SCHEMA"/|/options/cadence: is missing, and this version tells it
1s/"schema":"[^"]*"/"schema":"2.3.0"/|/block_times.started_seconds: is missing, and this version tells it
/"size_bytes":1048576,/d; s/"cells":18/"cells":16/|/status: "complete", and the run lacks the cell of 1048576 bytes in mode host
/"mode":"dpu"/{s/"size_bytes":65536,/"size_bytes":X,/;s/"size_bytes":16777216,/"size_bytes":65536,/;s/"size_bytes":X,/"size_bytes":16777216,/}|/engine/worker_bytes:
END
    # An application on several nodes tells the bytes on their links.
    for change in 's/"wire_bytes":[0-9]*,/"wire_bytes":null,/' 's/"wire_bytes":[0-9]*,//'; do
        sed "$change" "$OVL_TOP/tests/cli/data/kept/train-tuned.jsonl" >bad.jsonl
        tells 4 "/wire_bytes: is missing, and this version tells it" validate bad.jsonl
    done
    # A run is no shorter than what was measured in it.
    sed 's/"finished":"[^"]*"/"finished":"2026-11-21T12:31:44Z"/; s/"started":"[^"]*"/"started":"2026-11-21T12:31:44Z"/' \
        "$OVL_TOP/tests/cli/data/kept/hpl.jsonl" >bad.jsonl
    tells 4 "/finished: 0 s after the start, and the samples took 18.8 s" validate bad.jsonl
    # And what all applications tell, and trainings.
    for field in histogram memory_bytes curve phase_seconds gain_vs_blocking; do
        sed '1s/"schema":"[^"]*"/"schema":"2.3.0"/; 2s/"'$field'":/"x_'$field'":/' "$OVL_TOP/tests/cli/data/kept/train-tuned.jsonl" >bad.jsonl
        tells 4 ":2: /$field: is missing, and this version tells it" validate bad.jsonl
    done
    # What a training tells of its epochs follows from their seconds.
    while IFS='|' read -r of change problem; do
        sed "$change" "$data/kept/train-$of.jsonl" >bad.jsonl
        tells 4 ":2: $problem" validate bad.jsonl
    done <<'END'
checkpoints|s/"median_seconds":2.4/"median_seconds":2.2/|/epochs/1/median_seconds: 2.271849787, but the samples give 2.471849787
checkpoints|s/"stall_seconds":0.3[0-9]*/"stall_seconds":0/|/epochs/1/stall_seconds: 0 of an epoch with checkpoints
checkpoints|s/"stall_seconds":0.3/"stall_seconds":2.5/|/epochs/1/stall_seconds: 2.540540518, but the longest epoch takes 2.483172521
helpers|s/"improvement":{"value":0.1/"improvement":{"value":0.2/|/phases/designs/1/improvement/value: 0.208645518297, but the samples give 0.108645518297
helpers|s/"step_seconds":0.015/"step_seconds":0.012/|/phases/designs/1/step_seconds: 0.0123645794, but the samples give 0.0153645794
helpers|s/"au":0.98/"au":0.99/|/phases/designs/1/au: 
END
    # Of one cell the last block is left out, and all is derived again.
    sed '3{s/\(\("max"\|"mean"\):\[[^]]*\),[^],]*\]/\1]/g; s/"blocks":60,/"blocks":59,/}' good.jsonl >less.jsonl
    rm bad.jsonl
    "$OVL_BUILD/tests/sim" rederive less.jsonl bad.jsonl
    tells 4 "/blocks: 59, and the cell in line 2 has 60 of the same blocks" validate bad.jsonl
    # One cell alone does not tell how late ranks began.
    rm bad.jsonl
    sed '3s/_late_seconds"/_l_seconds"/g' good.jsonl >less.jsonl
    "$OVL_BUILD/tests/sim" rederive less.jsonl bad.jsonl
    tells 4 ":3: /lateness_seconds: is not told, and the cell in line 2 of the same blocks tells it" validate bad.jsonl
}
