/* MPI_Iallgatherv: as iallgather, by counts and displacements. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Iallgatherv(x->source, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->comm,
                    &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Allgatherv(x->source, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Allgatherv_init(x->source, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->comm,
                        MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(iallgatherv) = {
    .name = "iallgatherv",
    .operation = OVL_IALLGATHERV,
    .displaced = true,
    .in_place = OVL_IN_PLACE_PART,
    .shape = ovl_shape_gather,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Allgatherv_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_gather,
};
