/* What it costs a worker to be joined to all others as it starts, whether or not it will ever send them anything. The
 * others are one process, which calls and is called as they would. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/join_cost.h"
#include "base/clock.h"
#include "base/error.h"
#include "offload/mem/local.h"
#include "offload/transport/transport_tcp.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096, POLLS = 1000 };

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static size_t held(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* As those behind worker `index`; those before it it calls, and their kernel answers. */
static _Noreturn void be_the_others(const struct ovl_tcp_address *at, int count, int index)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(at->port)};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    inet_pton(AF_INET, at->host, &to.sin_addr);
    for (int from = index + 1; from < count; from++)
        for (uint32_t stream = 0; stream < OVL_TCP_STREAMS; stream++) {
            struct {
                uint8_t cookie[16];
                uint32_t magic, from, stream, zero;
            } hello = {.magic = 0x6f766c31, .from = (uint32_t)from, .stream = stream};
            int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            memcpy(hello.cookie, at->cookie, sizeof hello.cookie);
            if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0 ||
                send(fd, &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
                _exit(1);
        }
    for (;;)
        pause();
}

static void *takes_calls(void *listener)
{
    while (fcntl(*(int *)listener, F_SETFL, 0) == 0)
        accept(*(int *)listener, NULL, NULL);
    return NULL;
}

static int join(int count, struct ovl_error *err)
{
    static struct ovl_tcp_address roster[MOST];
    static int fds[MOST][OVL_TCP_STREAMS];
    int index = count / 2, mine = ovl_tcp_listen("127.0.0.1", &roster[index], err), theirs, next = dup(STDIN_FILENO);
    struct ovl_tcp_address other;
    if (mine < 0 || (theirs = ovl_tcp_listen("127.0.0.1", &other, err)) < 0)
        return -1;
    for (int i = 0; i < count; i++)
        if (i != index)
            roster[i] = other;
    pid_t others = fork();
    if (others == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, takes_calls, &theirs);
        be_the_others(&roster[index], count, index);
    }
    double cpu = cpu_seconds();
    int64_t begin = ovl_clock_ns();
    size_t before = held();
    struct ovl_transport by;
    int rc = ovl_tcp_join(mine, roster, count, index, 60, fds, err);
    if (rc == 0)
        rc = ovl_transport_tcp_open(&by, fds, count, index, err);
    if (rc == 0) {
        double joined = cpu_seconds() - cpu, wall = 1e-9 * (double)(ovl_clock_ns() - begin);
        size_t bytes = held() - before;
        int last = dup(STDIN_FILENO), files = last - next - 3;
        cpu = cpu_seconds();
        for (int i = 0; i < POLLS; i++)
            by.poll(by.state, &ovl_transport_no_events, NULL);
        printf("%8d%9d%12.1f%12.1f%12.0f%12.2f\n", count, files, 1e3 * joined, 1e3 * wall, (double)bytes / 1024,
               1e6 * (cpu_seconds() - cpu) / POLLS);
        close(last);
        ovl_transport_tcp_close(&by, 0);
    }
    kill(others, SIGKILL);
    waitpid(others, NULL, 0);
    close(mine);
    close(theirs);
    close(next);
    return rc;
}

int print_joins(void)
{
    static const int counts[] = {8, 128, 1024};
    struct ovl_error err;
    ovl_local_raise_file_limit();
    printf("%8s%9s%12s%12s%12s%12s\n", "workers", "files", "join CPU ms", "join ms", "memory KiB", "a poll us");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (join(counts[i], &err) != 0) {
            fprintf(stderr, "joins: %s\n", err.text);
            return (int)err.code;
        }
    return 0;
}
