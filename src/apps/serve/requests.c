/* What requests took, from the iterations of all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "stats/percentile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times that some rank knows, of a request. */
enum { ARRIVED, BEGUN, FIRST, LAST, LEAST, TIMES };

/* -INFINITY: this rank knows nothing of it. */
static void own_times(const struct ovl_serve *s, const struct ovl_serve_player *p, const struct ovl_serve_link *link,
                      double *times)
{
    for (size_t r = 0; r < s->trace.count; r++) {
        const struct ovl_serve_life *life = &s->plan.own.events.lives[r];
        double *t = times + r * TIMES;
        for (int i = 0; i < TIMES; i++)
            t[i] = -INFINITY;
        if (life->arrival >= 0)
            t[ARRIVED] =
                p->begin[life->arrival] + life->arrival_part * (p->end[life->arrival] - p->begin[life->arrival]);
        if (life->begins >= 0)
            t[BEGUN] = p->begin[life->begins];
        if (life->first >= 0)
            t[FIRST] = p->end[life->first];
        if (life->last >= 0)
            t[LAST] = p->end[life->last];
        if (!isnan(link->byte))
            t[LEAST] = ovl_serve_first_least(s, p, r, link);
    }
}

/* Two ranks may tell them, each from its own start: where these were further apart than the times, which makes a cell
   invalid, it is no less than nothing all the same. */
static double between(double from, double to)
{
    return isfinite(from) && isfinite(to) ? fmax(0, to - from) : NAN;
}

void ovl_serve_gather(const struct ovl_serve *s, const struct ovl_serve_player *p, const struct ovl_serve_link *link,
                      struct ovl_serve_taken *taken)
{
    double *times = ovl_alloc(s->trace.count * TIMES + 1, sizeof *times);
    own_times(s, p, link, times);
    MPI_Allreduce(MPI_IN_PLACE, times, (int)(s->trace.count * TIMES), MPI_DOUBLE, MPI_MAX, s->job.comm);
    for (size_t r = 0; r < s->trace.count; r++) {
        const double *t = times + r * TIMES;
        taken[r] = (struct ovl_serve_taken){
            .first = between(t[ARRIVED], t[FIRST]),
            .begun = between(t[BEGUN], t[FIRST]),
            .least = isfinite(t[LEAST]) ? t[LEAST] : NAN,
            .further = between(t[FIRST], t[LAST]) / fmax(1, s->trace.list[r].output - 1),
        };
    }
    free(times);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of n values, those that are none are left out of; they are sorted. */
static struct ovl_serve_spread spread(double *list, size_t n)
{
    static const double percents[OVL_SERVE_PERCENTS] = {50, 90, 99};
    struct ovl_serve_spread s = {.mean = 0};
    size_t kept = 0;
    for (int i = 0; i < OVL_SERVE_PERCENTS; i++)
        s.percent[i] = ovl_stats_percentile(list, n, percents[i]).value;
    for (size_t i = 0; i < n; i++)
        if (isfinite(list[i]))
            list[kept++] = list[i];
    if (kept > 0)
        qsort(list, kept, sizeof *list, by_value);
    for (size_t i = 0; i < kept; i++)
        s.mean += list[i] / (double)kept;
    s.mean = kept > 0 ? s.mean : NAN;
    for (size_t i = 0; i <= OVL_SERVE_STEPS; i++)
        s.step[i] = kept > 0 ? list[((kept - 1) * i + OVL_SERVE_STEPS / 2) / OVL_SERVE_STEPS] : NAN;
    return s;
}

struct ovl_serve_told ovl_serve_tell(const struct ovl_serve *s, const struct ovl_serve_taken *taken)
{
    size_t n = s->trace.count, asked = 0, met = 0;
    double *list = ovl_alloc(4 * n + 1, sizeof *list);
    struct ovl_serve_told told;
    for (size_t r = 0; r < n; r++) {
        list[r] = taken[r].first;
        list[n + r] = taken[r].begun;
        list[2 * n + r] = taken[r].further;
        list[3 * n + r] = taken[r].least;
        asked += !isnan(taken[r].first);
        met += taken[r].first <= s->options.slo[0] && !(taken[r].further > s->options.slo[1]);
    }
    told.first = spread(list, n);
    told.begun = spread(list + n, n);
    told.further = spread(list + 2 * n, n);
    told.least = spread(list + 3 * n, n);
    told.met = asked > 0 && s->options.slo[0] > 0 ? (double)met / (double)asked : NAN;
    free(list);
    return told;
}

/* Of an iteration the rank that waits longest in it, among those that write. */
static void keep_exposed(const struct ovl_serve *s, struct ovl_serve_player *p)
{
    size_t n = (size_t)s->iterations;
    bool serves = !s->choice.row->serves || s->choice.row->serves(&s->plan.ask, s->job.rank);
    double *mine = ovl_alloc(n + 1, sizeof *mine);
    if (serves)
        memcpy(mine, p->exposed, n * sizeof *mine);
    MPI_Reduce(mine, s->job.rank == 0 ? p->kept_exposed + p->kept % OVL_SERVE_KEPT * n : NULL, (int)n, MPI_DOUBLE,
               MPI_MAX, 0, s->job.comm);
    p->kept++;
    free(mine);
}

/* Of the rank that is slowed most. A blocking plan has nothing under way while it computes. */
static double slowed(const struct ovl_serve *s, const struct ovl_serve_player *p)
{
    double alone = 0, beside = 0, most;
    for (int i = 0; i < s->iterations; i++)
        if (s->brings[i]) {
            alone += s->alone[p->plan][i];
            beside += p->computed[i];
        }
    double mine = p->plan && alone > 0 ? beside / alone : -INFINITY;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, s->job.comm);
    return isfinite(most) ? most : NAN;
}

void ovl_serve_keep(struct ovl_app_job *job, size_t block)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    struct ovl_serve_taken *taken = ovl_alloc(s->trace.count + 1, sizeof *taken);
    const struct ovl_serve_link link = ovl_serve_link_of(s);
    (void)block;
    for (int i = 0; i < job->schemes.count; i++) {
        struct ovl_serve_player *p = &s->players[i];
        ovl_serve_gather(s, p, &link, taken);
        keep_exposed(s, p);
        double slower = slowed(s, p);
        if (job->rank != 0)
            continue;
        p->told = ovl_grow_one(p->told, p->told_count, sizeof *p->told);
        p->told[p->told_count] = ovl_serve_tell(s, taken);
        p->told[p->told_count++].slowed = slower;
    }
    free(taken);
}
