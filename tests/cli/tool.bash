# What the tests of `ovl` share: running it, what it says, and made-up launches.

setup() {
    data=$OVL_TOP/tests/cli/data
    cd "$BATS_TEST_TMPDIR"
    mkdir tmp
    export TMPDIR=$BATS_TEST_TMPDIR/tmp
}

# ovl CODE ARGUMENT...: the tool must leave with that code; its outputs in $out and $err.
ovl() {
    local want=$1 code=0
    shift
    timeout -k 5 60 "$OVL_BIN/ovl" "$@" >out 2>err </dev/null || code=$?
    out=$(cat out)
    err=$(cat err)
    echo "$out"
    echo "$err"
    [ "$code" = "$want" ] || { echo "exit $code, not $want"; return 1; }
    # An error is one line that names the command.
    [ ! -s err ] || { [ "$(wc -l <err)" = 1 ] && grep -q '^ovl' err; }
}

says() { grep -qF -- "$1" <<<"$err" || { echo "stderr does not say: $1"; return 1; }; }
prints() { grep -qF -- "$1" <<<"$out" || { echo "stdout does not say: $1"; return 1; }; }
has() { grep -qF -- "$2" "$1" || { echo "$1 does not say: $2"; return 1; }; }

# launches FOLDER COUNT FACTOR: record files of so many launches of one job, whose total times are those of
# ialltoall.jsonl times FACTOR, each launch with its own fixed deviation of up to 1 %.
launches() {
    mkdir -p "$1"
    for ((i = 1; i <= $2; i++)); do
        awk -v id="$1-$i" -v factor="$3" -v i="$i" -v folder="$1" '
            function scale(list, f,    a, n, k, text) {
                n = split(list, a, ",")
                for (k = 1; k <= n; k++)
                    text = text (k > 1 ? "," : "") (a[k] == "null" ? "null" : sprintf("%.12g", a[k] * f))
                return text
            }
            function replace(before, until, f,    from, rest, n) {
                from = index($0, before)
                if (!from)
                    return
                rest = substr($0, from + length(before))
                n = index(rest, until) - 1
                $0 = substr($0, 1, from + length(before) - 1) scale(substr(rest, 1, n), f) substr(rest, n + 1)
            }
            BEGIN { f = factor * (1 + 0.01 * (((i * 7 + length(folder) * 3) % 11) - 5) / 5) }
            {
                gsub(/20261121T123144Z-4d4346abbbb67a49/, id)
                sub(/"started":"[^"]*"/, sprintf("\"started\":\"2026-01-01T00:%02d:00Z\"", i))
                replace("\"total_seconds\":{\"median\":", ",", f)
                replace("\"total_seconds\":{\"max\":[", "]", f)
                print
            }' "$data/ialltoall.jsonl" >"$1/$i.jsonl"
    done
}
