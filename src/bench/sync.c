/* A common start for all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/sync.h"

#include <sched.h>
#include <stdlib.h>

enum { ROUND_TRIPS = 60, TAG = 1 };

/* ns. Processes that share cores must each get one before the start: time slices, not message times. */
static const double slack_least = 2e3, slack_most = 2e5, slack_most_shared = 2e6, wobble_most = 1e4;

void ovl_sync_open(struct ovl_sync *s, MPI_Comm comm, uint64_t domain, int64_t (*clock)(void), bool yield)
{
    *s = (struct ovl_sync){.clock = clock, .yield = yield, .usable = true, .slack_ns = 1e4, .domain = MPI_COMM_NULL};
    MPI_Comm_dup(comm, &s->comm);
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->ranks);

    uint64_t *all = malloc((size_t)s->ranks * sizeof *all);
    MPI_Allgather(&domain, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, s->comm);
    int first = 0;
    while (all[first] != domain)
        first++;
    s->leader = first == s->rank;
    s->common = true;
    for (int r = 1; r < s->ranks; r++)
        s->common = s->common && all[r] == all[0];
    free(all);
    if (!s->common) {
        MPI_Comm_split(s->comm, first, s->rank, &s->domain);
        ovl_sync_measure(s);
        ovl_sync_measure(s);
    }
}

void ovl_sync_close(struct ovl_sync *s)
{
    if (s->domain != MPI_COMM_NULL)
        MPI_Comm_free(&s->domain);
    MPI_Comm_free(&s->comm);
}

/* Rank 0's side: answers one leader's round trips with its own time. */
static void answer(const struct ovl_sync *s, int leader)
{
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t time;
        MPI_Recv(NULL, 0, MPI_INT64_T, leader, TAG, s->comm, MPI_STATUS_IGNORE);
        time = s->clock();
        MPI_Send(&time, 1, MPI_INT64_T, leader, TAG, s->comm);
    }
}

static int64_t ask(const struct ovl_sync *s)
{
    int64_t offset = 0, quickest = INT64_MAX;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t time, begin = s->clock();
        MPI_Send(NULL, 0, MPI_INT64_T, 0, TAG, s->comm);
        MPI_Recv(&time, 1, MPI_INT64_T, 0, TAG, s->comm, MPI_STATUS_IGNORE);
        int64_t end = s->clock();
        if (end - begin < quickest) {
            quickest = end - begin;
            offset = time - (begin + (end - begin) / 2);
        }
    }
    return offset;
}

double ovl_sync_measure(struct ovl_sync *s)
{
    if (s->common)
        return 0;
    int asks = s->leader && s->rank != 0;
    int *all = malloc((size_t)s->ranks * sizeof *all);
    MPI_Allgather(&asks, 1, MPI_INT, all, 1, MPI_INT, s->comm);
    int64_t offset = 0;
    for (int r = 1; r < s->ranks; r++)
        if (all[r] && s->rank == 0)
            answer(s, r);
        else if (all[r] && s->rank == r)
            offset = ask(s);
    free(all);
    MPI_Bcast(&offset, 1, MPI_INT64_T, 0, s->domain);

    double change = (double)llabs(offset - s->offset_ns), largest;
    s->offset_ns = offset;
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, s->comm);
    s->usable = largest <= wobble_most;
    return largest;
}

int64_t ovl_sync_agree(struct ovl_sync *s)
{
    MPI_Barrier(s->comm);
    if (!s->usable)
        return OVL_SYNC_UNSYNCHRONISED;
    int64_t when = s->clock() + (int64_t)s->slack_ns;
    MPI_Bcast(&when, 1, MPI_INT64_T, 0, s->comm);
    return when - s->offset_ns;
}

int64_t ovl_sync_spin(const struct ovl_sync *s, int64_t when)
{
    const int64_t close = 2000; /* ns: the last stretch is spun in any case, a yield can take longer */
    int64_t now;
    while ((now = s->clock()) < when)
        if (s->yield && when - now > close)
            sched_yield();
    return now;
}

void ovl_sync_feedback(struct ovl_sync *s, double late)
{
    double most = s->yield ? slack_most_shared : slack_most;
    if (late <= 0)
        s->slack_ns *= 0.98;
    else if (1e9 * late < most)
        s->slack_ns = 1.2 * s->slack_ns + 1e9 * late;
    s->slack_ns = s->slack_ns < slack_least ? slack_least : s->slack_ns > most ? most : s->slack_ns;
}
