/* What a worker has for transfers: its pools, and the memory of their staging buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

#include <stdlib.h>

enum { OPERAND_TOO = 2 /* buffers that a fragment of a reduction may hold */ };

/* Large buffers have seven eighths of the memory, in two halves. They get smaller before they get few. */
struct ovl_worker_limits ovl_worker_limits_of(size_t memory)
{
    enum { FEW = 16, LEAST = 16 << 10 };
    struct ovl_worker_limits l = {.fragment = OVL_CHUNK, .eager = OVL_EAGER_BYTES, .requests = 256, .tags = 1024};
    size_t half = memory / 16 * 7, rest = memory / 16;
    while (l.fragment > LEAST && half / l.fragment < FEW)
        l.fragment /= 2;
    l.large = half < l.fragment ? 1 : (int)(half / l.fragment);
    l.small = rest < l.eager ? 1 : (int)(rest / l.eager);
    return l;
}

static int buffers_of(const struct ovl_worker_limits *l, int side, int class)
{
    int n = class == OVL_SMALL ? l->small : l->large;
    return side == OVL_RECEIVING && n < OPERAND_TOO ? OPERAND_TOO : n;
}

static size_t bytes_of(const struct ovl_worker_limits *l, int class)
{
    return class == OVL_SMALL ? l->eager : l->fragment;
}

/* One piece, so that it is registered once. */
static char *make_buffers(const struct ovl_worker *w, struct ovl_error *err)
{
    size_t bytes = OVL_PROBE_BYTES;
    for (int side = 0; side < OVL_SIDES; side++)
        for (int class = 0; class < OVL_CLASSES; class ++)
            bytes += (size_t)buffers_of(&w->plan.limits, side, class) * bytes_of(&w->plan.limits, class);
    bytes = (bytes + 4095) / 4096 * 4096;
    return w->plan.path->alloc_local ? w->plan.path->alloc_local(bytes, err) : aligned_alloc(4096, bytes);
}

static int open_pools(struct ovl_worker *w, int side, char **next)
{
    const struct ovl_worker_limits *l = &w->plan.limits;
    struct ovl_pools *p = &w->pools[side];
    p->frag = calloc((size_t)l->requests, sizeof *p->frag);
    if (!p->frag || ovl_pool_open(&p->frags, l->requests, 1) != 0)
        return -1;
    for (int class = 0; class < OVL_CLASSES; class ++) {
        int n = buffers_of(l, side, class);
        p->memory[class] = *next;
        *next += (size_t)n * bytes_of(l, class);
        if (ovl_pool_open(&p->buffers[class], n, side == OVL_RECEIVING ? OPERAND_TOO : 1) != 0)
            return -1;
    }
    return 0;
}

int ovl_frag_open(struct ovl_worker *w, struct ovl_error *err)
{
    int tags = w->plan.transport->tags;
    char *next = w->memory = make_buffers(w, err);
    if (!next || ovl_pool_open(&w->tags, tags < w->plan.limits.tags ? tags : w->plan.limits.tags, 1) != 0)
        return -1;
    for (int side = 0; side < OVL_SIDES; side++)
        if (open_pools(w, side, &next) != 0)
            return -1;
    w->probe.memory = next;
    return 0;
}

void ovl_frag_close(struct ovl_worker *w)
{
    for (int side = 0; side < OVL_SIDES; side++) {
        for (int class = 0; class < OVL_CLASSES; class ++)
            ovl_pool_close(&w->pools[side].buffers[class]);
        ovl_pool_close(&w->pools[side].frags);
        free(w->pools[side].frag);
    }
    ovl_pool_close(&w->tags);
    if (w->memory && w->plan.path->free_local)
        w->plan.path->free_local(w->memory);
    else
        free(w->memory);
}
