#!/usr/bin/env bats
# Workers of aarch64 beside ranks of another processor: every operation on every byte, larger pages, ends, versions, and the
# layout of all that both sides share. QEMU runs these workers, so that no time of theirs means anything.

load lib

@test "the worker is one for aarch64, of this version" {
    readelf -h "$bed/worker/ovl_worker" | grep -q 'Machine: *AArch64'
    ends 0 "$foreign" --version
    [[ $out == "ovl_worker $("$OVL_BIN/ovl" --version | cut -d ' ' -f 2) "* ]]
}

@test "one rank: every operation on every byte, with one worker and with two" {
    RANKS=1 every_byte "ranks 1, workers 1, nodes 1" shm "$foreign"
    RANKS=1 every_byte "ranks 1, workers 2, nodes 1" shm "$foreign" "$foreign"
}

@test "two ranks: every operation on every byte, with one worker and with two" {
    RANKS=2 every_byte "ranks 2, workers 1, nodes 1" shm "$foreign"
    RANKS=2 every_byte "ranks 2, workers 2, nodes 1" shm "$foreign" "$foreign"
}

@test "three ranks: every operation on every byte, with one worker and with two" {
    RANKS=3 every_byte "ranks 3, workers 1, nodes 1" shm "$foreign"
    RANKS=3 every_byte "ranks 3, workers 2, nodes 1" shm "$foreign" "$foreign"
}

# MPICH takes every second process for a node there: data goes from worker to worker.
@test "two nodes: messages between two workers of aarch64, and between one and one of the ranks' processor" {
    NODES=2 RANKS=2 every_byte "ranks 2, workers 2, nodes 2" shm "$foreign" "$foreign"
    NODES=2 RANKS=2 every_byte "ranks 2, workers 2, nodes 2" shm "$foreign" "$OVL_BIN/ovl_worker"
    NODES=2 RANKS=2 every_byte "ranks 2, workers 2, nodes 2" shm "$OVL_BIN/ovl_worker" "$foreign"
    NODES=2 RANKS=4 every_byte "ranks 4, workers 2, nodes 2" shm "$foreign" "$foreign"
}

@test "workers of both kinds by TCP" {
    OVL_MPIEXEC="$OVL_MPIEXEC -genv MPIR_CVAR_ODD_EVEN_CLIQUES 1"
    drive 2 ovl_allreduce --mode dpu --workers 0 -m 8,64K,1M "${quick[@]}" "${work[@]}" --worker-transport tcp \
        --json r.jsonl : -n 1 "$foreign" : -n 1 "$OVL_BIN/ovl_worker"
    code_is "${measured[@]}"
    [ "$(field validated | sort | uniq -c | xargs)" = "3 true" ]
}

# pages_of BYTES: that they are larger is asked of a program. Then every operation, by workers with such pages.
pages_of() {
    cat >page.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    return printf("%ld\n", sysconf(_SC_PAGESIZE)) < 0;
}
END
    "$OVL_TOP/scripts/beds/aarch64" cc -o "$PWD/page" "$PWD/page.c"
    export QEMU_PAGESIZE=$1
    [[ $("$bed/run" "$PWD/page" 2>&1) != *"cannot change host page size"* ]] ||
        skip "this QEMU runs programs with pages of this machine only"
    [ "$("$bed/run" "$PWD/page")" = "$1" ]
    RANKS=2 every_byte "ranks 2, workers 1, nodes 1" shm "$foreign"
    NODES=2 RANKS=2 every_byte "ranks 2, workers 2, nodes 2" shm "$foreign" "$foreign"
}

@test "pages of 16 KiB at the workers, of 4 KiB at the ranks: every operation on every byte" {
    pages_of 16384
}

@test "pages of 64 KiB at the workers, of 4 KiB at the ranks: every operation on every byte" {
    pages_of 65536
}

@test "path cma is refused in one line, since QEMU has no process_vm_readv, and auto takes shm" {
    measures --path cma -m 8:8 "${quick[@]}"
    code_is 5
    one_line
    says "this kernel has no process_vm_readv; use --path shm"
    measures -m 8,64K "${quick[@]}" --json r.jsonl
    code_is "${measured[@]}"
    [ "$(grep '"mode":"dpu"' r.jsonl | grep -c '"path":"shm"')" = 2 ]
    [ "$(field validated | sort | uniq -c | xargs)" = "4 true" ]
}

# lost SIGNAL: a run whose worker gets that signal in its middle; what came of it is as of drive.
lost() {
    local pid
    OVL_MPIEXEC="$OVL_MPIEXEC -disable-auto-cleanup" measures -m 8:1K -i 300:10000 -x 0 --max-time 2 --worker-timeout 3 \
        --json r.jsonl >said &
    for _ in $(seq 300); do
        grep -qs '"record":"cell"' r.jsonl && break
        sleep 0.1
    done
    pid=$(pgrep -f "$bed/worker/ovl_worker") || true
    [ "$(wc -w <<<"$pid")" = 1 ] || { echo "not one worker, but: $pid"; cat r.jsonl; return 1; }
    kill -"$1" "$pid"
    wait $! || true
    cat said
    code=$(sed -n 's/^exit //p' said)
    err=$(grep -aE '^(ovl_|cell )' "$BATS_TEST_TMPDIR/err" || true)
}

# nothing_runs: of the job that was lost; a loaded machine may take its time to end a process that QEMU runs.
nothing_runs() {
    for _ in $(seq 200); do
        pgrep -f "$bed/worker/ovl_worker" >/dev/null || return 0
        sleep 0.1
    done
    echo "what still runs after the job:"
    ps axo pid,ppid,stat,args | grep -F "$bed"
    return 1
}

# Of one that was killed MPICH's launcher may end the job before a rank says so.
@test "a killed worker, and one that is stopped, end the job; what was measured is kept, and nothing is left" {
    lost KILL
    [ "$code" != 0 ] && [ "$code" != 124 ] || { echo "exit $code"; return 1; }
    nothing_runs
    "$OVL_BIN/ovl" validate r.jsonl
    rm r.jsonl
    lost STOP
    code_is 5
    one_line
    says "worker 0 (process 2) on node $(uname -n) shows no life for 3 s"
    nothing_runs
    "$OVL_BIN/ovl" validate r.jsonl
}

@test "a worker of another version is refused in one line, which names both" {
    local version
    version=$("$OVL_BIN/ovl" --version | cut -d ' ' -f 2)
    # The same worker, but for the text of its version.
    LC_ALL=C sed "s/${version//./[.]}/${version//[0-9]/9}/g" "$bed/worker/ovl_worker" >other
    chmod +x other
    drive 2 ovl_ialltoall --mode host,dpu --workers 0 -m 8:8 "${quick[@]}" "${work[@]}" : -n 1 "$bed/run" "$PWD/other"
    code_is 5
    one_line
    says "is of ovl ${version//[0-9]/9} (wire format"
    says "build both from one version"
}

# structs OBJECT: of each struct and enumeration of the tree's own its name and size, and its members with their offsets, by
# what compilers tell debuggers.
structs() {
    readelf --debug-dump=info "$1" | awk '
        function text() { sub(/^[^:]*:[ \t]*/, ""); sub(/^\(indirect (line )?string, offset: 0x[0-9a-f]+\): /, ""); sub(/[ \t]+$/, ""); return $0 }
        FNR == NR { ours[$1]; next }
        /Abbrev Number/ { kind = $0; sub(/.*\(/, "", kind); sub(/\).*/, "", kind); whole = kind ~ /_(structure|enumeration)_type$/; if (whole) name = "" }
        / DW_AT_name / { if (whole) name = text(); else member = text() }
        / DW_AT_byte_size / && whole && name in ours { print name, "has", text(), "bytes" }
        / DW_AT_data_member_location/ && kind == "DW_TAG_member" && name in ours { print name, member, "at", text() }
    ' ours - | sort -u
}

@test "all structs and enumerations of the engine have the same layout on both sides" {
    local source
    # A worker's own table of its connections is shared with nobody, and holds the kernel's events, which x86-64 alone packs.
    grep -rhoE '^(struct|enum) [a-z_]+ \{' "$OVL_TOP/src" | cut -d ' ' -f 2 | grep -vx ovl_tcp_state | sort -u >ours
    cd "$OVL_TOP"
    for source in boot/bootstrap_mpi boot/connect_mpi boot/ep_connect_mpi transport/tcp_join transport/transport_tcp \
        transport/transport_mpi worker/worker client/client_ctrl carrier/handshake mem/verbs_join; do
        # shellcheck disable=SC2086
        $OVL_CC -g -fno-eliminate-unused-debug-types -c -o "$BATS_TEST_TMPDIR/here.o" src/offload/$source.c
        scripts/beds/aarch64 cc -g -fno-eliminate-unused-debug-types -c -o "$BATS_TEST_TMPDIR/there.o" src/offload/$source.c
        (cd "$BATS_TEST_TMPDIR" && structs here.o >>here && structs there.o >>there)
    done
    cd "$BATS_TEST_TMPDIR"
    for name in ovl_command ovl_completion ovl_cmdq ovl_worker_status ovl_ctrl_msg ovl_proc_info ovl_abi_info ovl_ep_address \
        ovl_engine_options ovl_tcp_address hello ovl_tcp_data_head ends; do
        grep -q "^$name has " here || { echo "no struct $name was looked at"; return 1; }
    done
    diff here there
}

# What processes share must be one instruction at each, or a lock of a library's that only one of them sees.
@test "no atomic operation of the worker is a call of a library" {
    aarch64-linux-gnu-nm "$bed/worker/ovl_worker" >names
    grep -q ' T main$' names
    absent ' U __atomic_' "$(cat names)"
}

@test "head and record name the worker's architecture and machine; its cells are emulated and claim nothing" {
    measures -m 8,64K -i 20:20 -x 0 --json r.jsonl
    code_is "${measured[@]}"
    grep -q '^# dpu  *engine worker, path shm, on emulated-processor: emulated, no BlueField;' <<<"$out"
    grep -q "worker 0: aarch64 on $(uname -n), emulated;" <<<"$out"
    [ "$(rows | grep -c ' dpu .*, emulated$')" = 2 ]
    absent ' host .*emulated' "$(rows)"
    "$OVL_BIN/ovl" validate r.jsonl
    grep -qF "\"processors\":[{\"host\":\"$(uname -n)\",\"architecture\":\"aarch64\",\"emulated\":true,\"workers\":[0]}]" r.jsonl
    [ "$(grep '"mode":"dpu"' r.jsonl | grep '"placement":"emulated-processor"' | grep -c '"marks":\[.*"emulated"\]')" = 2 ]
    [ "$(grep -c '"placement":"host"' r.jsonl)" = 2 ]
    "$OVL_BIN/ovl" export --to csv r.jsonl -o r.csv
    [ "$(grep -cE ',no: (emulated|invalid)$' r.csv)" -ge 2 ]
    absent ',dpu,.*,yes$' "$(cat r.csv)"
}

@test "OMB's format has no number of such cells" {
    drive 2 ovl_ialltoall --mode dpu --workers 0 -m 8,64K --format omb "${quick[@]}" "${work[@]}" : -n 1 "$foreign"
    code_is "${measured[@]}"
    [ -z "$(rows)" ]
    [ "$(grep -cE '^# (8|65536) +emulated: an emulator ran workers or ranks' <<<"$out")" = 2 ]
}

# By a processor of its own kind, which says by CPUID who plays it.
own_emulator() {
    [ "$(uname -m)" = x86_64 ] || skip "a processor of $(uname -m) does not tell"
    emulator=$(command -v qemu-x86_64-static || command -v qemu-x86_64)
}

@test "ovl list --check and ovl doctor say which processor a node has, and where an emulator plays it" {
    local node
    node=$(uname -n)
    ends "0 5" env -u LD_PRELOAD "$OVL_BIN/ovl" list --check
    grep -qE "^$node: ok +ovl .* \(on $(uname -m)(, emulated)?\): all nodes" <<<"$out"
    own_emulator
    ends "0 5" env -u LD_PRELOAD "$emulator" "$OVL_BIN/ovl" list --check
    grep -q "^$node: ok  *ovl .* (on x86_64, emulated): all nodes" <<<"$out"
    ends "0 5" env -u LD_PRELOAD "$emulator" "$OVL_BIN/ovl" doctor
    grep -q "^  note  *processor  *x86_64, emulated by QEMU's translator (TCG): " <<<"$out"
}

@test "ranks that an emulator runs: no cell of any mode claims anything, and a warning says why" {
    own_emulator
    # shellcheck disable=SC2086
    ends "0 2" $OVL_MPIEXEC -n 2 env -u LD_PRELOAD "$emulator" "$OVL_BIN/ovl_ialltoall" --mode host,dpu --workers 0 -m 64:64 \
        "${quick[@]}" "${work[@]}" --json r.jsonl : -n 1 "$OVL_BIN/ovl_worker"
    grep -q '^# warning .*an emulator runs ranks' <<<"$out"
    grep -q '"mode":"host".*"placement":"emulated-processor"' r.jsonl
    grep -q '"mode":"dpu".*"placement":"emulated-processor"' r.jsonl
    [ "$(grep '"record":"cell"' r.jsonl | grep -c '"marks":\[.*"emulated"\]')" = 2 ]
    "$OVL_BIN/ovl" validate r.jsonl
    "$OVL_BIN/ovl" export --to csv r.jsonl -o r.csv
    absent ',yes$' "$(cat r.csv)"
}

@test "where one worker of two is emulated the run is, and the record says which" {
    OVL_MPIEXEC="$OVL_MPIEXEC -genv MPIR_CVAR_ODD_EVEN_CLIQUES 1"
    drive 2 ovl_ibcast --mode dpu --workers 0 -m 64K:64K "${quick[@]}" "${work[@]}" --json r.jsonl \
        : -n 1 "$OVL_BIN/ovl_worker" : -n 1 "$foreign"
    code_is "${measured[@]}"
    grep -q "worker 0: $(uname -m) on [^;]*; worker 1: aarch64 on [^;]*, emulated;" <(tr '\n' ' ' <<<"$out" | sed 's/; # */; /g')
    grep -q '"placement":"emulated-processor"' r.jsonl
    grep -qF '"architecture":"aarch64","emulated":true,"workers":[1]}]' r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
}

@test "an application's exchanges by such a worker: right data" {
    drive 2 ovl_halo --mode host,dpu --workers 0 --grid 16 "${quick[@]}" --json r.jsonl : -n 1 "$foreign"
    code_is "${measured[@]}"
    absent '"validated":false' "$(cat r.jsonl)"
    grep '"mode":"dpu"' r.jsonl | grep '"placement":"emulated-processor"' | grep -q '"validated":true'
    "$OVL_BIN/ovl" validate r.jsonl
}
