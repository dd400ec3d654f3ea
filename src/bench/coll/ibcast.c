/* MPI_Ibcast: `size` bytes from the root to all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/collective.h"

static void shape(struct ovl_exchange *x)
{
    x->recv_bytes = x->size;
}

static void post(struct ovl_exchange *x)
{
    MPI_Ibcast(x->recv, x->count, x->type, x->root, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Bcast(x->recv, x->count, x->type, x->root, x->comm);
}

static int segments(const struct ovl_exchange *x)
{
    (void)x;
    return 1;
}

static struct ovl_segment segment(const struct ovl_exchange *x, int k)
{
    (void)k;
    return (struct ovl_segment){0, x->size, x->root, 0};
}

const struct ovl_collective ovl_collective = {
    .name = "ibcast",
    .one_buffer = true,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .segments = segments,
    .segment = segment,
};
