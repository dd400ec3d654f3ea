/* MPI_Iallgather: `size` bytes of every rank at all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Iallgather(x->source, x->count, x->type, x->recv, x->count, x->type, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Allgather(x->source, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Allgather_init(x->source, x->count, x->type, x->recv, x->count, x->type, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(iallgather) = {
    .name = "iallgather",
    .operation = OVL_IALLGATHER,
    .in_place = OVL_IN_PLACE_PART,
    .shape = ovl_shape_gather,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Allgather_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_gather,
};
