#!/usr/bin/env bats
# ovl_halo as a user runs it: what it prints and records, what it refuses, and that a wrong answer is seen.

load lib

short=(-i 6:6 -x 0 --max-time 5)

@test "cubes and schemes are cells, with their answers checked; the table is shown again from the record" {
    measure 2 ovl_halo -g 16,9 --json r.jsonl "${short[@]}"
    [ "$(rows | awk '{print $1, $2}')" = "16x16x16 blocking
16x16x16 host
9x9x9 blocking
9x9x9 host" ]
    grep -q '^# solves    4 steps of a seven-point stencil on planes of a cube' <<<"$out"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | xargs)" = "true true true true" ]
    [ "$(field steps | xargs)" = "4 4 4 4" ]
    [ "$(grep -c '"phase_seconds":{"compute":{"min":.*"post":.*"test":.*"wait":' r.jsonl)" = 4 ]
    [ "$(grep -o '"bound_ratio":{"value":' r.jsonl | wc -l)" = 4 ]
    "$OVL_BIN/ovl" show r.jsonl >shown
    diff shown <(echo "$out")
}

@test "one rank, a plane for each rank, and uneven parts" {
    measure 1 ovl_halo -g 5 --steps 1 --json r.jsonl "${short[@]}"
    grep -q '^# warning   one rank: nothing is communicated' <<<"$out"
    measure 3 ovl_halo -g 3,7,11 --steps 5 --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field validated | sort -u)" = true ]
    [ "$(field steps | sort -u | xargs)" = "1 5" ]
}

@test "--plan tells what many ranks would need, without running them" {
    "$OVL_BIN/ovl_halo" -g 64,512 --mode host,dpu --plan 64:8 >told
    # Planes of 514 x 514 doubles: two messages, and one comes in at each end of a node's part of the ring.
    grep -q '^grid 512x512x512 on 64 ranks, 8 a node$' told
    grep -q '^  dpu       2 messages a rank in a step, each of 2.0 MiB; by workers$' told
    [ "$(grep -c '^  link      4.0 MiB come in over the link of a node in a step: of node 0, the most of all 8$' told)" = 1 ]
    # Two cubes of 8 + 2 planes.
    grep -q '^  memory    40.3 MiB a rank, 322.5 MiB a node$' told
    # What is below --dpu-min stays with the host.
    "$OVL_BIN/ovl_halo" -g 64,512 --mode dpu --dpu-min 1M --plan 64:8 >told
    grep -q '^  dpu       2 messages a rank in a step, each of 34.0 KiB; by the host$' told
    grep -q '^  dpu       2 messages a rank in a step, each of 2.0 MiB; by workers$' told
    "$OVL_BIN/ovl_halo" --plan 4:4 | grep -q '^  link      0 bytes come in over the link of a node in a step$'
    refused() { ! "$OVL_BIN/ovl_halo" "$@" 2>told; }
    refused -g 64 --plan 65
    grep -q -- '--grid 64: give a whole number, and a plane at least to each of 65 ranks$' told
    refused -g 512 --plan 64 -M 40M
    grep -q -- '--grid 512: two cubes need 40.3 MiB' told
}

@test "blocking, host, host with tests and dpu share the blocks of one run; workers prove what they carried" {
    measure 4 ovl_halo -g 24 --mode blocking,host,host-t,dpu -t 20 --workers 1 --json r.jsonl "${short[@]}"
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(field mode | xargs)" = "blocking host host dpu" ]
    [ "$(field test_lines | xargs)" = "0 0 20 0" ]
    [ "$(rows | awk '{print $2}' | xargs)" = "blocking host host-t dpu" ]
    # Also where that is more than half of the inside, which is 24 x (24 / 2 - 2) lines.
    measure 2 ovl_halo -g 24 --mode blocking,host-t -t 200 --json half.jsonl "${short[@]}"
    grep '"record":"cell"' half.jsonl | sed -n 2p | grep -q '"test":{"min":[0-9.e-]*[1-9]'
    [ "$(field validated | xargs)" = "true true true true" ]
    [ "$(field block_group | sort -u | wc -l)" = 1 ]
    grep '"record":"cell"' r.jsonl | sed -n 3p | grep -q '"test":{"min":[0-9.e-]*[1-9]' # it did test
    # Up and down, 4 steps, 3 ranks: 24 messages in C and T of 6 blocks, and again what started late.
    ops=$(field worker_ops | tail -n 1)
    [ "$ops" -ge 288 ] && [ $((ops % 24)) = 0 ]
}
