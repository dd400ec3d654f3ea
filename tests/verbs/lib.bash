# For the scripts that scripts/beds/vm runs in guests: a line "ok NAME" or "not ok NAME" for each test, as scripts/check/run-tests
# counts them. OVL_BUILD and OVL_MPIEXEC are those of the build under test. A test that hangs costs its own time: $limit
# seconds, of which the guests have five times as many.
# SPDX-License-Identifier: BSD-3-Clause

: "${text:=/run/text}" "${limit:=$((${OVL_TIMEOUT:-300} * 2 / 5))}"
bad=0 began=$SECONDS rc=0 beside=
test_program=$OVL_BUILD/tests/mpi/offload
bin=$OVL_BUILD/bin

# verdict NAME STATUS: the output stands in $text, and is shown of what failed.
verdict() {
    if [ "$2" = 0 ]; then
        echo "ok $1 ($((SECONDS - began)) s)"
    else
        echo "not ok $1 ($((SECONDS - began)) s)"
        bad=$((bad + 1))
        sed 's/^/  | /' "$text"
    fi
    began=$SECONDS
}

# try COMMAND...: its output in $text and its exit status in $rc. What was to be done beside it is over then.
try() {
    rc=0
    timeout -k 5 "$limit" "$@" >"$text" 2>&1 </dev/null || rc=$?
    case $rc in 124 | 137) echo "(ended after $limit s)" >>"$text" ;; esac
    if [ -n "$beside" ]; then
        kill "$beside" 2>/dev/null || :
        wait "$beside" 2>/dev/null || :
    fi
    beside=
}

# run NAME COMMAND...: must end with 0.
run() {
    local name=$1
    shift
    try "$@"
    verdict "$name" $rc
}

# measures NAME COMMAND...: a driver, whose samples may well be useless here: 0 or 2.
measures() {
    local name=$1
    shift
    try "$@"
    [ $rc = 0 ] || [ $rc = 2 ]
    verdict "$name" $?
}

# once_measuring COMMAND...: beside the next test, as soon as the head of its table is there.
once_measuring() {
    : >"$text"
    {
        until grep -q 'size mode' "$text"; do sleep 0.2; done
        "$@"
    } &
    beside=$!
}

# kills_worker: in the other guest. Hydra then sends SIGUSR1 to the ranks: one that does not block it ends its run by that, 5 s
# later and in words of its own.
kills_worker() { until far 'kill -KILL $(busybox pidof ovl_worker) && echo killed' | grep -q killed; do sleep 1; done; }

# says NAME PATTERN COMMAND...: must end with 5 and one line of ours, which matches. With signal=yes the launcher adds
# to the 5 what it says of a process that was killed, and each of two ranks may say what it saw.
says() {
    local name=$1 pattern=$2 lines
    shift 2
    try "$@"
    lines=$(grep -E '^(ovl_[a-z_]+|offload test): ' "$text" | sort -u)
    echo "(exit $rc)" >>"$text"
    [ $((${signal:+5 & }rc)) = 5 ] && [ $rc != 127 ] && [ "$(wc -l <<<"$lines")" -le $((${signal:+1 + }1)) ] &&
        ! grep -qvE "$pattern" <<<"$lines"
    verdict "$name" $?
}

finish() {
    [ $bad = 0 ]
    exit
}
