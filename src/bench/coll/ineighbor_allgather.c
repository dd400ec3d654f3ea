/* MPI_Ineighbor_allgather: `size` bytes of every rank at its neighbours on a grid. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Ineighbor_allgather(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Neighbor_allgather(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Neighbor_allgather_init(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm, MPI_INFO_NULL,
                                &x->request);
}

OVL_COLLECTIVE(ineighbor_allgather) = {
    .name = "ineighbor_allgather",
    .neighbourhood = true,
    .shape = ovl_shape_gather,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Neighbor_allgather_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_gather,
};
