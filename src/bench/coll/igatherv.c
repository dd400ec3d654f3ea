/* MPI_Igatherv: as igather, by counts and displacements. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Igatherv(x->source, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->root, x->comm,
                 &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Gatherv(x->source, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->root, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Gatherv_init(x->source, x->count, x->type, x->recv, x->recv_counts, x->recv_displs, x->type, x->root, x->comm,
                     MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(igatherv) = {
    .name = "igatherv",
    .operation = OVL_IGATHERV,
    .displaced = true,
    .rooted = true,
    .in_place = OVL_IN_PLACE_PART,
    .shape = ovl_shape_gather,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Gatherv_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_gather,
};
