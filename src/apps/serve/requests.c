/* What requests took, from the iterations of all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "stats/percentile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times that some rank knows, of a request. */
enum { ARRIVED, BEGUN, FIRST, LAST, TIMES };

/* -INFINITY: this rank knows nothing of it. */
static void own_times(const struct ovl_serve *s, const struct ovl_serve_player *p, double *times)
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
    }
}

static double between(double from, double to)
{
    return isfinite(from) && isfinite(to) ? to - from : NAN;
}

void ovl_serve_gather(const struct ovl_serve *s, const struct ovl_serve_player *p, struct ovl_serve_taken *taken)
{
    double *times = ovl_alloc(s->trace.count * TIMES + 1, sizeof *times);
    own_times(s, p, times);
    MPI_Allreduce(MPI_IN_PLACE, times, (int)(s->trace.count * TIMES), MPI_DOUBLE, MPI_MAX, s->job.comm);
    for (size_t r = 0; r < s->trace.count; r++) {
        const double *t = times + r * TIMES;
        taken[r] = (struct ovl_serve_taken){
            .first = between(t[ARRIVED], t[FIRST]),
            .begun = between(t[BEGUN], t[FIRST]),
            .further = between(t[FIRST], t[LAST]) / fmax(1, s->trace.list[r].output - 1),
        };
    }
    free(times);
}

struct ovl_serve_told ovl_serve_tell(const struct ovl_serve *s, const struct ovl_serve_taken *taken)
{
    static const double percents[OVL_SERVE_PERCENTS] = {50, 90, 99};
    size_t n = s->trace.count, asked = 0, met = 0;
    double *list = ovl_alloc(3 * n + 1, sizeof *list);
    struct ovl_serve_told told;
    for (size_t r = 0; r < n; r++) {
        list[r] = taken[r].first;
        list[n + r] = taken[r].begun;
        list[2 * n + r] = taken[r].further;
        asked += !isnan(taken[r].first);
        met += taken[r].first <= s->options.slo[0] && !(taken[r].further > s->options.slo[1]);
    }
    for (int i = 0; i < OVL_SERVE_PERCENTS; i++) {
        told.first[i] = ovl_stats_percentile(list, n, percents[i]).value;
        told.begun[i] = ovl_stats_percentile(list + n, n, percents[i]).value;
        told.further[i] = ovl_stats_percentile(list + 2 * n, n, percents[i]).value;
    }
    told.met = asked > 0 && s->options.slo[0] > 0 ? (double)met / (double)asked : NAN;
    free(list);
    return told;
}

/* Of an iteration the rank that waits longest in it; of pd among those that write. */
static void keep_exposed(const struct ovl_serve *s, struct ovl_serve_player *p)
{
    size_t n = (size_t)s->iterations;
    bool reads = s->choice.row == &ovl_serve_pd && s->job.rank < ovl_serve_prefill_ranks(&s->plan.ask);
    double *mine = ovl_alloc(n + 1, sizeof *mine);
    if (!reads)
        memcpy(mine, p->exposed, n * sizeof *mine);
    MPI_Reduce(mine, s->job.rank == 0 ? p->kept_exposed + p->kept % OVL_SERVE_KEPT * n : NULL, (int)n, MPI_DOUBLE,
               MPI_MAX, 0, s->job.comm);
    p->kept++;
    free(mine);
}

void ovl_serve_keep(struct ovl_app_job *job, size_t block)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    struct ovl_serve_taken *taken = ovl_alloc(s->trace.count + 1, sizeof *taken);
    (void)block;
    for (int i = 0; i < job->schemes.count; i++) {
        struct ovl_serve_player *p = &s->players[i];
        ovl_serve_gather(s, p, taken);
        keep_exposed(s, p);
        if (job->rank != 0)
            continue;
        p->told = ovl_grow_one(p->told, p->told_count, sizeof *p->told);
        p->told[p->told_count++] = ovl_serve_tell(s, taken);
    }
    free(taken);
}
