#!/usr/bin/env bats
# scripts/compare/paper: figures of the records that results/figures lists, and the commands that make them.

load tool

setup() {
    cd "$BATS_TEST_TMPDIR"
    export RESULTS=$PWD/results OVL_BUILD
    mkdir results
    paper=$OVL_TOP/scripts/compare/paper
    tell() { run "$paper" "$@"; echo "$output"; }
}

@test "each record under results/ has a command in the list, each figure a record, and a name of its own" {
    cd "$OVL_TOP"
    unset RESULTS
    list=$("$paper" list)
    [ "$(grep -c '^figure' <<<"$list")" -gt 10 ]
    [ -z "$(sort <<<"$list" | uniq -d)" ]
    while IFS= read -r file; do
        name=${file#results/}
        until grep -qFx "record $name" <<<"$list"; do
            [[ $name == */* ]] || { echo "no command makes $file: add a record to results/figures"; return 1; }
            name=${name%/*}
        done
    done < <(find results -type f ! -name README ! -name figures ! -path '*.old*' ! -path '*.failed*')
}

@test "a figure is drawn of its records, and index.txt says how they are made" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    mkdir results/some build
    cp "$OVL_TOP/tests/cli/data/ialltoall.jsonl" results/some/001.jsonl
    printf '%s\n' '# A list.' 'record some' '    ovl_ialltoall --json $record' '' 'figure first total some' '    The first' \
        '    figure.' 'figure second overlap mode=^host$ some/001.jsonl' '    The second.' \
        'record other.jsonl' '    other-command' 'figure third latency other.jsonl' '    None yet.' >results/figures
    mkdir -p build/bin
    ln -s "$OVL_BIN/ovl" build/bin/ovl
    OVL_BUILD=$PWD/build tell draw
    [ "$status" = 0 ]
    has build/paper/first.svg '</svg>'
    head -c 5 build/paper/second.pdf | grep -q '%PDF-'
    [ ! -e build/paper/third.svg ]
    [[ $output == *"left out, since its record is not there: third (other.jsonl)"* ]]
    [[ $output == *"2 figures, each as svg and pdf"* ]]
    has build/paper/index.txt '    The first figure.' "ovl_ialltoall --json $RESULTS/some" 'other-command'
}

@test "a record that cannot be drawn fails, and the line names its figure" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    mkdir -p build/bin
    ln -s "$OVL_BIN/ovl" build/bin/ovl
    echo '{}' >results/broken.jsonl
    printf '%s\n' 'record broken.jsonl' '    x' 'figure one total broken.jsonl' '    One.' >results/figures
    OVL_BUILD=$PWD/build tell draw
    [ "$status" = 1 ]
    [[ $output == *"paper: figure one: "* ]]
}

@test "measure runs the commands of a record, or of all in a folder, and ends with the code of one that fails" {
    printf '%s\n' 'record a/one.txt' '    echo one >$record' '' '    echo more >>$record' 'record a/two.txt' '    echo two >$record' \
        'record b.txt' '    echo half >$record' '    exit 5' 'record c.txt' '    echo wide >$record' '    exit 2' 'record none.txt' '    exit 2' >results/figures
    tell measure a
    [ "$status" = 0 ]
    [ "$(cat results/a/one.txt results/a/two.txt | xargs)" = "one more two" ]
    # Anew, and not on top of what is there; what fails leaves the one before in its place.
    echo before >results/b.txt
    printf '%s\n' 'record d' '    mkdir $record' '    echo again >>$record/file' >>results/figures
    tell measure d
    tell measure d
    [ "$status" = 0 ]
    [ "$(cat results/d/file results/d.old/file | xargs)" = "again again" ]
    tell measure c.txt
    [ "$status" = 0 ]
    [[ $output == *"inconclusive or invalid"* ]]
    tell measure none.txt # make ends so too
    [ "$status" = 1 ]
    tell measure b.txt a
    [ "$status" = 5 ]
    [[ ${lines[-1]} == "paper: b.txt: exit 5" ]]
    [ "$(cat results/b.txt results/b.txt.failed | xargs)" = "before half" ]
    tell measure nothing
    [ "$status" = 3 ]
    [[ ${lines[-1]} == *"no record nothing in"* ]]
}

# bats test_tags=long
@test "measure that is interrupted, or measures again, loses no record" {
    printf '%s\n' 'record a.txt' '    echo half >$record' '    sleep 300 & echo $! >$RESULTS/child' '    wait' \
        'record b.txt' '    echo new >$record' >results/figures
    echo original >results/a.txt
    for signal in INT TERM HUP; do
        rm -f results/child
        timeout 60 env --default-signal=INT,HUP "$OVL_TOP/scripts/compare/paper" measure a.txt >said 2>&1 3>&- &
        timed=$!
        for ((i = 0; i < 100; i++)); do [ -s results/child ] && break; sleep 0.1; done
        kill -$signal "$(pgrep -P $timed)"
        code=0
        wait $timed || code=$?
        [ $code = $((128 + $(kill -l $signal))) ]
        [ "$(cat results/a.txt)" = original ]
        [ ! -e results/a.txt.old ]
        if kill -0 "$(cat results/child)" 2>/dev/null; then return 1; fi
    done
    [ "$(cat results/a.txt.failed results/a.txt.failed-2 results/a.txt.failed-3 | xargs)" = "half half half" ]
    # What a run that was killed had moved away is nobody's to remove.
    echo original >results/b.txt.old
    tell measure b.txt
    tell measure b.txt
    [ "$status" = 0 ]
    [ "$(cat results/b.txt.old results/b.txt.old-2 results/b.txt | xargs)" = "original new new" ]
}

@test "a sweep into the build folder begins anew" {
    awk '/-o build\// { sub(/.*-o /, ""); sub(/ .*/, ""); if (before !~ "rm -rf " $0 "$") { print; bad = 1 } } { before = $0 } END { exit bad }' \
        "$OVL_TOP/results/figures"
}

@test "a list with a mistake is refused by its line" {
    printf '%s\n' 'record a' '    x' 'fugure b total a' >results/figures
    tell list
    [ "$status" = 5 ]
    [[ $output == *"line 3: neither a record nor a figure: fugure" ]]
    printf '%s\n' 'record a' '    x' 'record a' >results/figures
    tell list
    [[ $output == *"line 3: record a is here twice" ]]
    rm results/figures
    tell draw
    [ "$status" = 5 ]
    tell nonsense
    [ "$status" = 3 ]
}

@test "what is kept of claims and medians is what the records beside it say" {
    cd "$OVL_TOP"
    list=$PWD/results/figures
    unset RESULTS
    mapfile -t names < <(awk '$1 == "record" { name = $2 } /^    (scripts\/compare\/paper (claims|said|jobs)|build\/bin\/ovl accept) / { print name }' "$list")
    [ ${#names[@]} -ge 8 ]
    for name in "${names[@]}"; do
        made=$BATS_TEST_TMPDIR/made
        awk -v name="$name" '/^[^ #]/ { on = $0 == "record " name } on && /^    /' "$list" |
            sed "s|build/bin/|$OVL_BIN/|" | record=$made bash -e
        [ -s "$made" ]
        diff "$made" "results/$name"
    done
    tell claims none results/train
    [ "$status" = 3 ]
    [ "$output" = "paper: scripts/compare/paper claims NAME FOLDER" ]
}

@test "said finds the median, the least and the most of a number in what is shown of launches" {
    mkdir -p sweep/some build/bin
    printf '%s\n' '#!/bin/sh' '[ $1 != export ] || { sed "s/^[a-z]/1,no: &/" "$4"; exit; }' 'n=$(cat "$2")' 'echo "# takes $n ms"' 'case $n in 4) ;; *) echo "# and $n.5 %" ;; esac' >build/bin/ovl
    chmod +x build/bin/ovl
    n=0
    for value in 9 -1 4 2 30; do
        n=$((n + 1))
        echo $value >sweep/some/00$n.jsonl
    done
    OVL_BUILD=$PWD/build tell said "$PWD/sweep" 'the time=takes ([-0-9]+) ms' 'more=and ([-+0-9.]+) %' 'none=never ([0-9])'
    [ "$status" = 0 ]
    [ "$(tr -s ' ' <<<"$output")" = "some the time 4 (-1 .. 30), 5 launches"$'\n'"some more 6 (-1.5 .. 30.5), 4 launches" ]
    # A launch whose cell carries no claim says nothing.
    echo cut short >sweep/some/006.jsonl
    OVL_BUILD=$PWD/build tell said "$PWD/sweep" 'the time=takes ([-0-9]+)'
    [ "$(tr -s ' ' <<<"$output")" = "some the time 4 (-1 .. 30), 5 launches, 1 without a claim left out" ]
    tell said "$PWD/sweep"
    [ "$status" = 3 ]
}

# told README: its indented lines of what wins, draws and loses against the best thread must stand in a table under results/thread, serve or engine.
told() {
    local line rc=0
    while IFS= read -r line; do
        cat results/{thread,serve,engine}/*.txt 2>/dev/null | tr -s ' ' | grep -qxF "# $line" || { echo "no record says: $line"; rc=1; }
    done < <(sed -nE 's/^ {4}((dpu (wins|draws|loses|open)|OMB hides) .*)/\1/p' "$1" | tr -s ' ')
    return $rc
}

@test "README says of threads and workers what the records say" {
    cd "$OVL_TOP"
    local totals
    for totals in results/thread/totals-*/ results/serve/*/ results/engine/*/; do
        [ -d "$totals" ] || continue
        "$OVL_BIN/ovl" show --rivals "${totals%/}" | cmp - "${totals%/}.txt"
    done
    told README
    { cat README; echo "    dpu wins   ialltoall 3M: 0.01 of the total of thread (0.01 to 0.02)"; } >"$BATS_TEST_TMPDIR/README"
    ! told "$BATS_TEST_TMPDIR/README"
}

# shown README: its rows of the demo's table, and of totals as parts of the host's, must be what the records say.
shown() {
    local row rc=0 n=0
    "$OVL_BIN/ovl" show results/demo/ialltoall.jsonl | sed 's/  */ /g; s/^ //' >"$BATS_TEST_TMPDIR/demo"
    awk '$4 ~ /^(host|host-t|thread|dpu)$/ { print $1, $2, $4, $6 == "-" ? $7 : $9 }' results/thread/totals-1.txt >"$BATS_TEST_TMPDIR/parts"
    while IFS= read -r row; do
        n=$((n + 1))
        grep -qxF -- "$row" "$BATS_TEST_TMPDIR/demo" || { echo "the demo's record does not say: $row"; rc=1; }
    done < <(sed -E 's/ +/ /g; s/^ //' "$1" | sed -nE '/^([0-9]+ (host|dpu) |# finding )/p')
    # One row: operation, size, and the parts of host, host-t, thread and dpu.
    while read -r what size host tests thread dpu; do
        n=$((n + 1))
        for row in "host $host" "host-t $tests" "thread $thread" "dpu $dpu"; do
            [ "${row#* }" = - ] || grep -qxF -- "$what $size $row" "$BATS_TEST_TMPDIR/parts" ||
                { echo "no total says: $what $size $row"; rc=1; }
        done
    done < <(grep -E '^    i[a-z]+ +[0-9]+M +[01]\.' "$1")
    [ $n -ge 9 ] || { echo "only $n rows"; rc=1; }
    return $rc
}

@test "README's first table is what the demo's record shows, and its totals are those of the table of rivals" {
    cd "$OVL_TOP"
    shown README
    sed '/^ *4194304  dpu /s/\.[0-9] /.x /' README >"$BATS_TEST_TMPDIR/README"
    if shown "$BATS_TEST_TMPDIR/README"; then return 1; fi
    sed '/^    ireduce  *4M /s/[0-9]$/x/' README >"$BATS_TEST_TMPDIR/README"
    ! shown "$BATS_TEST_TMPDIR/README"
}
