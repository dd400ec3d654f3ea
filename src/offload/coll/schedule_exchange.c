/* Schedules that move every rank's data to every rank: all-to-all, allgather, barrier. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_builder.h"

#include <stdlib.h>

/* Where in the buffers each peer's message stands. */
struct layout {
    size_t send_bytes, send_offset, recv_bytes, recv_offset;
};

static struct layout even(const struct ovl_coll_shape *s, int peer)
{
    size_t offset = (size_t)peer * s->bytes;
    return (struct layout){s->bytes, offset, s->bytes, offset};
}

static struct layout by_counts(const struct ovl_coll_shape *s, int peer)
{
    struct layout l = {0, 0, (size_t)s->recv_counts[peer] * s->element, (size_t)s->recv_displs[peer] * s->element};
    if (!s->in_place) {
        l.send_bytes = (size_t)s->send_counts[peer] * s->element;
        l.send_offset = (size_t)s->send_displs[peer] * s->element;
    } else {
        l.send_bytes = l.recv_bytes;
        l.send_offset = l.recv_offset;
    }
    return l;
}

/* One round of all messages, peers in order (rank + i) mod P so that no rank is everybody's first. In place, what is to
   be sent is first copied away. */
static void all_to_all(struct ovl_builder *b, struct layout (*layout)(const struct ovl_coll_shape *s, int peer))
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_bufref send = ovl_build_input(b), recv = {OVL_RECV_BUFFER, 0};
    struct ovl_bufref *aside = NULL;
    if (s->in_place) {
        aside = malloc((size_t)s->ranks * sizeof *aside);
        if (!aside) {
            b->failed = true;
            return;
        }
        for (int p = 0; p < s->ranks; p++) {
            struct layout l = layout(s, p);
            aside[p] = ovl_build_temporary(b, p == s->rank ? 0 : l.send_bytes);
            if (p != s->rank)
                ovl_build_copy(b, ovl_bufref_at(send, l.send_offset), aside[p], l.send_bytes);
        }
        b->round++;
    }
    struct layout own = layout(s, s->rank);
    for (int i = 1; i < s->ranks; i++) {
        int to = (s->rank + i) % s->ranks, from = (s->rank - i + s->ranks) % s->ranks;
        struct layout l = layout(s, to);
        ovl_build_send(b, to, 0, aside ? aside[to] : ovl_bufref_at(send, l.send_offset), l.send_bytes);
        l = layout(s, from);
        ovl_build_recv(b, b->round, from, 0, ovl_bufref_at(recv, l.recv_offset), l.recv_bytes);
    }
    ovl_build_copy(b, ovl_bufref_at(send, own.send_offset), ovl_bufref_at(recv, own.recv_offset), own.send_bytes);
    free(aside);
}

void ovl_build_alltoall(struct ovl_builder *b)
{
    all_to_all(b, even);
}

void ovl_build_alltoallv(struct ovl_builder *b)
{
    all_to_all(b, by_counts);
}

/* Dissemination (D. Hensgen, R. Finkel, U. Manber, International Journal of Parallel Programming 17, 1988). */
void ovl_build_barrier(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    uint32_t tag = 0;
    for (long long distance = 1; distance < s->ranks; distance *= 2, tag++, b->round++) {
        int step = (int)distance;
        ovl_build_signal(b, (s->rank + step) % s->ranks, (s->rank - step + s->ranks) % s->ranks, tag);
    }
}

static struct ovl_part *parts_of_ranks(const struct ovl_coll_shape *s, const struct ovl_ring *c)
{
    struct ovl_part *parts = malloc((size_t)c->members * sizeof *parts);
    for (int i = 0; i < c->members && parts; i++)
        parts[i] = (struct ovl_part){(size_t)c->member[i] * s->bytes, s->bytes};
    return parts;
}

void ovl_build_allgather(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_bufref recv = {OVL_RECV_BUFFER, 0}, mine = ovl_bufref_at(recv, (size_t)s->rank * s->bytes);
    struct ovl_bufref own = s->in_place ? mine : (struct ovl_bufref){OVL_SEND_BUFFER, 0};
    ovl_build_copy(b, own, mine, s->bytes);
    if (s->bytes <= s->tuning->direct) {
        for (int i = 1; i < s->ranks; i++) {
            int to = (s->rank + i) % s->ranks, from = (s->rank - i + s->ranks) % s->ranks;
            ovl_build_send(b, to, 0, own, s->bytes);
            ovl_build_recv(b, 0, from, 0, ovl_bufref_at(recv, (size_t)from * s->bytes), s->bytes);
        }
        return;
    }
    struct ovl_ring c = ovl_ring_of_ranks(s);
    struct ovl_part *parts = c.member ? parts_of_ranks(s, &c) : NULL;
    if (parts)
        ovl_build_ring_gather(b, &c, parts, own, 0, 0);
    else
        b->failed = true;
    free(parts);
    free(c.member);
}
