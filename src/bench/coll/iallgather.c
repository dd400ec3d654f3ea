/* MPI_Iallgather: `size` bytes of every rank at all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/collective.h"

static void shape(struct ovl_exchange *x)
{
    x->send_bytes = x->size;
    x->recv_bytes = x->size * (size_t)x->ranks;
}

static void post(struct ovl_exchange *x)
{
    MPI_Iallgather(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Allgather(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static int segments(const struct ovl_exchange *x)
{
    return x->ranks;
}

static struct ovl_segment segment(const struct ovl_exchange *x, int k)
{
    return (struct ovl_segment){(size_t)k * x->size, x->size, k, 0};
}

const struct ovl_collective ovl_collective = {
    .name = "iallgather",
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .segments = segments,
    .segment = segment,
};
