/* The processes of the emulated nodes: a helper that exchanges, a compute process that posts and works. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/sched_slice.h"
#include "cli/options.h"
#include "machine/work.h"
#include "scripts/beds/cluster_floor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT = 7100 };

struct floor_shared *floor_all;
int floor_nodes;
static int node;
static struct ovl_work work;

_Noreturn void floor_die(const char *what)
{
    fprintf(stderr, "cluster: floor: %s: %s\n", what, strerror(errno));
    exit(OVL_ENVIRONMENT);
}

void floor_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

uint32_t floor_sleep_on(_Atomic uint32_t *word, uint32_t old)
{
    uint32_t now;
    while ((now = atomic_load(word)) == old)
        syscall(SYS_futex, word, FUTEX_WAIT, old, NULL, NULL, 0);
    return now;
}

void floor_sleep_until(int64_t when)
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
        floor_die("cannot enter a node");
    close(space);
    if (sched_getaffinity(holder, sizeof cores, &cores) != 0 || sched_setaffinity(0, sizeof cores, &cores) != 0)
        floor_die("cannot take a node's cores");
    prctl(PR_SET_TIMERSLACK, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static struct sockaddr_in address(int n)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    a.sin_addr.s_addr = htonl(0x0a630001u + (uint32_t)n); /* 10.99.0.1 and on, as scripts/beds/cluster-inside has it */
    return a;
}

/* One socket to each other node: connects to lower ones, accepts higher ones, which send their number first. */
static void connect_all(int *peers)
{
    struct sockaddr_in a = address(node);
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (door < 0 || bind(door, (struct sockaddr *)&a, sizeof a) != 0 || listen(door, floor_nodes) != 0)
        floor_die("cannot listen");
    for (int n = 0; n < node; n++) {
        int tries = 200;
        a = address(n);
        peers[n] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        while (connect(peers[n], (struct sockaddr *)&a, sizeof a) != 0) {
            if (--tries == 0)
                floor_die("cannot connect");
            usleep(20000);
        }
        if (write(peers[n], &node, sizeof node) != sizeof node)
            floor_die("cannot write");
    }
    for (int left = floor_nodes - 1 - node; left > 0; left--) {
        int s = accept4(door, NULL, NULL, SOCK_CLOEXEC), n;
        if (s < 0 || read(s, &n, sizeof n) != sizeof n || n <= node || n >= floor_nodes)
            floor_die("cannot accept");
        peers[n] = s;
    }
    for (int n = 0; n < floor_nodes; n++)
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
        floor_die(what);
    return 0;
}

static void exchange(const int *peers, char *out, char *in, size_t bytes)
{
    size_t sent[FLOOR_MOST_NODES] = {0}, received[FLOOR_MOST_NODES] = {0};
    for (;;) {
        struct pollfd wait[FLOOR_MOST_NODES];
        nfds_t n = 0;
        for (int p = 0; p < floor_nodes; p++) {
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

static _Noreturn void helper(size_t most)
{
    ovl_sched_short_slice();
    int peers[FLOOR_MOST_NODES];
    char *out = malloc(most), *in = malloc(most);
    if (!out || !in)
        floor_die("no memory");
    memset(out, 1, most);
    memset(in, 0, most);
    connect_all(peers);
    atomic_fetch_add(&floor_all->ready, 1);
    floor_wake(&floor_all->ready);
    struct floor_box *box = &floor_all->box[node];
    for (uint32_t seen = 0;;) {
        seen = floor_sleep_on(&box->posted, seen);
        exchange(peers, out, in, floor_all->bytes);
        atomic_store(&box->done, seen);
        floor_wake(&box->done);
    }
}

static uint32_t post(void)
{
    struct floor_box *box = &floor_all->box[node];
    uint32_t ticket = atomic_fetch_add(&box->posted, 1) + 1;
    floor_wake(&box->posted);
    return ticket;
}

static void wait_for(uint32_t ticket)
{
    uint32_t done;
    while ((done = atomic_load(&floor_all->box[node].done)) != ticket)
        floor_sleep_on(&floor_all->box[node].done, done);
}

static double sample(void)
{
    uint32_t ticket = 0;
    floor_sleep_until(floor_all->start - 30000);
    double cpu = ovl_clock_thread_cpu();
    while (ovl_clock_ns() < floor_all->start)
        ;
    if (floor_all->kind != FLOOR_WORK)
        ticket = post();
    if (floor_all->kind != FLOOR_COMM)
        work.kernel->run(work.scratch, floor_all->units);
    if (floor_all->kind != FLOOR_WORK)
        wait_for(ticket);
    double seconds = 1e-9 * (double)(ovl_clock_ns() - floor_all->start);
    floor_all->cpu[node] = ovl_clock_thread_cpu() - cpu;
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
    ovl_work_calibrate(&work, &floor_all->seconds[node], &unused);
    for (uint32_t seen = 0;;) {
        atomic_fetch_add(&floor_all->answered, 1);
        floor_wake(&floor_all->answered);
        seen = floor_sleep_on(&floor_all->round, seen);
        floor_all->seconds[node] = sample();
    }
}

void floor_gather(_Atomic uint32_t *count)
{
    for (uint32_t n; (n = atomic_load(count)) < (uint32_t)floor_nodes;)
        floor_sleep_on(count, n);
}

static void on_child(int signal)
{
    (void)signal;
    _exit(OVL_ENVIRONMENT); /* it has said why; the others die with this process */
}

void floor_start(size_t most)
{
    char *pids = getenv("OVL_CLUSTER_PIDS");
    signal(SIGCHLD, on_child);
    for (int n = 0; n < floor_nodes; n++) {
        pid_t holder = pids ? (pid_t)strtol(pids, &pids, 10) : 0;
        for (int is_helper = 0; is_helper < 2; is_helper++) {
            pid_t pid = fork();
            if (pid < 0)
                floor_die("cannot fork");
            if (pid > 0)
                continue;
            signal(SIGCHLD, SIG_DFL);
            enter_node(n, holder);
            if (is_helper)
                helper(most);
            compute();
        }
    }
    floor_gather(&floor_all->ready);
    floor_gather(&floor_all->answered);
}
