/* A common start for all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/start/sync.h"
#include "bench/start/clock_domain.h"
#include "stats/stats.h"

#include <math.h>
#include <sched.h>
#include <time.h>

enum { ROUND_TRIPS = 20, BATCHES = 8, REFUSED_MOST = 8, SWEEPS = 8, TRIALS = 64, TAG = 1 };

/* ns */
static const double wobble_most = 1e4, prepare = 5e3, lead_first = 1e6;
/* ns: one that took longer was stopped on its way, with the whole job; nobody is to wait three times as long for each
   sample after it. */
static const double announced_most = 1e8;
static const int64_t sweep_every = 20000000, batch_most = 20000000;

/* Rank 0's clock by the model; rank 0's model says that it is its own. */
static int64_t global(const struct ovl_sync *s)
{
    return ovl_clock_model_other(&s->model, s->clock());
}

/* The parent's side: answers until the child has enough. */
static void answer(const struct ovl_sync *s, int child)
{
    for (;;) {
        int more;
        MPI_Recv(&more, 1, MPI_INT, child, TAG, s->leaders, MPI_STATUS_IGNORE);
        if (!more)
            return;
        int64_t time = global(s);
        MPI_Send(&time, 1, MPI_INT64_T, child, TAG, s->leaders);
    }
}

static void ask(const struct ovl_sync *s, int parent, struct ovl_clock_point *best)
{
    int more = 1;
    int64_t time, begin = s->clock();
    MPI_Send(&more, 1, MPI_INT, parent, TAG, s->leaders);
    MPI_Recv(&time, 1, MPI_INT64_T, parent, TAG, s->leaders, MPI_STATUS_IGNORE);
    int64_t took = s->clock() - begin;
    if (took < best->round_trip)
        *best = (struct ovl_clock_point){begin + took / 2, time - (begin + took / 2), took};
}

/* The quickest of some round trips; of more, where all were much slower than they have been: the two may share a core,
   and after a short sleep they may not. Where that does not help, they say nothing of the clocks, and are refused; but
   not for ever, since the way between the two may have become slower. */
static double compare(struct ovl_sync *s, int parent)
{
    static const struct timespec nap = {0, 2000000};
    int no_more = 0;
    int64_t quickest = ovl_clock_model_quickest(&s->model),
            enough = quickest < INT64_MAX / 4 ? quickest + quickest / 2 : INT64_MAX;
    struct ovl_clock_point best = {.round_trip = INT64_MAX};
    for (int b = 0; b < BATCHES && (b == 0 || best.round_trip > enough); b++) {
        if (b > 0 && best.round_trip > 2 * enough)
            nanosleep(&nap, NULL);
        int64_t until = s->clock() + batch_most;
        for (int i = 0; i == 0 || (i < ROUND_TRIPS && s->clock() < until); i++)
            ask(s, parent, &best);
    }
    MPI_Send(&no_more, 1, MPI_INT, parent, TAG, s->leaders);
    if (quickest < INT64_MAX / 4 && best.round_trip > 4 * quickest && s->refused++ < REFUSED_MOST)
        return INFINITY;
    s->refused = 0;
    return ovl_clock_model_add(&s->model, &best);
}

/* Collective over the leaders: parents first. */
static double sweep(struct ovl_sync *s)
{
    int rank, ranks, step = 1;
    double missed = 0;
    MPI_Comm_rank(s->leaders, &rank);
    MPI_Comm_size(s->leaders, &ranks);
    while (2 * step < ranks)
        step *= 2;
    for (; step > 0; step /= 2)
        if (rank % (2 * step) == step)
            missed = compare(s, rank - step);
        else if (rank % (2 * step) == 0 && rank + step < ranks)
            answer(s, rank + step);
    return missed;
}

static double slowest_announcement(const struct ovl_sync *s)
{
    double sorted[OVL_SYNC_ANNOUNCEMENTS];
    size_t n = s->announcements < OVL_SYNC_ANNOUNCEMENTS ? s->announcements : OVL_SYNC_ANNOUNCEMENTS;
    for (size_t i = 0; i < n; i++)
        sorted[i] = s->announced[i];
    ovl_stats_sort(sorted, n);
    return n ? sorted[(99 * n + 99) / 100 - 1] : 0;
}

double ovl_sync_renew(struct ovl_sync *s)
{
    enum { MISSED, REFUSED, ANNOUNCED, NUMBERS };
    double mine[NUMBERS] = {0, 0, 0}, most[NUMBERS];
    if (s->common)
        return NAN;
    if (s->leaders != MPI_COMM_NULL) {
        double missed = sweep(s);
        mine[missed == INFINITY ? REFUSED : MISSED] = missed == INFINITY ? 1 : missed;
        s->own_missed = fmax(s->own_missed, 1e-9 * mine[MISSED]);
    }
    if (s->rank == 0)
        mine[ANNOUNCED] = slowest_announcement(s);
    MPI_Bcast(&s->model, (int)sizeof s->model, MPI_BYTE, 0, s->domain);
    MPI_Allreduce(mine, most, NUMBERS, MPI_DOUBLE, MPI_MAX, s->comm);
    s->missed = fmax(s->missed, most[MISSED]);
    if (most[REFUSED] > 0)
        return INFINITY;
    double missed = s->missed;
    s->missed = 0;
    s->usable = missed <= fmax(wobble_most, most[ANNOUNCED]);
    return 1e-9 * (s->usable ? missed : fmax(missed, most[ANNOUNCED]));
}

void ovl_sync_announced(struct ovl_sync *s, double seconds)
{
    s->announced[s->announcements++ % OVL_SYNC_ANNOUNCEMENTS] = fmin(announced_most, fmax(0, 1e9 * seconds));
    s->lead = prepare + 3 * slowest_announcement(s);
}

/* Collective: a start, announced by rank 0; on this rank's clock. */
static int64_t announce(struct ovl_sync *s, double *took)
{
    struct {
        int64_t sent, when;
    } start;
    start.sent = s->clock();
    start.when = start.sent + (int64_t)s->lead;
    MPI_Bcast(&start, (int)sizeof start, MPI_BYTE, 0, s->comm);
    *took = 1e-9 * (double)(global(s) - start.sent);
    return ovl_clock_model_own(&s->model, start.when);
}

/* Collective: some announcements, before there is anything to start. */
static void try_announcements(struct ovl_sync *s)
{
    double took[TRIALS], most[TRIALS];
    for (int i = 0; i < TRIALS; i++) {
        MPI_Barrier(s->comm);
        announce(s, &took[i]);
    }
    MPI_Reduce(took, most, TRIALS, MPI_DOUBLE, MPI_MAX, 0, s->comm);
    for (int i = 0; s->rank == 0 && i < TRIALS; i++)
        ovl_sync_announced(s, most[i]);
}

/* Collective: the leaders of the domains, and a first line through some points. */
static void meet_clocks(struct ovl_sync *s, int first)
{
    MPI_Comm_split(s->comm, first, s->rank, &s->domain);
    MPI_Comm_split(s->comm, first == s->rank ? 0 : MPI_UNDEFINED, s->rank, &s->leaders);
    for (int i = 0; i < SWEEPS; i++) {
        for (int64_t until = s->clock() + sweep_every; i > 0 && s->clock() < until;)
            sched_yield();
        ovl_sync_renew(s);
    }
}

void ovl_sync_open(struct ovl_sync *s, MPI_Comm comm, uint64_t domain, int64_t (*clock)(void), bool yield)
{
    *s = (struct ovl_sync){.clock = clock,
                           .yield = yield,
                           .usable = true,
                           .lead = lead_first,
                           .domain = MPI_COMM_NULL,
                           .leaders = MPI_COMM_NULL};
    MPI_Comm_dup(comm, &s->comm);
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->ranks);
    int first = ovl_clock_first_with(s->comm, domain), last;
    MPI_Allreduce(&first, &last, 1, MPI_INT, MPI_MAX, s->comm);
    s->common = last == 0;
    if (!s->common)
        meet_clocks(s, first);
    try_announcements(s);
}

void ovl_sync_close(struct ovl_sync *s)
{
    if (s->leaders != MPI_COMM_NULL)
        MPI_Comm_free(&s->leaders);
    if (s->domain != MPI_COMM_NULL)
        MPI_Comm_free(&s->domain);
    MPI_Comm_free(&s->comm);
}

int64_t ovl_sync_agree(struct ovl_sync *s, double *announced)
{
    MPI_Barrier(s->comm);
    *announced = NAN;
    return s->usable ? announce(s, announced) : OVL_SYNC_UNSYNCHRONISED;
}

int64_t ovl_sync_spin(const struct ovl_sync *s, int64_t when)
{
    const int64_t close = 50000; /* ns: who gives the core away in the last stretch can get it back too late */
    int64_t now;
    while ((now = s->clock()) < when)
        if (s->yield && when - now > close)
            sched_yield();
    return now;
}
