/* Allgather, with even blocks or with counts, and barrier. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_group.h"

#include <stdlib.h>

/* The blocks of all ranks, one behind the other: in the receive buffer, or where that has gaps in temporary memory.
   What others do does not follow from this rank's displacements. */
struct view {
    struct ovl_bufref base;
    size_t *offset; /* of each rank's block; [ranks] is the end; NULL when there is no memory */
};

static size_t block_bytes(const struct ovl_coll_shape *s, int rank)
{
    return s->recv_counts ? (size_t)s->recv_counts[rank] * s->element : s->bytes;
}

static struct ovl_bufref place(const struct ovl_coll_shape *s, int rank)
{
    size_t offset = s->recv_displs ? (size_t)s->recv_displs[rank] * s->element : (size_t)rank * s->bytes;
    return (struct ovl_bufref){OVL_RECV_BUFFER, offset};
}

static bool has_gaps(const struct ovl_coll_shape *s)
{
    for (int r = 1; r < s->ranks && s->recv_displs; r++)
        if (s->recv_displs[r] != (int64_t)s->recv_displs[r - 1] + s->recv_counts[r - 1])
            return true;
    return false;
}

/* The blocks' places, and this rank's own block in its. */
static struct view open_view(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct view v = {.offset = ovl_build_list(b, s->ranks + 1)};
    if (!v.offset)
        return v;
    for (int r = 0; r < s->ranks; r++)
        v.offset[r + 1] = v.offset[r] + block_bytes(s, r);
    v.base = has_gaps(s) ? ovl_build_temporary(b, v.offset[s->ranks]) : place(s, 0);
    struct ovl_bufref own = s->in_place ? place(s, s->rank) : (struct ovl_bufref){OVL_SEND_BUFFER, 0};
    ovl_build_copy(b, own, ovl_bufref_at(v.base, v.offset[s->rank]), block_bytes(s, s->rank));
    b->round++;
    return v;
}

static void close_view(struct ovl_builder *b, const struct view *v)
{
    const struct ovl_coll_shape *s = b->shape;
    for (int r = 0; r < s->ranks && v->base.buffer == OVL_TEMPORARY; r++)
        ovl_build_copy(b, ovl_bufref_at(v->base, v->offset[r]), place(s, r), block_bytes(s, r));
}

void ovl_build_allgather_doubling(struct ovl_builder *b)
{
    struct ovl_schedule_group g = ovl_group_all(b->shape, 0);
    struct ovl_core c = ovl_core_of(&g);
    struct view v = open_view(b);
    if (!v.offset)
        return;
    ovl_build_doubling(b, &c, v.offset, v.base, 0, 0);
    close_view(b, &v);
}

void ovl_build_allgather_bruck(struct ovl_builder *b)
{
    struct ovl_schedule_group g = ovl_group_all(b->shape, 0);
    struct view v = open_view(b);
    if (!v.offset)
        return;
    ovl_build_dissemination(b, &g, v.offset, v.base, 0, 0);
    close_view(b, &v);
}

void ovl_build_allgather_ring(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group g = ovl_group_ring(s);
    struct ovl_part *parts = malloc((size_t)s->ranks * sizeof *parts);
    if (!parts) {
        b->failed = true;
        return;
    }
    for (int i = 0; i < s->ranks; i++) {
        int r = ovl_group_rank(&g, i);
        parts[i] = (struct ovl_part){place(s, r).offset, block_bytes(s, r)};
    }
    struct ovl_bufref own = s->in_place ? place(s, s->rank) : (struct ovl_bufref){OVL_SEND_BUFFER, 0};
    ovl_build_copy(b, own, place(s, s->rank), block_bytes(s, s->rank));
    ovl_build_ring_gather(b, &g, parts, own, (struct ovl_bufref){OVL_RECV_BUFFER, 0}, 0, 0);
    free(parts);
}

enum { TO_LEADER, RING, FROM_LEADER };

/* Blocks of one node, those of neighbouring ranks as one message; tagged by the first of them. */
static void node_blocks(struct ovl_builder *b, const struct view *v, int node, int peer, bool sends)
{
    const struct ovl_placement *p = b->shape->placement;
    for (int i = p->begin[node]; i < p->begin[node + 1];) {
        int first = p->by_node[i], end = first;
        while (i < p->begin[node + 1] && p->by_node[i] == end) {
            end++;
            i++;
        }
        struct ovl_bufref at = ovl_bufref_at(v->base, v->offset[first]);
        uint32_t tag = ovl_tag(RING) + (uint32_t)first;
        if (sends)
            ovl_build_send(b, peer, tag, at, v->offset[end] - v->offset[first]);
        else
            ovl_build_recv(b, 0, peer, tag, at, v->offset[end] - v->offset[first]);
    }
}

/* The leader has the blocks of its node, the leaders send them round, and each gives all of them to its node. */
static void lead(struct ovl_builder *b, const struct view *v, const struct ovl_schedule_group *node)
{
    const struct ovl_coll_shape *s = b->shape;
    const struct ovl_placement *p = s->placement;
    for (int i = 1; i < node->members; i++) {
        int r = ovl_group_rank(node, i);
        ovl_build_recv(b, 0, r, ovl_tag(TO_LEADER), ovl_bufref_at(v->base, v->offset[r]), block_bytes(s, r));
    }
    b->round++;
    struct ovl_schedule_group g = ovl_group_leaders(s, -1);
    int next = ovl_group_rank(&g, g.position + 1), before = ovl_group_rank(&g, g.position - 1);
    for (int k = 0; k + 1 < g.members; k++, b->round++) {
        node_blocks(b, v, (g.position - k + p->nodes) % p->nodes, next, true);
        node_blocks(b, v, (g.position - k - 1 + p->nodes) % p->nodes, before, false);
    }
    ovl_build_fan_out(b, node, v->base, v->offset[s->ranks], ovl_tag(FROM_LEADER));
}

void ovl_build_allgather_hierarchical(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group node = ovl_group_node(s, -1);
    struct view v = open_view(b);
    if (!v.offset)
        return;
    if (node.position == 0)
        lead(b, &v, &node);
    else {
        int leader = ovl_group_rank(&node, 0);
        ovl_build_send(b, leader, ovl_tag(TO_LEADER), ovl_bufref_at(v.base, v.offset[s->rank]),
                       block_bytes(s, s->rank));
        b->round++;
        ovl_build_recv(b, b->round, leader, ovl_tag(FROM_LEADER), v.base, v.offset[s->ranks]);
    }
    b->round++;
    close_view(b, &v);
}

void ovl_build_barrier(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    uint32_t tag = 0;
    for (long long distance = 1; distance < s->ranks; distance *= 2, tag++, b->round++) {
        int step = (int)distance;
        ovl_build_signal(b, (s->rank + step) % s->ranks, (s->rank - step + s->ranks) % s->ranks, tag);
    }
}
