#!/usr/bin/env bats
# ovl_train --offload as a user runs it: every design's batches, sums and answers are checked, what is spoilt is exit 4, a
# helper that ended is named, and what does not fit is refused.

load lib

short=(--model resnet20 -i 6:6 -x 0 --max-time 1 --compute-us 1000)

# designs NAME: its values in the designs of the cells of r.jsonl, one a line.
designs() { grep -o '"designs":.*\]' r.jsonl | grep -o "\"$1\":\"\?[^,\"}]*" | sed 's/.*:"\?//'; }

@test "every design by one rank and two, by the host and by workers, all data checked; the table is shown again" {
    LIMIT=100
    all=none,o-n,o-da,o-mv,o-hy
    measure 1 ovl_train "${short[@]}" -b 4 --mode host --offload $all --steps-per-epoch 4 --epochs 6 --json r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(designs offload | xargs -n 5 | sort -u)" = "none o-n o-da o-mv o-hy" ]
    [ "$(designs ci_low | grep -c '^[-0-9]')" = 10 ] # of what each saves, and of its AU
    grep -q '"phases":{"steps":4.0,"samples":4,"sample_bytes":3072,"helpers":1,"slowdown":1.0,"bare_seconds":0' r.jsonl
    grep -q '"augment_asked":0.121,"validate_asked":0.03[,0]' r.jsonl
    # A part of a batch of four, for at least one sample is the helper's and one the rank's.
    case $(designs share) in 0.25 | 0.5 | 0.75) ;; *) false ;; esac
    grep -q '^# epochs of 4 steps, batches of 4 x 3072 bytes, 1 helper a rank' <<<"$out"
    for design in none o-n o-da o-mv o-hy; do grep -q "^#   $design  *[0-9.]* ms a step" <<<"$out"; done
    "$OVL_BIN/ovl" show r.jsonl >shown
    diff shown <(echo "$out")
    measure 3 ovl_train "${short[@]}" -b 2 --mode blocking,dpu --workers 1 --offload $all --helpers 2 --helper-slowdown 2 \
        --phases 0.2:0.1 --steps-per-epoch 4 --epochs 2 --json r.jsonl
    measure 2 ovl_train --tiny -i 6:6 -x 0 --max-time 1 --compute-us 200 --mode host --offload o-mv,o-hy --steps-per-epoch 9 \
        --json r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(designs offload | sort | uniq -c | xargs)" = "4 none 3 o-da 4 o-hy 4 o-mv 3 o-n" ]
    [ "$(grep -c '"helpers":2,"slowdown":2.0' r.jsonl)" = 2 ]
}

@test "records of DLIO, scaled with their computation; its pass line is for files" {
    measure 1 ovl_train --model resnet20 --mode host --records resnet50:a100 --scale-bytes 2000 --offload o-da \
        --steps-per-epoch 3 --epochs 1 -i 6:6 -x 0 --max-time 1 --json r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
    grep -q '"samples":400,"sample_bytes":57,' r.jsonl
    grep -q '"compute_us":217.5' r.jsonl
    grep -q '"records":"resnet50:a100"' r.jsonl
    ! grep -q DLIO <<<"$out"
}

# long: a run of o-da that would take minutes, at its helpers' ids in $helpers.
long() {
    # shellcheck disable=SC2086
    timeout 60 $OVL_MPIEXEC -n 1 "$OVL_BIN/ovl_train" --model resnet20 -b 4 --mode host --offload o-da --compute-us 3000 \
        --steps-per-epoch "$1" --epochs 16 >out 2>all &
    helpers=
    for _ in $(seq 200); do
        for pid in $(running ovl_train "--steps-per-epoch.$1"); do
            case $(readlink "/proc/$(ps -o ppid= -p "$pid" | tr -d ' ')/exe") in */ovl_train) helpers=$pid ;; esac
        done
        [ "$helpers" ] && break
        sleep 0.05
    done
    [ "$helpers" ]
    sleep 0.5
}

# ended CODE
ended() {
    code=0
    wait $! || code=$?
    err=$(grep -a '^ovl_' all)
    code_is "$1"
    one_line
}

@test "a batch that is not what its helper was to make: exit 4, and it is named" {
    long 41
    base=$(sed -n 's/^\([0-9a-f]*\)-.* rw-s .*zero.*/\1/p' "/proc/$helpers/maps" | head -n 1)
    [ "$base" ]
    for _ in $(seq 500); do # in the second of two buffers, as soon as it is full
        printf X | dd of="/proc/$helpers/mem" bs=1 seek=$((16#$base + 70001)) conv=notrunc status=none 2>/dev/null || break
    done
    ended 4
    says "wrong data: batch "
    says " of rank 0, as its helper made it"
}

@test "a helper that is killed is named, the record stays, and nothing is left behind" {
    long 1000003
    kill -9 "$helpers"
    ended 5
    says "ovl_train: helper 0 of rank 0 (process $helpers) has ended; start the job again"
    [ -z "$(running ovl_train --steps-per-epoch.1000003)" ]
    # A signal ends epochs, too.
    long 1000005
    for pid in $(running ovl_train --steps-per-epoch.1000005); do [ "$pid" = "$helpers" ] || kill "$pid"; done
    ended 2
    [ -z "$(running ovl_train --steps-per-epoch.1000005)" ]
}

@test "a model without sizes of samples is refused in one line" {
    echo '{"schema": "ovl-model-1", "name": "x", "dtype": "f32", "layers": [{"tensors": [3], "macs": 3, "activation_bytes": 4}]}' >m.json
    exits 3 1 ovl_train --model ./m.json --offload none --compute-us 1000
    one_line
    says "--offload: model x has no sample_bytes; add them, or give --records"
}
