/* Schedules that combine numbers: allreduce and reduce-scatter. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_builder.h"

#include <stdlib.h>

static const struct ovl_bufref result = {OVL_RECV_BUFFER, 0};

/* Tags: one space per phase, so that messages of two phases between the same ranks are told apart. */
enum { TO_LEADER = 0, FROM_LEADER = 1, FOLD = 2, UNFOLD = 3, DOUBLING = 16, RING = 64 };

/* Recursive doubling over the leaders (R. Thakur, R. Rabenseifner, W. Gropp, International Journal of High Performance
   Computing Applications 19, 2005): the first 2 x surplus members fold in pairs, so that a power of two remains. What
   is sent in a round is never written in it. All members get the same result to the last bit, since each sum has the
   same two terms on both sides. */
static void doubling(struct ovl_builder *b, const struct ovl_ring *c, struct ovl_bufref now)
{
    size_t bytes = b->shape->bytes;
    int power = 1, p = c->position, position;
    while (2 * power <= c->members)
        power *= 2;
    int surplus = c->members - power;
    struct ovl_bufref other = ovl_build_temporary(b, bytes);

    if (p < 2 * surplus && p % 2 == 0) { /* folds, and waits for the result */
        ovl_build_send(b, c->member[p + 1], FOLD, now, bytes);
        b->round++;
        ovl_build_recv(b, b->round, c->member[p + 1], UNFOLD, result, bytes);
        b->round++;
        return;
    }
    if (p < 2 * surplus) {
        ovl_build_reduce(b, b->round, c->member[p - 1], FOLD, now, result, bytes);
        now = result;
        b->round++;
    }
    position = p < 2 * surplus ? p / 2 : p - surplus;
    uint32_t tag = DOUBLING;
    for (int bit = 1; bit < power; bit *= 2, tag++, b->round++) {
        int partner = position ^ bit;
        int peer = c->member[partner < surplus ? 2 * partner + 1 : partner + surplus];
        struct ovl_bufref next = now.buffer == OVL_RECV_BUFFER ? other : result;
        ovl_build_send(b, peer, tag, now, bytes);
        ovl_build_reduce(b, b->round, peer, tag, now, next, bytes);
        now = next;
    }
    ovl_build_copy(b, now, result, bytes);
    if (p < 2 * surplus)
        ovl_build_send(b, c->member[p - 1], UNFOLD, now, bytes);
    b->round++;
}

/* Even parts of whole numbers; the first ones may be longer by one. */
static struct ovl_part *even_parts(const struct ovl_coll_shape *s, int members)
{
    size_t count = s->bytes / s->element, n = (size_t)members, offset = 0;
    struct ovl_part *parts = calloc(n, sizeof *parts);
    for (size_t i = 0; i < n && parts; i++) {
        size_t bytes = (count / n + (i < count % n)) * s->element;
        parts[i] = (struct ovl_part){offset, bytes};
        offset += bytes;
    }
    return parts;
}

static void rings(struct ovl_builder *b, const struct ovl_ring *c, struct ovl_bufref now)
{
    struct ovl_part *parts = even_parts(b->shape, c->members);
    if (!parts) {
        b->failed = true;
        return;
    }
    struct ovl_bufref own = ovl_bufref_at(result, parts[c->position].offset);
    ovl_build_ring_reduce(b, c, parts, now, own, RING);
    int first_round = now.buffer == OVL_RECV_BUFFER ? b->round : 0;
    ovl_build_ring_gather(b, c, parts, own, first_round, RING + (uint32_t)c->members);
    free(parts);
}

/* The leader combines its node's vectors in a fixed order, the leaders combine theirs, and the result goes back. */
static void lead(struct ovl_builder *b, const struct ovl_ring *c)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_bufref now = ovl_build_input(b);
    for (int r = s->rank + 1; r < s->ranks; r++)
        if (s->node[r] == s->node[s->rank]) {
            ovl_build_reduce(b, b->round, r, TO_LEADER, now, result, s->bytes);
            now = result;
            b->round++;
        }
    if (c->members == 1)
        ovl_build_copy(b, now, result, s->bytes);
    else if (s->bytes <= s->tuning->direct)
        doubling(b, c, now);
    else
        rings(b, c, now);
    b->round++;
    for (int r = s->rank + 1; r < s->ranks; r++)
        if (s->node[r] == s->node[s->rank])
            ovl_build_send(b, r, FROM_LEADER, result, s->bytes);
}

void ovl_build_allreduce(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    int leader;
    struct ovl_ring c = ovl_ring_of_leaders(s, -1, &leader);
    if (!c.member)
        b->failed = true;
    else if (c.position >= 0)
        lead(b, &c);
    else {
        ovl_build_send(b, leader, TO_LEADER, ovl_build_input(b), s->bytes);
        b->round++;
        ovl_build_recv(b, s->in_place ? b->round : 0, leader, FROM_LEADER, result, s->bytes);
    }
    free(c.member);
}

/* Every rank sends each other one its part, in rounds, so that parts are combined in one order. */
static void direct_reduce(struct ovl_builder *b, const struct ovl_part *parts, struct ovl_bufref sum)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_bufref input = ovl_build_input(b), now = ovl_bufref_at(input, parts[s->rank].offset);
    for (int i = 1; i < s->ranks; i++, b->round++) {
        int to = (s->rank + i) % s->ranks, from = (s->rank - i + s->ranks) % s->ranks;
        ovl_build_send(b, to, 0, ovl_bufref_at(input, parts[to].offset), parts[to].bytes);
        ovl_build_reduce(b, b->round, from, 0, now, sum, parts[s->rank].bytes);
        now = sum;
    }
}

void ovl_build_reduce_scatter(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_ring c = ovl_ring_of_ranks(s);
    struct ovl_part *parts = calloc((size_t)s->ranks, sizeof *parts),
                    *ordered = calloc((size_t)s->ranks, sizeof *parts);
    if (c.member && parts && ordered) {
        size_t offset = 0;
        for (int r = 0; r < s->ranks; r++) {
            parts[r] = (struct ovl_part){offset, (size_t)s->recv_counts[r] * s->element};
            offset += parts[r].bytes;
        }
        for (int i = 0; i < c.members; i++)
            ordered[i] = parts[c.member[i]];
        /* In place the result is put down last, since it may lie on what is still to be sent. */
        struct ovl_bufref sum = s->in_place ? ovl_build_temporary(b, parts[s->rank].bytes) : result;
        if (s->ranks == 1)
            ovl_build_copy(b, ovl_build_input(b), sum, parts[0].bytes);
        else if (offset <= s->tuning->direct)
            direct_reduce(b, parts, sum);
        else
            ovl_build_ring_reduce(b, &c, ordered, ovl_build_input(b), sum, 0);
        b->round++;
        ovl_build_copy(b, sum, result, parts[s->rank].bytes);
    } else
        b->failed = true;
    free(ordered);
    free(parts);
    free(c.member);
}
