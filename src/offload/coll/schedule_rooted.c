/* Gather and scatter: by binomial trees, or straight with a window at the root. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_group.h"

static const struct ovl_bufref send_buffer = {OVL_SEND_BUFFER, 0}, recv_buffer = {OVL_RECV_BUFFER, 0};

/* Does this rank leave its own block where it is? */
static bool keeps_own(const struct ovl_coll_shape *s)
{
    return s->in_place && s->rank == s->root;
}

/* A member of the tree, by number from the root: the members from it on to `end` are below it. */
struct place {
    struct ovl_schedule_group group;
    int position, bit, end; /* bit: its distance from the member above it; at the root the first power above all */
};

static struct place place_of(const struct ovl_coll_shape *s)
{
    struct place t = {.group = ovl_group_all(s, s->root), .bit = 1};
    t.position = t.group.position;
    while (t.bit < s->ranks && !(t.position & t.bit))
        t.bit *= 2;
    t.end = t.position + t.bit < s->ranks ? t.position + t.bit : s->ranks;
    return t;
}

/* Blocks of members `first` to `end` - 1, between the root's buffer and another rank's memory, where they stand one
   behind the other. At the root they may go round the end of the buffer, and are then two messages. */
static void root_blocks(struct ovl_builder *b, int peer, int first, int end, struct ovl_bufref memory, bool sends)
{
    const struct ovl_coll_shape *s = b->shape;
    int turn = s->ranks - s->root; /* the member that is rank 0 */
    int cut[3] = {first, turn > first && turn < end ? turn : end, end};
    for (uint32_t tag = 0; tag < 2; tag++) {
        int from = cut[tag], to = cut[tag + 1];
        size_t bytes = (size_t)(to - from) * s->bytes;
        struct ovl_bufref at = s->rank == s->root
                                   ? ovl_bufref_at(memory, (size_t)((from + s->root) % s->ranks) * s->bytes)
                                   : ovl_bufref_at(memory, (size_t)(from - first) * s->bytes);
        if (sends)
            ovl_build_send(b, peer, tag, at, bytes);
        else
            ovl_build_recv(b, b->round, peer, tag, at, bytes);
    }
}

void ovl_build_gather_binomial(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct place t = place_of(s);
    bool root = t.position == 0;
    struct ovl_bufref memory = root ? recv_buffer
                               : t.end == t.position + 1
                                   ? send_buffer
                                   : ovl_build_temporary(b, (size_t)(t.end - t.position) * s->bytes);
    if (root && !keeps_own(s))
        ovl_build_copy(b, send_buffer, ovl_bufref_at(recv_buffer, (size_t)s->rank * s->bytes), s->bytes);
    else if (!root)
        ovl_build_copy(b, send_buffer, memory, s->bytes);
    for (int bit = 1; bit < t.bit && t.position + bit < s->ranks; bit *= 2) {
        int child = t.position + bit, end = child + bit < s->ranks ? child + bit : s->ranks;
        int peer = ovl_group_rank(&t.group, child);
        if (root)
            root_blocks(b, peer, child, end, memory, false);
        else
            ovl_build_recv(b, b->round, peer, 0, ovl_bufref_at(memory, (size_t)bit * s->bytes),
                           (size_t)(end - child) * s->bytes);
    }
    b->round++;
    int above = t.position - t.bit;
    if (above == 0 && !root)
        root_blocks(b, s->root, t.position, t.end, memory, true);
    else if (!root)
        ovl_build_send(b, ovl_group_rank(&t.group, above), 0, memory, (size_t)(t.end - t.position) * s->bytes);
}

void ovl_build_scatter_binomial(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct place t = place_of(s);
    bool root = t.position == 0;
    int above = t.position - t.bit, blocks = t.end - t.position;
    struct ovl_bufref memory = root          ? send_buffer
                               : blocks == 1 ? recv_buffer
                                             : ovl_build_temporary(b, (size_t)blocks * s->bytes);
    if (above == 0 && !root)
        root_blocks(b, s->root, t.position, t.end, memory, false);
    else if (!root)
        ovl_build_recv(b, 0, ovl_group_rank(&t.group, above), 0, memory, (size_t)blocks * s->bytes);
    b->round++;
    for (int bit = t.bit / 2; bit > 0; bit /= 2) {
        int child = t.position + bit, end = child + bit < s->ranks ? child + bit : s->ranks;
        if (child >= s->ranks)
            continue;
        int peer = ovl_group_rank(&t.group, child);
        if (root)
            root_blocks(b, peer, child, end, memory, true);
        else
            ovl_build_send(b, peer, 0, ovl_bufref_at(memory, (size_t)bit * s->bytes), (size_t)(end - child) * s->bytes);
    }
    if (root && !keeps_own(s))
        ovl_build_copy(b, ovl_bufref_at(send_buffer, (size_t)s->rank * s->bytes), recv_buffer, s->bytes);
    else if (!root)
        ovl_build_copy(b, memory, recv_buffer, s->bytes);
}

/* A rank's block in the root's buffer. */
static struct ovl_part root_part(const struct ovl_coll_shape *s, const int *counts, const int *displs, int rank)
{
    if (!counts)
        return (struct ovl_part){(size_t)rank * s->bytes, s->bytes};
    return (struct ovl_part){(size_t)displs[rank] * s->element, (size_t)counts[rank] * s->element};
}

void ovl_build_gather_linear(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    if (s->rank != s->root) {
        ovl_build_send(b, s->root, 0, send_buffer, s->bytes);
        return;
    }
    for (int i = 0; i < s->ranks; i++) {
        int r = (s->root + i) % s->ranks;
        struct ovl_part part = root_part(s, s->recv_counts, s->recv_displs, r);
        if (i > 0)
            ovl_build_recv(b, b->round, r, 0, ovl_bufref_at(recv_buffer, part.offset), part.bytes);
        else if (!s->in_place)
            ovl_build_copy(b, send_buffer, ovl_bufref_at(recv_buffer, part.offset), part.bytes);
        b->round += (i + 1) % s->tuning->window == 0;
    }
}

void ovl_build_scatter_linear(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    if (s->rank != s->root) {
        ovl_build_recv(b, 0, s->root, 0, recv_buffer, s->bytes);
        return;
    }
    for (int i = 0; i < s->ranks; i++) {
        int r = (s->root + i) % s->ranks;
        struct ovl_part part = root_part(s, s->send_counts, s->send_displs, r);
        if (i > 0)
            ovl_build_send(b, r, 0, ovl_bufref_at(send_buffer, part.offset), part.bytes);
        else if (!s->in_place)
            ovl_build_copy(b, ovl_bufref_at(send_buffer, part.offset), recv_buffer, part.bytes);
        b->round += (i + 1) % s->tuning->window == 0;
    }
}
