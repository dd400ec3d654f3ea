/* MPI_Iallreduce: the sum of a vector of `size` bytes, at all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/collective.h"

static void shape(struct ovl_exchange *x)
{
    x->send_bytes = x->recv_bytes = x->size;
}

static void post(struct ovl_exchange *x)
{
    MPI_Iallreduce(x->send, x->recv, x->count, x->type, MPI_SUM, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Allreduce(x->send, x->recv, x->count, x->type, MPI_SUM, x->comm);
}

static int segments(const struct ovl_exchange *x)
{
    (void)x;
    return 1;
}

static struct ovl_segment segment(const struct ovl_exchange *x, int k)
{
    (void)k;
    return (struct ovl_segment){.bytes = x->size};
}

const struct ovl_collective ovl_collective = {
    .name = "iallreduce",
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .segments = segments,
    .segment = segment,
};
