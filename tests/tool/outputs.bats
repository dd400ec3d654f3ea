#!/usr/bin/env bats
# Files that the tool writes: they replace no input and nothing of the machine, and what a killed one left is in nobody's way.

load tool

# first: a record of its own, whose SHA-256 is in $before.
first() {
    cp "$data/ialltoall.jsonl" mine.jsonl
    sed 's/4d4346abbbb67a49/4d4346abbbb67a50/' mine.jsonl >other.jsonl
    echo '{"limits":1,"rules":[{"match":{"benchmark":"ialltoall"},"metric":"total_seconds","operator":"<=","limit":1}]}' >limits.json
    sha256sum mine.jsonl other.jsonl limits.json >before
}

@test "an output never replaces an input, by whatever name" {
    first
    ln mine.jsonl hard
    ln -s mine.jsonl soft
    ln -s mine.jsonl soft.svg
    mkdir old
    cp mine.jsonl old/a.jsonl
    for name in mine.jsonl ./mine.jsonl "$PWD/mine.jsonl" hard soft; do
        refuses 3 "$name: this file is read or written by the same call, and would be lost" export --to csv mine.jsonl -o "$name"
        refuses 3 "would be lost" report mine.jsonl -o "$name"
        refuses 3 "would be lost" published mine.jsonl -o "$name"
        refuses 3 "would be lost" compare mine.jsonl other.jsonl --junit "$name"
    done
    refuses 3 "would be lost" report other.jsonl --old old -o old/a.jsonl
    refuses 3 "would be lost" compare mine.jsonl other.jsonl --chart soft.svg
    refuses 3 "would be lost" history mine.jsonl other.jsonl --chart soft.svg
    ln -s mine.jsonl ialltoall-overlap.svg
    refuses 3 "would be lost" plot mine.jsonl --chart overlap
    sha256sum -c before
    cmp mine.jsonl old/a.jsonl
    [ -L soft ]
    [ -L soft.svg ]
    [ -L ialltoall-overlap.svg ]
    # A file that is not read is what -o is for.
    ovl 0 export --to csv other.jsonl -o mine.jsonl
    [ "$(head -c 6 mine.jsonl)" = run_id ]
}

@test "a file that is replaced keeps its mode, and a link is replaced itself" {
    first
    echo old >mine.csv
    echo theirs >theirs.csv
    chmod 600 mine.csv
    ln -s theirs.csv link.csv
    ovl 0 export --to csv other.jsonl -o mine.csv
    [ "$(stat -c %a mine.csv)" = 600 ]
    ovl 0 export --to csv other.jsonl -o link.csv
    [ ! -L link.csv ]
    [ "$(cat theirs.csv)" = theirs ]
    cmp mine.csv link.csv
}

@test "a report of accept replaces neither the limits nor what it judges, nor the plan and the log beside it" {
    first
    swept s 2 1
    sha256sum s/plan.json s/sweep.log s/*/*.jsonl limits.json >before
    for name in limits.json s/plan.json s/sweep.log s/a/001.jsonl; do
        refuses 3 "$name: this file is read or written by the same call" accept limits.json s -o "$name"
        refuses 3 "$name: this file is read or written by the same call" report --limits limits.json s -o "$name"
    done
    sha256sum -c before
}

@test "of two outputs of one call neither replaces the other" {
    first
    swept s 2 1
    refuses 3 "x: this file is read or written by the same call" accept limits.json s -o x --json x
    refuses 3 "y: this file is read or written by the same call" compare --junit y --json y other.jsonl mine.jsonl --across --any-work
}

@test "what is appended to an input by the shell is refused, too" {
    first
    code=0
    "$OVL_BIN/ovl" export --to csv mine.jsonl >>mine.jsonl 2>err || code=$?
    [ $code = 3 ]
    has err "standard output: this file is read or written by the same call"
    sha256sum -c before
}

@test "a link to a descriptor is written where it stands, and stays" {
    first
    ln -s /dev/stdout out-link
    ovl 0 export --to csv mine.jsonl -o plain.csv
    { echo head; "$OVL_BIN/ovl" export --to csv mine.jsonl -o out-link; echo tail; } >all
    [ -L out-link ]
    { echo head; cat plain.csv; echo tail; } | cmp - all
    ln -s /proc/self/fd/7 seven
    { echo head >&7; "$OVL_BIN/ovl" export --to csv mine.jsonl -o seven; echo tail >&7; } 7>all
    [ -L seven ]
    { echo head; cat plain.csv; echo tail; } | cmp - all
}

@test "the devices of the machine stay what they are" {
    first
    mkdir dev
    cat >inside <<'SCRIPT'
set -e
mount -t tmpfs none dev
touch dev/null
mount --bind /dev/null dev/null
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/1 dev/stdout
echo old >elsewhere
ln -s "$PWD/elsewhere" dev/link
mount --rbind dev /dev
"$1" export --to csv mine.jsonl -o /dev/stdout >out.csv
"$1" export --to csv mine.jsonl -o /dev/link
"$1" export --to csv mine.jsonl -o /dev/null
readlink /dev/stdout /dev/link
[ ! -f /dev/null ]
SCRIPT
    unshare -m true 2>/dev/null || skip "no mount namespace for this user"
    unshare -m bash inside "$OVL_BIN/ovl" >out || { cat out; false; }
    ovl 0 export --to csv mine.jsonl -o plain.csv
    cmp plain.csv out.csv
    cmp plain.csv elsewhere
}

@test "ovl offload appends its report to a record, or to nothing" {
    first
    refuses 3 "limits.json: this file is no record" offload --report limits.json -- true
    echo 'size,overlap' >table.jsonl
    refuses 3 "table.jsonl: this file is no record" offload --compare --report table.jsonl -- true
    [ "$(cat table.jsonl)" = size,overlap ]
    sha256sum -c before
}
