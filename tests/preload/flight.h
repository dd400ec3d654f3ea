/* An operation under way in a random program: what it moves, where that lies, and whether it arrived. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_PRELOAD_FLIGHT_H
#define OVL_TESTS_PRELOAD_FLIGHT_H

#include "base/rng.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum kind {
    ALLTOALL,
    ALLTOALLV,
    BCAST,
    ALLREDUCE,
    REDUCE,
    ALLGATHER,
    ALLGATHERV,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    BARRIER,
    MESSAGE,
    KINDS
};

extern const char *const kind_names[KINDS];

/* How data lie: `stride` ints from one to the next, in a type of its own where that is not 1, or with absolute
   addresses. */
struct form {
    int stride;
    bool bottom;
    MPI_Datatype type;
};

/* All but forms and buffers follows from the seed, alike at all ranks. */
struct flight {
    enum kind kind;
    MPI_Request request[2]; /* of a message the receive too */
    int left;               /* requests that have not ended; 0: nothing is under way here */
    int *send, *recv;
    size_t send_ints, recv_ints;
    struct form send_form, recv_form;
    int *lists; /* counts and displacements of both sides */
    int rank, ranks, root, count, op, gap;
    bool in_place, alloc;
    uint64_t seed;
};

/* With kind, count, rank, ranks, root, op, gap, in_place, alloc and seed given: makes buffers and data. */
void flight_open(struct flight *f, struct ovl_rng *own);
/* The arguments of MPI: the buffer, or MPI_BOTTOM. */
void *flight_at(const int *buffer, const struct form *form);
/* The datatypes are no more needed. */
void flight_posted(struct flight *f);
/* After the end: ends the job with 4 and one line where a byte is wrong. */
void flight_close(struct flight *f);

/* Of `in_place` at this rank. */
bool flight_in_place(const struct flight *f);

extern unsigned long long flight_run_seed;

static inline int below(struct ovl_rng *r, int n)
{
    return (int)(ovl_rng_next(r) % (uint64_t)n);
}

#endif
