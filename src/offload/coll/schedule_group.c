/* Ranks in an order, and what runs on them: trees, rings, halving and doubling. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_group.h"

struct ovl_schedule_group ovl_group_all(const struct ovl_coll_shape *s, int root)
{
    return (struct ovl_schedule_group){
        .members = s->ranks, .position = (s->rank - root + s->ranks) % s->ranks, .first = root, .root = -1};
}

struct ovl_schedule_group ovl_group_ring(const struct ovl_coll_shape *s)
{
    const struct ovl_placement *p = s->placement;
    return (struct ovl_schedule_group){
        .members = s->ranks, .position = p->place[s->rank], .order = p->by_node, .root = -1};
}

struct ovl_schedule_group ovl_group_node(const struct ovl_coll_shape *s, int root)
{
    const struct ovl_placement *p = s->placement;
    int node = p->node[s->rank], begin = p->begin[node], members = p->begin[node + 1] - begin;
    int first = root >= 0 && p->node[root] == node ? p->place[root] - begin : 0;
    return (struct ovl_schedule_group){.members = members,
                                       .position = (p->place[s->rank] - begin - first + members) % members,
                                       .first = first,
                                       .order = p->by_node + begin,
                                       .root = -1};
}

struct ovl_schedule_group ovl_group_leaders(const struct ovl_coll_shape *s, int root)
{
    const struct ovl_placement *p = s->placement;
    int node = p->node[s->rank], first = root >= 0 ? p->node[root] : 0;
    bool leads = root >= 0 && p->node[root] == node ? s->rank == root : p->place[s->rank] == p->begin[node];
    return (struct ovl_schedule_group){.members = p->nodes,
                                       .position = leads ? (node - first + p->nodes) % p->nodes : -1,
                                       .first = first,
                                       .order = p->by_node,
                                       .begin = p->begin,
                                       .root = root};
}

int ovl_group_rank(const struct ovl_schedule_group *g, int i)
{
    int member = (i % g->members + g->members) % g->members, at = (member + g->first) % g->members;
    if (member == 0 && g->root >= 0)
        return g->root;
    int place = g->begin ? g->begin[at] : at;
    return g->order ? g->order[place] : place;
}

struct ovl_bufref ovl_build_tree_reduce(struct ovl_builder *b, const struct ovl_schedule_group *g,
                                        struct ovl_bufref now, struct ovl_bufref sum, size_t bytes, uint32_t tag)
{
    for (int bit = 1; bit < g->members; bit *= 2, b->round++) {
        if (g->position & bit) {
            ovl_build_send(b, ovl_group_rank(g, g->position - bit), tag, now, bytes);
            b->round++;
            return now;
        }
        if (g->position + bit >= g->members)
            continue;
        ovl_build_reduce(b, b->round, ovl_group_rank(g, g->position + bit), tag, now, sum, bytes);
        now = sum;
    }
    return now;
}

/* Receive from the member whose position lacks my lowest bit; then send to those that add a lower one. */
void ovl_build_tree_bcast(struct ovl_builder *b, const struct ovl_schedule_group *g, struct ovl_bufref buffer,
                          size_t bytes, uint32_t tag)
{
    int p = g->position, bit = 1;
    while (bit < g->members && !(p & bit))
        bit *= 2;
    if (p > 0) {
        ovl_build_recv(b, b->round, ovl_group_rank(g, p - bit), tag, buffer, bytes);
        b->round++;
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (p + bit < g->members)
            ovl_build_send(b, ovl_group_rank(g, p + bit), tag, buffer, bytes);
}

void ovl_build_fan_out(struct ovl_builder *b, const struct ovl_schedule_group *g, struct ovl_bufref from, size_t bytes,
                       uint32_t tag)
{
    for (int i = 1; i < g->members; i++)
        ovl_build_send(b, ovl_group_rank(g, i), tag, from, bytes);
}

static int around(const struct ovl_schedule_group *g, int steps)
{
    return ((g->position + steps) % g->members + g->members) % g->members;
}

/* Rounds of a ring that are one in this schedule: 1 but where tuning->ring_rounds says otherwise. */
static int rounds_at_once(const struct ovl_builder *b, const struct ovl_schedule_group *g)
{
    int most = b->shape->tuning->ring_rounds;
    return most > 0 && g->members > most ? (g->members - 2) / most + 1 : 1;
}

/* What goes in so many rounds from round k on, in which a part is that of the member so far `away`, and then of those
   before it. */
struct run {
    size_t offset, bytes;
    uint32_t messages; /* of a byte or more */
};

static struct run run_of(const struct ovl_schedule_group *g, const struct ovl_part *parts, int k, int away, int rounds)
{
    struct run r = {.offset = parts[around(g, away - k)].offset};
    for (int i = k; i < k + rounds && i + 1 < g->members; i++) {
        size_t bytes = parts[around(g, away - i)].bytes;
        r.bytes += bytes;
        r.messages += bytes > 0;
    }
    return r;
}

static void stand_for(struct ovl_builder *b, const struct run *r)
{
    if (r->messages > 1 && !b->failed)
        b->schedule->step[b->schedule->steps - 1].blocks = r->messages;
}

/* The sums on their way round stand in as few places as a window has; one is written again when what stood in it has
   been sent on. */
void ovl_build_ring_reduce(struct ovl_builder *b, const struct ovl_schedule_group *g, const struct ovl_part *parts,
                           struct ovl_bufref input, struct ovl_bufref to, uint32_t tag)
{
    int next = ovl_group_rank(g, g->position + 1), before = ovl_group_rank(g, g->position - 1), begin = b->round;
    int window = b->shape->tuning->window < g->members ? b->shape->tuning->window : g->members;
    struct ovl_bufref partial = ovl_bufref_at(input, parts[around(g, -1)].offset), place = {OVL_TEMPORARY, 0};
    size_t most = 0;
    for (int i = 0; i < g->members; i++)
        most = parts[i].bytes > most ? parts[i].bytes : most;
    most = (most + 63) / 64 * 64;
    if (g->members > 2)
        place = ovl_build_temporary(b, most * (size_t)window);
    int stride = rounds_at_once(b, g);
    for (int k = 0; k + 1 < g->members; k += stride, b->round++) {
        struct run out = run_of(g, parts, k, -1, stride), in = run_of(g, parts, k, -2, stride);
        bool last = k + stride + 1 >= g->members;
        struct ovl_bufref sum = last ? to : ovl_bufref_at(place, most * (size_t)(k % window));
        int first_round = last || b->round - begin < window ? begin : b->round - window + 2;
        ovl_build_send(b, next, tag + (uint32_t)k, partial, out.bytes);
        stand_for(b, &out);
        ovl_build_reduce(b, first_round, before, tag + (uint32_t)k, ovl_bufref_at(input, in.offset), sum, in.bytes);
        stand_for(b, &in);
        partial = sum;
    }
}

static int ahead(const struct ovl_builder *b, int first_round)
{
    int round = b->round - b->shape->tuning->window;
    return round > first_round ? round : first_round;
}

void ovl_build_ring_gather(struct ovl_builder *b, const struct ovl_schedule_group *g, const struct ovl_part *parts,
                           struct ovl_bufref own, struct ovl_bufref base, int first_round, uint32_t tag)
{
    int next = ovl_group_rank(g, g->position + 1), before = ovl_group_rank(g, g->position - 1);
    int stride = rounds_at_once(b, g);
    for (int k = 0; k + 1 < g->members; k += stride, b->round++) {
        struct run out = run_of(g, parts, k, 0, stride), in = run_of(g, parts, k, -1, stride);
        struct ovl_bufref from = k == 0 ? own : ovl_bufref_at(base, out.offset);
        ovl_build_send(b, next, tag + (uint32_t)k, from, out.bytes);
        stand_for(b, &out);
        ovl_build_recv(b, ahead(b, first_round), before, tag + (uint32_t)k, ovl_bufref_at(base, in.offset), in.bytes);
        stand_for(b, &in);
    }
}

struct span {
    size_t from[2], bytes[2];
};

/* So many parts from number `i` on, which may go round the end. */
static struct span span_of(const struct ovl_schedule_group *g, const size_t *offset, int i, int parts)
{
    int n = g->members, first = i % n, end = first + parts;
    if (end <= n)
        return (struct span){{offset[first], 0}, {offset[end] - offset[first], 0}};
    return (struct span){{offset[first], offset[0]}, {offset[n] - offset[first], offset[end - n] - offset[0]}};
}

void ovl_build_dissemination(struct ovl_builder *b, const struct ovl_schedule_group *g, const size_t *offset,
                             struct ovl_bufref base, int first_round, uint32_t tag)
{
    int n = g->members, p = g->position;
    for (int distance = 1; distance < n; distance *= 2, b->round++, tag += 2) {
        int parts = distance < n - distance ? distance : n - distance;
        struct span out = span_of(g, offset, p, parts), in = span_of(g, offset, p + distance, parts);
        for (uint32_t i = 0; i < 2; i++) {
            ovl_build_send(b, ovl_group_rank(g, p - distance), tag + i, ovl_bufref_at(base, out.from[i]), out.bytes[i]);
            ovl_build_recv(b, first_round, ovl_group_rank(g, p + distance), tag + i, ovl_bufref_at(base, in.from[i]),
                           in.bytes[i]);
        }
    }
}

struct ovl_core ovl_core_of(const struct ovl_schedule_group *g)
{
    struct ovl_core c = {.group = g, .power = 1};
    while (2 * c.power <= g->members)
        c.power *= 2;
    c.surplus = g->members - c.power;
    c.position = g->position >= 2 * c.surplus ? g->position - c.surplus : g->position % 2 ? -1 : g->position / 2;
    return c;
}

int ovl_core_first(const struct ovl_core *c, int i)
{
    return i < c->surplus ? 2 * i : i + c->surplus;
}

int ovl_core_rank(const struct ovl_core *c, int i)
{
    return ovl_group_rank(c->group, ovl_core_first(c, i));
}

struct ovl_bufref ovl_build_fold(struct ovl_builder *b, const struct ovl_core *c, struct ovl_bufref now,
                                 struct ovl_bufref sum, size_t bytes, uint32_t tag)
{
    int p = c->group->position;
    if (p >= 2 * c->surplus)
        return now;
    if (c->position < 0)
        ovl_build_send(b, ovl_group_rank(c->group, p - 1), tag, now, bytes);
    else
        ovl_build_reduce(b, b->round, ovl_group_rank(c->group, p + 1), tag, now, sum, bytes);
    b->round++;
    return c->position < 0 ? now : sum;
}

void ovl_build_halving(struct ovl_builder *b, const struct ovl_core *c, const size_t *offset, struct ovl_bufref now,
                       struct ovl_bufref sum, uint32_t tag)
{
    int low = 0; /* of the parts that are still added up here, as many as the next partner is away, twice */
    for (int half = c->power / 2; half > 0; half /= 2, tag++, b->round++) {
        bool upper = c->position & half;
        int keep = upper ? low + half : low, give = upper ? low : low + half;
        int peer = ovl_core_rank(c, c->position ^ half);
        ovl_build_send(b, peer, tag, ovl_bufref_at(now, offset[give]), offset[give + half] - offset[give]);
        ovl_build_reduce(b, b->round, peer, tag, ovl_bufref_at(now, offset[keep]), ovl_bufref_at(sum, offset[keep]),
                         offset[keep + half] - offset[keep]);
        now = sum;
        low = keep;
    }
}

void ovl_build_doubling(struct ovl_builder *b, const struct ovl_core *c, const size_t *offset, struct ovl_bufref base,
                        int first_round, uint32_t tag)
{
    for (int have = 1; have < c->power; have *= 2, tag++, b->round++) {
        int mine = c->position & ~(have - 1), theirs = mine ^ have, peer = ovl_core_rank(c, c->position ^ have);
        ovl_build_send(b, peer, tag, ovl_bufref_at(base, offset[mine]), offset[mine + have] - offset[mine]);
        ovl_build_recv(b, first_round, peer, tag, ovl_bufref_at(base, offset[theirs]),
                       offset[theirs + have] - offset[theirs]);
    }
}
