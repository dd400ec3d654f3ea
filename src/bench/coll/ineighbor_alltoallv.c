/* MPI_Ineighbor_alltoallv: as ineighbor_alltoall, by counts and displacements. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Ineighbor_alltoallv(x->send, x->send_counts, x->send_displs, x->type, x->recv, x->recv_counts, x->recv_displs,
                            x->type, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Neighbor_alltoallv(x->send, x->send_counts, x->send_displs, x->type, x->recv, x->recv_counts, x->recv_displs,
                           x->type, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Neighbor_alltoallv_init(x->send, x->send_counts, x->send_displs, x->type, x->recv, x->recv_counts,
                                x->recv_displs, x->type, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ineighbor_alltoallv) = {
    .name = "ineighbor_alltoallv",
    .displaced = true,
    .neighbourhood = true,
    .shape = ovl_shape_all_to_all,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Neighbor_alltoallv_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_all_to_all,
};
