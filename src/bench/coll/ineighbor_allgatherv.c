/* MPI_Ineighbor_allgatherv: as ineighbor_allgather, by counts and displacements. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Ineighbor_allgatherv(x->send, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->comm,
                             &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Neighbor_allgatherv(x->send, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Neighbor_allgatherv_init(x->send, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->comm,
                                 MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ineighbor_allgatherv) = {
    .name = "ineighbor_allgatherv",
    .displaced = true,
    .neighbourhood = true,
    .shape = ovl_shape_gather,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Neighbor_allgatherv_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_gather,
};
