/* Broadcast: between nodes by a tree, along pipelined chains, or scattered and gathered; in a node by copies from its
 * leader. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/route.h"
#include "offload/coll/schedule_group.h"

#include <stdlib.h>

static const struct ovl_bufref buffer = {OVL_RECV_BUFFER, 0};

enum { BETWEEN, IN_NODE, GATHER };

void ovl_build_bcast_binomial(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group node = ovl_group_node(s, s->root), leaders = ovl_group_leaders(s, s->root);
    if (leaders.position < 0) {
        ovl_build_recv(b, 0, ovl_group_rank(&node, 0), ovl_tag(IN_NODE), buffer, s->bytes);
        return;
    }
    ovl_build_tree_bcast(b, &leaders, buffer, s->bytes, ovl_tag(BETWEEN));
    ovl_build_fan_out(b, &node, buffer, s->bytes, ovl_tag(IN_NODE));
}

/* Pieces of tuning->piece, longer where there would be too many. */
static size_t piece_bytes(const struct ovl_coll_shape *s)
{
    size_t pieces = (size_t)s->tuning->pieces, least = (s->bytes + pieces - 1) / pieces;
    least = (least + 63) / 64 * 64;
    return s->tuning->piece > least ? s->tuning->piece : least;
}

/* Along a route of the leaders: in each round a piece arrives while the one before goes on. The root sends all to the
   first of its next ones, then all to the second. */
static void along_route(struct ovl_builder *b, int rings, bool modified)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group node = ovl_group_node(s, s->root), g = ovl_group_leaders(s, s->root);
    size_t piece = piece_bytes(s);
    bool leads = g.position >= 0, roots = g.position == 0;
    struct ovl_route route = {0, {-1, -1, -1}};
    if (leads)
        route = ovl_route_rings(g.position, g.members, rings, modified);
    int from = roots ? -1 : ovl_group_rank(leads ? &g : &node, route.from), turns = roots ? OVL_ROUTE_NEXT : 1;
    for (int turn = 0; turn < turns; turn++) {
        int begin = turn, end = roots ? turn + 1 : OVL_ROUTE_NEXT;
        if (turn > 0 && route.to[turn] < 0)
            continue;
        uint32_t between = ovl_tag(BETWEEN), in_node = ovl_tag(IN_NODE);
        for (size_t at = 0; at < s->bytes; at += piece, between++, in_node++) {
            size_t bytes = s->bytes - at < piece ? s->bytes - at : piece;
            struct ovl_bufref here = ovl_bufref_at(buffer, at);
            int early = b->round > s->tuning->window ? b->round - s->tuning->window : 0;
            if (!roots) {
                ovl_build_recv(b, early, from, leads ? between : in_node, here, bytes);
                b->round++;
            }
            for (int i = begin; i < end; i++)
                if (route.to[i] >= 0)
                    ovl_build_send(b, ovl_group_rank(&g, route.to[i]), between, here, bytes);
            if (leads && turn == 0)
                ovl_build_fan_out(b, &node, here, bytes, in_node);
            b->round += roots;
        }
    }
}

void ovl_build_bcast_chain(struct ovl_builder *b)
{
    along_route(b, 1, false);
}

void ovl_build_bcast_chain_modified(struct ovl_builder *b)
{
    along_route(b, 1, true);
}

void ovl_build_bcast_two_chains(struct ovl_builder *b)
{
    along_route(b, 2, false);
}

void ovl_build_bcast_two_chains_modified(struct ovl_builder *b)
{
    along_route(b, 2, true);
}

/* A binomial tree brings each leader a part, and more of them to those that pass some on. */
static void scatter(struct ovl_builder *b, const struct ovl_schedule_group *g, const size_t *offset)
{
    int p = g->position, n = g->members, bit = 1;
    while (bit < n && !(p & bit))
        bit *= 2;
    int end = p + bit < n ? p + bit : n;
    if (p > 0) {
        ovl_build_recv(b, 0, ovl_group_rank(g, p - bit), ovl_tag(BETWEEN), ovl_bufref_at(buffer, offset[p]),
                       offset[end] - offset[p]);
        b->round++;
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (p + bit < n) {
            end = p + 2 * bit < n ? p + 2 * bit : n;
            ovl_build_send(b, ovl_group_rank(g, p + bit), ovl_tag(BETWEEN), ovl_bufref_at(buffer, offset[p + bit]),
                           offset[end] - offset[p + bit]);
        }
    b->round++;
}

/* The parts of the leaders are scattered, then brought to all by `gather`, and each leader gives them to its node. */
static void scattered(struct ovl_builder *b,
                      void (*gather)(struct ovl_builder *b, const struct ovl_schedule_group *g, const size_t *offset))
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group node = ovl_group_node(s, s->root), g = ovl_group_leaders(s, s->root);
    if (g.position < 0) {
        ovl_build_recv(b, 0, ovl_group_rank(&node, 0), ovl_tag(IN_NODE), buffer, s->bytes);
        return;
    }
    size_t *offset = ovl_build_list(b, g.members + 1), part = (s->bytes / (size_t)g.members + 63) / 64 * 64;
    if (!offset)
        return;
    for (int i = 1; i <= g.members; i++)
        offset[i] = s->bytes - offset[i - 1] < part || i == g.members ? s->bytes : offset[i - 1] + part;
    scatter(b, &g, offset);
    gather(b, &g, offset);
    ovl_build_fan_out(b, &node, buffer, s->bytes, ovl_tag(IN_NODE));
}

static void by_dissemination(struct ovl_builder *b, const struct ovl_schedule_group *g, const size_t *offset)
{
    ovl_build_dissemination(b, g, offset, buffer, b->round, ovl_tag(GATHER));
}

static void by_ring(struct ovl_builder *b, const struct ovl_schedule_group *g, const size_t *offset)
{
    struct ovl_part *parts = malloc((size_t)g->members * sizeof *parts);
    for (int i = 0; i < g->members && parts; i++)
        parts[i] = (struct ovl_part){offset[i], offset[i + 1] - offset[i]};
    if (parts)
        ovl_build_ring_gather(b, g, parts, ovl_bufref_at(buffer, offset[g->position]), buffer, b->round,
                              ovl_tag(GATHER));
    else
        b->failed = true;
    free(parts);
}

void ovl_build_bcast_scatter_allgather(struct ovl_builder *b)
{
    scattered(b, by_dissemination);
}

void ovl_build_bcast_scatter_ring(struct ovl_builder *b)
{
    scattered(b, by_ring);
}
