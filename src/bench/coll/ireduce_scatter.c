/* MPI_Ireduce_scatter: the sum of a vector of `size` bytes, a part of it at each rank; uneven parts differ by one
 * number. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void shape(struct ovl_exchange *x)
{
    int displ = 0;
    for (int r = 0; r < x->ranks; r++) {
        x->recv_counts[r] = x->count / x->ranks + (r < x->count % x->ranks);
        x->recv_displs[r] = displ;
        displ += x->recv_counts[r];
    }
    x->send_bytes = x->size;
    x->recv_bytes = (size_t)x->recv_counts[x->rank] * x->element;
}

static struct ovl_segment segment(const struct ovl_exchange *x, int k)
{
    (void)k;
    return (struct ovl_segment){.bytes = x->recv_bytes, .source_offset = (size_t)x->recv_displs[x->rank] * x->element};
}

static void post(struct ovl_exchange *x)
{
    MPI_Ireduce_scatter(x->source, x->recv, x->recv_counts, x->type, x->op, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Reduce_scatter(x->source, x->recv, x->recv_counts, x->type, x->op, x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Reduce_scatter_init(x->source, x->recv, x->recv_counts, x->type, x->op, x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ireduce_scatter) = {
    .name = "ireduce_scatter",
    .operation = OVL_IREDUCE_SCATTER,
    .displaced = true,
    .in_place = OVL_IN_PLACE_WHOLE,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Reduce_scatter_init,
    .segments = ovl_segments_one,
    .segment = segment,
};
