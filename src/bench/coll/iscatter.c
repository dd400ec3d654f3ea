/* MPI_Iscatter: `size` bytes from the root to each rank, another part for each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void post(struct ovl_exchange *x)
{
    MPI_Iscatter(x->source, x->count, x->type, x->target, x->count, x->type, x->root, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Scatter(x->source, x->count, x->type, x->target, x->count, x->type, x->root, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Scatter_init(x->source, x->count, x->type, x->target, x->count, x->type, x->root, x->comm, MPI_INFO_NULL,
                     &x->request);
}

OVL_COLLECTIVE(iscatter) = {
    .name = "iscatter",
    .operation = OVL_ISCATTER,
    .rooted = true,
    .in_place = OVL_IN_PLACE_KEPT,
    .shape = ovl_shape_scatter,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Scatter_init,
    .segments = ovl_segments_one,
    .segment = ovl_segment_scatter,
};
