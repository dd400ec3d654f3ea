/* MPI_Ireduce: the sum of a vector of `size` bytes, at the root. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void shape(struct ovl_exchange *x)
{
    x->send_bytes = x->size;
    x->recv_bytes = x->rank == x->root ? x->size : 0;
}

static void post(struct ovl_exchange *x)
{
    MPI_Ireduce(x->source, x->recv, x->count, x->type, x->op, x->root, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Reduce(x->source, x->recv, x->count, x->type, x->op, x->root, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Reduce_init(x->source, x->recv, x->count, x->type, x->op, x->root, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ireduce) = {
    .name = "ireduce",
    .operation = OVL_IREDUCE,
    .rooted = true,
    .in_place = OVL_IN_PLACE_WHOLE,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Reduce_init,
    .segments = ovl_segments_one,
    .segment = ovl_segment_one,
};
