# What the cli tests share. Runs are short: what is tested is what is said, never how fast it was. Thousands of calls go through
# these: what the shell does by itself takes a twentieth of the time of a process.

load ../own

setup() { cd "$BATS_TEST_TMPDIR"; }

# drive RANKS PROGRAM OPTION...: a driver under mpiexec, or alone where RANKS is -; its two outputs in $out and $err, its exit
# code in $code.
# LIMIT is how many seconds it has (60).
drive() {
    local launch=() program=$2
    # shellcheck disable=SC2206
    [ "$1" = - ] || launch=($OVL_MPIEXEC -n "$1")
    shift 2
    code=0
    # shellcheck disable=SC2086
    timeout -k 5 "${LIMIT:-60}" "${launch[@]}" ${PRELOAD:+env LD_PRELOAD=$PRELOAD} "$OVL_BIN/$program" "$@" \
        >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || code=$?
    out=$(<"$BATS_TEST_TMPDIR/out") err=
    echo "exit $code"; echo "$out"
    [ -s "$BATS_TEST_TMPDIR/err" ] || return 0
    # Launchers add their own words after a program that ends with a code.
    err=$(grep -aE '^(ovl_|cell )' "$BATS_TEST_TMPDIR/err" || true)
    cat "$BATS_TEST_TMPDIR/err"
}

# code_is CODE...: with Open MPI a job in which several ranks fail ends with the same code, with MPICH too.
code_is() {
    local want
    for want; do [ "$code" = "$want" ] && return 0; done
    echo "exit $code, not $*"
    return 1
}

# ends CODE COMMAND...: within a minute or LIMIT seconds, with that code, or one of "0 2"; its outputs in the files out
# and err, and in $out and $err.
ends() {
    code=0
    timeout -k 5 "${LIMIT:-60}" "${@:2}" >out 2>err </dev/null || code=$?
    out=$(<out) err=$(<err)
    echo "$out"; echo "$err"
    case " $1 " in *" $code "*) ;; *) echo "exit $code, not $1"; return 1 ;; esac
}

# exits CODE RANKS PROGRAM OPTION...: a driver that leaves with that code; measure: one that measures.
exits() { drive "${@:2}"; code_is "$1"; }
measure() { drive "$@"; code_is "${measured[@]}"; }
# measure_valid ... --json FILE: six times at most, until no cell is invalid, which has no values and which a busy machine
# makes.
measure_valid() {
    for _ in 1 2 3 4 5 6; do
        rm -f "${@: -1}"
        measure "$@"
        grep -q '"status": *"invalid"' "${@: -1}" || return 0
    done
    skip "six times the machine was too busy for a valid cell"
}

# two_programs: can the launcher start them in one job? Open MPI 5.0.7 as Debian 13 has it crashes.
two_programs() {
    case $OVL_MPI in Open*) $OVL_MPIEXEC -n 1 true : -n 1 true >/dev/null 2>&1 </dev/null ;; esac
}
no_two_programs="this launcher crashes where a job has two programs"

# rows: the lines of a table that are no comment.
# What Open MPI itself says of its network begins with a bracket.
rows() { grep -vE '^#|^$|^\[' <<<"$out" || true; }

says() {
    [[ $err == *"$1"* ]] || { echo "stderr does not say: $1"; return 1; }
}

# A cell that a busy machine makes invalid has a line of its own.
one_line() {
    [ "$(grep -v ' bytes: invalid: ' <<<"$err" | grep -c .)" = 1 ] || { echo "not one line on stderr: $err"; return 1; }
}

# field NAME [FILE]: its values in the cells of r.jsonl, one a line, as they stand there; `ovl export` has those that are metrics.
field() { grep '"record": *"cell"' "${2:-r.jsonl}" | grep -o "\"$1\": *\"\?[^,\"}]*" | sed 's/.*: *"\?//'; }

# cells FILE FIELD...: these of each cell, by `ovl export`.
cells() { "$OVL_TOP/scripts/compare/cells" "$@"; }

# The shortest run that measures: six blocks a cell, no warm-up.
quick=(-i 6:6 -x 0 --max-time 5)
# Work that needs no core and no calibration, for what is said whatever the work.
work=(--compute sleep --compute-us 1000)
# Exit 2 says that cells were invalid, which a busy machine may bring about and is no fault of the driver.
measured=(0 2)

# absent PATTERN TEXT: bats passes over a failed `! grep` in the middle of a test.
absent() {
    if grep -qE -- "$1" <<<"$2"; then
        echo "there: $1"
        return 1
    fi
}

# running PROGRAM [WORDS]: the ids of its processes, under valgrind too, that have WORDS on their command lines. What starts
# them, which has the words as well, is none of them.
running() {
    local pid
    pgrep -f "/$1( .*${2:-}|$)" | while read -r pid; do
        case $(readlink "/proc/$pid/exe") in */"$1" | */memcheck-*) echo "$pid" ;; esac
    done
}
