/* How much of an exchange between emulated nodes can be hidden at all: plain TCP, a helper and a compute process a
 * node. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by `scripts/cluster floor` on the hub: cluster_floor BLOCKS BYTES...
 *
 * On each node a compute process posts the exchange to the node's helper, which moves BYTES to and from every other
 * node and sleeps in poll() meanwhile: no MPI, no rendezvous, no polling. What is not hidden then is the wire's own
 * cost in CPU time on cores that wire and computation share. A block takes, in random order, one sample of each of
 *
 *   C  post and wait     W  the work alone     T  post, the work, wait
 *
 * and gives the hidden fraction 1 - (T - W) / C. Samples begin at one time on all nodes, after the links were idle for
 * as long as their buckets need to fill; the slowest node counts.
 */
#include "core/clock.h"
#include "core/options.h"
#include "core/rng.h"
#include "core/stats.h"
#include "core/work.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NODES = 100, PORT = 7100, WARMUP = 6 };
enum kind { COMM, WORK, TOTAL, KINDS };

/* A node's mailbox between its compute process and its helper. */
struct box {
    _Alignas(64) _Atomic uint32_t posted;
    _Alignas(64) _Atomic uint32_t done;
};

/* What all processes share: made before the first fork. */
struct shared {
    _Alignas(64) _Atomic uint32_t round; /* goes up when a sample is ordered */
    _Atomic uint32_t answered;           /* nodes that have finished it */
    _Atomic uint32_t ready;              /* helpers that are connected */
    enum kind kind;
    int64_t start;
    uint64_t units;
    size_t bytes;
    double seconds[MOST_NODES]; /* of the last sample, or the node's rate */
    double cpu[MOST_NODES];     /* CPU time of the compute process in it */
    struct box box[MOST_NODES];
};

static struct shared *all;
static int nodes, node;
static double rate_bps, burst;
static struct ovl_work work;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "cluster: floor: %s: %s\n", what, strerror(errno));
    exit(OVL_ENVIRONMENT);
}

static void wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Sleeps until the word is no longer `old`; returns what it is then. */
static uint32_t sleep_on(_Atomic uint32_t *word, uint32_t old)
{
    uint32_t now;
    while ((now = atomic_load(word)) == old)
        syscall(SYS_futex, word, FUTEX_WAIT, old, NULL, NULL, 0);
    return now;
}

static void sleep_until(int64_t when)
{
    struct timespec t = {when / 1000000000, when % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* Moves this process to node n: its network, and its cores. */
static void enter_node(int n, pid_t holder)
{
    char path[64];
    cpu_set_t cores;
    node = n;
    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)holder);
    int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET) != 0)
        die("cannot enter a node");
    close(space);
    if (sched_getaffinity(holder, sizeof cores, &cores) != 0 || sched_setaffinity(0, sizeof cores, &cores) != 0)
        die("cannot take a node's cores");
    prctl(PR_SET_TIMERSLACK, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static struct sockaddr_in address(int n)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    a.sin_addr.s_addr = htonl(0x0a630001u + (uint32_t)n); /* 10.99.0.1 and on, as scripts/cluster-inside has it */
    return a;
}

/* One socket to each other node: connects to lower ones, accepts higher ones, which send their number first. */
static void connect_all(int *peers)
{
    struct sockaddr_in a = address(node);
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (door < 0 || bind(door, (struct sockaddr *)&a, sizeof a) != 0 || listen(door, nodes) != 0)
        die("cannot listen");
    for (int n = 0; n < node; n++) {
        int tries = 200;
        a = address(n);
        peers[n] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        while (connect(peers[n], (struct sockaddr *)&a, sizeof a) != 0) {
            if (--tries == 0)
                die("cannot connect");
            usleep(20000);
        }
        if (write(peers[n], &node, sizeof node) != sizeof node)
            die("cannot write");
    }
    for (int left = nodes - 1 - node; left > 0; left--) {
        int s = accept4(door, NULL, NULL, SOCK_CLOEXEC), n;
        if (s < 0 || read(s, &n, sizeof n) != sizeof n || n <= node || n >= nodes)
            die("cannot accept");
        peers[n] = s;
    }
    for (int n = 0; n < nodes; n++)
        if (n != node) {
            setsockopt(peers[n], IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof one);
            fcntl(peers[n], F_SETFL, O_NONBLOCK);
        }
    close(door);
}

/* A step of one direction of one socket; the bytes moved, 0 when it would block. */
static size_t step(ssize_t n, const char *what)
{
    if (n > 0)
        return (size_t)n;
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        die(what);
    return 0;
}

static void exchange(const int *peers, char *out, char *in, size_t bytes)
{
    size_t sent[MOST_NODES] = {0}, received[MOST_NODES] = {0};
    for (;;) {
        struct pollfd wait[MOST_NODES];
        nfds_t n = 0;
        for (int p = 0; p < nodes; p++) {
            if (p == node)
                continue;
            if (sent[p] < bytes)
                sent[p] += step(write(peers[p], out + sent[p], bytes - sent[p]), "cannot write");
            if (received[p] < bytes)
                received[p] += step(read(peers[p], in + received[p], bytes - received[p]), "cannot read");
            short events = (short)((sent[p] < bytes ? POLLOUT : 0) | (received[p] < bytes ? POLLIN : 0));
            if (events)
                wait[n++] = (struct pollfd){.fd = peers[p], .events = events};
        }
        if (n == 0)
            return;
        poll(wait, n, -1);
    }
}

/* Asks for short slices, so that a wake-up interrupts the computation at once (Linux 6.12, PREEMPT_SHORT). Older
   kernels preempt for one that slept by themselves, and take no notice. */
static void ask_short_slices(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } a = {.size = sizeof a, .policy = SCHED_OTHER, .nice = getpriority(PRIO_PROCESS, 0), .runtime = 100000};
    syscall(SYS_sched_setattr, 0, &a, 0);
}

static _Noreturn void helper(size_t most)
{
    ask_short_slices();
    int peers[MOST_NODES];
    char *out = malloc(most), *in = malloc(most);
    if (!out || !in)
        die("no memory");
    memset(out, 1, most);
    memset(in, 0, most);
    connect_all(peers);
    atomic_fetch_add(&all->ready, 1);
    wake(&all->ready);
    struct box *box = &all->box[node];
    for (uint32_t seen = 0;;) {
        seen = sleep_on(&box->posted, seen);
        exchange(peers, out, in, all->bytes);
        atomic_store(&box->done, seen);
        wake(&box->done);
    }
}

static uint32_t post(void)
{
    struct box *box = &all->box[node];
    uint32_t ticket = atomic_fetch_add(&box->posted, 1) + 1;
    wake(&box->posted);
    return ticket;
}

static void wait_for(uint32_t ticket)
{
    uint32_t done;
    while ((done = atomic_load(&all->box[node].done)) != ticket)
        sleep_on(&all->box[node].done, done);
}

static double sample(void)
{
    uint32_t ticket = 0;
    sleep_until(all->start - 30000);
    double cpu = ovl_clock_thread_cpu();
    while (ovl_clock_ns() < all->start)
        ;
    if (all->kind != WORK)
        ticket = post();
    if (all->kind != COMM)
        work.kernel->run(work.scratch, all->units);
    if (all->kind != WORK)
        wait_for(ticket);
    double seconds = 1e-9 * (double)(ovl_clock_ns() - all->start);
    all->cpu[node] = ovl_clock_thread_cpu() - cpu;
    return seconds;
}

static _Noreturn void compute(void)
{
    double unused;
    struct ovl_error err;
    if (ovl_work_open(&work, "fma", &err) != 0) {
        fprintf(stderr, "cluster: floor: %s\n", err.text);
        exit(err.code);
    }
    ovl_work_calibrate(&work, &all->seconds[node], &unused);
    for (uint32_t seen = 0;;) {
        atomic_fetch_add(&all->answered, 1);
        wake(&all->answered);
        seen = sleep_on(&all->round, seen);
        all->seconds[node] = sample();
    }
}

/* Sleeps until `count` says that all nodes are there. A child that died ends this program (see on_child). */
static void gather(_Atomic uint32_t *count)
{
    for (uint32_t n; (n = atomic_load(count)) < (uint32_t)nodes;)
        sleep_on(count, n);
}

/* What the last sample's slowest node took. */
static double slowest(const double *seconds)
{
    double most = 0;
    for (int n = 0; n < nodes; n++)
        most = fmax(most, seconds[n]);
    return most;
}

/* One sample on all nodes at once. */
static void measure(enum kind kind)
{
    sleep_until(ovl_clock_ns() + (int64_t)(8e9 * burst / rate_bps));
    all->kind = kind;
    all->start = ovl_clock_ns() + 500000;
    atomic_store(&all->answered, 0);
    atomic_fetch_add(&all->round, 1);
    wake(&all->round);
    gather(&all->answered);
}

/* One sample of each kind; *cpu is the CPU time of the work alone. */
static void block(struct ovl_rng *rng, double seconds[KINDS], double *cpu)
{
    enum kind order[KINDS] = {COMM, WORK, TOTAL};
    for (uint32_t i = KINDS; i > 1; i--) {
        uint32_t k = ovl_rng_below(rng, i);
        enum kind swap = order[k];
        order[k] = order[i - 1];
        order[i - 1] = swap;
    }
    for (int i = 0; i < KINDS; i++) {
        measure(order[i]);
        seconds[order[i]] = slowest(all->seconds);
        if (order[i] == WORK)
            *cpu = slowest(all->cpu);
    }
}

/* The value at share q of n sorted ones. */
static double quantile(const double *sorted, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t low = (size_t)at;
    return low + 1 < n ? sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]) : sorted[low];
}

/* Sets the work to as long as the exchange takes, twice: the first time beside a guess. By CPU time and the quickest
   exchange: what else runs on the machine lengthens samples to twice their time. */
static void match_work(struct ovl_rng *rng, double rate)
{
    double guess = 8 * (double)all->bytes * (nodes - 1) / rate_bps;
    all->units = (uint64_t)(rate * fmax(guess, 1e-4));
    for (int turn = 0; turn < 2; turn++) {
        double comm = INFINITY, work_cpu = INFINITY;
        for (int i = 0; i < WARMUP; i++) {
            double s[KINDS], cpu;
            block(rng, s, &cpu);
            comm = fmin(comm, s[COMM]);
            work_cpu = fmin(work_cpu, cpu);
        }
        all->units = (uint64_t)fmax(1, (double)all->units * comm / work_cpu);
    }
}

static void measure_size(size_t bytes, size_t blocks, double rate)
{
    struct ovl_rng rng = ovl_rng_seeded(bytes);
    double *seconds[KINDS], *hidden = malloc(blocks * sizeof *hidden), median[KINDS];
    for (int k = 0; k < KINDS; k++)
        seconds[k] = malloc(blocks * sizeof *seconds[k]);
    size_t disturbed = 0;
    all->bytes = bytes;
    match_work(&rng, rate);
    for (size_t i = 0; i < blocks; i++) {
        double s[KINDS], cpu;
        block(&rng, s, &cpu);
        disturbed += s[WORK] > 1.05 * cpu + 50e-6;
        for (int k = 0; k < KINDS; k++)
            seconds[k][i] = s[k];
        hidden[i] = 1 - (s[TOTAL] - s[WORK]) / s[COMM];
    }
    for (int k = 0; k < KINDS; k++) {
        median[k] = ovl_stats_median(seconds[k], blocks);
        free(seconds[k]);
    }
    ovl_stats_sort(hidden, blocks);
    double wire = 8 * (double)bytes * (nodes - 1) / rate_bps;
    printf("%9zu %11.1f %11.1f %11.1f %8.3f   %6.3f..%-6.3f %8.2f  %s\n", bytes, 1e6 * median[COMM], 1e6 * median[WORK],
           1e6 * median[TOTAL], quantile(hidden, blocks, 0.5), quantile(hidden, blocks, 0.25),
           quantile(hidden, blocks, 0.75), median[COMM] / wire,
           median[COMM] < 0.9 * wire ? "unshaped"
           : disturbed > blocks / 8  ? "busy"
                                     : "ok");
    fflush(stdout);
    free(hidden);
}

static double setting(const char *name)
{
    const char *text = getenv("OVL_CLUSTER"), *at = text ? strstr(text, name) : NULL;
    double value = at ? strtod(at + strlen(name), NULL) : 0;
    if (!(value > 0)) {
        fprintf(stderr, "cluster: floor: OVL_CLUSTER lacks %s; start this by scripts/cluster floor\n", name);
        exit(OVL_USAGE);
    }
    return value;
}

static void on_child(int signal)
{
    (void)signal;
    _exit(OVL_ENVIRONMENT); /* it has said why; the others die with this process */
}

static void start_nodes(size_t most)
{
    char *pids = getenv("OVL_CLUSTER_PIDS");
    signal(SIGCHLD, on_child);
    for (int n = 0; n < nodes; n++) {
        pid_t holder = pids ? (pid_t)strtol(pids, &pids, 10) : 0;
        for (int is_helper = 0; is_helper < 2; is_helper++) {
            pid_t pid = fork();
            if (pid < 0)
                die("cannot fork");
            if (pid > 0)
                continue;
            signal(SIGCHLD, SIG_DFL);
            enter_node(n, holder);
            if (is_helper)
                helper(most);
            compute();
        }
    }
    gather(&all->ready);
    gather(&all->answered);
}

int main(int argc, char **argv)
{
    size_t blocks = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, most = 0;
    for (int i = 2; i < argc; i++)
        most = strtoul(argv[i], NULL, 10) > most ? strtoul(argv[i], NULL, 10) : most;
    nodes = (int)setting("nodes=");
    rate_bps = setting("rate=");
    burst = setting("burst=");
    if (blocks == 0 || most == 0 || nodes > MOST_NODES) {
        fprintf(stderr, "usage: cluster_floor BLOCKS BYTES...\n");
        return OVL_USAGE;
    }
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        die("no memory");
    start_nodes(most);

    double rate = 0;
    for (int n = 0; n < nodes; n++)
        rate += all->seconds[n] / nodes;
    printf("# floor: plain TCP between %d nodes, a helper and a compute process on each; %zu blocks\n"
           "# cluster %s\n#\n# %7s %11s %11s %11s %8s   %-14s %8s  %s\n",
           nodes, blocks, getenv("OVL_CLUSTER"), "size", "exchange us", "compute us", "total us", "hidden", "quartiles",
           "x wire", "status");
    for (int i = 2; i < argc; i++)
        measure_size(strtoul(argv[i], NULL, 10), blocks, rate);
    printf("# hidden = 1 - (total - compute) / exchange, the median of the blocks; x wire = exchange / (bytes / rate)\n"
           "# unshaped: quicker than the rate; busy: other programs took the cores, and the figure is none\n");
    signal(SIGCHLD, SIG_DFL);
    return 0;
}
