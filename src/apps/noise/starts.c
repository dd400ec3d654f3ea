/* Common starts by bench/start/sync.c: how late ranks are, and how long a start takes to announce. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/fwq.h"
#include "apps/noise/state.h"
#include "base/clock.h"
#include "bench/start/sync.h"
#include "record/field.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 8, MOST = 65536 };
static const double renew_seconds = 0.25;
static const double between = 1e-4; /* s of work before each start, as a sample leaves its ranks */

struct start {
    double seconds;
    int rank;
};

/* What rank 0 decides behind a batch: is there another one, and are clocks compared again before it? */
struct next {
    int more, renew;
};

/* What came of all starts at this rank, and at rank 0 of the latest ranks. */
struct starts {
    struct ovl_sync sync;
    size_t count;
    double *late, *latest, *announced;
    double *times; /* at rank 0: how often a rank was the latest */
    const struct ovl_work *work;
    uint64_t units; /* of work before a start */
};

/* One common start: how late this rank was, and how long the announcement took to get here. */
static void one_start(struct starts *s, struct start *late, struct start *told)
{
    double announced;
    s->work->kernel->run(s->work->scratch, s->units);
    int64_t when = ovl_sync_agree(&s->sync, &announced);
    bool common = when != OVL_SYNC_UNSYNCHRONISED;
    late->seconds = common ? 1e-9 * (double)(ovl_sync_spin(&s->sync, when) - when) : -1; /* MPI_MAXLOC knows no NaN */
    told->seconds = common ? announced : -1;
    late->rank = told->rank = s->sync.rank;
}

static void one_batch(struct starts *s)
{
    struct start late[BATCH], told[BATCH], latest[BATCH], last[BATCH];
    for (int i = 0; i < BATCH; i++)
        one_start(s, &late[i], &told[i]);
    MPI_Reduce(late, latest, BATCH, MPI_DOUBLE_INT, MPI_MAXLOC, 0, s->sync.comm);
    MPI_Reduce(told, last, BATCH, MPI_DOUBLE_INT, MPI_MAXLOC, 0, s->sync.comm);
    for (int i = 0; i < BATCH; i++)
        s->late[s->count + (size_t)i] = late[i].seconds < 0 ? NAN : late[i].seconds;
    for (int i = 0; i < BATCH && s->sync.rank == 0; i++) {
        s->latest[s->count + (size_t)i] = latest[i].seconds < 0 ? NAN : latest[i].seconds;
        s->announced[s->count + (size_t)i] = latest[i].seconds < 0 ? NAN : last[i].seconds;
        s->times[latest[i].rank] += latest[i].seconds >= 0;
        if (latest[i].seconds >= 0) /* as a driver does after each block */
            ovl_sync_announced(&s->sync, last[i].seconds);
    }
    s->count += BATCH;
}

/* Nearest rank, of values of which none is NaN; NaN below 1 / (1 - p) of them. */
static double quantile(double *x, size_t n, double p)
{
    if ((double)n * (1 - p) < 0.9999)
        return NAN;
    ovl_stats_sort(x, n);
    return x[(size_t)ceil(p * (double)n) - 1];
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(ovl_field_round(x)) : json_null();
}

/* NaN stands in all of an array or in none, but where the clocks became unusable on the way. */
static size_t known(double *x, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            x[kept++] = x[i];
    return kept;
}

/* How often the latest rank was one of this node: O(P) at rank 0. */
static void share_out(struct ovl_noise_job *j, const struct starts *s, size_t starts)
{
    double mine = 0, node = 0;
    MPI_Scatter(s->times, 1, MPI_DOUBLE, &mine, 1, MPI_DOUBLE, 0, j->job.comm);
    MPI_Reduce(&mine, &node, 1, MPI_DOUBLE, MPI_SUM, 0, j->node);
    j->mine.latest = starts > 0 ? node / (double)starts : NAN;
}

static void conclude(struct ovl_noise_job *j, struct starts *s)
{
    size_t n = known(s->late, s->count);
    unsigned long usable;
    j->mine.late = ovl_stats_median(s->late, n);
    j->mine.late_p99 = quantile(s->late, n, 0.99);
    n = known(s->latest, j->job.rank == 0 ? s->count : 0);
    known(s->announced, j->job.rank == 0 ? s->count : 0);
    usable = n;
    MPI_Bcast(&usable, 1, MPI_UNSIGNED_LONG, 0, j->job.comm);
    share_out(j, s, usable);
    if (j->job.rank == 0)
        j->starts = json_pack(
            "{s:I, s:o, s:o, s:o, s:o, s:o}", "count", (json_int_t)s->count, "late_median_seconds",
            number(ovl_stats_median(s->latest, n)), "late_p90_seconds", number(quantile(s->latest, n, 0.9)),
            "late_p99_seconds", number(quantile(s->latest, n, 0.99)), "announce_median_seconds",
            number(ovl_stats_median(s->announced, n)), "announce_p99_seconds", number(quantile(s->announced, n, 0.99)));
}

void ovl_noise_starts_run(struct ovl_noise_job *j, double seconds)
{
    struct starts s = {.work = &j->work, .units = ovl_fwq_units(&j->work, between)};
    size_t ranks = j->job.rank == 0 ? (size_t)j->job.ranks : 1;
    s.late = ovl_check_alloc(malloc(MOST * sizeof *s.late));
    s.latest = ovl_check_alloc(malloc(MOST * sizeof *s.latest));
    s.announced = ovl_check_alloc(malloc(MOST * sizeof *s.announced));
    s.times = ovl_check_alloc(calloc(ranks, sizeof *s.times));
    ovl_sync_open(&s.sync, j->job.comm, j->job.provenance.clock_domain, ovl_clock_raw_ns,
                  j->job.provenance.oversubscribed);
    s.sync.own_missed = 0; /* the first comparisons are few points far apart, which no driver counts */
    int64_t until = ovl_clock_ns() + (int64_t)(1e9 * seconds);
    int64_t renewed = ovl_clock_ns();
    bool compared = false;
    for (struct next next = {1, 0}; next.more && !ovl_noise_stopped(j);) {
        one_batch(&s);
        next.more = s.count + BATCH <= MOST && ovl_clock_ns() < until;
        next.renew = ovl_clock_since(renewed) > renew_seconds;
        MPI_Bcast(&next, 2, MPI_INT, 0, j->job.comm);
        if (next.renew && ovl_sync_renew(&s.sync) != INFINITY) { /* as a driver does between blocks */
            renewed = ovl_clock_ns();
            compared = true;
        }
    }
    if (s.sync.leaders != MPI_COMM_NULL && compared)
        j->mine.residual = s.sync.own_missed;
    ovl_sync_close(&s.sync);
    if (s.count > 0)
        conclude(j, &s);
    free(s.late);
    free(s.latest);
    free(s.announced);
    free(s.times);
}
