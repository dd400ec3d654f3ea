/* Times of single calls, by real processes: this one is the rank, ovl_carrier the worker. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/pipeline_times.h"
#include "base/clock.h"
#include "offload/carrier/carrier.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 2000, BATCH = 50, TESTS = 1000 };

struct stand {
    struct ovl_carrier carrier;
    struct ovl_carrier_conns conns;
    struct ovl_client_ctx h;
    struct ovl_team team;
    struct ovl_coll_args nothing;
    struct ovl_error err;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

static int set_up(struct stand *s)
{
    char program[4096];
    int me = 0;
    cpu_set_t mine, theirs;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 32);
    if (n <= 0)
        return ovl_error_set(&s->err, OVL_ENVIRONMENT, "no /proc");
    program[n] = '\0';
    strcpy(strrchr(program, '/'), "/../bin/ovl_carrier");
    sched_getaffinity(0, sizeof mine, &mine);
    if (CPU_COUNT(&mine) < 2)
        return ovl_error_set(&s->err, OVL_ENVIRONMENT, "times need two processors, a rank's and a worker's");
    theirs = mine;
    int here = sched_getcpu();
    CPU_CLR(here, &theirs);
    CPU_ZERO(&mine);
    CPU_SET(here, &mine);
    sched_setaffinity(0, sizeof mine, &mine);
    if (ovl_carrier_start(&s->carrier, program, "127.0.0.1", &theirs, 10, &s->err) != 0)
        return -1;
    struct ovl_rank_info peer = {0, 0};
    struct ovl_carrier_job job = {.ranks = 1,
                                  .carriers = 1,
                                  .addresses = &s->carrier.address,
                                  .peers = &peer,
                                  .idle = OVL_IDLE_SPIN,
                                  .slowdown = 1,
                                  .timeout = 20,
                                  .memory = OVL_WORKER_MEMORY};
    if (ovl_carrier_send_job(&s->carrier, &job, 0, &s->err) != 0)
        return -1;
    ovl_carrier_release(&s->carrier);
    if (ovl_carrier_attach(&s->conns, &s->h, &job, 0, &s->err) != 0 ||
        ovl_client_probe(&s->h, &ovl_mem_path_shm, &s->err) != 0)
        return -1;
    s->h.path = &ovl_mem_path_shm;
    s->nothing = (struct ovl_coll_args){.operation = OVL_NOTHING, .team = &s->team};
    return ovl_client_attach(&s->h, &s->team, 1, 0, 1, &me, &s->err);
}

static int round_trip(struct stand *s, double *ns)
{
    static double each[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct ovl_request r;
        int64_t begin = ovl_clock_ns();
        if (ovl_client_post(&s->h, &s->nothing, &r, &s->err) != 0 || ovl_client_wait(&s->h, &r, &s->err) != 0)
            return -1;
        each[i] = (double)(ovl_clock_ns() - begin);
    }
    *ns = median(each, ROUNDS);
    return 0;
}

static int post(struct stand *s, double *ns)
{
    static double each[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct ovl_request r[BATCH];
        int64_t begin = ovl_clock_ns();
        for (int k = 0; k < BATCH; k++)
            if (ovl_client_post(&s->h, &s->nothing, &r[k], &s->err) != 0)
                return -1;
        each[i] = (double)(ovl_clock_ns() - begin) / BATCH;
        for (int k = 0; k < BATCH; k++)
            if (ovl_client_wait(&s->h, &r[k], &s->err) != 0)
                return -1;
    }
    *ns = median(each, ROUNDS);
    return 0;
}

static double test_many(struct stand *s, const struct ovl_request *r, bool complete)
{
    static double each[100];
    for (int i = 0; i < 100; i++) {
        int n = 0;
        int64_t begin = ovl_clock_ns();
        for (int k = 0; k < TESTS; k++)
            n += ovl_client_test(&s->h, r);
        each[i] = n == (complete ? TESTS : 0) ? (double)(ovl_clock_ns() - begin) / TESTS : -1;
    }
    return median(each, 100);
}

/* Of a request under way (its worker is stopped), of one that has ended, and the first that sees the end. */
static int test(struct stand *s, double ns[3])
{
    static double first[ROUNDS];
    struct ovl_request r;
    kill(s->carrier.address.pid, SIGSTOP);
    usleep(10000);
    if (ovl_client_post(&s->h, &s->nothing, &r, &s->err) != 0)
        return -1;
    ns[0] = test_many(s, &r, false);
    kill(s->carrier.address.pid, SIGCONT);
    if (ovl_client_wait(&s->h, &r, &s->err) != 0)
        return -1;
    ns[1] = test_many(s, &r, true);
    for (int i = 0; i < ROUNDS; i++) {
        if (ovl_client_post(&s->h, &s->nothing, &r, &s->err) != 0)
            return -1;
        for (int64_t until = ovl_clock_ns() + 20000; ovl_clock_ns() < until;)
            ;
        int64_t begin = ovl_clock_ns();
        bool done = ovl_client_test(&s->h, &r);
        first[i] = (double)(ovl_clock_ns() - begin);
        if (!done && ovl_client_wait(&s->h, &r, &s->err) != 0)
            return -1;
    }
    ns[2] = median(first, ROUNDS);
    return 0;
}

int print_times(void)
{
    static struct stand s;
    double trip, posted, tested[3], clock[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin = ovl_clock_ns();
        clock[i] = (double)(ovl_clock_ns() - begin);
    }
    if (set_up(&s) != 0 || round_trip(&s, &trip) != 0 || post(&s, &posted) != 0 || test(&s, tested) != 0 ||
        ovl_client_leave(&s.h, &s.err) != 0) {
        fprintf(stderr, "pipeline: %s\n", s.err.text);
        return (int)s.err.code;
    }
    ovl_carrier_detach(&s.conns, &s.h);
    printf("post %.0f ns, test of one under way %.1f ns, of one that has ended %.1f ns (loops of %d and %d)\n", posted,
           tested[0], tested[1], BATCH, TESTS);
    printf("first test after the end %.0f ns, command there and back %.0f ns; in both a clock read of %.0f ns\n",
           tested[2], trip, median(clock, ROUNDS));
    return 0;
}
