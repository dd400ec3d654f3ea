/* MPI_Ialltoall: every rank sends `size` bytes to every rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Ialltoall(x->source, x->count, x->type, x->recv, x->count, x->type, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Alltoall(x->source, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Alltoall_init(x->source, x->count, x->type, x->recv, x->count, x->type, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ialltoall) = {
    .name = "ialltoall",
    .operation = OVL_IALLTOALL,
    .in_place = OVL_IN_PLACE_WHOLE,
    .shape = ovl_shape_all_to_all,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Alltoall_init,
    .segments = ovl_segments_partners,
    .segment = ovl_segment_all_to_all,
};
