/* MPI_Ialltoallv: as ialltoall, by counts and displacements. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/collective.h"

static void shape(struct ovl_exchange *x)
{
    x->send_bytes = x->recv_bytes = x->size * (size_t)x->ranks;
    for (int r = 0; r < x->ranks; r++) {
        x->send_counts[r] = x->recv_counts[r] = x->count;
        x->send_displs[r] = x->recv_displs[r] = r * x->count;
    }
}

static void post(struct ovl_exchange *x)
{
    MPI_Ialltoallv(x->send, x->send_counts, x->send_displs, x->type, x->recv, x->recv_counts, x->recv_displs, x->type,
                   x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Alltoallv(x->send, x->send_counts, x->send_displs, x->type, x->recv, x->recv_counts, x->recv_displs, x->type,
                  x->comm);
}

static int segments(const struct ovl_exchange *x)
{
    return x->ranks;
}

static struct ovl_segment segment(const struct ovl_exchange *x, int k)
{
    return (struct ovl_segment){(size_t)k * x->size, x->size, k, (size_t)x->rank * x->size};
}

const struct ovl_collective ovl_collective = {
    .name = "ialltoallv",
    .displaced = true,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .segments = segments,
    .segment = segment,
};
