#!/usr/bin/env bats
# Unmodified MPI programs under `ovl offload`: random ones whose every byte is checked, how they end, and what is refused.
# None of its tests looks at a time.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    [ -e "$OVL_BUILD/lib/libovl_offload.so" ] || skip "this build is not on MPICH, which alone is served"
    random=$OVL_BUILD/tests/random
}

# offload CODE RANKS ARGUMENTS...: random under ovl offload; $out and $err.
offload() {
    # shellcheck disable=SC2086
    ends "$1" "$OVL_BIN/ovl" offload "${options[@]}" -- $OVL_MPIEXEC -n "$2" "$random" "${@:3}"
}

# carriers: the ids of this test's.
carriers() {
    local pid
    for pid in $(pgrep ovl_carrier); do
        { tr "\0" "\n" <"/proc/$pid/environ"; } 2>/dev/null | grep -qx "TMPDIR=$BATS_TEST_TMPDIR" && echo "$pid"
    done
}

none_left() {
    for _ in {1..30}; do
        [ -n "$(carriers)" ] || return 0
        sleep 0.1
    done
    echo "left behind: $(carriers)"
    return 1
}

# bats test_tags=long
@test "random programs do the same with the library, without it, and with it switched off" {
    OPERATIONS=40 "$OVL_TOP/scripts/check/offload" 30
}

@test "the report says what was offloaded, what not and why, and that the workers did it" {
    options=(--min 0 --report r.jsonl)
    offload 0 2 5 100
    [ "$(wc -l <r.jsonl)" = 1 ]
    grep -q '^{"record":"offload",.*"program":"random","ranks":2,"nodes":1,"workers":1,"path":"[a-z]*",' r.jsonl
    posted=$(grep -o '"posted":[0-9]*' r.jsonl) && [ "${posted#*:}" -gt 30 ]
    grep -q "\"worker_operations\":${posted#*:}," r.jsonl
    [ "$(awk '{ n += $2 } END { print n }' out)" = "${posted#*:}" ]
    "$OVL_BIN/ovl" validate r.jsonl | tee valid
    grep -qx 'r.jsonl: 1 offloaded program, ok' valid
    # The same table from the record; workers that take long are waited for.
    "$OVL_BIN/ovl" show r.jsonl | tee shown
    grep -q '^# random, ended 20' shown
    grep -q '^ovl offload: 2 ranks on 1 node, 1 worker, path ' shown
    grep -q "^  proof: workers did ${posted#*:} of ${posted#*:}; buffers packed [1-9]" shown
    grep -q '^  time: ranks waited [0-9.e-]* s in all, [0-9.]* % of theirs' shown
    waited=$(grep -o '"waited_seconds":[0-9.]*' r.jsonl)
    awk -v all="$(grep -o '"seconds":[0-9.]*' r.jsonl)" -v waited="$waited" \
        'BEGIN { sub(/.*:/, "", all); sub(/.*:/, "", waited); exit !(waited > 0 && waited <= 2 * all) }'
    # Behind a line that a killed job left half.
    { cat r.jsonl; head -c 200 r.jsonl; } >half.jsonl
    options=(--min 0 --report half.jsonl)
    offload 0 2 5 10
    "$OVL_BIN/ovl" validate half.jsonl | grep -qx 'half.jsonl: 2 offloaded programs, ok'
    # Numbers that do not agree, and what is no record of cells.
    sed 's/"worker_operations":[0-9]*/"worker_operations":7/' r.jsonl >bad.jsonl
    ends 4 "$OVL_BIN/ovl" validate bad.jsonl
    grep -q 'worker_operations: 7 of .* no proof' out
    sed 's/"packed":[0-9]*,//' r.jsonl >bad.jsonl
    ends 4 "$OVL_BIN/ovl" show bad.jsonl
    says 'bad.jsonl:1: packed'
    ends 3 "$OVL_BIN/ovl" compare r.jsonl r.jsonl
    says 'a record of ovl offload'
    options=(--min 1G)
    offload 0 2 5 100
    grep -q '^  ibcast  *[1-9][0-9]*  *0 .*below the least size' err
    options=(--min 0 --report $'r\xe9.jsonl')
    offload 0 2 5 100
    [ -s $'r\xe9.jsonl' ]
    # Where it cannot be kept it is told.
    options=(--min 0 --report /dev/full)
    offload 0 2 5 100
    grep -q '^ovl offload: cannot write /dev/full (No space left on device)' err
    grep -q '^  proof: workers did' err
    # And a proof that was asked for and is not there is none.
    if unshare -rm true 2>/dev/null; then
        mkdir small
        unshare -rm sh -c 'mount -t tmpfs -o size=4k none small && head -c 4096 /dev/zero >small/fill
            exec "$@"' - "$OVL_BIN/ovl" offload --min 0 --require --report small/r.jsonl -- $OVL_MPIEXEC -n 2 "$random" 5 10 >out 2>err && code=0 || code=$?
        cat out err
        [ $code = 5 ]
        grep -q '^ovl offload: nothing was added to .*small/r.jsonl: give --report another file' err
    fi
    code=0
    "$OVL_BIN/ovl" offload --report nowhere/r.jsonl -- touch ran >out 2>err || code=$?
    [ $code = 5 ]
    [ ! -e ran ]
    grep -q '^ovl offload: --report nowhere/r.jsonl: cannot write' err
    options=(--min 1G)
    OVL_OFFLOAD=off offload 0 2 5 100
    [ -z "$err" ]
    none_left
}

@test "--require ends with 5 at the first operation that must stay on the host, and says which" {
    options=(--require --min 1G)
    offload 5 2 5 100
    says "cannot be offloaded (below the least size)"
    # In a script that hides the launcher's exit code, too.
    ends 5 "$OVL_BIN/ovl" offload --require --min 1G -- sh -c "$OVL_MPIEXEC -n 2 '$random' 5 100; true"
    options=(--require --min 0)
    offload 5 2 5 400 # it reduces by MPI_BXOR too
    says "operation of a reduction that workers do not have"
    # One line, though all ranks of MPI_COMM_WORLD refuse it.
    if [ -e "$OVL_BUILD/tests/persistent" ]; then
        random=$OVL_BUILD/tests/persistent options=(--require --min 1G)
        offload 5 3
        [ "$(grep -c 'cannot be offloaded' err)" = 1 ]
    fi
    none_left
}

@test "what a driver of ovl measures under ovl offload is told as that, in the head and by another library's name" {
    case $OVL_MPI in Open*) skip "Open MPI is not served" ;; esac
    ends "0 2" "$OVL_BIN/ovl" offload --min 0 -- "$OVL_MPIEXEC" -n 2 "$OVL_BIN/ovl_ialltoall" -m 1K:1K -i 6:6 -x 0 --max-time 1 --json r.jsonl
    grep -q '^# mpi .* under ovl offload, ' out
    grep -q '^# warning *ovl offload stands before MPI: its workers do operations of this program' out
    grep -q '"library":"[^"]* under ovl offload"' r.jsonl
    "$OVL_BIN/ovl" validate r.jsonl
    OVL_OFFLOAD=off ends "0 2" "$OVL_BIN/ovl" offload --min 0 -- "$OVL_MPIEXEC" -n 2 "$OVL_BIN/ovl_ialltoall" -m 1K:1K -i 6:6 -x 0 --max-time 1
    if grep -q 'ovl offload' out; then return 1; fi
}

@test "a worker or a rank is killed: the job ends at once, says who, and leaves nothing behind" {
    export TMPDIR=$BATS_TEST_TMPDIR OVL_OFFLOAD_NODE_RANKS=1
    options=(--min 0)
    offload 5 2 5 100000000 &
    for _ in {1..50}; do [ "$(carriers | wc -l)" = 2 ] && break; sleep 0.1; done
    sleep 0.3
    kill -9 "$(carriers | head -n 1)"
    wait $!
    grep -q '^ovl offload: carrier ' err
    none_left
    # Hydra of MPICH 4.2.1 ends with 0 now and then where a rank was killed, with the library and without.
    codes=9
    case $OVL_MPI in "MPICH 4."[01].*) ;; *) codes="9 0" ;; esac
    offload "$codes" 2 6 100000000 &
    for _ in {1..50}; do [ "$(carriers | wc -l)" = 2 ] && break; sleep 0.1; done
    sleep 0.3
    kill -9 "$(pgrep -f "$random 6 100000000" | while read -r p; do [ "$(readlink /proc/"$p"/exe)" -ef "$random" ] && echo "$p"; done | head -n 1)"
    wait $!
    none_left
}

@test "persistent collectives, completed by each of MPI's calls" {
    random=$OVL_BUILD/tests/persistent options=(--min 0)
    [ -e "$random" ] || skip "this MPI has none"
    for ranks in 2 3; do
        offload 0 $ranks
        grep -q fine out
        for row in ialltoall iallreduce ibarrier; do grep -q "^  $row  *$((ranks * 160))  *$((ranks * 160)) " err; done
        grep -q "proof: workers did $((ranks * 800)) of $((ranks * 800))" err
    done
    none_left
}

# The request of the MPI library was never started: MPICH 4.0 would wait for ever, 4.2 would say that it is done.
@test "persistent collectives of a program with an MPI_Wait of its own are left to the MPI library" {
    [ -e "$OVL_BUILD/tests/persistent" ] || skip "this MPI has none"
    cat >own.c <<'END'
int PMPI_Wait(void *request, void *status);
int MPI_Wait(void *request, void *status);
int MPI_Wait(void *request, void *status) { return PMPI_Wait(request, status); }
END
    cat >test.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rank++;
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
    for (int i = 0; i < 3; i++) {
        sum = 0;
        MPI_Start(&q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        if (sum != 3)
            MPI_Abort(MPI_COMM_WORLD, 4);
    }
    MPI_Request_free(&q);
    if (rank == 1)
        puts("fine");
    return MPI_Finalize();
}
END
    mpicc.mpich -w -o with test.c own.c
    mpicc.mpich -w -o without test.c
    random=$PWD/with options=(--min 0)
    offload 0 2
    grep -qx fine out
    grep -q '^  iallreduce  *6  *0 ' err
    random=$PWD/without
    offload 0 2
    grep -qx fine out
    grep -q 'proof: workers did 6 of 6' err
    none_left
}

@test "programs of one job that call MPI unlike each other; one that goes to another folder, and one that fails" {
    cat >unlike.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef OWN
int MPI_Ialltoall(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *q)
{
    return PMPI_Ialltoall(s, n, t, r, m, u, c, q);
}
#endif
int main(int argc, char **argv)
{
    int rank, ranks, in[9] = {0}, out[9];
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    if (argc > 1 && rank == 1)
        exit(7);
    if (chdir("/") != 0)
        return 1;
    if (rank == 0)
        puts("fine");
    return MPI_Finalize();
}
END
    mpicc.mpich -w -o seen unlike.c
    mpicc.mpich -w -DOWN -o own unlike.c
    ends 0 timeout -k 5 60 "$OVL_BIN/ovl" offload --min 0 -- $OVL_MPIEXEC -n 1 ./seen : -n 1 ./own
    grep -qx fine out
    grep -q 'nothing is offloaded: ranks 0 and 1 run unlike programs: one has an MPI_Ialltoall of its own' err
    random=$PWD/seen options=(--min 0 --report there.jsonl)
    offload 0 2
    grep -q '"refused":null' there.jsonl || grep -q '"offloaded":2' there.jsonl
    [ "$(grep -c . there.jsonl)" = 1 ]
    code=0
    # Whatever the launcher makes of it: Hydra 4.2 now and then ends with 0.
    timeout -k 5 60 "$OVL_BIN/ovl" offload --min 0 --report failed.jsonl -- sh -c '"$@"; exit 9' sh $OVL_MPIEXEC -n 2 ./seen fails >out 2>err || code=$?
    [ "$code" = 9 ]
    grep -q 'nothing is known: the command failed before' failed.jsonl
    none_left
}

# bats test_tags=long
@test "datatypes made with large counts, offloaded and left to the MPI library" {
    random=$OVL_BUILD/tests/large
    [ -e "$random" ] || skip "this MPI has none"
    for words in "" persistent; do
        # shellcheck disable=SC2086
        options=(--min 64K) && offload 0 2 $words
        grep -qx fine out
        grep -q '^  ialltoall  *132  *60 .* 72 below the least size$' err
        grep -q '^  proof: workers did 122 of 122;' err
        # shellcheck disable=SC2086
        options=(--min 0 --path bounce) && offload 0 2 $words
        grep -qx fine out
        grep -q '^  proof: workers did 268 of 268;' err
    done
    none_left
}

@test "data in one array, memory that is freed in MPI_Finalize, errors that return" {
    random=$OVL_BUILD/tests/corners options=(--min 0)
    for ranks in 2 3; do
        offload 0 $ranks
        grep -q fine out
        grep -q "proof: workers did $((ranks * 605)) of $((ranks * 605))" err
    done
    none_left
}

# bats test_tags=long
@test "carriers that may open too few files for each other: one line, and the host" {
    cat >carrier <<END
#!/bin/bash
for fd in \$(ls /proc/self/fd); do [ \$fd -le 3 ] || eval "exec \$fd>&-"; done
ulimit -n 14
exec "$OVL_BIN/ovl_carrier"
END
    chmod +x carrier
    # shellcheck disable=SC2086
    ends 0 env OVL_OFFLOAD_CARRIER="$PWD/carrier" OVL_OFFLOAD_NODE_RANKS=1 OVL_OFFLOAD_TIMEOUT=5 OVL_OFFLOAD_MIN=0 \
        LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so:$LD_PRELOAD" $OVL_MPIEXEC -n 8 "$OVL_BUILD/tests/corners"
    grep -q fine out
    [ "$(grep -c 'Too many open files: raise ulimit -n' err)" = 1 ]
    [ "$(grep -c . err)" = 1 ]
    none_left
}

@test "Fortran: mpi_f08, whose handles do not come through C" {
    command -v mpifort.mpich >/dev/null || skip "no Fortran compiler of MPICH"
    mpifort.mpich -w -cpp -DMPI_4_1 -o f08 "$OVL_TOP/tests/preload/f08.f90" ||
        mpifort.mpich -w -cpp -o f08 "$OVL_TOP/tests/preload/f08.f90" || skip "it has no mpi_f08"
    random=$PWD/f08 options=(--min 0)
    offload 0 2
    grep -q fine out
    for row in "ialltoall  *196  *196" "iallreduce  *196  *196" "ibarrier  *108  *108"; do grep -q "^  $row " err; done
    grep -q 'proof: workers did 500 of 500' err
    none_left
}

@test "what cannot be served is told in one line with its cure; the program then runs on the host, or ends with 5" {
    options=()
    OVL_OFFLOAD_CARRIER=/nowhere LD_PRELOAD=$OVL_BUILD/lib/libovl_offload.so $OVL_MPIEXEC -n 2 "$random" 1 30 >out 2>err
    grep -q '^ovl offload: nothing is offloaded: cannot start the carrier /nowhere' err
    [ -s out ]
    ends 5 env OVL_OFFLOAD=require OVL_OFFLOAD_CARRIER=/nowhere LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so" $OVL_MPIEXEC -n 2 "$random" 1 30
    options=(--report few.jsonl)
    OVL_OFFLOAD_MIN=few offload 0 2 1 30
    refused_in few.jsonl "nothing is offloaded: OVL_OFFLOAD_MIN=few: give a number"
    says "OVL_OFFLOAD_MIN=few: give a number"
    offload 0 1 1 30
    says "the program has one rank"
    # Wrong words.
    ends 3 "$OVL_BIN/ovl" offload
    grep -q 'ovl offload -- mpiexec' err
    ends 3 "$OVL_BIN/ovl" offload --path shm -- true
    ends 3 "$OVL_BIN/ovl" offload -- ./absent
    grep -q 'cannot run ./absent' err
    # Its own folder, which LD_PRELOAD must be able to name.
    mkdir -p "a b/bin" "a b/lib"
    cp "$OVL_BIN/ovl" "$OVL_BIN/ovl_carrier" "a b/bin" && cp "$OVL_BUILD/lib/libovl_offload.so" "a b/lib"
    ends 5 "a b/bin/ovl" offload -- true
    grep -q 'cannot name a folder with a space or a colon' err
}

# bats test_tags=long
@test "ranks without the library, and late ones: nothing is offloaded, and the program hears nothing of it" {
    export OVL_OFFLOAD_TIMEOUT=1.5 OVL_LATE_S=1
    with=(env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so:$OVL_SHIM/late.so:$LD_PRELOAD" "$OVL_BUILD/tests/wildcard")
    without=("$OVL_BUILD/tests/wildcard")
    # once TEXT COMMAND...
    once() {
        local text=$1 code=0
        shift
        timeout -k 5 60 "$@" >out 2>err </dev/null || code=$?
        cat out err
        [ $code = 0 ]
        grep -qx fine out
        [ "$(grep -c "^ovl offload: nothing is offloaded: $text" err)" = 1 ]
    }
    missed="of 3 ranks, rank [12] the first, run without libovl_offload.so or with OVL_OFFLOAD=off, or left MPI_Init 0.5 s after rank 0: have it under"
    alone="rank [12] heard nothing of rank 0 for 0.5 s, which runs without libovl_offload.so or with OVL_OFFLOAD=off, or left MPI_Init so much later: have"
    once "1 $missed" "$OVL_MPIEXEC" -n 2 "${with[@]}" : -n 1 "${without[@]}"
    once "2 $missed" "$OVL_MPIEXEC" -n 1 "${with[@]}" : -n 2 "${without[@]}"
    once "$alone" "$OVL_MPIEXEC" -n 1 "${without[@]}" : -n 2 "${with[@]}"
    once "1 $missed" "$OVL_MPIEXEC" -n 2 "${with[@]}" : -n 1 env OVL_OFFLOAD=off "${with[@]}"
    for late in 1 2; do OVL_LATE_RANK=$late once "1 $missed" "$OVL_MPIEXEC" -n 3 "${with[@]}"; done
    OVL_LATE_RANK=0 once "$alone" "$OVL_MPIEXEC" -n 3 "${with[@]}"
    [ "$(grep -c '^ovl offload' err)" = 2 ] # and rank 0 that it had answers of none
    # Rank 0 is there for it, though the program has long begun to end.
    OVL_OFFLOAD_TIMEOUT=6 OVL_LATE_S=2.5 OVL_LATE_RANK=1 once "1 of 2 ranks" "$OVL_MPIEXEC" -n 2 "${with[@]}" ends
    [ "$(grep -c '^ovl offload' err)" = 1 ]
    # Who must not run on the host ends, with or without rank 0.
    export OVL_OFFLOAD=require
    for first in with without; do
        declare -n a=$first b=$([ $first = with ] && echo without || echo with)
        OVL_OFFLOAD_REPORT=$PWD/$first.jsonl ends 5 "$OVL_MPIEXEC" -n 1 "${a[@]}" : -n 2 "${b[@]}"
        [ "$(grep -c '^ovl offload: .* libovl_offload.so' err)" = 1 ]
        grep -q 'libovl_offload.so' $first.jsonl
    done
    # A little late is no harm.
    OVL_OFFLOAD_TIMEOUT=30 OVL_LATE_RANK=1 OVL_LATE_S=0.3 timeout -k 5 60 "$OVL_MPIEXEC" -n 3 "${with[@]}" >out 2>err </dev/null
    grep -qx fine out
    grep -q '^ovl offload: 3 ranks on 1 node' err
    none_left
}

# Names of sockets are known to all users of a machine, and nobody is kept from connecting to them.
# bats test_tags=long
@test "another user's processes that connect to the workers and say nothing keep no rank out" {
    [ "$(id -u)" = 0 ] || skip "only root can be another user"
    command -v setpriv >/dev/null || skip "no setpriv"
    cat >strangers.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
/* Forty connections to each name that begins with ovl-, as soon as it is there; told on stdout once. */
int main(void)
{
    static char seen[1000][108], line[512], name[108];
    for (int count = 0; count < 1000; usleep(500)) {
        FILE *f = fopen("/proc/net/unix", "r");
        while (f && count < 1000 && fgets(line, sizeof line, f)) {
            struct sockaddr_un a = {.sun_family = AF_UNIX};
            char *at = strstr(line, "@ovl-");
            int i = 0;
            if (!at || sscanf(at + 1, "%107s", name) != 1)
                continue;
            while (i < count && strcmp(seen[i], name) != 0)
                i++;
            if (i < count)
                continue;
            strcpy(seen[count++], name);
            memcpy(a.sun_path + 1, name, strlen(name));
            for (int k = 0; k < 40; k++)
                connect(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0), (void *)&a,
                        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)));
            write(1, "here\n", 5);
        }
        if (f)
            fclose(f);
    }
    return 0;
}
END
    cc -w -O1 -o strangers strangers.c
    chmod 755 . strangers
    setpriv --reuid=65534 --regid=65534 --clear-groups "$PWD/strangers" >found &
    strangers=$!
    options=(--min 0)
    for _ in 1 2 3; do
        OVL_OFFLOAD_TIMEOUT=10 offload 0 2 5 40 || { kill $strangers; return 1; }
        grep -q '^  proof: workers did \([1-9][0-9]*\) of \1;' err || { kill $strangers; return 1; }
        drive 3 ovl_ialltoall --mode dpu -m 1K:1K "${quick[@]}" "${work[@]}" --worker-timeout 10
        code_is "${measured[@]}" || { kill $strangers; return 1; }
    done
    kill $strangers
    grep -q here found
    none_left
}

# A carrier in a user namespace of its own may not read the memory of who is outside.
@test "where workers may not trace the ranks the data go through copies, or one line says what to do" {
    printf '#!/bin/sh\nexec unshare -U -r "%s/ovl_carrier"\n' "$OVL_BIN" >confined
    chmod +x confined
    unshare -U -r true 2>/dev/null || skip "no user namespaces here"
    start=("$OVL_MPIEXEC" -n 2 env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so:$LD_PRELOAD" OVL_OFFLOAD_MIN=0 OVL_OFFLOAD_CARRIER="$PWD/confined")
    # shellcheck disable=SC2068
    ${start[@]} "$random" 5 60 >out 2>err
    grep -q '^ovl offload: 2 ranks on 1 node, 1 worker, path bounce' err
    grep -q '^  proof: workers did \([1-9][0-9]*\) of \1;' err
    # shellcheck disable=SC2068
    OVL_OFFLOAD_PATH=cma ${start[@]} "$random" 5 60 >out 2>err
    cat err
    grep -q '^ovl offload: nothing is offloaded: OVL_OFFLOAD_PATH=cma: .*ptrace' err
    [ "$(wc -l <err)" = 1 ]
    [ -s out ]
    # shellcheck disable=SC2068
    OVL_OFFLOAD=require OVL_OFFLOAD_PATH=cma ends 5 ${start[@]} "$random" 5 60
    [ "$(grep -c '^ovl offload' err)" = 1 ]
    none_left
}

# The launcher's processes and the carrier, which has no environment of the ranks, see the same Yama, unless the carrier's is
# another one: then nobody has let it trace.
@test "under Yama's ptrace_scope 1 the program's own messages and the workers both reach the ranks' memory" {
    random=$OVL_BUILD/tests/sendrecv
    export OVL_YAMA=$PWD/declared
    mkdir declared other
    printf '#!/bin/sh\nexec env OVL_YAMA="%s" LD_PRELOAD="%s" "%s/ovl_carrier"\n' "$OVL_YAMA" "$OVL_SHIM/yama.so" "$OVL_BIN" >allowed
    sed 's/declared/other/' allowed >refused
    chmod +x allowed refused
    export LD_PRELOAD=$OVL_SHIM/yama.so:$LD_PRELOAD
    # under_yama CARRIER WORDS...: ovl offload itself names its own carrier.
    under_yama() {
        OVL_OFFLOAD_CARRIER=$PWD/$1 timeout -k 5 60 $OVL_MPIEXEC -n 2 env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so:$LD_PRELOAD" \
            "$random" "${@:2}" >out 2>err </dev/null || { echo "exit $?"; cat out err; return 1; }
        cat out err
        grep -qx fine out
    }
    $OVL_MPIEXEC -n 2 "$random" >out 2>err
    grep -qx fine out
    under_yama allowed
    under_yama allowed both
    grep -q '^ovl offload: 2 ranks on 1 node, 1 worker, path cma' err
    grep -q '^  proof: workers did 2 of 2;' err
    # A path that was tried in vain leaves nothing behind that MPI would miss.
    under_yama refused both
    grep -q '^ovl offload: 2 ranks on 1 node, 1 worker, path bounce' err
    none_left
    # The workers of drivers are ranks of the same job.
    # shellcheck disable=SC2086
    measure 3 ovl_ialltoall --mode host,dpu --path cma -m 1M:1M "${quick[@]}" "${work[@]}"
    [ "$(grep -cE '^ *(1M|1048576) ' out)" -ge 1 ]
}

# MPI calls that an error, and most of it ends with one in MPICH, too. Here no rank may get what nobody sent, and no worker
# may pass for dead.
# bats test_tags=long
@test "counts that differ between ranks end the job with one line that names ranks, operation and sizes" {
    random=$OVL_BUILD/tests/unequal options=(--min 0)
    export OVL_OFFLOAD_TIMEOUT=2 OVL_OFFLOAD_NODE_RANKS
    for OVL_OFFLOAD_NODE_RANKS in 0 1; do
        while IFS='|' read -r words line; do
            # shellcheck disable=SC2086
            offload 5 2 $words
            grep -q "^ovl offload: .*$line" err
            # Of two nodes the other one's carrier may find it out, too, or see this one end, before the job does.
            [ "$(grep -c '^ovl offload' err)" = 1 ] || [ "$OVL_OFFLOAD_NODE_RANKS" = 1 ]
            [ "$(grep '^ovl offload' err | grep -vc "is gone\|$line")" = 0 ]
            absent 'behind a buffer' "$out"
        done <<'END'
bcast 100000 200000|rank 0 calls ibcast of 100000 bytes in all, rank 1 of 200000: .*MPI_ERR_TRUNCATE
bcast 200000 100000|rank 0 calls ibcast of 200000 bytes in all, rank 1 of 100000: .*MPI_ERR_TRUNCATE
reduce 100000 200000|calls iallreduce of [12]00000 bytes in all, rank [01] of [12]00000: .*MPI_ERR_TRUNCATE
alltoallv 400000 300000|ialltoallv: rank [01] sends 400000 bytes to rank [01], which expects 300000: .*MPI_ERR_TRUNCATE
own 300000 400000|MPI_Ialltoallv: rank 0 sends 300000 bytes to itself and expects 400000: .*MPI_ERR_TRUNCATE
END
    done
    offload 5 2 missing 100000 0
    [ "$(grep -c '^ovl offload' err)" = 1 ]
    grep -q 'gave up: rank 0 waits in ibcast for rank 1, which has ended all its collectives' err
    none_left
}

# bats test_tags=long
@test "two versions of the library in a job are told apart before anything is offloaded" {
    version=$("$OVL_BIN/ovl" --version | grep -o '[0-9][0-9.]*' | head -n 1)
    other=$(tr 0-8 1-9 <<<"$version")
    sed "s/${version//./\\.}/$other/g" "$OVL_BUILD/lib/libovl_offload.so" >other.so
    if cmp -s other.so "$OVL_BUILD/lib/libovl_offload.so"; then return 1; fi
    ln -s "$OVL_BIN/ovl_carrier" carrier
    export OVL_OFFLOAD_CARRIER=$PWD/carrier
    # shellcheck disable=SC2086
    $OVL_MPIEXEC -n 1 env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so" "$random" 1 30 : -n 1 env LD_PRELOAD="$PWD/other.so" "$random" 1 30 >out 2>err
    cat err
    grep -q "^ovl offload: nothing is offloaded: .*$other" err
    [ "$(wc -l <err)" = 1 ]
    [ -s out ]
    # shellcheck disable=SC2086
    OVL_OFFLOAD=require ends 5 $OVL_MPIEXEC -n 1 env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so" "$random" 1 30 : \
        -n 1 env LD_PRELOAD="$PWD/other.so" "$random" 1 30
    none_left
}

# bats test_tags=long
@test "a worker that is stopped counts as dead when its time is over" {
    export TMPDIR=$BATS_TEST_TMPDIR OVL_OFFLOAD_TIMEOUT=2
    options=(--min 0)
    offload 5 2 5 100000000 &
    for _ in {1..50}; do [ "$(carriers | wc -l)" = 1 ] && break; sleep 0.1; done
    sleep 0.3
    kill -STOP "$(carriers)"
    wait $!
    grep -q '^ovl offload: carrier ' err
    for pid in $(carriers); do kill -CONT "$pid"; done
    none_left
}

@test "a static, a setuid and an Open MPI program are known before they run" {
    printf 'int main(void) { return 0; }\n' >p.c
    options=(--require)
    cc -static -o fixed p.c || skip "no static libc"
    cc -o set p.c && chmod u+s set
    printf 'int PMPI_Init(void) { return 0; }\n' >m.c
    cc -shared -fPIC -Wl,-soname,libmpi.so.40 -o libmpi.so.40 m.c
    cc -Wl,--no-as-needed -o open p.c ./libmpi.so.40
    for p in "fixed statically" "set setuid" "open Open MPI"; do
        ends 5 "$OVL_BIN/ovl" offload --require -- env "./${p%% *}"
        grep -q "^ovl offload: ./${p%% *} .*${p#* }" err
        [ "$(wc -l <err)" = 1 ]
    done
    "$OVL_BIN/ovl" offload -- env ./fixed 2>err
    grep -q '^ovl offload: nothing is offloaded: ./fixed is linked statically' err
    # A word of another program is no program, unless it is a path.
    export PATH=$PATH:$PWD
    "$OVL_BIN/ovl" offload -- env sh -c : set 2>err
    absent 'set is setuid' "$(cat err)"
    "$OVL_BIN/ovl" offload -- nice timeout 9 set 2>err || :
    grep -q '^ovl offload: nothing is offloaded: .*/set is setuid' err
    "$OVL_BIN/ovl" offload -- env sh -c : ./set 2>err
    grep -q '^ovl offload: nothing is offloaded: ./set is setuid' err
    "$OVL_BIN/ovl" offload -- env set 2>err
    grep -q '^ovl offload: nothing is offloaded: .*/set is setuid' err
}

# says_once WORDS: one line of ovl's, with these words.
says_once() {
    [ "$(grep -c '^ovl offload' err)" = 1 ] || { echo "not one line"; return 1; }
    grep -q "^ovl offload: .*$1" err
}

# refused_in FILE WORDS: a record of one program that says why.
refused_in() {
    "$OVL_BIN/ovl" validate "$1" | grep -qx "$1: 1 offloaded program, ok"
    "$OVL_BIN/ovl" show "$1" | grep -q "^ovl offload: .*$2"
    [ "$(wc -l <"$1")" = 1 ]
}

# bats test_tags=long
@test "a program of MPI sessions is told that nothing is offloaded, and with --require ends with 5" {
    random=$OVL_BUILD/tests/session
    for how in session quiet; do
        options=(--report "$how.jsonl")
        offload 0 2 $how
        grep -q fine out
        says_once 'nothing is offloaded: session begins MPI by MPI_Session_init'
        refused_in $how.jsonl 'nothing is offloaded: session begins MPI by MPI_Session_init'
        options=(--require --report "$how-required.jsonl")
        offload 5 2 $how
        says_once 'MPI_Session_init'
        refused_in $how-required.jsonl 'MPI_Session_init'
    done
    # A launcher that loses the exit code, as some do in a race, or ends with that of a rank that it killed.
    for code in 0 9; do
        ends 5 "$OVL_BIN/ovl" offload --require -- sh -c "$OVL_MPIEXEC -n 2 $random session; exit $code"
        says_once 'MPI_Session_init'
    done
    options=(--report plain.txt)
    offload 0 2 session
    grep -qx "$(cat err)" plain.txt
    options=(--compare --launches 2)
    offload 5 2 session
    grep -q '^ovl offload: launch 1: nothing is offloaded: .*MPI_Session_init' err
    # Also as the second program of a launch.
    ends 5 "$OVL_BIN/ovl" offload --compare --launches 2 --min 0 -- \
        sh -c "$OVL_MPIEXEC -n 2 $OVL_BUILD/tests/random 5 40 && $OVL_MPIEXEC -n 2 $random session"
    grep -q '^ovl offload: launch 1: nothing is offloaded: .*MPI_Session_init' err
    options=()
    OVL_OFFLOAD=off offload 0 2 session
    [ -z "$err" ]
    # MPI_Init may come behind it, and then its communicators are served.
    options=(--require)
    # (MPICH 4.2.1 dies in MPI_Finalize of most such programs, also without workers: then their exit code says nothing.)
    code=0 dies=
    for _ in 1 2 3; do
        timeout -k 5 60 $OVL_MPIEXEC -n 2 "$random" both >out 2>&1 </dev/null || dies=yes
    done
    timeout -k 5 60 "$OVL_BIN/ovl" offload --require -- $OVL_MPIEXEC -n 2 "$random" both >out 2>err </dev/null || code=$?
    cat err
    [ "$dies" ] || [ "$code" = 0 ]
    grep -q 'proof: workers did 2 of 2' err
    [ -z "$(grep 'numbers are wrong' out err)" ]
    [ -z "$(find . -name '.ovl-offload*')" ]
    none_left
}

@test "persistent requests of a session may be asked for after MPI_Finalize" {
    command -v mpicc.mpich >/dev/null || skip "no compiler of MPICH"
    [ -e "$OVL_BUILD/tests/persistent" ] || skip "this MPI has no persistent collectives"
    cat >after.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
    int in[8] = {1}, out[8] = {0}, done = 0, rank;
    MPI_Session session;
    MPI_Group all;
    MPI_Comm comm;
    MPI_Request q;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "after", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Allreduce_init(in, out, 8, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &q);
    MPI_Finalize();
    if (rank > 0)
        nanosleep(&(struct timespec){0, 200000000}, NULL); /* meanwhile the other one asks again and again */
    MPI_Start(&q);
    for (int i = 0; i < 20000 && !done; i++) {
        MPI_Request_get_status(q, &done, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    if (done && out[0] == 2)
        puts("fine");
    MPI_Request_free(&q);
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    return MPI_Session_finalize(&session);
}
END
    mpicc.mpich -w -o after after.c
    random=$PWD/after
    timeout -k 5 60 $OVL_MPIEXEC -n 2 "$random" >out 2>&1 </dev/null || skip "this MPI ends such a program"
    offload 0 2
    [ "$(grep -o fine out | wc -l)" = 2 ]
}

# bats test_tags=long
@test "MPI_Init by threads, late, after a fork or in a second program is served; one without an end is told" {
    random=$OVL_BUILD/tests/session options=(--require)
    for how in thread late again forks; do
        offload 0 2 $how
        grep -q 'proof: workers did 2 of 2' err
        says_once '2 ranks on 1 node'
    done
    # The launcher may kill ranks that are still there when the first one leaves so.
    options=(--report u.jsonl)
    code=0
    timeout 60 "$OVL_BIN/ovl" offload "${options[@]}" -- $OVL_MPIEXEC -n 2 sh -c '"$@"; sleep 0.5' sh "$random" unfinished >out 2>err </dev/null || code=$?
    cat err
    says_once 'nothing is known: session ended without a call of MPI_Finalize'
    refused_in u.jsonl 'ended without a call of MPI_Finalize'
    code=0
    timeout 60 "$OVL_BIN/ovl" offload --require -- $OVL_MPIEXEC -n 2 "$random" unfinished >out 2>err </dev/null || code=$?
    [ "$code" != 0 ]
    # A launcher that ends the rank that speaks, and has nothing against the other one (here by force).
    code=0
    timeout 60 "$OVL_BIN/ovl" offload --require -- sh -c '"$@"; true' sh $OVL_MPIEXEC -n 2 "$random" lingers >out 2>err </dev/null || code=$?
    [ "$code" = 5 ]
    none_left
}

@test "a helper that outlives its rank is no rank that was not served" {
    # shellcheck disable=SC2086
    ends 0 "$OVL_BIN/ovl" offload --min 0 --report h.jsonl -- $OVL_MPIEXEC -n 2 sh -c 'sleep 1 & exec "$@"' sh "$random" 5 40
    [ -z "$err" ]
    [ "$(wc -l <h.jsonl)" = 1 ]
    none_left
}

@test "memory beyond ulimit -f is MPI's own, and no signal" {
    command -v mpicc.mpich >/dev/null || skip "no compiler of MPICH"
    printf '%s\n' '#include <mpi.h>' 'int main(void) { char *m; MPI_Init(0, 0); int rc = MPI_Alloc_mem(64 << 20, MPI_INFO_NULL, &m); m[0] = m[(64 << 20) - 1] = 1;' \
        'MPI_Free_mem(m); MPI_Finalize(); return rc; }' >a.c
    mpicc.mpich -w -o alloc a.c
    ulimit -f 32768
    # shellcheck disable=SC2086
    ends 0 "$OVL_BIN/ovl" offload --min 0 -- $OVL_MPIEXEC -n 2 ./alloc
}

# brief CODE [OPTION...] -- COMMAND...: `ovl offload` ends with that code; up to four times, as Hydra's own pipe can break
# (141) where processes end at once, on a busy machine.
brief() {
    for _ in 1 2 3 4; do
        rm -f ./*.jsonl
        ends "$1 141" "$OVL_BIN/ovl" offload "${@:2}"
        [ "$code" = 141 ] || break
    done
    [ "$code" = "$1" ]
}

@test "what never begins MPI does not pass for offloaded: serial, behind a shell, static, setuid, without LD_PRELOAD" {
    printf 'int main(void) { return 0; }\n' >p.c
    cc -o serial p.c && cc -o set p.c && chmod u+s set
    commands=("./serial" "sh -c './serial; true'" "sh -c './set; true'" "env -u LD_PRELOAD ./serial")
    if cc -static -o fixed p.c 2>/dev/null; then commands+=("sh -c './fixed; true'"); fi
    if command -v mpicc.mpich >/dev/null; then
        mpicc.mpich -Wl,--no-as-needed -o linked p.c
        commands+=(./linked)
    fi
    for command in "${commands[@]}"; do
        eval "brief 5 --require --report r.jsonl -- $OVL_MPIEXEC -n 2 $command"
        says_once 'nothing is offloaded: .*MPI_Init'
        refused_in r.jsonl 'nothing is offloaded: .*MPI_Init'
    done
    ends 5 "$OVL_BIN/ovl" offload --require -- true
    says_once 'no process of the command called MPI_Init'
    # A word in any case, where it is certain; none for the tools that a rank's script uses.
    brief 0 -- $OVL_MPIEXEC -n 2 ./serial
    says_once 'serial ended and never called MPI_Init'
    brief 0 -- $OVL_MPIEXEC -n 2 sh -c './serial; true'
    [ ! -s err ]
    $OVL_BIN/ovl offload -- sh -c './serial; true' 2>err
    [ ! -s err ]
    # What the tool itself sees stands in the report, too, and what nobody saw.
    ends 7 "$OVL_BIN/ovl" offload --report none.jsonl -- sh -c 'exit 7'
    refused_in none.jsonl 'nothing is known: the command failed before a rank reported'
    brief 0 --report none.txt -- $OVL_MPIEXEC -n 2 env -u LD_PRELOAD "$random" 5 40
    grep -q 'nothing is offloaded: no process of the command called MPI_Init' none.txt
    OVL_OFFLOAD=off brief 0 --report off.jsonl -- $OVL_MPIEXEC -n 2 "$random" 5 40
    refused_in off.jsonl 'nothing is offloaded: OVL_OFFLOAD=off is set'
    brief 0 --report set.jsonl -- $OVL_MPIEXEC -n 2 ./set
    says_once './set is setuid'
    refused_in set.jsonl './set is setuid'
    brief 5 --require --report set5.jsonl -- $OVL_MPIEXEC -n 2 ./set
    says_once './set is setuid'
    refused_in set5.jsonl './set is setuid'
    [ -z "$(find . -name '.ovl-offload*')" ]
}

@test "--require leaves the command its exit code, its input, and its signals, and no file behind" {
    mkdir here && cd here
    ends 7 "$OVL_BIN/ovl" offload --require -- sh -c 'exit 7'
    [ ! -s err ]
    ends 3 "$OVL_BIN/ovl" offload --require -- ./absent
    says_once 'cannot run ./absent'
    ends 137 sh -c 'echo word | exec "$0" offload --require -- sh -c "read -r x; echo \"\$x\"; kill -KILL \$\$"' "$OVL_BIN/ovl"
    [ "$out" = word ]
    "$OVL_BIN/ovl" offload --require -- sh -c 'trap "echo got; exit 9" TERM; echo ready; while :; do sleep 0.1; done' >out 2>err 3>&- &
    pid=$!
    for _ in {1..100}; do grep -q ready out && break; sleep 0.1; done
    kill -TERM $pid
    code=0
    wait $pid || code=$?
    [ "$code" = 9 ]
    grep -q got out
    [ -z "$(ls -A | grep -v '^out$\|^err$')" ]
}

# Its handles are pointers in C, and numbers of its own in Fortran.
@test "programs of Open MPI run as without the library, which says that nothing is offloaded" {
    command -v mpicc.openmpi mpiexec.openmpi >/dev/null || skip "no Open MPI"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    cat >foreign.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int in = 0, out = 7, flag = 0;
    MPI_Comm comm;
    MPI_Request q[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(&in, 1, MPI_INT, 0, 1, comm, &q[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 1, comm, &q[1]);
    while (!flag)
        MPI_Request_get_status(q[0], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return in == 7 ? puts("fine") < 0 : 1;
}
END
    mpicc.openmpi -w -o foreign foreign.c
    programs=(./foreign)
    if command -v mpifort.openmpi >/dev/null && mpifort.openmpi -w -cpp -o foreign_f08 "$OVL_TOP/tests/preload/f08.f90"; then
        programs+=(./foreign_f08)
    fi
    for program in "${programs[@]}"; do
        timeout -k 5 60 mpiexec.openmpi -n 1 env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so" "$program" >out 2>err </dev/null
        cat err
        grep -q fine out
        grep -q '^ovl offload: nothing is offloaded: the program runs on Open MPI' err
        OVL_OFFLOAD=require OVL_OFFLOAD_REPORT=open.jsonl ends 5 mpiexec.openmpi -n 1 env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so" "$program"
        refused_in open.jsonl 'the program runs on Open MPI'
        rm open.jsonl
    done
}

# MPICH from 4.3 on may have it beside its own library, with the same functions and other handles.
# bats test_tags=long
@test "programs for the common ABI of MPI-5 run as without the library, which says that nothing is offloaded" {
    cat >abi.c <<'END'
int MPI_Init(int *argc, char ***argv) { return (void)argc, (void)argv, 0; }
int MPI_Finalize(void) { return 0; }
int PMPI_Init(int *argc, char ***argv) { return (void)argc, (void)argv, 0; }
int PMPI_Finalize(void) { return 0; }
int PMPI_Get_library_version(char *text, int *length) { return text[0] = 0, *length = 0; }
int PMPI_Pack_c(void) { return 0; }
int PMPI_Unpack_c(void) { return 0; }
int PMPI_Psend_init(void) { return 0; }
int PMPIX_Grequest_class_create(void) { return 0; }
int PMPIX_Grequest_class_allocate(void) { return 0; }
END
    printf '#include <stdio.h>\nint MPI_Init(int *, char ***), MPI_Finalize(void);\n%s\n' \
        'int main(int argc, char **argv) { return MPI_Init(&argc, &argv) || MPI_Finalize() || puts("fine") < 0; }' >main.c
    cc -w -shared -fPIC -o libmpi_abi.so.1 abi.c
    cc -w -o main main.c ./libmpi_abi.so.1
    ends 0 env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so" ./main
    grep -qx fine out
    grep -q '^ovl offload: nothing is offloaded: the program runs on the common ABI of MPI-5' err
    ends 5 env OVL_OFFLOAD=require LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so" ./main
}

# bats test_tags=long
@test "--worker-priority high is had where the system allows it, and the report says so" {
    options=(--min 0 --worker-priority high)
    # On cores of their own there is nothing to go before.
    OVL_OFFLOAD_NODE_RANKS=1 offload 0 4 5 40
    grep -q '^ovl offload: .* workers share the ranks. cores' err || skip "workers have cores of their own here"
    if setsid --wait sh -c 'echo -20 >/proc/self/autogroup' 2>/dev/null; then want=", priority high"; else want=; fi
    grep -q "workers share the ranks' cores$want\$" err
    grep -q '^  proof: workers did \([1-9][0-9]*\) of \1;' err
    options=(--min 0)
    OVL_OFFLOAD_NODE_RANKS=1 offload 0 4 5 40
    ! grep -q 'priority high' err
}

# A launcher that knows whether the library stands before it: with it the number that it prints is half.
@test "--compare finds what differs with the workers, and says of nothing else that it does" {
    cat >launcher <<'END'
#!/bin/bash
echo "size   4 same $((100 + RANDOM % 3))"
case $LD_PRELOAD in
*libovl_offload*)
    echo "size   8 time $((50 + RANDOM % 3))"
    sed 's/"seconds":[0-9.]*/"seconds":0.001/' "$REPORT" >"$OVL_OFFLOAD_REPORT" # this launch is a short one
    ;;
*) echo "size   8 time $((100 + RANDOM % 3))" ;;
esac
END
    chmod +x launcher
    options=(--min 0 --report r.jsonl)
    offload 0 2 5 100
    export REPORT=$PWD/r.jsonl
    "$OVL_BIN/ovl" offload --compare --launches 9 --report c.jsonl --metric '^size +[48] ([a-z]+) ([0-9]+)' --chart c.svg \
        -- ./launcher >out
    cat out
    grep -q '^  time .* 0\.[45].*  better$' out
    grep -q '^  same .*  not shown$' out
    grep -q '^  proof: workers did' out
    grep -q 'with the library / without' c.svg
    [ "$(grep -c '"record":"launch"' c.jsonl)" = 18 ]
    [ "$(grep -c '"record":"offload".*"pair":' c.jsonl)" = 9 ]
    "$OVL_BIN/ovl" validate c.jsonl | grep -qx 'c.jsonl: 9 offloaded programs, ok'
    "$OVL_BIN/ovl" show c.jsonl | diff - <(sed '1,/^$/d' out)
    "$OVL_BIN/ovl" report -o c.html c.jsonl
    grep -q 'Unmodified programs' c.html
    grep -q '<span class="better">better</span></td>' c.html
    # The group is the value, not what goes on behind it, and no part of a number that it does not know.
    "$OVL_BIN/ovl" offload --compare --launches 2 --report d.jsonl --metric 'same (1)' -- ./launcher >out
    [ "$(grep -c '"value":1\.0' d.jsonl)" = 4 ]
    echo 'echo 1.5D+03' >>launcher
    ends 4 "$OVL_BIN/ovl" offload --compare --launches 2 --metric '^([0-9.D+]+)' -- ./launcher
    grep -q 'has a number there' err
    # Nothing is left of the files of the way.
    [ -z "$(find . -name '.ovl-offload*')" ]
}

@test "--compare ends with one line where there is nothing to compare" {
    OVL_OFFLOAD_VECTORS=no "$OVL_BIN/ovl" offload --compare --launches 2 --min 1G -- $OVL_MPIEXEC -n 2 "$random" 5 40 >out
    grep -q '^  wall time, s .* not shown: too few launches$' out
    grep -q '^# note     no operation went to the workers' out
    # In a shell that loads the library into all that it starts, launches without it are without it.
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho "$LD_PRELOAD" >>seen\nexec "$@"\n' >job
    chmod +x job
    LD_PRELOAD=$OVL_BUILD/lib/libovl_offload.so:$LD_PRELOAD "$OVL_BIN/ovl" offload --compare --launches 2 --min 1G -- \
        ./job $OVL_MPIEXEC -n 2 "$random" 5 40 >out
    [ "$(grep -c libovl_offload seen)" = 2 ]
    [ "$(grep -c "^$LD_PRELOAD\$" seen)" = 2 ]
    OVL_OFFLOAD=off ends 5 "$OVL_BIN/ovl" offload --compare --report n.jsonl -- $OVL_MPIEXEC -n 2 "$random" 5 40
    grep -q 'the library told nothing of launch 1' err
    [ "$(grep -c '"side":"with"' n.jsonl)" = 0 ]
    ends 3 "$OVL_BIN/ovl" offload --compare --launches 2 -- true $'\xe9'
    grep -q 'word 2 of the command is not UTF-8' err
    ends 5 "$OVL_BIN/ovl" offload --compare --launches 2 -- false
    grep -q 'ended with code 1' err
    ends 5 "$OVL_BIN/ovl" offload --compare --time-limit 1 -- sleep 30
    grep -q 'within 1 s: give a larger --time-limit' err
    for wrong in "--launches 4" "--metric (x)" "--chart a.svg" "--compare --more-is-better" "--compare --metric ab" \
        "--compare --metric (a" "--compare --report a.txt"; do
        # shellcheck disable=SC2086
        ends 3 "$OVL_BIN/ovl" offload $wrong -- true
        [ "$(wc -l <err)" = 1 ]
    done
    [ -z "$(find . -name '.ovl-offload*')" ]
}

# bats test_tags=long
@test "--compare lets processes live that it did not start, and goes on without a reader where a record is kept" {
    printf '#!/bin/bash\necho >>launched\n[ -z "$OVL_OFFLOAD_REPORT" ] || cat "$REPORT" >"$OVL_OFFLOAD_REPORT"\n' >launcher
    chmod +x launcher
    options=(--min 0 --report r.jsonl)
    offload 0 2 5 40
    export REPORT=$PWD/r.jsonl
    cat >job <<'END'
#!/bin/bash
(trap '' PIPE; for ((i = 0; i < 600; i++)); do sleep 0.1; done) >/dev/null 2>&1 & echo $! >monitor
exec "$OVL_BIN/ovl" offload --compare --launches 2 "$@" -- ./launcher
END
    chmod +x job
    run bash -c 'env --default-signal=PIPE timeout 60 ./job --report c.jsonl 2>err 3>&- | true; echo "code ${PIPESTATUS[0]}"'
    [ "$output" = "code 5" ]
    grep -q 'cannot write to standard output' err
    [ "$(grep -c '"record":"launch"' c.jsonl)" = 4 ]
    kill "$(cat monitor)"
    # With nobody to tell and nothing to keep, the other launches would be for nothing.
    rm launched
    run bash -c 'env --default-signal=PIPE timeout 60 ./job 2>err 3>&- | true; echo "code ${PIPESTATUS[0]}"'
    [ "$output" = "code 5" ]
    grep -q 'nothing else would keep the comparison: give --report or --chart' err
    [ "$(wc -l <launched)" = 1 ]
    kill "$(cat monitor)"
    [ -z "$(find . -name '.ovl-offload*')" ]
}

# As Python does: the program has no MPI, and what it loads has one for itself.
@test "a program that loads MPI late and for itself alone" {
    command -v mpicc.mpich >/dev/null || skip "no compiler of MPICH"
    [ -e "$OVL_BUILD/tests/persistent" ] || skip "this MPI has no persistent collectives"
    cat >late.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char name[32];
    for (int i = 0; getenv("MANY") && i < 520; i++) {
        snprintf(name, sizeof name, "./many/%d.so", i);
        if (!dlopen(name, RTLD_NOW | RTLD_LOCAL))
            return puts(dlerror());
    }
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **) = plugin ? (int (*)(int, char **))dlsym(plugin, "plugin_main") : NULL;
    return run ? run(argc, argv) : puts(dlerror());
}
END
    mpicc.mpich -w -shared -fPIC -Dmain=plugin_main -I"$OVL_TOP/src" -I"$OVL_TOP" -o plugin.so "$OVL_TOP/tests/preload/persistent.c"
    cc -o late late.c -ldl
    random=$PWD/late options=(--min 0)
    offload 0 2
    grep -q fine out
    grep -q '^  proof: workers did 1600 of 1600' err
    # Behind many other objects, as a Python with its modules has them.
    echo 'int many;' >many.c
    cc -shared -fPIC -o many.so many.c
    mkdir many
    for i in {0..519}; do cat many.so >many/$i.so; done
    MANY=1 offload 0 2
    grep -q fine out
    grep -q '^  proof: workers did 1600 of 1600' err
}

# On emulated nodes, whose processors are one machine's: a carrier that spun on a core of the other node's rank doubled
# that rank's work.
@test "over two emulated nodes workers reach each other, and share the processors that all nodes have" {
    "$OVL_TOP/scripts/cluster" run --nodes 1 -- true >/dev/null 2>&1 || [ $? != 5 ] || skip "no emulated nodes here"
    # MPICH 4.0.2 may never return from MPI_Finalize over TCP; the report stands before that.
    timeout -k 2 30 "$OVL_TOP/scripts/cluster" run --nodes 2 --ppn 1 -n 2 --env OVL_OFFLOAD_MIN=0 \
        --env LD_PRELOAD="$OVL_BUILD/lib/libovl_offload.so" -- "$random" 5 40 >out 2>err </dev/null || [ $? = 124 ]
    cat err
    if [ "$(nproc)" -lt 4 ]; then how="share the ranks' cores"; else how="on cores of their own"; fi
    grep -q "^ovl offload: 2 ranks on 2 nodes, 2 workers, path [a-z]*, workers $how$" err
    grep -q '^  proof: workers did \([1-9][0-9]*\) of \1;' err
}

# As in virtual machines: the default route of each leads into a network that it has for itself, at the same address.
# bats test_tags=long
@test "workers of nodes whose default route has one address on all of them meet in the network that they have in common" {
    "$OVL_TOP/scripts/cluster" run --nodes 1 -- true >/dev/null 2>&1 || [ $? != 5 ] || skip "no emulated nodes here"
    cat >node <<END
#!/bin/bash
for command in "link add nat0 type veth peer name nat1" "addr add 10.0.2.15/24 dev nat0" "link set nat0 up" "link set nat1 up" "route add default dev nat0"; do
    ip \$command || exit
done
LD_PRELOAD=$OVL_BUILD/lib/libovl_offload.so exec "\$@"
END
    chmod +x node
    # UCX takes the address that it is told to, and MPICH 4.0.2 may never return from MPI_Finalize.
    timeout -k 2 30 "$OVL_TOP/scripts/cluster" run --nodes 2 --ppn 1 -n 2 --env OVL_OFFLOAD_MIN=0 --env UCX_NET_DEVICES=eth0 \
        -- "$PWD/node" "$random" 5 40 >out 2>err </dev/null || [ $? = 124 ]
    cat err
    grep -q '^ovl offload: 2 ranks on 2 nodes, 2 workers, ' err
    grep -q '^  proof: workers did \([1-9][0-9]*\) of \1;' err
}

# program NAME: compiles stdin with MPICH's compiler; `random` becomes it.
program() {
    command -v mpicc.mpich >/dev/null || skip "no compiler of MPICH"
    cat >"$1.c"
    mpicc.mpich -w "${@:2}" -o "$1" "$1.c"
    random=$PWD/$1
}

# bats test_tags=long
@test "130 communicators, whose operations each rank posts in another order, all on the workers" {
    program orders <<'C'
#include <mpi.h>
#include <stdio.h>
enum { COMMS = 130 };
int main(int argc, char **argv)
{
    static MPI_Comm comm[COMMS];
    static MPI_Request q[COMMS];
    static int one[COMMS], sum[COMMS];
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int k = 0; k < COMMS; k++) {
        int i = rank ? COMMS - 1 - k : k;
        one[i] = i + rank;
        MPI_Iallreduce(&one[i], &sum[i], 1, MPI_INT, MPI_SUM, comm[i], &q[i]);
    }
    MPI_Waitall(COMMS, q, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COMMS; i++)
        if (sum[i] != n * i + n * (n - 1) / 2)
            MPI_Abort(MPI_COMM_WORLD, 4);
    if (rank == 0)
        puts("fine");
    MPI_Finalize();
    return 0;
}
C
    options=(--min 0)
    for ranks in 2 3; do
        offload 0 $ranks
        grep -qx fine out
        grep -q "proof: workers did $((130 * ranks)) of $((130 * ranks))" err
    done
    none_left
}

@test "a tool that stands behind the library sees what goes to MPI, the begin, the end, and all that completes" {
    program tool -shared -fPIC <<'C'
#include <mpi.h>
#include <stdio.h>
static int inits, waits, alltoalls, scans, bcasts, dups;
int MPI_Init(int *argc, char ***argv) { inits++; return PMPI_Init(argc, argv); }
int MPI_Waitall(int n, MPI_Request *q, MPI_Status *s) { waits++; return PMPI_Waitall(n, q, s); }
int MPI_Ialltoall(const void *s, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, MPI_Comm c, MPI_Request *q)
{ alltoalls++; return PMPI_Ialltoall(s, sn, st, r, rn, rt, c, q); }
int MPI_Iscan(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request *q)
{ scans++; return PMPI_Iscan(s, r, n, t, op, c, q); }
int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c) { bcasts++; return PMPI_Bcast(b, n, t, root, c); }
int MPI_Comm_dup(MPI_Comm c, MPI_Comm *made) { dups++; return PMPI_Comm_dup(c, made); }
int MPI_Finalize(void)
{
    fprintf(stderr, "tool: %d init, %d wait, %d ialltoall, %d iscan, %d bcast, %d dup\n", inits, waits, alltoalls, scans, bcasts, dups);
    return PMPI_Finalize();
}
C
    program uses <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    static int a[1000], b[1000], one[2], two[2];
    MPI_Comm comm;
    MPI_Request q[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 5; i++) {
        MPI_Ialltoall(a, 100, MPI_INT, b, 100, MPI_INT, comm, &q[0]);
        MPI_Iscan(one, two, 1, MPI_INT, MPI_SUM, comm, &q[1]);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    MPI_Bcast(a, 1, MPI_INT, 0, comm);
    MPI_Finalize();
    return 0;
}
C
    before=$LD_PRELOAD
    export LD_PRELOAD=$PWD/tool${before:+:$before}
    options=(--min 1G)
    offload 0 2
    [ "$(grep -c '^tool: 1 init, 5 wait, 5 ialltoall, 5 iscan, 1 bcast, 1 dup$' err)" = 2 ]
    grep -q '^  iscan  *10  *0 .* 10 workers do no such operation$' err
    # What workers do has no call of MPI's.
    options=(--min 0)
    offload 0 2
    [ "$(grep -c '^tool: 1 init, 5 wait, 0 ialltoall, 5 iscan, 1 bcast, 1 dup$' err)" = 2 ]
    grep -q 'proof: workers did 10 of 10' err
}

@test "the report lists every non-blocking collective that workers do not do" {
    program hosted <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int n, rank, a[8] = {0}, b[8] = {0}, counts[8], displs[8], periods[1] = {1};
    MPI_Aint places[8];
    MPI_Datatype types[8];
    MPI_Comm ring;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, periods, 0, &ring);
    for (int i = 0; i < 8; i++)
        counts[i] = 1, displs[i] = 4 * i, places[i] = 4 * i, types[i] = MPI_INT, a[i] = rank;
#define DO(call) call; MPI_Wait(&q, MPI_STATUS_IGNORE)
    DO(MPI_Ialltoallw(a, counts, displs, types, b, counts, displs, types, MPI_COMM_WORLD, &q));
    for (int i = 0; i < n; i++)
        if (b[i] != i)
            MPI_Abort(MPI_COMM_WORLD, 4);
    DO(MPI_Iscan(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q));
    if (b[0] != rank * (rank + 1) / 2)
        MPI_Abort(MPI_COMM_WORLD, 4);
    DO(MPI_Iscan_c(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q));
    DO(MPI_Iexscan(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q));
    for (int i = 0; i < 8; i++)
        displs[i] = i;
    DO(MPI_Ineighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, ring, &q));
    DO(MPI_Ineighbor_allgatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, ring, &q));
    DO(MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, ring, &q));
    DO(MPI_Ineighbor_alltoallv(a, counts, displs, MPI_INT, b, counts, displs, MPI_INT, ring, &q));
    DO(MPI_Ineighbor_alltoallw(a, counts, places, types, b, counts, places, types, ring, &q));
    if (rank == 0)
        puts("fine");
    MPI_Finalize();
    return 0;
}
C
    options=(--min 0 --report r.jsonl)
    offload 0 3
    grep -qx fine out
    "$OVL_BIN/ovl" validate r.jsonl
    "$OVL_BIN/ovl" show r.jsonl | tee shown
    for row in ialltoallw iexscan ineighbor_allgather ineighbor_allgatherv ineighbor_alltoall ineighbor_alltoallv ineighbor_alltoallw; do
        grep -q "^  $row  *3  *0  *0 B  3 workers do no such operation$" shown
    done
    grep -q '^  iscan  *6  *0  *0 B  6 workers do no such operation$' shown
    grep -q '^  least size 0 B: as asked$' shown
}

# As Fortran's mpi_f08 does, whose MPI_Waitall goes past the library.
# bats test_tags=long
@test "time in waits that the library does not see, and in those of several threads, is counted once" {
    program late -pthread <<'C'
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static MPI_Comm comm[4];
static int rank, a[4][4], b[4][4];
static void *one(void *at)
{
    int i = (int)(long)at;
    MPI_Request q;
    MPI_Ialltoall(a[i], 1, MPI_INT, b[i], 1, MPI_INT, comm[i], &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    return NULL;
}
int main(int argc, char **argv)
{
    int got;
    pthread_t t[4];
    MPI_Request q;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    usleep(rank == 0 ? 500000 : 0);
    if (argc > 1) {
        for (long i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, one, (void *)i);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
    } else {
        MPI_Ialltoall(a[0], 1, MPI_INT, b[0], 1, MPI_INT, comm[0], &q);
        PMPI_Waitall(1, &q, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
C
    for words in "" threads; do
        rm -f r.jsonl
        options=(--min 0 --report r.jsonl)
        # shellcheck disable=SC2086
        offload 0 2 $words
        for name in waited_seconds waited_most_seconds seconds; do
            declare "$name=$(sed "s/.*\"$name\":\([0-9.]*\).*/\1/" r.jsonl)"
        done
        # shellcheck disable=SC2154
        awk -v all="$waited_seconds" -v most="$waited_most_seconds" -v run="$seconds" 'BEGIN { exit !(all > 0.3 && most <= run * 1.001 && all <= 2 * run) }'
    done
}

# bats test_tags=long
@test "MPI_Alloc_mem takes no memory before it is touched, and workers map what a collective then uses" {
    program alloc <<'C'
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
enum { MANY = 100, BYTES = 1 << 20 };
/* Has the file that is mapped there its pages? Only root may look. */
static int is_there(char *m, size_t bytes)
{
    char name[128];
    struct stat of;
    snprintf(name, sizeof name, "/proc/self/map_files/%lx-%lx", (long)m, (long)m + (long)bytes);
    return stat(name, &of) == 0 && of.st_blocks * 512 > bytes / 4;
}
static void must(int right, const char *what)
{
    if (!right)
        fprintf(stderr, "alloc: %s\n", what), MPI_Abort(MPI_COMM_WORLD, 4);
}
int main(int argc, char **argv)
{
    char *big, *m[MANY];
    int n, rank;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Alloc_mem(64 << 20, MPI_INFO_NULL, &big);
    must(!is_there(big, 64 << 20), "memory is taken before it is touched");
    memset(big + (10 << 20), 7, 1 << 20);
    MPI_Free_mem(big);
    for (int i = 0; i < MANY; i++) { /* more than may wait to be told of */
        MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &m[i]);
        must(m[i][0] == 0 && m[i][BYTES - 1] == 0, "it is not zeroed");
    }
    for (int i = 0; i + 1 < MANY; i += 2) {
        memset(m[i], rank + i, BYTES);
        MPI_Ialltoall(m[i], BYTES / n, MPI_CHAR, m[i + 1], BYTES / n, MPI_CHAR, MPI_COMM_WORLD, &q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        for (int r = 0; r < n; r++)
            must(m[i + 1][r * (BYTES / n)] == (char)(r + i) && m[i + 1][(r + 1) * (BYTES / n) - 1] == (char)(r + i), "wrong data");
    }
    for (int i = 0; i < MANY; i++)
        MPI_Free_mem(m[i]);
    if (rank == 0)
        puts("fine");
    MPI_Finalize();
    return 0;
}
C
    options=(--min 64K)
    offload 0 2
    grep -qx fine out
    grep -q 'proof: workers did 100 of 100' err
    none_left
}

# bats test_tags=long
@test "bounce takes no twice its buffers, and gives back what is much" {
    program bounce <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Mappings of the library's memory that are at least that long, in MiB, and all of them together. */
static long mapped(long least, long *all)
{
    char line[512];
    long count = 0;
    unsigned long from, to;
    FILE *f = fopen("/proc/self/maps", "r");
    for (*all = 0; fgets(line, sizeof line, f);)
        if (strstr(line, "memfd:ovl") && sscanf(line, "%lx-%lx", &from, &to) == 2) {
            count += (long)(to - from) >= least << 20;
            *all += (long)(to - from) >> 20;
        }
    fclose(f);
    return count;
}
int main(int argc, char **argv)
{
    char *m = calloc(1, 64 << 20);
    int rank, wrong = 0;
    long all;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(m, 5 * !rank, 64 << 20);
    MPI_Ibcast(m, 64 << 20, MPI_CHAR, 0, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    wrong |= m[0] != 5 || m[(64 << 20) - 1] != 5;
    wrong |= 2 * (mapped(65, &all) > 0);
    MPI_Request some[10];
    char *more[10];
    for (int i = 0; i < 10; i++)
        MPI_Ibcast(more[i] = malloc(17 << 20), 17 << 20, MPI_CHAR, 0, MPI_COMM_WORLD, &some[i]);
    MPI_Waitall(10, some, MPI_STATUSES_IGNORE);
    mapped(0, &all);
    wrong |= 4 * (all > 300);
    printf("wrong %d\n", wrong);
    MPI_Finalize();
    return 0;
}
C
    options=(--min 0 --path bounce)
    offload 0 2
    [ "$(grep -cx 'wrong 0' out)" = 2 ]
}
