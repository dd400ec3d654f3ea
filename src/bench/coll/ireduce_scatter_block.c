/* MPI_Ireduce_scatter_block: as ireduce_scatter, with even parts; the vector is rounded up to a multiple of the ranks.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void shape(struct ovl_exchange *x)
{
    x->recv_counts[0] = x->count / x->ranks + (x->count % x->ranks > 0);
    x->recv_bytes = (size_t)x->recv_counts[0] * x->element;
    x->send_bytes = x->recv_bytes * (size_t)x->ranks;
}

static struct ovl_segment segment(const struct ovl_exchange *x, int k)
{
    (void)k;
    return (struct ovl_segment){.bytes = x->recv_bytes, .source_offset = (size_t)x->rank * x->recv_bytes};
}

static void post(struct ovl_exchange *x)
{
    MPI_Ireduce_scatter_block(x->source, x->recv, x->recv_counts[0], x->type, x->op, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Reduce_scatter_block(x->source, x->recv, x->recv_counts[0], x->type, x->op, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Reduce_scatter_block_init(x->source, x->recv, x->recv_counts[0], x->type, x->op, x->comm, MPI_INFO_NULL,
                                  &x->request);
}

OVL_COLLECTIVE(ireduce_scatter_block) = {
    .name = "ireduce_scatter_block",
    .operation = OVL_IREDUCE_SCATTER_BLOCK,
    .in_place = OVL_IN_PLACE_WHOLE,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Reduce_scatter_block_init,
    .segments = ovl_segments_one,
    .segment = segment,
};
