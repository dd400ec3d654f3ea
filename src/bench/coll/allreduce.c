/* MPI_Iallreduce: the sum of a vector of `size` bytes, at all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void shape(struct ovl_exchange *x)
{
    x->send_bytes = x->recv_bytes = x->size;
}

static void post(struct ovl_exchange *x)
{
    MPI_Iallreduce(x->source, x->recv, x->count, x->type, x->op, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Allreduce(x->source, x->recv, x->count, x->type, x->op, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Allreduce_init(x->source, x->recv, x->count, x->type, x->op, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(allreduce) = {
    .name = "iallreduce",
    .operation = OVL_IALLREDUCE,
    .in_place = OVL_IN_PLACE_WHOLE,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Allreduce_init,
    .segments = ovl_segments_one,
    .segment = ovl_segment_one,
};
