/* Shapes and segments that several collectives share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"

#include <stdint.h>

static void even_parts(const struct ovl_exchange *x, int parts, int *counts, int *displs, MPI_Aint *places)
{
    for (int p = 0; p < parts; p++) {
        counts[p] = x->count;
        displs[p] = (int)((int64_t)p * x->count); /* ovl_exchange_check refuses what does not fit */
        places[p] = (MPI_Aint)((size_t)p * x->extent);
    }
}

void ovl_shape_all_to_all(struct ovl_exchange *x)
{
    x->send_bytes = x->size * (size_t)x->out;
    x->recv_bytes = x->size * (size_t)x->in;
    even_parts(x, x->out, x->send_counts, x->send_displs, x->send_places);
    even_parts(x, x->in, x->recv_counts, x->recv_displs, x->recv_places);
}

/* Of an operation with a root, is this a rank that only serves it? */
static bool serves(const struct ovl_exchange *x)
{
    return x->collective->rooted && x->rank != x->root;
}

void ovl_shape_gather(struct ovl_exchange *x)
{
    x->send_bytes = x->size;
    x->recv_bytes = serves(x) ? 0 : x->size * (size_t)x->in;
    even_parts(x, x->in, x->recv_counts, x->recv_displs, x->recv_places);
}

void ovl_shape_scatter(struct ovl_exchange *x)
{
    x->send_bytes = serves(x) ? 0 : x->size * (size_t)x->out;
    x->recv_bytes = x->size;
    even_parts(x, x->out, x->send_counts, x->send_displs, x->send_places);
}

int ovl_segments_partners(const struct ovl_exchange *x)
{
    return serves(x) ? 0 : x->in;
}

/* The part from partner k: nothing from beyond the edge of a grid. */
static struct ovl_segment from_partner(const struct ovl_exchange *x, int k, size_t source_offset)
{
    int source = x->neighbours ? x->neighbours->source[k] : k;
    if (source == MPI_PROC_NULL)
        return (struct ovl_segment){0, 0, 0, 0};
    return (struct ovl_segment){(size_t)k * x->size, x->size, source, source_offset};
}

struct ovl_segment ovl_segment_all_to_all(const struct ovl_exchange *x, int k)
{
    return from_partner(x, k, (size_t)(x->neighbours ? x->neighbours->slot[k] : x->rank) * x->size);
}

struct ovl_segment ovl_segment_gather(const struct ovl_exchange *x, int k)
{
    return from_partner(x, k, 0);
}

struct ovl_segment ovl_segment_scatter(const struct ovl_exchange *x, int k)
{
    (void)k;
    return (struct ovl_segment){0, x->size, x->root, (size_t)x->rank * x->size};
}

int ovl_segments_one(const struct ovl_exchange *x)
{
    return x->recv_bytes > 0;
}

struct ovl_segment ovl_segment_one(const struct ovl_exchange *x, int k)
{
    (void)k;
    return (struct ovl_segment){0, x->recv_bytes, x->root, 0};
}
