#!/usr/bin/env bats
# The emulated cluster: what runs on it, what it says, and that nothing of it is left however it ended.

load lib

setup_file() {
    # shellcheck disable=SC2030
    export UNAVAILABLE
    UNAVAILABLE=$(timeout 30 "$OVL_TOP/scripts/cluster" run --nodes 1 -- true 2>&1 >/dev/null) || [ $? != 5 ] ||
        return 0
    UNAVAILABLE=
}

setup() {
    # shellcheck disable=SC2031
    case $BATS_TEST_DESCRIPTION in *"one line"*) ;; *) [ -z "$UNAVAILABLE" ] || skip "$UNAVAILABLE" ;; esac
    dir=$BATS_TEST_TMPDIR
    mkdir "$dir/tmp"
    mark=ovl-$$-$BATS_TEST_NUMBER-$RANDOM
    links=$(links)
    around=(env -u XDG_RUNTIME_DIR --default-signal=INT,QUIT "OVL_TEST_MARK=$mark" "TMPDIR=$dir/tmp")
}

teardown() { [ -z "${victim:-}" ] || kill "$victim" 2>/dev/null || true; }

# All interfaces and named namespaces outside.
links() { ls /sys/class/net /run/netns 2>/dev/null || true; }

# marked [NAME]: pids of the processes that come from this test.
marked() {
    local process name
    for process in /proc/[0-9]*; do
        grep -qsz "^OVL_TEST_MARK=$mark\$" "$process/environ" || continue
        read -r name 2>/dev/null <"$process/comm" || continue
        [[ $name == ${1:-}* ]] && echo "${process#/proc/}"
    done
    true
}

# clean: neither process nor interface nor file is left. The kernel may take a moment.
clean() {
    local i
    for ((i = 0; i < 40; i++)); do
        [ -z "$(marked)" ] && break
        sleep 0.1
    done
    [ -z "$(marked)" ] || { echo "left: $(marked)"; return 1; }
    [ "$(links)" = "$links" ] || { echo "interfaces: $links; now: $(links)"; return 1; }
    [ -z "$(ls -A "$dir/tmp")" ] || { echo "files: $(ls -A "$dir/tmp")"; return 1; }
}

# cluster WORD...: to its end; its outputs in $out and $err, its exit code in $code.
cluster() {
    code=0
    timeout -k 5 60 "${around[@]}" "$OVL_TOP/scripts/cluster" "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
    out=$(cat "$dir/out") err=$(cat "$dir/err")
    echo "exit $code"; echo "$out"; echo "$err"
}

# begin: a job on two nodes that would last; returns when both of its ranks run. The cluster's pid in $pid.
begin() {
    setsid "${around[@]}" "$OVL_TOP/scripts/cluster" run -- sh -c "touch $dir/\$(hostname); exec sleep 100" \
        >"$dir/out" 2>"$dir/err" </dev/null 3>&- &
    pid=$!
    local i
    for ((i = 0; i < 200; i++)); do
        [ -e "$dir/node1" ] && [ -e "$dir/node2" ] && return 0
        kill -0 "$pid" || break
        sleep 0.1
    done
    echo "the job did not start"; cat "$dir/err"
    return 1
}

# over: waits for the job of begin; its exit code in $code.
over() {
    code=0
    wait "$pid" || code=$?
    echo "exit $code"; cat "$dir/err"
}

@test "the nodes have one congestion control, whatever the machine's is, and the variable names it" {
    [ "$(id -u)" = 0 ] || skip "only root may choose it"
    cluster run -- sh -c 'echo "$(cat /proc/sys/net/ipv4/tcp_congestion_control) ${OVL_CLUSTER##* tcp=}"'
    code_is 0
    [ "$out" = "reno reno"$'\n'"reno reno" ]
}

@test "a job's words and exit code come back, and nothing is left" {
    local second=() last=
    if two_programs; then second=(: -n 1 sh -c 'echo last') last='last '; fi
    cluster run --nodes 3 -n 4 --env COLOUR=red -- sh -c 'echo $(hostname) $COLOUR' "${second[@]}"
    code_is 0
    [ "$(sort <<<"$out" | xargs)" = "${last}node1 red node1 red node2 red node3 red" ]
    clean
    cluster run --ppn 2 -- sh -c '[ $(hostname) = node1 ] || exit 7'
    code_is 7
    clean
    cluster run -- no-such-program
    [ "$code" != 0 ]
    clean
}

@test "a driver over two nodes records them, the emulation, and right data" {
    # nproc would answer with the program's variable.
    OMP_NUM_THREADS=1 cluster run --rate 500mbit -- ovl_ialltoall -m 64K:256K "${quick[@]}" --json "$dir/r.jsonl"
    code_is "${measured[@]}"
    grep -q '"nodes":2' "$dir/r.jsonl"
    grep -q "\"OVL_CLUSTER\":\"nodes=2 rate=500000000 burst=81920 cores=$(($(nproc) / 2)) " "$dir/r.jsonl"
    [ "$(grep -c '"validated":true' "$dir/r.jsonl")" = 3 ]
    "$OVL_BIN/ovl" validate "$dir/r.jsonl"
    clean
}

@test "proxies over two nodes, with workers, record what the wire carries" {
    ! grep -qx 'WITH_FFTW := none' "$OVL_BUILD/config.mk" || skip "built without FFTW"
    [ -x "$OVL_BIN/ovl_hpl" ] || skip "no CBLAS: ovl_hpl is left out"
    cluster run --ppn 2 -- ovl_fft3d -g 16 --mode blocking,dpu --fftw estimate -i 6:6 -x 0 --json "$dir/r.jsonl"
    code_is "${measured[@]}"
    # There and back: 9 x 8 x 8 numbers of 16 bytes for each node.
    [ "$(grep -c '"wire_bytes":18432,' "$dir/r.jsonl")" = 2 ]
    absent '"bound_here_seconds"' "$(cat "$dir/r.jsonl")"
    # A byte that takes a microsecond: 36864 bytes out and in, on all cores of the machine, and the work.
    cluster run --carry 1e-6 --ppn 1 -- ovl_fft3d -g 16 --vars 1 --mode blocking --fftw estimate -i 6:6 -x 0 --json "$dir/h.jsonl"
    code_is "${measured[@]}"
    least=$(sed -n 's/.*"bound_here_seconds":{"median":\([^,]*\),.*/\1/p' "$dir/h.jsonl")
    awk -v s="$least" -v cores="$(nproc)" 'BEGIN { exit !(s >= 4 * 18432e-6 / cores * 0.999) }'
    grep -q '"bound_here_ratio":{"value":' "$dir/h.jsonl"
    "$OVL_BIN/ovl" validate "$dir/h.jsonl"
    cluster run --ppn 2 -- ovl_hpl -n 60 --nb 8 --mode host,dpu --bcast long -i 1 -x 0 --json "$dir/r.jsonl"
    code_is "${measured[@]}"
    # Each panel goes to the other node, one after the other: 80 numbers and 8 r of r rows below, r from 52 down
    # to 4 in steps of 8; the last panel is 4 columns wide. 8 bytes each.
    [ "$(grep -c '"wire_bytes":17280,' "$dir/r.jsonl")" = 2 ]
    ops=$(grep '"mode":"dpu"' "$dir/r.jsonl" | sed 's/.*"worker_ops":\([0-9]*\),.*/\1/' | tail -n 1)
    [ "$ops" -ge 32 ] # C and T, and again what started late
    [ $((ops % 16)) = 0 ]
    absent '"unshaped":null' "$(cat "$dir/r.jsonl")"
    "$OVL_BIN/ovl" validate "$dir/r.jsonl"
    clean
}

@test "the rate holds" {
    cluster floor --rate 100mbit --blocks 6 --size 256K
    code_is 0
    # x wire: the exchange's time over bytes / rate. Slower on a busy machine; never much quicker than the burst allows.
    awk '$1 == 262144 && $7 > 0.6 { found = 1 } END { exit !found }' <<<"$out"
    clean
}

@test "Ctrl-C ends it" {
    begin
    kill -INT "$pid"
    over
    code_is 130
    clean
}

# bats test_tags=long
@test "SIGTERM ends it" {
    begin
    kill -TERM "$pid"
    over
    code_is 143
    clean
}

# bats test_tags=long
@test "SIGKILL ends it" {
    begin
    kill -KILL "$pid"
    over
    code_is 137
    clean
}

# bats test_tags=long
@test "a killed mpiexec ends it" {
    begin
    kill -KILL "$(marked mpiexec; marked mpirun; marked orterun; marked prterun)"
    over
    [ "$code" != 0 ]
    clean
}

# bats test_tags=long
@test "two at once" {
    jobs=()
    for i in 1 2; do
        timeout 60 "${around[@]}" "$OVL_TOP/scripts/cluster" run --nodes $((i + 1)) -- ovl_iallgather -m 8:8 "${quick[@]}" \
            --compute-us 100 --json "$dir/$i.jsonl" >"$dir/out$i" 2>&1 </dev/null 3>&- &
        jobs+=("$!")
    done
    for job in "${jobs[@]}"; do wait "$job" || [ $? = 2 ]; done
    cat "$dir"/out?
    grep -q '"nodes":2' "$dir/1.jsonl"
    grep -q '"nodes":3' "$dir/2.jsonl"
    clean
}

# bats test_tags=long
@test "a cluster that stays" {
    cluster up --name a --nodes 3
    code_is 0
    cluster up --name a
    code_is 5
    one_line
    cluster exec --name a 3 hostname
    code_is 0
    [ "$out" = node3 ]
    cluster exec --name a 0 -- sh -c 'echo "$OVL_CLUSTER"'
    [[ $out == "nodes=3 rate=1000000000 "*" emulated=netns payload=0.9"*" tcp="* ]]
    cluster exec --name a 1 -- sh -c 'exit 9'
    code_is 9
    cluster exec --name a 4 true
    code_is 3
    cluster down --name a
    code_is 0
    cluster exec --name a 1 true
    code_is 5
    clean
}

# no_command WORDS: every command that reads the state says so in one line and touches nothing.
no_command() {
    local words
    for words in "up --name a" "exec --name a 1 true" "down --name a"; do
        # shellcheck disable=SC2086
        cluster $words
        code_is 5
        one_line
        grep -qF -- "$1" <<<"$err" || { echo "$words does not say: $1"; return 1; }
        kill -0 "$victim"
    done
}

@test "a state that somebody else may have written is not believed by any command" {
    state=$dir/tmp/ovl-cluster-$(id -u)
    setsid sleep 100 3>&- &
    victim=$!
    since=$(sed 's/.*) //' /proc/$victim/stat | cut -d' ' -f20)
    mkdir -m 700 "$state"
    printf '%s\n' "$victim $since no $victim" "nodes=1 rate=1000000000 burst=81920 cores=0" >"$state/a"
    chmod 770 "$state"
    no_command "can be written or read by others"
    chmod 700 "$state"
    mv "$state/a" "$dir/elsewhere"
    ln -s "$dir/elsewhere" "$state/a"
    no_command "a is not a file of ours"
    rm "$state/a"
    mv "$dir/elsewhere" "$state/a"
    mv "$state" "$dir/real"
    ln -s "$dir/real" "$state"
    no_command "is a link"
    rm "$state"
    if [ "$(id -u)" = 0 ]; then
        mv "$dir/real" "$state"
        chown 65534 "$state/a"
        no_command "a is not a file of ours"
        chown 65534 "$state"
        no_command "is not a folder of ours"
        rm -r "$state"
    fi
}

@test "without root" {
    [ "$(id -u)" = 0 ] || skip "the other tests do that"
    setpriv --reuid 65534 --regid 65534 --clear-groups -- test -x "$OVL_TOP/scripts/cluster" -a -x "$OVL_BIN/ovl_null" ||
        skip "another user cannot read this folder"
    setpriv --reuid 65534 --regid 65534 --clear-groups -- unshare -Urn true || skip "no user namespaces here"
    chmod 777 "$dir/tmp"
    around+=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
    cluster run -- sh -c 'echo "$(hostname) ${OVL_CLUSTER##* tcp=} $(cat /proc/sys/net/ipv4/tcp_congestion_control)"'
    code_is 0
    local tcp
    tcp=$(cat /proc/sys/net/ipv4/tcp_congestion_control)
    [ "$(sort <<<"$out" | xargs)" = "node1 $tcp $tcp node2 $tcp $tcp" ]
    clean
}

@test "where no namespaces are allowed: one line that says so, exit 5" {
    unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_net_namespaces' || skip "no user namespaces here"
    around+=(unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_net_namespaces; exec "$@"' sh)
    cluster run -- true
    code_is 5
    one_line
    grep -q 'root' <<<"$err"
    clean
}

@test "wrong calls: one line and exit 3; one line and exit 5 where something is missing" {
    while read -r line; do
        # shellcheck disable=SC2086
        cluster $line
        code_is 3
        one_line
    done <<'END'

fly
run
run --nodes
run --nodes 0 -- true
run --nodes two -- true
run --rate fast -- true
run --rate 1kbit -- true
run --burst 10 -- true
run --latency x -- true
run --carry much -- true
run --ppn 0 -- true
run -n 0 -- true
run --env =x -- true
run --size 1K -- true
floor --size 0
floor --nodes 1
floor stray
up --name ../x
exec
exec 1
END
    cluster down --name none
    code_is 5
    one_line
    OVL_MPIEXEC=no-such-mpiexec cluster run -- true
    code_is 5
    one_line
    cluster run --latency 50 -- true
    code_is 0 5
    [ "$code" = 0 ] || one_line
    cluster -h
    code_is 0
    grep -q 'scripts/cluster run' <<<"$out"
    clean
}
