/* The measuring loop's hooks on MPI and the real clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/stage.h"
#include "base/clock.h"
#include "bench/interrupt.h"
#include "cli/link.h"
#include "machine/clock_cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t stage_now(void *stage)
{
    (void)stage;
    return ovl_clock_ns();
}

/* Workers are read in the mode that they work in. */
static struct ovl_burnt burnt_so_far(const struct ovl_stage *s, int mode)
{
    bool offloads = s->worker_cpu && mode >= 0 && s->modes[mode]->offloads;
    double workers = offloads ? ovl_worker_cpu(s->worker_cpu) : NAN, thread = ovl_clock_thread_cpu();
    return (struct ovl_burnt){thread, ovl_clock_process_cpu(), workers};
}

/* A sample that begins while a thread is at work is none. */
static void rest(struct ovl_stage *s)
{
    if (!s->progress || ovl_progress_rest(s->progress))
        return;
    fputs("ovl: a progress thread has a request that nobody waited for, and does not come to rest\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, OVL_ENVIRONMENT);
}

static struct ovl_start stage_start(void *stage, enum ovl_quantity sample, int mode)
{
    struct ovl_stage *s = stage;
    /* Two CPU clocks take about 1 us, a worker's about half of that: they are read well before the start. */
    const int64_t reads_ns = 4000 + (s->worker_cpu ? 1000 * s->worker_cpu->count : 0);
    if (s->offload)
        ovl_offload_wake(s->offload, mode >= 0 && s->modes[mode]->offloads);
    rest(s);
    s->mode = mode;
    s->streaming = sample == OVL_STREAM;
    s->streamed = 0;
    if (!s->streaming)
        s->exchange = &s->exchanges[s->turn++ % s->rotate];
    const struct ovl_sync *sync = s->sync;
    int64_t delay_ns = (int64_t)(1e3 * s->skew.us * s->skew.pattern->share(sync->rank, sync->ranks, &s->skew_rng));
    if (s->settle_ns > 0) /* busy, as a program would be: who slept before has the core for longer */
        for (int64_t until = ovl_clock_ns() + s->settle_ns; ovl_clock_ns() < until;)
            ;
    struct ovl_start start = {.agreed = OVL_LOOP_NO_START};
    int64_t when = ovl_sync_agree(s->sync, &start.announced);
    if (when != OVL_SYNC_UNSYNCHRONISED) {
        start.agreed = when;
        ovl_sync_spin(s->sync, when - reads_ns);
    }
    s->burnt = burnt_so_far(s, mode);          /* before each sample, that all come to the start by the same road */
    start.left = ovl_sync_spin(s->sync, when); /* OVL_SYNC_UNSYNCHRONISED is long past */
    if (delay_ns > 0)
        ovl_sync_spin(s->sync, sync->clock() + delay_ns);
    return start;
}

static void stage_compute(void *stage, uint64_t units)
{
    const struct ovl_work *work = ((struct ovl_stage *)stage)->work;
    work->kernel->run(work->scratch, units);
}

static void stage_post(void *stage, int mode)
{
    struct ovl_stage *s = stage;
    if (s->streaming)
        s->exchange = &s->exchanges[s->rotate + s->streamed++ % s->streams];
    s->modes[mode]->post(s->exchange);
}

static bool stage_test(void *stage, int mode)
{
    struct ovl_stage *s = stage;
    return s->modes[mode]->test(s->exchange);
}

static void stage_wait(void *stage, int mode)
{
    struct ovl_stage *s = stage;
    s->modes[mode]->wait(s->exchange);
}

static void stage_blocking(void *stage)
{
    struct ovl_exchange *x = ((struct ovl_stage *)stage)->exchange;
    x->collective->blocking(x);
}

static void stage_cpu(void *stage, struct ovl_burnt *burnt)
{
    const struct ovl_stage *s = stage;
    struct ovl_burnt now = burnt_so_far(s, s->mode);
    *burnt = (struct ovl_burnt){now.thread - s->burnt.thread, now.process - s->burnt.process,
                                now.workers - s->burnt.workers};
}

/* Elements are pairs {largest, sum}. */
static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const double *a = in;
    double *b = inout;
    (void)type;
    for (int i = 0; i < *length; i++, a += 2, b += 2) {
        b[0] = a[0] > b[0] ? a[0] : b[0];
        b[1] += a[1];
    }
}

static void stage_reduce(void *stage, double *largest, double *sum, size_t n)
{
    enum { MOST = 512 };
    struct ovl_stage *s = stage;
    double pairs[2 * MOST], result[2 * MOST];
    int rank;
    MPI_Comm_rank(s->comm, &rank);
    for (size_t i = 0; i < n; i++) {
        pairs[2 * i] = largest[i];
        pairs[2 * i + 1] = sum[i];
    }
    MPI_Reduce(pairs, result, (int)n, s->pair, s->largest_and_sum, 0, s->comm);
    for (size_t i = 0; i < n && rank == 0; i++) {
        largest[i] = result[2 * i];
        sum[i] = result[2 * i + 1];
    }
}

static void stage_share(void *stage, void *data, size_t bytes)
{
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, ((struct ovl_stage *)stage)->comm);
}

static void stage_announced(void *stage, double seconds)
{
    ovl_sync_announced(((struct ovl_stage *)stage)->sync, seconds);
}

static double stage_renew(void *stage)
{
    return ovl_sync_renew(((struct ovl_stage *)stage)->sync);
}

static void stage_gather(void *stage, const double *mine, double *all, size_t n)
{
    MPI_Gather(mine, (int)n, MPI_DOUBLE, all, (int)n, MPI_DOUBLE, 0, ((struct ovl_stage *)stage)->comm);
}

static uint64_t stage_units(void *stage, double seconds)
{
    return ovl_work_units(((struct ovl_stage *)stage)->work, seconds);
}

static int stage_interrupted(void *stage)
{
    (void)stage;
    return ovl_interrupt_signal();
}

static void stage_too_long(void *stage, double block_seconds, double max_seconds)
{
    struct ovl_stage *s = stage;
    if (s->program)
        fprintf(
            stderr,
            "%s: a block takes about %.3g s, and %d blocks and a warm-up are the least, whatever --max-time %g says; "
            "give less work to have them sooner\n",
            s->program, block_seconds, OVL_STOP_BLOCKS_AT_LEAST, max_seconds);
    s->program = NULL; /* once is enough */
}

const struct ovl_stage_ops ovl_stage_ops = {
    .now = stage_now,
    .start = stage_start,
    .compute = stage_compute,
    .post = stage_post,
    .test = stage_test,
    .wait = stage_wait,
    .blocking = stage_blocking,
    .cpu = stage_cpu,
    .reduce = stage_reduce,
    .share = stage_share,
    .announced = stage_announced,
    .renew = stage_renew,
    .gather = stage_gather,
    .units = stage_units,
    .interrupted = stage_interrupted,
    .too_long = stage_too_long,
};

void ovl_stage_open(struct ovl_stage *stage, MPI_Comm comm)
{
    memset(stage, 0, sizeof *stage);
    stage->rotate = 1;
    stage->skew.pattern = ovl_skew_patterns;
    MPI_Comm_dup(comm, &stage->comm);
    MPI_Type_contiguous(2, MPI_DOUBLE, &stage->pair);
    MPI_Type_commit(&stage->pair);
    MPI_Op_create(combine, 1, &stage->largest_and_sum);
}

double ovl_stage_meet(struct ovl_stage *stage, struct ovl_sync *sync, MPI_Comm comm, const struct ovl_provenance *p)
{
    double clock_read = 1e-9 * ovl_clock_read_cost(), settle = ovl_link_settle_seconds(getenv("OVL_CLUSTER"));
    MPI_Bcast(&clock_read, 1, MPI_DOUBLE, 0, comm);
    ovl_sync_open(sync, comm, p->clock_domain, ovl_clock_raw_ns, p->oversubscribed);
    stage->sync = sync;
    stage->settle_ns = settle < 1 ? (int64_t)(1e9 * settle) : 0;
    MPI_Bcast(&stage->settle_ns, 1, MPI_INT64_T, 0, comm);
    return clock_read;
}

void ovl_stage_close(struct ovl_stage *stage)
{
    MPI_Op_free(&stage->largest_and_sum);
    MPI_Type_free(&stage->pair);
    MPI_Comm_free(&stage->comm);
}
