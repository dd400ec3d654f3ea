/* MPI_Ibcast: `size` bytes from the root to all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void shape(struct ovl_exchange *x)
{
    x->recv_bytes = x->size;
}

static void post(struct ovl_exchange *x)
{
    MPI_Ibcast(x->recv, x->count, x->type, x->root, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Bcast(x->recv, x->count, x->type, x->root, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Bcast_init(x->recv, x->count, x->type, x->root, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ibcast) = {
    .name = "ibcast",
    .operation = OVL_IBCAST,
    .one_buffer = true,
    .rooted = true,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Bcast_init,
    .segments = ovl_segments_one,
    .segment = ovl_segment_one,
};
