#!/usr/bin/env bats
# ovl_train --dataset as a user runs it: files are made once, read in both orders, counted, and told; what is damaged,
# missing, too large or not writable is one line before the first epoch.

load lib

short=(--model resnet20 --mode host --compute sleep --compute-us 500 -i 6:6 -x 0 --max-time 1)

# value NAME: its values in the data sets of r.jsonl, one a line.
value() { grep -o '"dataset":{.*' r.jsonl | grep -o "\"$1\":[^],}]*" | cut -d: -f2- | tr -d '"['; }

@test "samples of files in both orders, by two ranks: made once, hit rates and bytes that follow from the order, the table again" {
    LIMIT=100
    mkdir d
    run=("${short[@]}" -b 4 --dataset d --order random,lru,solar --local-buffer 0.34 --epochs 6)
    measure 2 ovl_train "${run[@]}" --samples 96 --json r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
    [ "$(cat d/ovl-data-set)" = "ovl-data-set-1 samples 96 bytes 3072 seed 1" ]
    [ "$(stat -c %s d/records-000000.bin)" = $((96 * 4096)) ]
    grep -q '"samples":96,"record_bytes":3072,"stored_bytes":4096,"batch":4,"local_buffer":0.34,"direct":' r.jsonl
    [ "$(value order | xargs)" = "random lru solar" ]
    [ "$(value room | xargs)" = "0 16 16" ]
    [ "$(value steps | xargs)" = "12 12 12" ]
    # All is read in the first epoch; then less, and by solar much less.
    [ "$(value first_read_bytes | cut -d. -f1 | xargs)" = "$((96 * 4096)) $((96 * 4096)) $((96 * 4096))" ]
    [ "$(value hit_rate | awk 'NR == 1 { random = $1 } NR == 2 { lru = $1 } END { print (random == 0 && lru < 0.2 && $1 > 0.26 && $1 <= 0.34) }')" = 1 ]
    [ "$(value ci_low | grep -c '^[-0-9]')" = 5 ] # of AU, and of what two orders save
    [ "$(value au_wanted)" = null ]
    grep -q '^# data set: 96 samples of 3072 bytes on [^,]*, .*4 a step and rank, buffers for 34.0 % of them$' <<<"$out"
    grep -q '^#   random [0-9.]* ms a step, [0-9.]* samples/s, AU [0-9.]* % \[[0-9.]*, [0-9.]*\]: 0.0 % from memory' <<<"$out"
    grep -q '^#   solar  [0-9.]* ms a step, [-+][0-9.]* % \[.*\], [0-9.]* samples/s, AU ' <<<"$out"
    "$OVL_BIN/ovl" show r.jsonl >shown
    diff shown <(echo "$out")
    # What is read and what is hit follows from the seed.
    for change in 's/"hit_rate":0.3333333[0-9]*/"hit_rate":0.34/' 's/"read_bytes":\[262144.0/"read_bytes":[258048.0/' \
        's/"first_read_bytes":393216/"first_read_bytes":389120/' 's/"room":16/"room":17/' 's/"seed":1\b/"seed":2/g' \
        's/"au":0.\([0-9]\)/"au":0.9\1/'; do
        sed "$change" r.jsonl >other.jsonl
        if cmp -s r.jsonl other.jsonl; then return 1; fi
        code=0 && "$OVL_BIN/ovl" validate other.jsonl >problems || code=$?
        [ "$code" = 4 ]
        grep -q '/dataset/orders/[0-9]*/.*, but the samples give ' problems
    done
    # They are there: nothing is made again, and the same samples are hit.
    stat -c '%y %i' d/* >before
    cp r.jsonl first.jsonl
    measure 2 ovl_train "${run[@]}" --read-rate 40M --json again.jsonl
    [ "$(stat -c '%y %i' d/*)" = "$(cat before)" ]
    hits=$(value hit_rate)
    mv again.jsonl r.jsonl
    [ "$(value hit_rate)" = "$hits" ]
    grep -q ', read at 41.9 MB/s at most$' <<<"$out"
    # Another launch as the first one, beside it: a ratio of each, over both. Whatever the machine makes of them.
    id=$(sed -n '1s/.*"run_id":"\([^"]*\)".*/\1/p' first.jsonl)
    sed "s/$id/$id-2/g; s/\"samples_crc32\":\"[^\"]*\"/\"samples_crc32\":\"00000000\"/" first.jsonl >third.jsonl
    for f in first third; do
        sed 's/"status": *"\(ok\|ci_not_reached\|few\|drifting\|invalid\)"/"status":"few"/' $f.jsonl >$f.few.jsonl
    done
    "$OVL_BIN/ovl" show first.few.jsonl r.jsonl third.few.jsonl >shown
    grep -q '^# train host, epochs over launches: medians, with exact 95 % intervals from 6 on$' shown
    [ "$(grep -cE "^#   (lru|solar): [0-9.]+ times random's samples/s, 2 launches$" shown)" = 2 ]
    # A damaged record has a kind over and over: it is one launch all the same.
    for f in first third; do
        jq -c 'if .dataset.orders then .dataset.orders |= (. as $o | reduce range(500) as $i ([]; . + $o)) else . end' $f.few.jsonl >$f.many.jsonl
    done
    "$OVL_BIN/ovl" show first.many.jsonl third.many.jsonl >many
    grep -qE "^#   lru: [0-9.]+ times random's samples/s, 2 launches$" many
    if command -v gnuplot >/dev/null; then
        "$OVL_BIN/ovl" plot first.few.jsonl --chart loading
        for text in 'train: a step, by the order of its samples' random lru solar 'hits 33 %, AU '; do
            tr -d '\n' <train-loading.svg | sed 's/<[/]*tspan[^>]*>//g' | grep -q -- "$text" || { echo "not in it: $text"; return 1; }
        done
    fi
}

@test "DLIO's records with its pass line only where batch and computation are DLIO's" {
    mkdir d
    # cosmoflow's are 2.8 MB and a batch of 1 in 3.5 ms.
    measure 1 ovl_train --model resnet20 --mode host --compute sleep -i 6:6 -x 0 --max-time 1 --dataset d --records cosmoflow \
        --samples 4 --epochs 2 --json r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
    grep -q '"record_bytes":2828486,"stored_bytes":2830336,"batch":1,' r.jsonl
    grep -q '"records":"cosmoflow","au_wanted":0.7' r.jsonl
    # All that a step computes is work, the filling of its messages, too.
    [ "$(value work_seconds | awk '{ print ($1 > 0.00349) }')" = 1 ]
    grep -q '^#   DLIO asks an AU of 70 % for cosmoflow$' <<<"$out"
    measure 1 ovl_train --model resnet20 --mode host --compute sleep -i 6:6 -x 0 --max-time 1 --dataset d --records cosmoflow \
        -b 2 --epochs 2 --json r.jsonl
    ! grep -q 'DLIO' <<<"$out"
}

@test "damaged, missing, other, too few, not writable, full: one line before the first epoch, nothing is left" {
    mkdir d
    measure 2 ovl_train "${short[@]}" --dataset d --samples 30 --epochs 1
    grep -q '^# data set: 30 samples .*, 1 a step and rank$' <<<"$out" # no order keeps any
    exits 3 2 ovl_train "${short[@]}" --dataset d --local-buffer 0.5
    one_line
    says "--local-buffer: --order random keeps nothing; give lru or solar, too"
    exits 3 2 ovl_train "${short[@]}" --dataset d --samples 31
    one_line
    says "--dataset d: has 30 samples of 3072 bytes, and 31 of 3072 are wanted; give another folder"
    # The AU is that of all steps but the first, and of one step there is none.
    exits 3 2 ovl_train "${short[@]}" -b 8 --dataset d
    says "--dataset d: 30 samples, and two steps take 32, the fewest of an epoch; give --samples"
    printf X | dd of=d/records-000000.bin bs=1 seek=100001 conv=notrunc status=none
    exits 4 2 ovl_train "${short[@]}" --dataset d
    one_line
    says "d/records-000000.bin: damaged at byte 100000; empty the folder"
    truncate -s 100000 d/records-000000.bin
    exits 4 2 ovl_train "${short[@]}" --dataset d
    one_line
    says "d/records-000000.bin: ends too soon"
    rm d/records-000000.bin
    exits 4 2 ovl_train "${short[@]}" --dataset d
    one_line
    says "d/records-000000.bin: is not there"
    echo something >d/ovl-data-set
    exits 4 2 ovl_train "${short[@]}" --dataset d
    says "d/ovl-data-set: is not the head of a data set"
    exits 5 2 ovl_train "${short[@]}" --dataset /none/there
    one_line
    says "--dataset /none/there: cannot read it"
    exits 5 2 ovl_train "${short[@]}" --dataset d/ovl-data-set
    one_line
    says "--dataset d/ovl-data-set: cannot read it: Not a directory"
    exits 5 2 ovl_train "${short[@]}" --dataset /proc
    one_line
    says "cannot write it"
    mkdir full
    export OVL_FULL_DISK=50000
    PRELOAD=$OVL_SHIM/full_disk.so exits 5 2 ovl_train "${short[@]}" --dataset full
    one_line
    says "full/records-000000.bin: cannot write it: No space left on device; give a --dataset with more room"
    [ -z "$(ls -A full)" ]
}
