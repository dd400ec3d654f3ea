/* The table of benchmarks: a new one is one row here and one file in bench/coll. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/catalog.h"
#include "cli/fft3d_options.h"
#include "cli/halo_options.h"
#include "cli/hpl_options.h"
#include "cli/link.h"
#include "cli/noise_options.h"
#include "cli/serve_options.h"
#include "cli/train_options.h"

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
        .wire_bytes = ovl_link_bytes_alltoall,
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
        .wire_bytes = ovl_link_bytes_alltoall,
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
        .wire_bytes = ovl_link_bytes_vector,
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
        .wire_bytes = ovl_link_bytes_allreduce,
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
        .wire_bytes = ovl_link_bytes_gather,
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
        .wire_bytes = ovl_link_bytes_reduce_scatter,
        .reduces = true,
    },
    {
        .name = "ialltoallw",
        .program = "ovl_ialltoallw",
        .call = "MPI_Ialltoallw",
        .blocking = "MPI_Alltoallw",
        .title = "All-to-Allw Personalized Exchange",
        .summary = "all-to-all with a datatype per peer; size: bytes per peer",
        .size_min = 1,
        .size_max = 1 * M,
        .wire_bytes = ovl_link_bytes_alltoall,
        .host_only = true,
    },
    {
        .name = "iallgatherv",
        .program = "ovl_iallgatherv",
        .call = "MPI_Iallgatherv",
        .blocking = "MPI_Allgatherv",
        .title = "Allgatherv",
        .summary = "allgather with counts and displacements; size: bytes that a rank contributes",
        .size_min = 1,
        .size_max = 1 * M,
        .wire_bytes = ovl_link_bytes_gather,
    },
    {
        .name = "igather",
        .program = "ovl_igather",
        .call = "MPI_Igather",
        .blocking = "MPI_Gather",
        .title = "Gather",
        .summary = "every rank's message to the root; size: bytes that a rank contributes",
        .size_min = 1,
        .size_max = 1 * M,
        .wire_bytes = ovl_link_bytes_gather,
    },
    {
        .name = "igatherv",
        .program = "ovl_igatherv",
        .call = "MPI_Igatherv",
        .blocking = "MPI_Gatherv",
        .title = "Gatherv",
        .summary = "gather with counts and displacements; size: bytes that a rank contributes",
        .size_min = 1,
        .size_max = 1 * M,
        .wire_bytes = ovl_link_bytes_gather,
    },
    {
        .name = "iscatter",
        .program = "ovl_iscatter",
        .call = "MPI_Iscatter",
        .blocking = "MPI_Scatter",
        .title = "Scatter",
        .summary = "a message from the root to each rank; size: bytes per rank",
        .size_min = 1,
        .size_max = 1 * M,
        .wire_bytes = ovl_link_bytes_gather,
    },
    {
        .name = "iscatterv",
        .program = "ovl_iscatterv",
        .call = "MPI_Iscatterv",
        .blocking = "MPI_Scatterv",
        .title = "Scatterv",
        .summary = "scatter with counts and displacements; size: bytes per rank",
        .size_min = 1,
        .size_max = 1 * M,
        .wire_bytes = ovl_link_bytes_gather,
    },
    {
        .name = "ireduce",
        .program = "ovl_ireduce",
        .call = "MPI_Ireduce",
        .blocking = "MPI_Reduce",
        .title = "Reduce",
        .summary = "sum of a vector over all ranks, at the root; size: bytes of the vector",
        .size_min = 4,
        .size_max = 1 * M,
        .wire_bytes = ovl_link_bytes_vector,
        .reduces = true,
    },
    {
        .name = "ireduce_scatter_block",
        .program = "ovl_ireduce_scatter_block",
        .call = "MPI_Ireduce_scatter_block",
        .blocking = "MPI_Reduce_scatter_block",
        .title = "Reduce_scatter_block",
        .summary = "sum of a vector, even parts of it at each rank; size: bytes of the whole vector",
        .size_min = 4,
        .size_max = 1 * M,
        .wire_bytes = ovl_link_bytes_reduce_scatter,
        .reduces = true,
    },
    {
        .name = "ineighbor_allgather",
        .program = "ovl_ineighbor_allgather",
        .call = "MPI_Ineighbor_allgather",
        .blocking = "MPI_Neighbor_allgather",
        .title = "Neighborhood Allgather",
        .summary =
            "every rank's message to its neighbours on a grid or in a graph; size: bytes that a rank contributes",
        .size_min = 1,
        .size_max = 1 * M,
        .host_only = true,
        .neighbours = true,
    },
    {
        .name = "ineighbor_allgatherv",
        .program = "ovl_ineighbor_allgatherv",
        .call = "MPI_Ineighbor_allgatherv",
        .blocking = "MPI_Neighbor_allgatherv",
        .title = "Neighborhood Allgatherv",
        .summary = "neighbourhood allgather with counts and displacements; size: bytes that a rank contributes",
        .size_min = 1,
        .size_max = 1 * M,
        .host_only = true,
        .neighbours = true,
    },
    {
        .name = "ineighbor_alltoall",
        .program = "ovl_ineighbor_alltoall",
        .call = "MPI_Ineighbor_alltoall",
        .blocking = "MPI_Neighbor_alltoall",
        .title = "Neighborhood All-to-All",
        .summary = "halo exchange on a grid or in a graph; size: bytes per neighbour",
        .size_min = 1,
        .size_max = 1 * M,
        .host_only = true,
        .neighbours = true,
    },
    {
        .name = "ineighbor_alltoallv",
        .program = "ovl_ineighbor_alltoallv",
        .call = "MPI_Ineighbor_alltoallv",
        .blocking = "MPI_Neighbor_alltoallv",
        .title = "Neighborhood All-to-Allv",
        .summary = "halo exchange with counts and displacements; size: bytes per neighbour",
        .size_min = 1,
        .size_max = 1 * M,
        .host_only = true,
        .neighbours = true,
    },
    {
        .name = "ineighbor_alltoallw",
        .program = "ovl_ineighbor_alltoallw",
        .call = "MPI_Ineighbor_alltoallw",
        .blocking = "MPI_Neighbor_alltoallw",
        .title = "Neighborhood All-to-Allw",
        .summary = "halo exchange with a datatype per neighbour; size: bytes per neighbour",
        .size_min = 1,
        .size_max = 1 * M,
        .host_only = true,
        .neighbours = true,
    },
    {
        .name = "p2p",
        .program = "ovl_p2p",
        .call = "MPI_Isend, MPI_Irecv",
        .blocking = "MPI_Sendrecv",
        .title = "Point-to-Point",
        .summary =
            "messages between single ranks, by --pairs: one or both directions, ring, neighbours; size: bytes of "
            "each",
        .size_min = 1,
        .size_max = 1 * M,
        .pairs = true,
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

#define COMMAND_LINE(name)                                                                                             \
    ovl_##name##_option_rows, sizeof(struct ovl_##name##_options), ovl_##name##_options_parse,                         \
        ovl_##name##_options_seconds
#define APPLICATION(name) COMMAND_LINE(name), ovl_##name##_options_cells

const struct ovl_proxy ovl_proxies[] = {
    {"fft3d", "ovl_fft3d", "3D Fourier transform in pencils, whose transposes are cut into slabs; needs FFTW",
     APPLICATION(fft3d)},
    {"halo", "ovl_halo", "steps of a stencil on a cube, whose outermost planes go to the neighbours meanwhile",
     APPLICATION(halo)},
    {"hpl", "ovl_hpl", "the panel broadcast of an LU solution as HPL does it; needs a CBLAS", APPLICATION(hpl)},
    {"serve", "ovl_serve", "requests that a model answers: keys and values, or sums, behind the computation of others",
     APPLICATION(serve)},
    {"train", "ovl_train", "a step of data-parallel training: gradients in buckets behind the backward pass",
     APPLICATION(train)},
    {.name = NULL},
};

const struct ovl_proxy ovl_noise_program = {
    "noise", "ovl_noise", "noise, clocks, common starts and round trips of the nodes, with one verdict",
    COMMAND_LINE(noise), NULL};

bool ovl_benchmark_moves(const char *name)
{
    const struct ovl_benchmark *b = ovl_benchmark_find(name);
    return !b || strcmp(b->call, "nothing") != 0;
}

const struct ovl_benchmark *ovl_benchmark_find(const char *name)
{
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        if (strcmp(b->name, name) == 0)
            return b;
    return NULL;
}

const char *ovl_catalog_measures(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        if (strcmp(b->program, name) == 0)
            return b->name;
    for (const struct ovl_proxy *p = ovl_proxies; p->name; p++)
        if (strcmp(p->program, name) == 0)
            return p->name;
    return "";
}
