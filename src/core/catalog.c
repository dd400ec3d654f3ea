/* The table of benchmarks: a new one is one row here and one file in bench/coll. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/catalog.h"

#include <string.h>

enum { M = 1 << 20 };

const struct ovl_benchmark ovl_benchmarks[] = {
    {
        .name = "ialltoall",
        .program = "ovl_ialltoall",
        .call = "MPI_Ialltoall",
        .blocking = "MPI_Alltoall",
        .title = "All-to-All",
        .summary = "every rank sends a message to every rank; size: bytes per peer",
        .size_min = 1,
        .size_max = 1 * M,
    },
    {
        .name = "ialltoallv",
        .program = "ovl_ialltoallv",
        .call = "MPI_Ialltoallv",
        .blocking = "MPI_Alltoallv",
        .title = "All-to-Allv Personalized Exchange",
        .summary = "all-to-all with counts and displacements; size: bytes per peer",
        .size_min = 1,
        .size_max = 1 * M,
    },
    {
        .name = "ibcast",
        .program = "ovl_ibcast",
        .call = "MPI_Ibcast",
        .blocking = "MPI_Bcast",
        .title = "Broadcast",
        .summary = "rank 0 sends one message to all; size: bytes of the message",
        .size_min = 1,
        .size_max = 1 * M,
    },
    {
        .name = "iallreduce",
        .program = "ovl_allreduce",
        .call = "MPI_Iallreduce",
        .blocking = "MPI_Allreduce",
        .title = "Allreduce",
        .summary = "sum of a vector over all ranks, at all ranks; size: bytes of the vector",
        .size_min = 4,
        .size_max = 64 * M,
        .reduces = true,
    },
    {
        .name = "iallgather",
        .program = "ovl_iallgather",
        .call = "MPI_Iallgather",
        .blocking = "MPI_Allgather",
        .title = "Allgather",
        .summary = "every rank's message to all ranks; size: bytes that a rank contributes",
        .size_min = 1,
        .size_max = 1 * M,
    },
    {
        .name = "ireduce_scatter",
        .program = "ovl_ireduce_scatter",
        .call = "MPI_Ireduce_scatter",
        .blocking = "MPI_Reduce_scatter",
        .title = "Reduce_scatter",
        .summary = "sum of a vector, a part of it at each rank; size: bytes of the whole vector",
        .size_min = 4,
        .size_max = 1 * M,
        .reduces = true,
    },
    {
        .name = "ibarrier",
        .program = "ovl_ibarrier",
        .call = "MPI_Ibarrier",
        .blocking = "MPI_Barrier",
        .title = "Barrier",
        .summary = "synchronisation without data; one cell, no size",
    },
    {
        .name = "null",
        .program = "ovl_null",
        .call = "nothing",
        .blocking = "nothing",
        .title = "Null",
        .summary = "posts nothing: what the harness itself costs; one cell, no size",
        .fixed_us = 10,
    },
    {.name = NULL},
};

const struct ovl_benchmark *ovl_benchmark_find(const char *name)
{
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        if (strcmp(b->name, name) == 0)
            return b;
    return NULL;
}
