/* What a worker has for transfers: its pools, the memory of their staging buffers, and what a fragment takes of both.
 */
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
            bytes += (size_t)buffers_of(&w->config.limits, side, class) * bytes_of(&w->config.limits, class);
    bytes = (bytes + 4095) / 4096 * 4096;
    return w->config.path->alloc_local ? w->config.path->alloc_local(bytes, err) : aligned_alloc(4096, bytes);
}

static int open_pools(struct ovl_worker *w, int side, char **next)
{
    const struct ovl_worker_limits *l = &w->config.limits;
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
    int tags = w->config.transport->tags;
    char *next = w->memory = make_buffers(w, err);
    if (!next || ovl_pool_open(&w->tags, tags < w->config.limits.tags ? tags : w->config.limits.tags, 1) != 0)
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
    if (w->memory && w->config.path->free_local)
        w->config.path->free_local(w->memory);
    else
        free(w->memory);
}

static bool is_remote(const struct ovl_location *s)
{
    return !s->addr && s->client && s->client->ep;
}

int ovl_frag_buffers(const struct ovl_p2p_req *t)
{
    bool from = t->from.addr, to = t->to.addr;
    if (t->route == OVL_ROUTE_SEND || t->route == OVL_ROUTE_EAGER)
        return !from;
    if (t->step->kind == OVL_STEP_REDUCE)
        return (t->route == OVL_ROUTE_RECEIVE || !from || !to) + !t->operand.addr;
    if (t->route == OVL_ROUTE_RECEIVE)
        return !to;
    /* Straight from the one to the other where this worker can address one and reach the other at once. */
    return from ? is_remote(&t->to) : to ? is_remote(&t->from) : 1;
}

static int side_of(const struct ovl_p2p_req *t)
{
    return t->route == OVL_ROUTE_SEND || t->route == OVL_ROUTE_EAGER ? OVL_SENDING : OVL_RECEIVING;
}

/* The clients whose endpoints a fragment of this request may wait for. */
static int find_charged(const struct ovl_p2p_req *t, struct ovl_client **charged)
{
    const struct ovl_location *const locations[] = {&t->from, &t->to, &t->operand};
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (is_remote(locations[i]) && (n == 0 || locations[i]->client != charged[0]) && n < 2)
            charged[n++] = locations[i]->client;
    return n;
}

/* R6: a quarter of a pool, but at least what one fragment needs. */
static bool within(const struct ovl_pool *p, int held, int n)
{
    return held + n <= (p->size / 4 > n ? p->size / 4 : n);
}

/* What a fragment holds counts against a client (+1), or no longer (-1). */
static void charge(struct ovl_client *c, const struct ovl_frag *f, int sign)
{
    c->held[f->side][f->claim == OVL_CLAIM_EARLY].frags += sign;
    c->held[f->side][f->claim == OVL_CLAIM_EARLY].buffers[f->class] += sign * f->buffers;
}

char *ovl_frag_buffer(const struct ovl_frag *f, int i)
{
    const struct ovl_worker *w = f->w;
    return w->pools[f->side].memory[f->class] + (size_t)f->buffer[i] * bytes_of(&w->config.limits, f->class);
}

struct ovl_frag *ovl_frag_alloc(struct ovl_worker *w, struct ovl_p2p_req *t, size_t bytes, enum ovl_claim claim,
                                bool *behind)
{
    /* By the message, not by the fragment: where memory is little a fragment is no longer than an eager message. */
    int side = side_of(t), class = t->step->bytes <= w->config.limits.eager ? OVL_SMALL : OVL_LARGE;
    struct ovl_pools *p = &w->pools[side];
    struct ovl_client *charged[2] = {NULL, NULL};
    int n = ovl_frag_buffers(t), clients = find_charged(t, charged);
    if (!ovl_pool_has(&p->frags, claim, 1, *behind) || !ovl_pool_has(&p->buffers[class], claim, n, *behind)) {
        *behind = true;
        return NULL;
    }
    for (int i = 0; i < clients; i++)
        if (!within(&p->frags, charged[i]->held[side][claim == OVL_CLAIM_EARLY].frags, 1) ||
            !within(&p->buffers[class], charged[i]->held[side][claim == OVL_CLAIM_EARLY].buffers[class], n))
            return NULL;
    int number = ovl_pool_alloc(&p->frags, claim);
    struct ovl_frag *f = &p->frag[number];
    *f = (struct ovl_frag){.w = w,
                           .req = t,
                           .offset = t->begun,
                           .bytes = bytes,
                           .side = side,
                           .claim = (int)claim,
                           .number = number,
                           .class = class,
                           .charged = {charged[0], charged[1]}};
    for (int i = 0; i < n; i++)
        f->buffer[f->buffers++] = ovl_pool_alloc(&p->buffers[class], claim);
    for (int i = 0; i < clients; i++)
        charge(charged[i], f, 1);
    return f;
}

void ovl_frag_free(struct ovl_frag *f)
{
    struct ovl_worker *w = f->w;
    struct ovl_pools *p = &w->pools[f->side];
    for (int i = 0; i < f->buffers; i++)
        ovl_pool_free(&p->buffers[f->class], (enum ovl_claim)f->claim, f->buffer[i]);
    for (int i = 0; i < 2 && f->charged[i]; i++)
        charge(f->charged[i], f, -1);
    ovl_pool_free(&p->frags, (enum ovl_claim)f->claim, f->number);
    if (f->side == OVL_SENDING)
        w->retry[OVL_WAIT_SEND] = true;
    else
        w->retry[OVL_WAIT_RECEIVE] = w->retry[OVL_WAIT_COPY] = true;
}
