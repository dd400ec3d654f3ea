/* Carriers: real processes on both sides, started, joined by addresses and taken down as a program without MPI would.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/carrier/carrier.h"
#include "offload/carrier/handshake.h"
#include "offload/client/client_wait.h"
#include "tests/fake/play.h"
#include "tests/unit/test.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8, WRONG = 9 };

/* A job: ranks are children of the test, carriers what ovl_carrier_start makes of the program. */
struct job {
    struct fake_plan layout;
    struct ovl_carrier carrier[MOST];
    struct ovl_carrier_address addresses[MOST];
    struct ovl_rank_info peers[MOST];
    struct ovl_carrier_job job;
    pid_t rank[MOST];
};

/* What a rank does between attach and leave. Returns NULL, or what is wrong. */
typedef const char *(*deed)(struct ovl_client_ctx *h, struct ovl_team *world, const struct job *job, int rank);

static const char *program(void)
{
    static char path[4096];
    const char *bin = getenv("OVL_BIN");
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
    if (bin)
        snprintf(path, sizeof path, "%s/ovl_carrier", bin);
    else if (n > 0) {
        path[n] = '\0';
        strcpy(strrchr(path, '/'), "/../bin/ovl_carrier");
    }
    return path;
}

/* Does the test inherit carriers, and learn how they end? QEMU, running one program, does not know that. */
static bool inherits;

static struct job job_of(int layout, int idle)
{
    inherits = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
    struct job j = {.layout = fake_plan_of(layout, NULL)};
    j.job = (struct ovl_carrier_job){.ranks = j.layout.ranks,
                                     .carriers = j.layout.workers,
                                     .idle = idle,
                                     .slowdown = 1,
                                     .timeout = 20,
                                     .memory = OVL_WORKER_MEMORY};
    return j;
}

static void start(struct job *j)
{
    for (int c = 0; c < j->job.carriers; c++) {
        ck_assert_msg(ovl_carrier_start(&j->carrier[c], program(), "127.0.0.1", NULL, 20, &err) == 0, "%s", err.text);
        j->addresses[c] = j->carrier[c].address;
    }
    for (int r = 0; r < j->job.ranks; r++)
        j->peers[r] = (struct ovl_rank_info){j->layout.worker_number[r], j->layout.node[r]};
    j->job.addresses = j->addresses;
    j->job.peers = j->peers;
}

static void tell(struct job *j)
{
    for (int c = 0; c < j->job.carriers; c++)
        ck_assert_msg(ovl_carrier_send_job(&j->carrier[c], &j->job, c, &err) == 0, "%s", err.text);
    for (int c = 0; c < j->job.carriers; c++)
        ovl_carrier_release(&j->carrier[c]);
}

static const char *be_rank(const struct job *j, const struct ovl_mem_path *path, int rank, deed what)
{
    struct ovl_carrier_conns conns;
    struct ovl_client_ctx h;
    struct ovl_team world;
    int members[MOST];
    if (ovl_carrier_attach(&conns, &h, &j->job, rank, &err) != 0)
        return fake_wrong("attach: %s", err.text);
    if (h.copies_own != (h.oversubscribed && j->job.slowdown <= 1))
        return "a rank does for a slow worker what that would do slowly";
    if (ovl_client_probe(&h, path, &err) != 0)
        return fake_wrong("probe: %s", err.text);
    h.path = path;
    for (int r = 0; r < j->job.ranks; r++)
        members[r] = r;
    if (ovl_client_attach(&h, &world, 1, rank, j->job.ranks, members, &err) != 0)
        return fake_wrong("team: %s", err.text);
    const char *wrong = what(&h, &world, j, rank);
    if (!wrong && ovl_client_detach(&h, &world, &err) != 0)
        wrong = fake_wrong("team's end: %s", err.text);
    if (!wrong && ovl_client_leave(&h, &err) != 0)
        wrong = fake_wrong("leave: %s", err.text);
    ovl_carrier_detach(&conns, &h);
    return wrong;
}

static void begin_ranks(struct job *j, const struct ovl_mem_path *path, deed what)
{
    for (int r = 0; r < j->job.ranks; r++) {
        j->rank[r] = fork();
        ck_assert_int_ge(j->rank[r], 0);
        if (j->rank[r] == 0) {
            const char *wrong = be_rank(j, path, r, what);
            if (wrong)
                fprintf(stderr, "rank %d: %s\n", r, wrong);
            _exit(wrong ? WRONG : 0);
        }
    }
}

/* How many ranks end with that code. */
static int ranks_that_end(const struct job *j, int code)
{
    int n = 0, status;
    for (int r = 0; r < j->job.ranks; r++)
        n += waitpid(j->rank[r], &status, 0) == j->rank[r] && WIFEXITED(status) && WEXITSTATUS(status) == code;
    return n;
}

/* Whoever inherits it may not have asked how it ended yet. */
static bool runs(pid_t pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *in = fopen(path, "re");
    if (in && fscanf(in, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    if (in)
        fclose(in);
    return state != 'Z';
}

/* Nothing is left behind: each has ended with that code, or by SIGKILL. The test inherits them
   (PR_SET_CHILD_SUBREAPER), as the system's first process does else. */
static void all_carriers_end(const struct job *j, double seconds, int code)
{
    int64_t end = ovl_clock_ns() + (int64_t)(1e9 * seconds);
    for (int c = 0; c < j->job.carriers && !inherits; c++) {
        while (runs(j->addresses[c].pid) && ovl_clock_ns() < end)
            poll(NULL, 0, 10);
        ck_assert_msg(!runs(j->addresses[c].pid), "carrier %d lives on", c);
    }
    for (int c = 0; c < j->job.carriers && inherits; c++) {
        int status = 0, got;
        while ((got = waitpid(j->addresses[c].pid, &status, WNOHANG)) == 0 && ovl_clock_ns() < end)
            poll(NULL, 0, 10);
        ck_assert_msg(got == j->addresses[c].pid, "carrier %d lives on", c);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
            ck_assert_int_eq(WEXITSTATUS(status), code);
    }
}

/* Of a job with one carrier, which is told nothing more. */
static void let_go(struct job *j, double seconds, int code)
{
    ovl_carrier_release(&j->carrier[0]);
    all_carriers_end(j, seconds, code);
}

/* Each operation, on both sides of the eager limit and over several fragments, twice at once; without LONG every
   fourth of them at each size, others at another, and others again where carriers are idle otherwise. */
static const char *operate(struct ovl_client_ctx *h, struct ovl_team *world, const struct job *job, int rank)
{
    static const size_t counts[] = {0, 3, 1000, 20000, 150000};
    (void)rank;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int o = OVL_NOTHING; o < OVL_OPERATIONS; o++) {
            if ((o + (int)c) % 4 != 2 * (job->job.idle == OVL_IDLE_SLEEP) && rounds(1, 0))
                continue;
            struct deal d = {
                (enum ovl_operation)o, job->job.ranks, (int)(c % (size_t)job->job.ranks), counts[c], c % 2, NULL};
            struct play p[2];
            for (int i = 0; i < 2; i++) {
                TRY(play_open(&p[i], h, world, &d));
                TRY(play_post(&p[i], h));
            }
            for (int i = 1; i >= 0; i--) {
                TRY(play_end(&p[i], h));
                TRY(play_close(&p[i], h));
            }
        }
    return NULL;
}

/* The carriers are started, the ranks come, and the carriers are told whom they serve. */
static void begin_job(struct job *j, const struct ovl_mem_path *path, deed what)
{
    start(j);
    begin_ranks(j, path, what);
    tell(j);
}

static void all_is_well(const struct job *j)
{
    ck_assert_int_eq(ranks_that_end(j, 0), j->job.ranks);
    all_carriers_end(j, 1, OVL_OK);
}

LOOP_TEST(every_operation_by_carriers, 0, FAKE_LAYOUTS)
{
    struct job j = job_of(_i, _i % 2 ? OVL_IDLE_SLEEP : OVL_IDLE_YIELD);
    j.job.slowdown = 1 + _i % 3;
    begin_job(&j, _i % 3 ? &ovl_mem_path_shm : &ovl_mem_path_cma, operate);
    all_is_well(&j);
}

/* 'R': it runs; 'S': it sleeps. */
static char process_state(int pid)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *in = fopen(path, "re");
    if (in && fscanf(in, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    if (in)
        fclose(in);
    return state;
}

/* Between two operations the rank computes for long: its process must be found sleeping meanwhile. */
static const char *compute_long(struct ovl_client_ctx *h, struct ovl_team *world, const struct job *job, int rank)
{
    enum { LOOKS = 10000 }; /* of 1 ms */
    struct play p;
    struct deal d = {OVL_IALLTOALL, job->job.ranks, 0, 9000, false, NULL};
    const struct ovl_worker_status *status = h->conns[h->own].status;
    int pid = job->addresses[job->peers[rank].worker].pid;
    TRY(play_open(&p, h, world, &d));
    for (int i = 0; i < 3; i++) {
        int looks = 0;
        while (atomic_load(&status->state) != OVL_WORKER_SLEEP_LONG || process_state(pid) != 'S') {
            poll(NULL, 0, 1);
            if (++looks == LOOKS)
                return "a carrier that has nothing to do never sleeps";
        }
        TRY(play_post(&p, h));
        TRY(play_end(&p, h));
    }
    return play_close(&p, h);
}

LOOP_TEST(a_carrier_on_its_own_core_sleeps, 0, 2)
{
    struct job j = job_of(_i ? TWO_NODES : ONE_ALONE, OVL_IDLE_SPIN);
    begin_job(&j, &ovl_mem_path_cma, compute_long);
    all_is_well(&j);
}

/* The bell that a rank was handed is the one to which its carrier listens: each ring, and not the end of a sleep, makes
   it turn. Were none heard, the sleeps of half a second would take twice as long as there is time. */
static const char *ring_often(struct ovl_client_ctx *h, struct ovl_team *world, const struct job *job, int rank)
{
    enum { RINGS = 40, SECONDS = 10 };
    const struct ovl_worker_conn *l = &h->conns[h->own];
    int64_t end = ovl_clock_ns() + INT64_C(1000000000) * SECONDS;
    (void)world, (void)job, (void)rank;
    for (int i = 0; i < RINGS; i++) {
        while (atomic_load(&l->status->state) != OVL_WORKER_LISTENS && ovl_clock_ns() < end)
            poll(NULL, 0, 1);
        uint64_t turns = atomic_load(&l->status->heartbeat);
        ovl_worker_wakeup(l);
        while (atomic_load(&l->status->heartbeat) == turns && ovl_clock_ns() < end)
            poll(NULL, 0, 1);
        if (ovl_clock_ns() >= end)
            return fake_wrong("a carrier heard %d rings of %d", i, RINGS);
    }
    return NULL;
}

TEST(a_carrier_hears_its_bell)
{
    struct job j = job_of(TWO_NODES, OVL_IDLE_SLEEP);
    begin_job(&j, &ovl_mem_path_cma, ring_often);
    all_is_well(&j);
}

/* Who is killed, and who is stopped for ever, costs the others an error within their time, and no carrier stays. */
static const char *wait_for_ever(struct ovl_client_ctx *h, struct ovl_team *world, const struct job *job, int rank)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, job->job.ranks, 0, 10, false, NULL};
    if (rank == 0)
        kill(getpid(), SIGSTOP); /* it never posts */
    TRY(play_open(&p, h, world, &d));
    TRY(play_post(&p, h));
    return play_end(&p, h);
}

/* Its carrier, which has no other rank, finds its memory gone as the other one's message makes it look there. */
static const char *post_and_die(struct ovl_client_ctx *h, struct ovl_team *world, const struct job *job, int rank)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, job->job.ranks, 0, 300000, false, NULL};
    TRY(play_open(&p, h, world, &d));
    while (rank > 0 && kill(job->rank[0], 0) == 0) /* till the test has seen its end */
        poll(NULL, 0, 1);
    TRY(play_post(&p, h));
    if (rank == 0)
        kill(getpid(), SIGKILL);
    return play_end(&p, h);
}

TEST(a_rank_dies_while_its_carrier_copies)
{
    struct job j = job_of(TWO_NODES, OVL_IDLE_SLEEP);
    int64_t begin = ovl_clock_ns();
    begin_job(&j, &ovl_mem_path_cma, post_and_die);
    ck_assert_int_eq(ranks_that_end(&j, WRONG), j.job.ranks - 1);
    ck_assert_int_lt(ovl_clock_ns() - begin, (int64_t)(1e9 * j.job.timeout));
    all_carriers_end(&j, 1, OVL_ENVIRONMENT);
}

TEST(a_rank_is_killed)
{
    struct job j = job_of(TWO_NODES_OF_TWO, OVL_IDLE_SLEEP);
    int status;
    begin_job(&j, &ovl_mem_path_shm, wait_for_ever);
    ck_assert_int_eq(waitpid(j.rank[0], &status, WUNTRACED), j.rank[0]);
    kill(j.rank[0], SIGKILL);
    ck_assert_int_eq(ranks_that_end(&j, WRONG), j.job.ranks - 1);
    all_carriers_end(&j, 1, OVL_ENVIRONMENT);
}

TEST(a_carrier_is_killed)
{
    struct job j = job_of(TWO_NODES_OF_TWO, OVL_IDLE_SLEEP);
    int status;
    j.job.timeout = 2;
    begin_job(&j, &ovl_mem_path_shm, wait_for_ever);
    ck_assert_int_eq(waitpid(j.rank[0], &status, WUNTRACED), j.rank[0]);
    poll(NULL, 0, 200); /* the others have posted, or are about to */
    kill(j.addresses[1].pid, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)j.addresses[1].pid, &info, WEXITED | WNOWAIT);
    poll(NULL, 0, 100); /* the other one has seen it: what it had still sent would be enough for an operation */
    kill(j.rank[0], SIGCONT);
    ck_assert_int_eq(ranks_that_end(&j, WRONG), j.job.ranks);
    all_carriers_end(&j, 5, OVL_ENVIRONMENT);
}

/* Members attach a team when they first post to it: what comes before that is kept. So many messages that not all can
   be granted early. */
static const char *attach_late(struct ovl_client_ctx *h, struct ovl_team *world, const struct job *job, int rank)
{
    enum { AT_ONCE = 12 };
    static const int members[] = {0, 1, 2, 3};
    (void)world;
    for (uint64_t id = 100; id < 104; id++) {
        struct ovl_team team;
        struct play p[AT_ONCE];
        struct deal d = {OVL_IALLTOALL, job->job.ranks, 0, 60000, false, NULL};
        if (rank == (int)id % job->job.ranks)
            poll(NULL, 0, 50);
        if (ovl_client_attach(h, &team, id, rank, job->job.ranks, members, &err) != 0)
            return fake_wrong("late team: %s", err.text);
        for (int i = 0; i < AT_ONCE; i++) {
            TRY(play_open(&p[i], h, &team, &d));
            TRY(play_post(&p[i], h));
        }
        for (int i = 0; i < AT_ONCE; i++) {
            TRY(play_end(&p[i], h));
            TRY(play_close(&p[i], h));
        }
        if (ovl_client_detach(h, &team, &err) != 0)
            return fake_wrong("late team's end: %s", err.text);
    }
    return NULL;
}

TEST(teams_attach_late)
{
    struct job j = job_of(TWO_NODES_OF_TWO, OVL_IDLE_SLEEP);
    begin_job(&j, &ovl_mem_path_cma, attach_late);
    all_is_well(&j);
}

/* One that is never told ends with who started it; one whose ranks do not come, by itself. */
TEST(nobody_comes)
{
    struct job j = job_of(TWO_ON_ONE, OVL_IDLE_SLEEP);
    start(&j);
    let_go(&j, 1, OVL_OK);
    j.job.timeout = 0.3;
    start(&j);
    tell(&j);
    all_carriers_end(&j, 2, OVL_ENVIRONMENT);
    ck_assert_int_eq(be_rank(&j, &ovl_mem_path_shm, 0, operate) == NULL, 0);
}

/* Processes that find a carrier's socket, as any user of the machine can, by its name in /proc/net/unix: some say
   nothing, some what no rank says. */
static pid_t strangers_at(const char *name, uid_t user)
{
    enum { EACH = 40 };
    int ready[2];
    char byte;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct sockaddr_un a = {.sun_family = AF_UNIX};
        socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
        memcpy(a.sun_path + 1, name, strlen(name));
        if (user && setuid(user) != 0)
            _exit(1);
        for (int i = 0; i < EACH; i++) {
            int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
            if (connect(fd, (struct sockaddr *)&a, length) == 0 && i % 2)
                send(fd, &(int32_t[]){-1, 0, 4711, 1}[i / 2 % 4], i % 3 ? 4 : 1, MSG_NOSIGNAL);
        }
        byte = (char)(write(ready[1], "", 1) == 1);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

/* Of this user, and where the test may be another one, of another, who also says a rank's number. */
TEST(strangers_keep_nobody_out)
{
    struct job j = job_of(TWO_NODES_OF_TWO, OVL_IDLE_SLEEP);
    pid_t strangers[2 * MOST];
    int count = 0;
    if (geteuid() != 0)
        fprintf(stderr, "no other user's processes: the test is not root\n");
    j.job.timeout = 10;
    start(&j);
    for (int c = 0; c < j.job.carriers; c++)
        for (int other = 0; other <= (geteuid() == 0); other++)
            strangers[count++] = strangers_at(j.addresses[c].local, other ? 65534 : 0);
    begin_ranks(&j, &ovl_mem_path_shm, operate);
    tell(&j);
    int fine = ranks_that_end(&j, 0);
    while (count > 0) {
        kill(strangers[--count], SIGKILL);
        waitpid(strangers[count], NULL, 0);
    }
    ck_assert_int_eq(fine, j.job.ranks);
    all_carriers_end(&j, 2, OVL_OK);
}

/* How many sockets a process listens at, of those that a file of /proc/net has with this word behind that many others.
 */
static int listens(pid_t pid, const char *net, int column, const char *word)
{
    char path[300], line[512], of_net[64], link[64];
    int n = 0;
    snprintf(of_net, sizeof of_net, "/proc/%d/net/%s", pid, net);
    for (int fd = 0; fd < 100; fd++) {
        unsigned long inode;
        snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
        ssize_t length = readlink(path, link, sizeof link - 1);
        if (length < 0 || (link[length] = '\0', sscanf(link, "socket:[%lu]", &inode) != 1))
            continue;
        FILE *f = fopen(of_net, "re");
        ck_assert_ptr_nonnull(f);
        snprintf(link, sizeof link, " %lu ", inode);
        while (fgets(line, sizeof line, f)) {
            char *at = line, *item = NULL;
            if (!strstr(line, link))
                continue;
            for (int i = 0; i <= column; i++)
                item = strtok_r(i ? NULL : line, " ", &at);
            n += item && strcmp(item, word) == 0;
        }
        fclose(f);
    }
    return n;
}

/* Of the rank's own carrier: others may still wait for theirs. */
static const char *count_listeners(struct ovl_client_ctx *h, struct ovl_team *world, const struct job *job, int rank)
{
    pid_t pid = job->addresses[job->peers[rank].worker].pid;
    int tcp = listens(pid, "tcp", 3, "0A"), local = listens(pid, "unix", 3, "00010000");
    (void)h, (void)world;
    return tcp || local ? fake_wrong("the carrier listens at %d ports and %d names", tcp, local) : NULL;
}

/* The kernel would take data of whoever connects, for as long as the job lasts. */
TEST(nobody_listens_when_all_have_come)
{
    struct job j = job_of(TWO_NODES_OF_TWO, OVL_IDLE_SLEEP);
    start(&j);
    ck_assert_int_eq(listens(j.addresses[0].pid, "tcp", 3, "0A"), 1);
    ck_assert_int_eq(listens(j.addresses[0].pid, "unix", 3, "00010000"), 1);
    begin_ranks(&j, &ovl_mem_path_shm, count_listeners);
    tell(&j);
    all_is_well(&j);
}

/* A launcher waits for all who hold its stderr. */
TEST(a_carrier_gives_stderr_back)
{
    struct job j = job_of(TWO_ON_ONE, OVL_IDLE_SLEEP);
    int ends[2], before = dup(2);
    ck_assert_int_eq(pipe(ends), 0);
    dup2(ends[1], 2);
    close(ends[1]);
    start(&j);
    dup2(before, 2);
    close(before);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    ck_assert_int_eq(poll(&p, 1, 10000), 1);
    ck_assert_int_eq(p.revents, POLLHUP);
    ck_assert_int_eq(kill(j.addresses[0].pid, 0), 0);
    close(ends[0]);
    let_go(&j, 1, OVL_OK);
}

/* Two for each other carrier, and what its ranks need: the usual soft limit would end at some hundred nodes. */
TEST(a_carrier_may_open_many_files)
{
    struct job j = job_of(TWO_ON_ONE, OVL_IDLE_SLEEP);
    struct rlimit before, few, theirs;
    getrlimit(RLIMIT_NOFILE, &before);
    few = (struct rlimit){.rlim_cur = before.rlim_max < 200 ? before.rlim_max : 200, .rlim_max = before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    start(&j);
    setrlimit(RLIMIT_NOFILE, &before);
    ck_assert_int_eq(prlimit(j.addresses[0].pid, RLIMIT_NOFILE, NULL, &theirs), 0);
    ck_assert_uint_eq(theirs.rlim_cur, before.rlim_max);
    let_go(&j, 1, OVL_OK);
}

/* So its ranks are told what is wrong, however late it turns out. */
TEST(a_rank_is_told_why)
{
    struct job j = job_of(TWO_NODES, OVL_IDLE_SLEEP);
    struct ovl_carrier_conns conns;
    struct ovl_client_ctx h;
    start(&j);
    j.addresses[0].tcp.port = 1;
    tell(&j);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(ovl_carrier_attach(&conns, &h, &j.job, 1, &err), -1);
        ck_assert_msg(
            strstr(err.text, again ? "carrier 1 (" : ": worker 0 at 127.0.0.1, port 1, cannot be reached: Con"), "%s",
            err.text);
    }
    kill(j.addresses[0].pid, SIGKILL);
    all_carriers_end(&j, 10, OVL_ENVIRONMENT);
}

static void refused(const char *what, const char *host, const char *says)
{
    struct ovl_carrier c;
    ck_assert_int_eq(ovl_carrier_start(&c, what, host, NULL, 5, &err), -1);
    ck_assert_int_eq(c.socket, 0);
    ck_assert_msg(strstr(err.text, says), "%s", err.text);
}

TEST(what_cannot_be_started)
{
    /* Valgrind, and QEMU running one program, make a fork of posix_spawn, and lose why it failed. */
    bool told = !getenv("OVL_VALGRIND") && !getenv("OVL_EMULATED");
    refused("/nowhere/ovl_carrier", "127.0.0.1",
            told ? "cannot start the carrier /nowhere/ovl_carrier: No such file" : "gave no answer: it ended");
    refused("/bin/true", "127.0.0.1", "gave no answer: it ended");
    refused(program(), "192.0.2.1", "cannot listen at 192.0.2.1");
    refused(program(), "localhost", "'localhost' is no numeric address");
}

TEST(a_plan_that_cannot_be)
{
    struct job j = job_of(TWO_ON_ONE, OVL_IDLE_SLEEP);
    start(&j);
    j.peers[1].worker = 7;
    ck_assert_int_eq(ovl_carrier_send_job(&j.carrier[0], &j.job, 0, &err), 0);
    let_go(&j, 2, OVL_USAGE);
}
