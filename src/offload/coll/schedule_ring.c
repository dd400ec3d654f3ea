/* Circles of ranks, and the two rings that run on them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_builder.h"

#include <stdlib.h>

static bool first_of_node(const struct ovl_coll_shape *s, int rank)
{
    for (int r = 0; r < rank; r++)
        if (s->node[r] == s->node[rank])
            return false;
    return true;
}

struct ovl_ring ovl_ring_of_ranks(const struct ovl_coll_shape *s)
{
    struct ovl_ring c = {.position = -1, .member = malloc((size_t)s->ranks * sizeof *c.member)};
    for (int lead = 0; lead < s->ranks && c.member; lead++) {
        if (!first_of_node(s, lead))
            continue;
        for (int r = lead; r < s->ranks; r++)
            if (s->node[r] == s->node[lead]) {
                if (r == s->rank)
                    c.position = c.members;
                c.member[c.members++] = r;
            }
    }
    return c;
}

struct ovl_ring ovl_ring_of_leaders(const struct ovl_coll_shape *s, int root, int *leader)
{
    struct ovl_ring c = {.position = -1, .member = malloc((size_t)s->ranks * sizeof *c.member)};
    if (!c.member)
        return c;
    *leader = root >= 0 && s->node[root] == s->node[s->rank] ? root : -1;
    if (root >= 0)
        c.member[c.members++] = root;
    for (int r = 0; r < s->ranks; r++)
        if (first_of_node(s, r)) {
            if (s->node[r] == s->node[s->rank] && *leader < 0)
                *leader = r;
            if (root < 0 || s->node[r] != s->node[root])
                c.member[c.members++] = r;
        }
    for (int i = 0; i < c.members; i++)
        if (c.member[i] == s->rank)
            c.position = i;
    return c;
}

static int around(const struct ovl_ring *c, int steps)
{
    return ((c->position + steps) % c->members + c->members) % c->members;
}

void ovl_build_ring_reduce(struct ovl_builder *b, const struct ovl_ring *c, const struct ovl_part *parts,
                           struct ovl_bufref input, struct ovl_bufref to, uint32_t tag)
{
    int next = c->member[around(c, 1)], before = c->member[around(c, -1)];
    struct ovl_bufref partial = ovl_bufref_at(input, parts[around(c, -1)].offset);
    int begin = b->round;
    for (int k = 0; k + 1 < c->members; k++, b->round++) {
        const struct ovl_part *out = &parts[around(c, -k - 1)], *in = &parts[around(c, -k - 2)];
        bool last = k + 2 == c->members;
        struct ovl_bufref sum = last ? to : ovl_build_temporary(b, in->bytes);
        ovl_build_send(b, next, tag + (uint32_t)k, partial, out->bytes);
        ovl_build_reduce(b, begin, before, tag + (uint32_t)k, ovl_bufref_at(input, in->offset), sum, in->bytes);
        partial = sum;
    }
}

void ovl_build_ring_gather(struct ovl_builder *b, const struct ovl_ring *c, const struct ovl_part *parts,
                           struct ovl_bufref own, int first_round, uint32_t tag)
{
    int next = c->member[around(c, 1)], before = c->member[around(c, -1)];
    for (int k = 0; k + 1 < c->members; k++, b->round++) {
        const struct ovl_part *out = &parts[around(c, -k)], *in = &parts[around(c, -k - 1)];
        struct ovl_bufref from = k == 0 ? own : (struct ovl_bufref){OVL_RECV_BUFFER, out->offset};
        ovl_build_send(b, next, tag + (uint32_t)k, from, out->bytes);
        ovl_build_recv(b, first_round, before, tag + (uint32_t)k, (struct ovl_bufref){OVL_RECV_BUFFER, in->offset},
                       in->bytes);
    }
}
