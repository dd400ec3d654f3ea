/* Which ranks read one clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/start/clock_domain.h"
#include "base/error.h"
#include "base/rng.h"

#include <stdlib.h>

enum { ROUND_TRIPS = 5, TAG = 1 };

int ovl_clock_first_with(MPI_Comm comm, uint64_t value)
{
    int ranks, first = 0;
    MPI_Comm_size(comm, &ranks);
    uint64_t *all = ovl_alloc((size_t)ranks, sizeof *all);
    MPI_Allgather(&value, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm);
    while (all[first] != value)
        first++;
    free(all);
    return first;
}

static void answer(MPI_Comm comm, int rank, int64_t (*clock)(void))
{
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t time;
        MPI_Recv(NULL, 0, MPI_INT64_T, rank, TAG, comm, MPI_STATUS_IGNORE);
        time = clock();
        MPI_Send(&time, 1, MPI_INT64_T, rank, TAG, comm);
    }
}

/* Was each answer given between question and receipt, by one's own clock? */
static bool causal(MPI_Comm comm, int rank, int64_t (*clock)(void))
{
    bool all = true;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t time, begin = clock();
        MPI_Send(NULL, 0, MPI_INT64_T, rank, TAG, comm);
        MPI_Recv(&time, 1, MPI_INT64_T, rank, TAG, comm, MPI_STATUS_IGNORE);
        all = all && begin <= time && time <= clock();
    }
    return all;
}

uint64_t ovl_clock_domain(MPI_Comm comm, uint64_t claimed, int leader, int64_t (*clock)(void), int *ranks)
{
    MPI_Comm domain;
    int rank, here, members, differs = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split(comm, ovl_clock_first_with(comm, claimed), rank, &domain);
    MPI_Comm_rank(domain, &here);
    MPI_Comm_size(domain, &members);
    for (int r = 1; here == 0 && r < members; r++)
        answer(domain, r, clock);
    if (here != 0)
        differs = !causal(domain, 0, clock);
    MPI_Allreduce(&differs, ranks, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&domain);
    return differs ? ovl_rng_mix(claimed ^ ovl_rng_mix((uint64_t)leader + 1)) : claimed;
}
