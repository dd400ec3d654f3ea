/* MPI_Ineighbor_alltoallw: as ineighbor_alltoallv, with a datatype per neighbour and places in bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Ineighbor_alltoallw(x->send, x->send_counts, x->send_places, x->types, x->recv, x->recv_counts, x->recv_places,
                            x->types, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Neighbor_alltoallw(x->send, x->send_counts, x->send_places, x->types, x->recv, x->recv_counts, x->recv_places,
                           x->types, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Neighbor_alltoallw_init(x->send, x->send_counts, x->send_places, x->types, x->recv, x->recv_counts,
                                x->recv_places, x->types, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ineighbor_alltoallw) = {
    .name = "ineighbor_alltoallw",
    .displaced = true,
    .neighbourhood = true,
    .shape = ovl_shape_all_to_all,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Neighbor_alltoallw_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_all_to_all,
};
