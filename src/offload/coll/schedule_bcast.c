/* Broadcast: between nodes a binomial tree or a pipelined chain, from there to the node's ranks by copies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_builder.h"

#include <stdlib.h>

static const struct ovl_bufref buffer = {OVL_RECV_BUFFER, 0};

static void send_to_node(struct ovl_builder *b, uint32_t tag, size_t offset, size_t bytes)
{
    const struct ovl_coll_shape *s = b->shape;
    for (int i = 1; i < s->ranks; i++) {
        int r = (s->rank + i) % s->ranks;
        if (s->node[r] == s->node[s->rank])
            ovl_build_send(b, r, tag, ovl_bufref_at(buffer, offset), bytes);
    }
}

/* Receive from the member whose position lacks my lowest bit; then send to those that add a lower one. */
static void tree(struct ovl_builder *b, const struct ovl_ring *c)
{
    size_t bytes = b->shape->bytes;
    int p = c->position, bit = 1;
    while (bit < c->members && !(p & bit))
        bit *= 2;
    if (p > 0) {
        ovl_build_recv(b, 0, c->member[p - bit], 0, buffer, bytes);
        b->round++;
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (p + bit < c->members)
            ovl_build_send(b, c->member[p + bit], 0, buffer, bytes);
    send_to_node(b, 0, 0, bytes);
}

/* In each round a piece arrives while the one before goes on. */
static void chain(struct ovl_builder *b, const struct ovl_ring *c)
{
    const struct ovl_coll_shape *s = b->shape;
    int p = c->position;
    uint32_t tag = 0;
    for (size_t at = 0; at < s->bytes; at += s->tuning->piece, tag++) {
        size_t bytes = s->bytes - at < s->tuning->piece ? s->bytes - at : s->tuning->piece;
        if (p > 0) {
            ovl_build_recv(b, 0, c->member[p - 1], tag, ovl_bufref_at(buffer, at), bytes);
            b->round++;
        }
        if (p + 1 < c->members)
            ovl_build_send(b, c->member[p + 1], tag, ovl_bufref_at(buffer, at), bytes);
        send_to_node(b, tag, at, bytes);
        b->round += p == 0;
    }
}

/* At a rank that leads no node. */
static void from_leader(struct ovl_builder *b, int leader, size_t piece)
{
    const struct ovl_coll_shape *s = b->shape;
    uint32_t tag = 0;
    for (size_t at = 0; at < s->bytes; at += piece, tag++, b->round++)
        ovl_build_recv(b, 0, leader, tag, ovl_bufref_at(buffer, at), s->bytes - at < piece ? s->bytes - at : piece);
}

void ovl_build_bcast(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    int leader;
    struct ovl_ring c = ovl_ring_of_leaders(s, s->root, &leader);
    bool pieces = c.members > 1 && s->bytes > s->tuning->tree;
    if (!c.member)
        b->failed = true;
    else if (c.position < 0)
        from_leader(b, leader, pieces ? s->tuning->piece : s->bytes);
    else if (pieces)
        chain(b, &c);
    else
        tree(b, &c);
    free(c.member);
}
