#!/usr/bin/env bats
# --cadence stream: operations in a row, timed beside the others.

load lib

# samples NAME: how many cells of r.jsonl have samples of it.
samples() { grep '"record": *"cell"' r.jsonl | grep -c "\"$1\": *{\"max\""; }

@test "a stream has a field of its own in every mode, and nothing else is of it" {
    measure_valid 3 ovl_iallgather -m 1K:1K "${quick[@]}" --compute-us 50 --mode host,dpu --cadence stream -t 2 --json r.jsonl
    grep -q ' comm us  stream us ' <<<"$out"
    [ "$(samples comm_stream_seconds)" = 2 ]
    grep -q '"cadence": *"stream"' r.jsonl
    ends 0 "$OVL_BIN/ovl" validate r.jsonl
    # Six streams of eight operations in dpu mode, and C and T of six blocks.
    [ "$(field worker_ops | tail -n 1)" -ge 60 ]
    ends 0 "$OVL_BIN/ovl" export --to csv r.jsonl
    head -n 1 <<<"$out" | grep -q ',comm_stream_seconds,comm_stream_seconds_ci_low,'
    grep -q 'stream us' <("$OVL_BIN/ovl" show r.jsonl)
    # What is changed in it is found, as in any sample.
    sed 's/\("comm_stream_seconds": *{"median": *\)/\17/' r.jsonl >cheat.jsonl
    ends 4 "$OVL_BIN/ovl" validate cheat.jsonl
}

@test "without it nothing streams" {
    measure 2 ovl_ialltoall -m 64:64 "${quick[@]}" "${work[@]}" --json r.jsonl
    absent stream "$out"
    [ "$(samples comm_stream_seconds)" = 0 ] || false
    absent '"comm_stream_seconds"' "$(cat r.jsonl)"
}

@test "each operation of a stream has its own buffers, whose data are checked, without a message and rotating too" {
    measure 2 ovl_ialltoall -m 64:64 "${quick[@]}" "${work[@]}" --cadence stream --rotate 3 --json r.jsonl
    [ "$(field validated)" = true ]
    exits 3 2 ovl_ialltoall -m 8M:8M -M 128M --cadence stream
    says "8M with 2 ranks needs 301989888 bytes a rank, over the limit of 128M"
    measure 2 ovl_ibarrier "${quick[@]}" "${work[@]}" --cadence stream
    grep -q ' stream us ' <<<"$out"
    measure 2 ovl_p2p -m 64:64 "${quick[@]}" "${work[@]}" --cadence stream --format omb
    absent stream "$out"
}
