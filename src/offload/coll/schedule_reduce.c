/* Allreduce and reduce: in a node by a binomial tree to its leader, between the leaders by one of several algorithms.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_group.h"

#include <stdlib.h>

static const struct ovl_bufref result = {OVL_RECV_BUFFER, 0};

/* Phases, so that messages of two of them between the same ranks are told apart. */
enum { TO_LEADER, FROM_LEADER, FOLD, UNFOLD, HALVING, DOUBLING, RING, GATHER };

/* Even parts of whole numbers; the first ones may be longer by one. NULL when there is no memory. */
static size_t *even_parts(struct ovl_builder *b, int parts)
{
    const struct ovl_coll_shape *s = b->shape;
    size_t count = s->bytes / s->element, n = (size_t)parts, *offset = ovl_build_list(b, parts + 1);
    for (size_t i = 0; i < n && offset; i++)
        offset[i + 1] = offset[i] + (count / n + (i < count % n)) * s->element;
    return offset;
}

/* Those that folded away get the result. */
static void unfold(struct ovl_builder *b, const struct ovl_core *c)
{
    const struct ovl_schedule_group *g = c->group;
    if (c->position < 0)
        ovl_build_recv(b, b->round, ovl_group_rank(g, g->position - 1), ovl_tag(UNFOLD), result, b->shape->bytes);
    else if (g->position < 2 * c->surplus)
        ovl_build_send(b, ovl_group_rank(g, g->position + 1), ovl_tag(UNFOLD), result, b->shape->bytes);
}

/* What is sent in a round is never written in it. All members get the same result to the last bit, since each sum has
   the same two terms on both sides, but for the sign of a least or largest zero (reduce_local.c). */
static void by_doubling(struct ovl_builder *b, const struct ovl_schedule_group *g, struct ovl_bufref now)
{
    size_t bytes = b->shape->bytes;
    struct ovl_core c = ovl_core_of(g);
    now = ovl_build_fold(b, &c, now, result, bytes, ovl_tag(FOLD));
    if (c.position >= 0) {
        struct ovl_bufref other = ovl_build_temporary(b, bytes);
        uint32_t tag = ovl_tag(DOUBLING);
        for (int bit = 1; bit < c.power; bit *= 2, tag++, b->round++) {
            int peer = ovl_core_rank(&c, c.position ^ bit);
            struct ovl_bufref next = now.buffer == OVL_RECV_BUFFER ? other : result;
            ovl_build_send(b, peer, tag, now, bytes);
            ovl_build_reduce(b, b->round, peer, tag, now, next, bytes);
            now = next;
        }
        ovl_build_copy(b, now, result, bytes);
        b->round++;
    }
    unfold(b, &c);
}

/* Halving leaves a part of the sum at each, doubling brings all parts to all. */
static void by_rabenseifner(struct ovl_builder *b, const struct ovl_schedule_group *g, struct ovl_bufref now)
{
    struct ovl_core c = ovl_core_of(g);
    size_t *offset = even_parts(b, c.power);
    if (!offset)
        return;
    now = ovl_build_fold(b, &c, now, result, b->shape->bytes, ovl_tag(FOLD));
    if (c.position >= 0) {
        ovl_build_halving(b, &c, offset, now, result, ovl_tag(HALVING));
        ovl_build_doubling(b, &c, offset, result, b->round, ovl_tag(DOUBLING));
    }
    unfold(b, &c);
}

static void by_ring(struct ovl_builder *b, const struct ovl_schedule_group *g, struct ovl_bufref now)
{
    size_t *offset = even_parts(b, g->members);
    struct ovl_part *parts = malloc((size_t)g->members * sizeof *parts);
    if (offset && parts) {
        for (int i = 0; i < g->members; i++)
            parts[i] = (struct ovl_part){offset[i], offset[i + 1] - offset[i]};
        struct ovl_bufref own = ovl_bufref_at(result, offset[g->position]);
        ovl_build_ring_reduce(b, g, parts, now, own, ovl_tag(RING));
        int first_round = now.buffer == OVL_RECV_BUFFER ? b->round : 0;
        ovl_build_ring_gather(b, g, parts, own, result, first_round, ovl_tag(GATHER));
    } else
        b->failed = true;
    free(parts);
}

static void allreduce(struct ovl_builder *b,
                      void (*between)(struct ovl_builder *b, const struct ovl_schedule_group *g, struct ovl_bufref now))
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group node = ovl_group_node(s, -1), leaders = ovl_group_leaders(s, -1);
    struct ovl_bufref now = ovl_build_tree_reduce(b, &node, ovl_build_input(b), result, s->bytes, ovl_tag(TO_LEADER));
    if (leaders.position < 0) {
        ovl_build_recv(b, b->round, ovl_group_rank(&node, 0), ovl_tag(FROM_LEADER), result, s->bytes);
        return;
    }
    if (leaders.members == 1)
        ovl_build_copy(b, now, result, s->bytes);
    else
        between(b, &leaders, now);
    b->round++;
    ovl_build_fan_out(b, &node, result, s->bytes, ovl_tag(FROM_LEADER));
}

void ovl_build_allreduce_doubling(struct ovl_builder *b)
{
    allreduce(b, by_doubling);
}

void ovl_build_allreduce_rabenseifner(struct ovl_builder *b)
{
    allreduce(b, by_rabenseifner);
}

void ovl_build_allreduce_ring(struct ovl_builder *b)
{
    allreduce(b, by_ring);
}

/* The root's sums stand in its receive buffer, those of others on the way in temporary memory. */
static struct ovl_bufref sum_of(struct ovl_builder *b)
{
    return b->shape->rank == b->shape->root ? result : ovl_build_temporary(b, b->shape->bytes);
}

void ovl_build_reduce_binomial(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group node = ovl_group_node(s, s->root), leaders = ovl_group_leaders(s, s->root);
    struct ovl_bufref sum = sum_of(b), now = ovl_build_input(b);
    now = ovl_build_tree_reduce(b, &node, now, sum, s->bytes, ovl_tag(TO_LEADER));
    if (leaders.position >= 0)
        now = ovl_build_tree_reduce(b, &leaders, now, sum, s->bytes, ovl_tag(GATHER));
    if (s->rank == s->root)
        ovl_build_copy(b, now, result, s->bytes);
}

/* Each half of the parts goes to the half of the core that has the root, member 0. */
static void gather(struct ovl_builder *b, const struct ovl_core *c, const size_t *offset, struct ovl_bufref sum)
{
    uint32_t tag = ovl_tag(GATHER);
    for (int have = 1; have < c->power; have *= 2, tag++, b->round++) {
        int p = c->position;
        if (p & have) {
            ovl_build_send(b, ovl_core_rank(c, p - have), tag, ovl_bufref_at(sum, offset[p]),
                           offset[p + have] - offset[p]);
            return;
        }
        ovl_build_recv(b, b->round, ovl_core_rank(c, p + have), tag, ovl_bufref_at(sum, offset[p + have]),
                       offset[p + 2 * have] - offset[p + have]);
    }
}

void ovl_build_reduce_rabenseifner(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group node = ovl_group_node(s, s->root), leaders = ovl_group_leaders(s, s->root);
    struct ovl_core c = ovl_core_of(&leaders);
    struct ovl_bufref sum = sum_of(b), now = ovl_build_input(b);
    size_t *offset = even_parts(b, c.power);
    if (!offset)
        return;
    now = ovl_build_tree_reduce(b, &node, now, sum, s->bytes, ovl_tag(TO_LEADER));
    if (leaders.position < 0)
        return;
    now = ovl_build_fold(b, &c, now, sum, s->bytes, ovl_tag(FOLD));
    if (c.position < 0)
        return;
    ovl_build_halving(b, &c, offset, now, sum, ovl_tag(HALVING));
    if (c.power == 1)
        ovl_build_copy(b, now, sum, s->bytes);
    gather(b, &c, offset, sum);
}
