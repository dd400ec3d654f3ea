/* MPI_Iscatterv: as iscatter, by counts and displacements. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Iscatterv(x->source, x->send_counts, x->send_displs, x->type, x->target, x->count, x->type, x->root, x->comm,
                  &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Scatterv(x->source, x->send_counts, x->send_displs, x->type, x->target, x->count, x->type, x->root, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Scatterv_init(x->source, x->send_counts, x->send_displs, x->type, x->target, x->count, x->type, x->root,
                      x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(iscatterv) = {
    .name = "iscatterv",
    .operation = OVL_ISCATTERV,
    .displaced = true,
    .rooted = true,
    .in_place = OVL_IN_PLACE_KEPT,
    .shape = ovl_shape_scatter,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Scatterv_init,
    .segments = ovl_segments_one,
    .segment = ovl_segment_scatter,
};
