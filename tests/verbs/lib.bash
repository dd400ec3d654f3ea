# For the scripts that scripts/vm runs in guests: a line "ok NAME" or "not ok NAME" for each test, as scripts/run-tests
# counts them. OVL_BUILD and OVL_MPIEXEC are those of the build under test.
# SPDX-License-Identifier: BSD-3-Clause

bad=0 began=$SECONDS
test_program=$OVL_BUILD/tests/mpi/offload
bin=$OVL_BUILD/bin

# verdict NAME STATUS: the output stands in /tmp/text, and is shown of what failed.
verdict() {
    if [ "$2" = 0 ]; then
        echo "ok $1 ($((SECONDS - began)) s)"
    else
        echo "not ok $1 ($((SECONDS - began)) s)"
        bad=$((bad + 1))
        sed 's/^/  | /' /tmp/text
    fi
    began=$SECONDS
}

# run NAME COMMAND...: must end with 0.
run() {
    local name=$1 rc=0
    shift
    timeout -k 5 120 "$@" >/tmp/text 2>&1 </dev/null || rc=$?
    verdict "$name" $rc
}

# measures NAME COMMAND...: a driver, whose samples may well be useless here: 0 or 2.
measures() {
    local name=$1 rc=0
    shift
    timeout -k 5 120 "$@" >/tmp/text 2>&1 </dev/null || rc=$?
    [ $rc = 0 ] || [ $rc = 2 ]
    verdict "$name" $?
}

# once_measuring COMMAND...: beside the next test, as soon as the head of its table is there.
once_measuring() {
    : >/tmp/text
    {
        for _ in $(seq 300); do
            grep -q 'size mode' /tmp/text && break
            sleep 0.2
        done
        "$@"
    } &
}

# says NAME PATTERN COMMAND...: must end with 5 and one line of ours, which matches. With signal=yes the launcher adds
# to the 5 what it says of a process that was killed.
says() {
    local name=$1 pattern=$2 rc=0 lines
    shift 2
    timeout -k 5 120 "$@" >/tmp/text 2>&1 </dev/null || rc=$?
    lines=$(grep -E '^(ovl_[a-z_]+|offload test): ' /tmp/text | sort -u)
    echo "(exit $rc)" >>/tmp/text
    [ $((${signal:+5 & }rc)) = 5 ] && [ $rc != 127 ] && [ "$(wc -l <<<"$lines")" = 1 ] && grep -qE "$pattern" <<<"$lines"
    verdict "$name" $?
}

finish() {
    [ $bad = 0 ]
    exit
}
