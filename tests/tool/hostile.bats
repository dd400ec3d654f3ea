#!/usr/bin/env bats
# Hostile files: every one through every command that takes such a file. Each call ends soon, with a code of the
# contract, and says what is wrong in one line.

load tool

# The calls: a command with FILE where the file goes, and with sound files beside it.
record_calls=(
    "show FILE"
    "show --format omb FILE"
    "validate FILE"
    "plot FILE -o charts"
    "compare FILE $OVL_TOP/tests/cli/data/ibarrier.jsonl"
    "compare $OVL_TOP/tests/cli/data/ibarrier.jsonl FILE --across"
    "accept limits.json FILE"
    "report FILE -o page.html"
    "report $OVL_TOP/tests/cli/data/ibarrier.jsonl --old FILE -o page.html"
    "export --to csv FILE"
    "export --to junit FILE"
    "export --to bmf FILE"
    "export --to gha FILE"
)
# Where other files are wanted a record is as hostile as anything.
other_calls=(
    "accept FILE $OVL_TOP/tests/cli/data/ialltoall.jsonl"
    "accept --verify FILE"
    "report $OVL_TOP/tests/cli/data/ialltoall.jsonl --limits FILE -o page.html"
    "sweep FILE --dry-run"
    "list --check --dpu-map FILE"
)

setup() {
    own_folder
    mkdir hostile
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    # A gnuplot that draws at once: what it is given is tested elsewhere.
    mkdir bin
    cat >bin/gnuplot <<'SCRIPT'
#!/bin/sh
out=$(printf %s "$3" | sed "s/.*output = '//; s/'.*//")
stat -c %a "${out%/*}" >>"$BATS_TEST_TMPDIR/modes"
echo "<svg></svg>" >"$out"
SCRIPT
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH
}

# plain: what was printed last has no control character but line ends.
plain() {
    if LC_ALL=C grep -qaP '[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out err; then
        cat -v out err
        return 1
    fi
}

# hostile_call FILE WORD...: the call of that file, as above.
hostile_call() {
    local file=$1 code=0 word words=()
    shift
    for word; do words+=("${word/#FILE/$file}"); done
    timeout -k 5 30 "$OVL_BIN/ovl" "${words[@]}" >out 2>err </dev/null || code=$?
    if ! told "$code"; then
        echo "ovl ${words[*]}: exit $code"
        head -c 2000 err
        return 1
    fi
}

# told CODE: is it in the contract, with one line that names the command where it is an error?
told() {
    local lines LC_ALL=C
    [ "$1" -le 5 ] || return 1
    mapfile lines <err
    case ${#lines[@]} in
    0) [ ! -s err ] && { [ "$1" -le 2 ] || [ -s out ]; } ;; # validate, verify and list tell on stdout
    1) [[ ${lines[0]} == ovl*$'\n' && ${lines[0]%$'\n'} != *[$'\x01'-$'\x1f'$'\x7f']* ]] ;;
    *) return 1 ;;
    esac
}

# each_call FILE...: every call for each file; all that are wrong are told.
each_call() {
    local file call bad=0 words
    for file; do
        for call in "${record_calls[@]}" "${other_calls[@]}"; do
            read -ra words <<<"$call"
            hostile_call "$file" "${words[@]}" || bad=1
        done
    done
    [ -z "$(ls -A tmp)" ] || { echo "left: $(ls -A tmp)"; bad=1; }
    left=$(find . -maxdepth 1 -name '.ovl-*')
    [ -z "$left" ] || { echo "left: $left"; bad=1; }
    return $bad
}

# bats test_tags=long
@test "files that hold no record" {
    cd hostile
    : >empty.jsonl
    printf '\n \t\n\n' >blank.jsonl
    printf 'hello\n' >text.jsonl
    printf '\0\0\0\0' >nul.jsonl
    head -c 65536 /dev/zero >zeros.jsonl
    head -c 65536 /dev/urandom >random.jsonl
    printf '\xef\xbb\xbf{}\n' >bom.jsonl
    printf '{}\n' >object.jsonl
    printf '[]\n' >array.jsonl
    printf 'null\n' >null.jsonl
    printf '1e999\n' >number.jsonl
    printf '"\\ud800"\n' >surrogate.jsonl
    printf '{"record":"run","record":"run"}\n' >twice.jsonl
    printf '{"a\\u0000b":1}\n' >nul-name.jsonl
    printf '{"record":"run","schema":"2.0.0","run_id":"\xff","benchmark":"x"}\n' >no-utf8.jsonl
    printf '{"schema":"99.0.0","record":"run","run_id":"a","benchmark":"b"}\n' >later.jsonl
    awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; print "" }' >deep.jsonl
    awk 'BEGIN { printf "{\"record\":"; for (i = 0; i < 3000; i++) printf "{\"a\":"; print "" }' >deep-object.jsonl
    awk 'BEGIN { for (i = 0; i < 3000000; i++) printf "{" }' >long-line.jsonl
    cp "$OVL_BUILD/share/ovl/record.schema.json" schema.jsonl
    cp "$OVL_TOP/scripts/plans/quick.json" plan.jsonl
    cp "$OVL_TOP/scripts/limits/example.json" limits.jsonl
    cp "$OVL_BIN/ovl" program.jsonl
    gzip -c "$data/ialltoall.jsonl" >packed.jsonl
    cd ..
    each_call hostile/*
}

@test "what is no file" {
    mkdir hostile/folder.jsonl hostile/empty
    mkfifo hostile/pipe.jsonl
    ln -s loop.jsonl hostile/loop.jsonl
    ln -s nowhere hostile/dangling.jsonl
    truncate -s 1T hostile/sparse.jsonl
    (head -n 1 "$data/ialltoall.jsonl"; cat "$data/ialltoall.jsonl") >hostile/sparse-record.jsonl
    truncate -s 1T hostile/sparse-record.jsonl
    each_call hostile/* /dev/zero /dev/full /dev/null /proc/self/mem
}

# bats test_tags=long
@test "records with values that cannot be" {
    one=$data/ialltoall.jsonl
    cd hostile
    sed 's/"blocks":8/"blocks":-9223372036854775808/; s/"invalid_samples":{"comm_seconds":[0-9]*/"invalid_samples":{"comm_seconds":9223372036854775807/' "$one" >counts.jsonl
    sed 's/"blocks":8/"blocks":9223372036854775807/' "$one" >blocks.jsonl
    sed 's/"blocks":8/"blocks":1e308/' "$one" >blocks-real.jsonl
    sed 's/"size_bytes":[0-9]*/"size_bytes":-1/' "$one" >size-negative.jsonl
    sed 's/"size_bytes":[0-9]*/"size_bytes":1e308/' "$one" >size-huge.jsonl
    sed 's/"bootstrap_seed":[0-9]*/"bootstrap_seed":-1e300/' "$one" >seed.jsonl
    sed 's/"ranks":2/"ranks":-2147483649/' "$one" >ranks.jsonl
    sed 's/"cores":2/"cores":9223372036854775807/; s/"nodes":1/"nodes":1e300/' "$one" >cores.jsonl
    sed 's/"median":[^,]*/"median":-1e308/g; s/"ci_low":[^,]*/"ci_low":1e308/g' "$one" >medians.jsonl
    sed 's/"median":[^,]*/"median":null/g; s/"value":[^,]*/"value":null/g' "$one" >nulls.jsonl
    sed 's/"max":\[[^]]*\]/"max":[null,null,null,null,null,null,null,null]/g' "$one" >no-samples.jsonl
    sed 's/"run_id":"[^"]*"/"run_id":""/; s/"block_group":"[^"]*"/"block_group":""/' "$one" >no-name.jsonl
    sed 's/"mode":"host"/"mode":"\\u001b[2J\\n# made up"/; s/"skew":"none"/"skew":"\\u009b\\r"/' "$one" >controls.jsonl
    sed $'s/"reason":"[^"]*"/"reason":"\xef\xbf\xbf\xf0\x9f\x90\x9a"/' "$one" >noncharacters.jsonl
    sed 's/"options":{/"options":[{/; s/"clock":{/"clock":{"x":[[[]]],/' "$one" >broken.jsonl
    sed 's/"environment":{[^}]*}/"environment":[]/; s/"hosts":\[/"hosts":[1,null,/; s/"warnings":\[/"warnings":[{},/' "$one" >kinds.jsonl
    sed '2s/"status":"[a-z_]*"/"status":"ok,1,2"/; 3s/"total_seconds":{[^}]*}/"total_seconds":{}/' "$one" >status.jsonl
    (cat "$one"; cat "$one") >twice.jsonl
    sed -n '2,$p' "$one" >no-run.jsonl
    sed -n '1p' "$one" >run-only.jsonl
    head -c 3000 "$one" >cut.jsonl
    cd ..
    each_call hostile/*
}

@test "what has the name of a record and is no plain file is not passed over, and nothing waits for it" {
    launches a 10 1
    mkfifo pipe
    exec 4<>pipe # somebody could write to it for ever
    for what in pipe /dev/null /dev/zero folder; do
        case $what in
        folder) mkdir a/11.jsonl ;;
        *) ln -s "$(realpath $what)" a/11.jsonl ;;
        esac
        for call in validate 'history --last' 'compare a' 'accept limits.json' show 'export --to csv'; do
            refuses 5 "a/11.jsonl: it has the name of a file that is read here, and is no plain file" $call a
        done
        rm -r a/11.jsonl
    done
    # Named by itself, too; what a shell puts in a file's place is read.
    refuses 5 "pipe: cannot read: no plain file" validate pipe
    "$OVL_BIN/ovl" show <(cat a/1.jsonl)
    for name in plan.json sweep.log; do
        ln -s ../pipe a/$name
        refuses 5 "a/$name: it has the name" history a
        refuses 5 "a/$name: it has the name" report a -o page.html
        rm a/$name
    done
}

@test "paths that are no text, and folders of hostile files" {
    cp "$data/ialltoall.jsonl" $'hostile/a\xff\x1b[2J\n.jsonl'
    cp "$data/ialltoall.jsonl" 'hostile/%s%n$(touch hit)`touch hit`;.jsonl'
    each_call hostile/*.jsonl
    printf 'x' >hostile/z.jsonl
    mkfifo hostile/y.jsonl
    each_call hostile
    [ ! -e hit ]
}

# bats test_tags=long
@test "limits, plans, logs and dpu-maps with values that cannot be" {
    launches a 2 1
    rules() { echo "{\"limits\": 1, \"rules\": [{\"match\": $1, \"metric\": \"total_seconds\", \"operator\": \"<=\", \"limit\": $2}]}"; }
    rules '{"benchmark": "ialltoall"}' 1e400 >hostile/overflow.json
    rules '{"benchmark": "ialltoall", "size_bytes": -1}' 1 >hostile/size.json
    rules '{"benchmark": "ialltoall", "size_bytes": {"min": 1e308, "max": -1e308}}' 1 >hostile/range.json
    rules '{"benchmark": "\u0000"}' 1 >hostile/nul.json
    rules '{"benchmark": 5}' '"1"' >hostile/kinds.json
    rules '{"benchmark": "a", "benchmark": "b"}' 1 >hostile/twice.json
    echo '{"plan": 1, "launches": 10000, "jobs": [{"name": "../x", "program": "x", "ranks": 1}]}' >hostile/name.json
    echo '{"plan": 1, "launches": 1e9, "jobs": [{"name": "x", "program": "x", "ranks": 9223372036854775807}]}' >hostile/many.json
    echo '{"plan": 1, "jobs": [{"name": "x", "program": "x", "ranks": 4, "nodes": 1e18}]}' >hostile/nodes.json
    echo '{"plan": 1, "time_limit_seconds": 1e300, "jobs": [{"name": "x", "program": "", "ranks": 1, "nodes": 9}]}' >hostile/limit.json
    echo 'n d mlx5_0:4294967297 -' >hostile/port
    awk 'BEGIN { for (i = 0; i < 40000; i++) print "node" i " dpu" i " - -" }' >hostile/long-map
    each_call hostile/*
    swept s 2 1
    for line in '{"started":1,"job":"a","launch":9223372036854775807,"attempt":1}' '{"ended":{},"job":"a","launch":-1}' \
        '{"started":"x","job":"a","launch":1,"attempt":1e300}' $'\xff' '[[[['; do
        echo "$line" >>s/sweep.log
        hostile_call s accept limits.json FILE
        [ -s err ]
    done
}

# What gnuplot opens by name lies where nobody else can lay a link.
@test "gnuplot writes into a folder that is ours alone, and a link in the place of a chart is replaced" {
    mkdir -m 1777 shared
    mkdir old
    cp "$data/ialltoall.jsonl" old/a.jsonl
    launches new 1 1 # a copy of a launch counts for nothing
    echo kept >victim
    ln -s ../victim shared/ialltoall-overlap.svg
    ln -s ../victim shared/changes.svg
    ovl 0 plot old/a.jsonl -o shared
    ovl 2 compare old new --chart shared/changes.svg
    ovl 0 report old -o shared/page.html
    [ "$(wc -l <modes)" -ge 11 ]
    [ "$(sort -u modes)" = 700 ]
    [ "$(cat victim)" = kept ]
    [ -f shared/changes.svg ]
    [ ! -L shared/changes.svg ]
    [ -f shared/ialltoall-overlap.svg ]
    [ ! -L shared/ialltoall-overlap.svg ]
    [ -z "$(ls -A tmp)" ]
}

@test "the head of compare's chart takes long paths and tells when it goes on" {
    PATH=${PATH#*:}
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    deep=$(printf 'p%.0s' $(seq 200))/$(printf 'q%.0s' $(seq 200))
    mkdir -p "$deep"
    cp "$data/ialltoall.jsonl" "$deep/a.jsonl"
    launches other 1 1
    mv other/1.jsonl "$deep/b.jsonl"
    ovl 2 compare "$deep/a.jsonl" "$deep/b.jsonl" --chart changes.svg
    has changes.svg "qq/a.jsonl" "new: ppp" "pp ..."
}

@test "the name of a file reaches the terminal without control characters" {
    mkdir old
    name=$'a\e[31mb\nc\xc2\x9bd'
    launches old 3 1
    for n in 1 2 3; do mv old/$n.jsonl "old/$n$name.jsonl"; done
    cp -r old $'new\e[2J'
    sed -i 's/"run_id":"old/&-new/' $'new\e[2J'/*
    ovl 4 validate old/*
    plain
    ovl 0 show old/*
    plain
    ovl 2 compare old $'new\e[2J'
    plain
    ovl 2 history old
    plain
    ovl 0 plot old/1* -o $'charts\e[2J'
    plain
    ovl 0 report old -o $'page\e[2J.html'
    plain
    ovl 0 export --to csv old
    plain
}
