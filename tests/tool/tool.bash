# What the tests of `ovl` share: running it, what it says, and made-up launches.
load ../cli/lib

setup() { own_folder; }

# own_folder: where each test begins, with a folder for what is temporary.
own_folder() {
    data=$OVL_TOP/tests/cli/data
    cd "$BATS_TEST_TMPDIR"
    mkdir tmp
    export TMPDIR=$BATS_TEST_TMPDIR/tmp
}

# ovl CODE ARGUMENT...: the tool must leave with that code; its outputs in $out and $err.
ovl() {
    ends "$1" "$OVL_BIN/ovl" "${@:2}" || return 1
    # An error is one line that names the command.
    local lines
    mapfile lines <err
    [ ${#lines[@]} = 0 ] || { [ ${#lines[@]} = 1 ] && [[ ${lines[0]} == ovl*$'\n' ]]; }
}

# prints WORDS...: stdout says each of them; has FILE WORDS...: the file does.
prints() {
    local words
    for words; do [[ $out == *"$words"* ]] || { echo "stdout does not say: $words"; return 1; }; done
}
has() {
    local words
    for words in "${@:2}"; do grep -qF -- "$words" "$1" || { echo "$1 does not say: $words"; return 1; }; done
}

# refuses CODE WORDS ARGUMENT...: the tool, with these words on stderr; tells: with these on stdout.
refuses() { ovl "$1" "${@:3}" && says "$2"; }
tells() { ovl "$1" "${@:3}" && prints "$2"; }

# derived FROM TO: a record whose derived values follow from its samples again. FROM goes.
derived() {
    rm -f "$2"
    "$OVL_BUILD/tests/sim" rederive "$1" "$2"
    rm "$1"
}

# launches FOLDER COUNT FACTOR [FORM]: record files of so many launches of one job, whose total times are those of
# ialltoall.jsonl times FACTOR, each launch with its own fixed deviation of up to 1 %; FORM is that of their names, FOLDER/%d
# by itself. Other values are derived anew where `derive` is set: ovl accept asks for that, and tests of others have their
# fixed values.
launches() {
    local i file all=() pairs=() made=() form=${4:-$1/%d}
    [[ ${form%/*} == *%* ]] || mkdir -p "${form%/*}" # else its folders are there
    for ((i = 1; i <= $2; i++)); do
        all+=("$data/ialltoall.jsonl")
        [ -n "${derive:-}" ] || continue
        printf -v file "$form" "$i"
        made+=("$file.made") pairs+=("$file.made" "$file.jsonl")
        [ ! -e "$file.jsonl" ] || rm "$file.jsonl"
    done
    # All of them by one process, of which there are thousands of launches.
    awk -v factor="$3" -v folder="$1" -v form="$form" -v end="${derive:+made}" "$(<"$OVL_TOP/tests/tool/totals.awk")"'
        BEGIN { end = end ? end : "jsonl" }
        FNR == 1 {
            if (i++)
                close(file)
            id = folder "-" i
            file = sprintf(form, i) "." end
            printf "" >file
            own = 0
            for (k = 1; k <= length(folder); k++) own = (own * 31 + index("abcdefghijklmnopqrstuvwxyz0123456789/.", substr(folder, k, 1))) % 99991
            own = own * (i * i + 7) % 99991 # no two launches are the same, nor all of a folder above those of another
            f = factor * (1 + 0.01 * (((i * 7 + length(folder) * 3) % 11) - 5) / 5) * (1 + own * 1e-10)
        }
        {
            gsub(/20261121T123144Z-4d4346abbbb67a49/, id)
            sub(/"started":"[^"]*"/, sprintf("\"started\":\"2026-01-01T00:%02d:00Z\"", i))
            sub(/"finished":"[^"]*"/, sprintf("\"finished\":\"2026-01-01T00:%02d:01Z\"", i))
            if (f < 1 && match($0, /"cpu_seconds":\{"thread":[0-9.e+-]+/)) { # no thread works for longer than T
                split(substr($0, RSTART, RLENGTH), cpu, ":")
                $0 = substr($0, 1, RSTART - 1) "\"cpu_seconds\":{\"thread\":" cpu[3] * f substr($0, RSTART + RLENGTH)
            }
            print follow(summary(total($0, f), "\"total_seconds", f)) >file
        }' "${all[@]}"
    [ -n "${derive:-}" ] || return 0
    "$OVL_BUILD/tests/sim" rederive "${pairs[@]}"
    rm "${made[@]}"
}

# sides COUNT FACTOR: launches in the folders old, and in new, whose total times are FACTOR times these.
sides() { launches old "$1" 1; launches new "$1" "$2"; }

# launcher: ./launch, which plays a launcher's part: -n RANKS PROGRAM [OPTION]... --json FILE. PROGRAM says what becomes
# of the launch; "flaky" fails the first attempts at the launches that the file `fails` names, and "once" and "slow"
# until there is a file `again`.
launcher() {
    cat >launch <<'SCRIPT'
#!/bin/bash
[ "$1" = -n ] || exit 9
while [ "$3" = -x ]; do set -- "${@:1:2}" "${@:5}"; done # as Open MPI's is told of each variable
program=${3##*/}
ranks=$2
for last; do :; done
echo "$program ${last%/*} $SWEEP_WORD $*" >>calls
id=$(echo "$last" | tr -c 'a-z0-9\n' -)
cores=$(printf ',"0-1"%.0s' $(seq "$ranks"))
record() { # no two of which have the very same samples
    sed "s/\(\"comm_seconds\":{\"max\":\[[0-9]*\.[0-9]*\)e/\1$(printf %08d "$(wc -l <calls)")e/; s/20261121T123144Z-4d4346abbbb67a49/$id-$RANDOM/; s/\"ranks\":2/\"ranks\":$ranks/; s/\"binding\":[^]]*/\"binding\":[${cores#,}/; s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$(date -u +%FT%TZ)/
        ${OVL_NONCE:+s/\"environment\":{/&\"OVL_NONCE\":\"$OVL_NONCE\",/}" "$OVL_TOP/tests/cli/data/ialltoall.jsonl"
}
echo "-- attempt of ${last##*/}"
case $program in
good) record >>"$last" ;;
pipe) mkfifo "$last" ;;
doubtful) record >>"$last"; exit 2 ;;
refused) echo "ovl_x: no such mode" >&2; exit 3 ;;
noisy) printf 'ovl_x: caf\xe9 costs \xe2\x82\n' >&2; exit 7 ;;
endless) (trap '' TERM; echo $BASHPID >orphan; sleep 300) & trap '' TERM; sleep 300 ;;
unfinished) record | sed '$d' >>"$last" ;;
once) record >>"$last"; [ -e again ] || exit 5 ;;
flaky) record >>"$last"; ! grep -qx "${last##*/}" fails || exit 5 ;;
waits) record >>"$last"; echo $$ >at; mv at ran; while [ ! -e go ]; do sleep 0.05; done ;;
slow) [ -e again ] || { record | sed '$d' >>"$last"; echo $$ >at; mv at ran; exec sleep 300; }; record >>"$last" ;;
esac
SCRIPT
    chmod +x launch
}

# plan JOBS [MORE]: plan.json, for ./launch
plan() { [ -e launch ] || launcher; echo "{\"plan\": 1, \"launches\": 2, \"launcher\": {\"kind\": \"mpiexec\", \"program\": \"./launch\"}, ${2:-} \"jobs\": [$1]}" >plan.json; }

# job NAME PROGRAM [MORE]
job() { echo "{\"name\": \"$1\", \"program\": \"./$2\", \"ranks\": 2 ${3:-}}"; }

# kill_in_launch PID: kills a sweep, whose program is "slow", in the midst of a launch, and then the launch.
kill_in_launch() {
    for ((i = 0; i < 200; i++)); do [ -e ran ] && break; sleep 0.05; done
    kill -KILL "$1"
    wait "$1" || true
    kill "$(cat ran)" 2>/dev/null || true # it gets TERM as its sweep dies
}

# started COMMAND...: starts it and waits until its launch, "slow", runs; its process is $!.
started() {
    rm -f ran
    "$@" >swept 2>&1 &
    for ((i = 0; i < 200; i++)); do [ -e ran ] && return; sleep 0.05; done
    return 1
}

# gone PROCESS: soon it is no more, or waits for who started it to look.
gone() {
    for ((i = 0; i < 100; i++)); do
        case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in '' | Z*) return 0 ;; esac # sed's own code is none of it
        sleep 0.1
    done
    return 1
}

# swept FOLDER COUNT FACTOR: the same launches as those of launches(), as the sweep of a plan with the one job "a"; its log
# is that of an older version, which held no SHA-256 and can be edited.
swept() {
    launches "$1.flat" "$2" "$3" "$1/a/%03d"
    echo "{\"jobs\":[{\"name\":\"a\",\"program\":\"x\",\"ranks\":2}],\"launches\":$2,\"plan\":1}" >"$1/plan.json"
    awk -v count="$2" 'BEGIN {
        for (i = 1; i <= count; i++) {
            at = sprintf("2026-01-01T00:%02d", i); launch = "\"job\":\"a\",\"launch\":" i ",\"attempt\":1"
            printf "{\"started\":\"%s:00Z\",%s}\n", at, launch
            printf "{\"ended\":\"%s:01Z\",%s,\"status\":\"done\",\"why\":\"\",\"exit\":0,\"seconds\":1.0}\n", at, launch
        }
    }' >"$1/sweep.log"
}

digest() {
    local sum
    read -r sum _ < <(sha256sum)
    echo "$sum"
}

# sealed FOLDER: gives the log of a sweep, whose plan has its names sorted and no spaces, what `ovl sweep` writes today: the
# SHA-256 of the line before in each line, and of the record at the end of a good attempt. Again, after an honest edit.
sealed() { "$OVL_BUILD/tests/sim" seal "$1"; }

# chart_texts FILE: its texts, a line each.
chart_texts() { sed 's/<tspan[^>]*>//g; s/<\/tspan>//g' "$1" | grep -o '<text>[^<]*</text>' | sed 's/<[^>]*>//g'; }

# chart_shows FILE TEXT...: these are among them.
chart_shows() {
    local file=$1 text
    shift
    for text; do
        chart_texts "$file" | grep -qF -- "$text" || { echo "$file lacks: $text"; chart_texts "$file"; return 1; }
    done
}
