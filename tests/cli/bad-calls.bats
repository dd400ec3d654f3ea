#!/usr/bin/env bats
# The table of wrong calls in bad-calls: exit code, words, one line, no partial table, an end within ten seconds.
# None of its tests looks at a time.

load lib

# The files that the table names, beside one.jsonl, a sound record of four cells.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    local sound=$OVL_TOP/tests/cli/data/ialltoall.jsonl
    cp "$sound" one.jsonl
    : >empty
    printf '\n\n \r\n' >newlines
    printf 'size,overlap\n1,99\n' >table.csv
    echo '{"size":1,"overlap":99}' >other.json
    echo '[{"record":"run"}]' >list.json
    printf '{\n  "record": "run"\n}\n' >pretty.json
    head -c 100000 "$OVL_BIN/ovl" >program
    { head -n 1 "$sound"; printf '{"record":"cell\0","run_id":"x"}\n'; tail -n 1 "$sound"; } >nul.jsonl
    { head -n 1 "$sound"; echo '{"record":"cell\u0000","run_id":"x"}'; tail -n 1 "$sound"; } >escaped-nul.jsonl
    printf '{"record":"run","run_id":"\xff"}\n' >no-utf8.jsonl
    { printf '{"record":'; head -c 1000000 /dev/zero | tr '\0' '['; echo; } >deep.json
    # A terabyte without a newline, of which hardly a block is on disk; and 128 MB of one text.
    printf 'x' >huge-junk && truncate -s 1T huge-junk
    printf '{' >huge-line && truncate -s 1T huge-line
    { printf '{"record":"cell","run_id":"'; head -c 128M /dev/zero | tr '\0' 'y'; echo '"}'; } >huge-name
    echo '{"schema":"ovl-model-1","name":"x","dtype":"f32","layers":[{"tensors":3}]}' >no-macs.json
    sed 's/"schema":"2\./"schema":"1./' "$sound" >schema-1.jsonl
    sed 's/"schema":"2\./"schema":"3./' "$sound" >schema-3.jsonl
    tail -n +2 "$sound" >no-run.jsonl
    cat "$sound" "$sound" >twice.jsonl
    sed '3s/.\{40\}$//' "$sound" >middle.jsonl
    sed '1s/^{/{"record":"run",/' "$sound" >key-twice.jsonl
    sed '2s/"status":"[a-z_]*",//' "$sound" >no-status.jsonl
    sed '2s/"size_bytes":[0-9]*/"size_bytes":"8K"/' "$sound" >text-size.jsonl
    sed '2s/"mode":"host"/"mode":"hostesssssssssssss"/' "$sound" >long-mode.jsonl
    sed '2s/"blocks":[0-9]*/"blocks":1000000/' "$sound" >many-blocks.jsonl
    sed '2s/"blocks":[0-9]*/"blocks":-8/' "$sound" >minus-blocks.jsonl
    sed '2s/,"samples":.*/}/' "$sound" >no-samples.jsonl
    mkfifo unread-pipe
    echo >no-permission && chmod 0 no-permission
}

# What none but the kernel may read; root reads any file.
unreadable() { if [ "$(id -u)" = 0 ]; then echo /proc/self/mem; else echo no-permission; fi; }

slow=$OVL_SANITIZE${OVL_VALGRIND:-}

# call RANKS WORD...: the call itself; its outputs in the files out and err, its exit code in $code.
call() {
    local ranks=$1 program=$2 launch=()
    shift 2
    # shellcheck disable=SC2206
    [ "$ranks" = - ] || launch=($OVL_MPIEXEC -n "$ranks")
    code=0
    # A rank alone is told that it has nobody to talk to: UCX looks at no network, which takes a third of the time.
    [ "$ranks" != - ] || local -x UCX_TLS=self
    # No more memory than a wrong file may ask for; sanitizers reserve terabytes, and valgrind keeps a copy.
    if [ "$program" = ovl ] && [ -z "$slow" ]; then
        (ulimit -v 1500000 && exec timeout -k 2 "$limit" "$OVL_BIN/ovl" "$@") >out 2>err </dev/null || code=$?
    else
        timeout -k 2 "$limit" "${launch[@]}" "$OVL_BIN/$program" "$@" >out 2>err </dev/null || code=$?
    fi
}

# judge EXIT WORDS: what is not as it should be in $why, nothing where all is. It starts no process: there are hundreds of calls.
judge() {
    local want=${1%>} told=err silent=out lines line text='' said=0
    [ "$want" = "$1" ] || told=out silent=err
    why=
    mapfile -t lines <$told
    for line in "${lines[@]}"; do
        # Launchers add lines of their own when a program ends with a code.
        case $told:$line in out:* | err:ovl*) text+=$line$'\n' said=$((said + 1)) ;; *AddressSanitizer*) why+="  $line"$'\n' ;; esac
    done
    [ "$code" = "$want" ] || why+="  exit $code, not $want"$'\n'
    [ ! -s $silent ] || why+="  std$silent is not empty: $(head -c 300 $silent)"$'\n'
    [ $told = out ] || [ $said = 1 ] || why+="  not one line on stderr"$'\n'
    [[ $text == *"$2"* ]] || why+="  std$told does not say: $2"$'\n'
}

# walk TITLE: the calls of the section whose heading begins so.
walk() {
    cd "$BATS_FILE_TMPDIR"
    limit=10
    # Seconds on a machine of its own; one with other work on all its cores is slower.
    busy=$(awk -v cores="$(nproc)" '{ print $1 > 2 * cores }' /proc/loadavg)
    [ -z "$slow" ] && [ "$busy" = 0 ] || limit=60
    LONG=$(head -c 65536 /dev/zero | tr '\0' x)
    NOREAD=$(unreadable)
    local calls=0 wrong=0 want ranks line words why
    while IFS='|' read -r want ranks line; do
        words=${line##* | } line=${line% | *}
        want=${want// /} ranks=${ranks// /}
        eval "set -- $line"
        calls=$((calls + 1))
        case $1 in
        ovl_fft3d) grep -qx 'WITH_FFTW := none' "$OVL_BUILD/config.mk" && continue ;;
        ovl_hpl) grep -qx 'WITH_CBLAS := none' "$OVL_BUILD/config.mk" && continue ;;
        esac
        call "$ranks" "$@"
        judge "$want" "$words"
        [ -z "$why" ] || { wrong=$((wrong + 1)); printf '%s:\n%s%s\n' "$line" "$why" "$(head -c 400 err)"; }
    done < <(awk -v title="# $1" '/^#/ { here = index($0, title) == 1; next } here && NF' "$OVL_TOP/tests/cli/bad-calls")
    echo "$calls" >>walked
    echo "$calls calls, $wrong not answered as they should be"
    [ "$calls" -gt 0 ] && [ "$wrong" = 0 ]
}

@test "wrong sizes" { walk "Sizes"; }
@test "too much memory" { walk "Memory"; }
@test "wrong numbers" { walk "Counts"; }
@test "unknown, stray and missing words" { walk "Unknown"; }
@test "OMB's letters and names" { walk "Letters and names"; }
@test "options that do not go together" { walk "What does not"; }
@test "what cannot be done here" { walk "What this machine"; }
@test "what the transform and the stencil refuse" { walk "The proxies"; }
@test "what ovl_hpl refuses" { walk "ovl_hpl"; }
@test "what ovl_serve does not take" { walk "ovl_serve"; }
@test "what training steps and ovl_noise refuse" { walk "ovl_train"; }
@test "the tool's words" { walk "The tool: commands"; }
@test "files that cannot be read" { walk "The tool: files that are not"; }
@test "files that are no records" { walk "The tool: files that are no records"; }
@test "damaged records" { walk "The tool: damaged"; }

@test "no line of the table was left out" {
    [ "$(awk '{ n += $1 } END { print n }' "$BATS_FILE_TMPDIR/walked")" = "$(grep -c '^[0-9]' "$OVL_TOP/tests/cli/bad-calls")" ]
}

@test "no wrong call leaves a file or a process" {
    cd "$BATS_FILE_TMPDIR"
    for file in charts r.jsonl; do [ ! -e "$file" ]; done
    for _ in $(seq 50); do # of this file: others run beside it
        left=$(pgrep -f "^$OVL_BIN/ovl_" | while read -r pid; do
            ! grep -qzx "BATS_FILE_TMPDIR=$BATS_FILE_TMPDIR" "/proc/$pid/environ" 2>/dev/null || echo "$pid"
        done)
        [ -z "$left" ] && break
        sleep 0.1
    done
    echo "$left"
    [ -z "$left" ]
}
