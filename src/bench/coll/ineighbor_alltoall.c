/* MPI_Ineighbor_alltoall: `size` bytes from every rank to each neighbour on a grid: a halo exchange. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Ineighbor_alltoall(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Neighbor_alltoall(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Neighbor_alltoall_init(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm, MPI_INFO_NULL,
                               &x->request);
}

OVL_COLLECTIVE(ineighbor_alltoall) = {
    .name = "ineighbor_alltoall",
    .neighbourhood = true,
    .shape = ovl_shape_all_to_all,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Neighbor_alltoall_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_all_to_all,
};
