/* MPI_Ialltoallw: as ialltoallv, with a datatype per peer and displacements in bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

/* Displacements of this call are bytes, as int. */
static void shape(struct ovl_exchange *x)
{
    ovl_shape_all_to_all(x);
    for (int p = 0; p < x->in; p++)
        x->send_displs[p] = x->recv_displs[p] = (int)x->send_places[p];
}

static void post(struct ovl_exchange *x)
{
    MPI_Ialltoallw(x->source, x->send_counts, x->send_displs, x->types, x->recv, x->recv_counts, x->recv_displs,
                   x->types, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Alltoallw(x->source, x->send_counts, x->send_displs, x->types, x->recv, x->recv_counts, x->recv_displs,
                  x->types, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Alltoallw_init(x->source, x->send_counts, x->send_displs, x->types, x->recv, x->recv_counts, x->recv_displs,
                       x->types, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ialltoallw) = {
    .name = "ialltoallw",
    .displaced = true,
    .displaced_in_bytes = true,
    .in_place = OVL_IN_PLACE_WHOLE,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Alltoallw_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_all_to_all,
};
