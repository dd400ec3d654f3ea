/* All-to-all, and a pair of messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_builder.h"

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
    l.send_bytes = s->in_place ? l.recv_bytes : (size_t)s->send_counts[peer] * s->element;
    l.send_offset = s->in_place ? l.recv_offset : (size_t)s->send_displs[peer] * s->element;
    return l;
}

typedef struct layout (*layout_of)(const struct ovl_coll_shape *s, int peer);

/* The k-th peer: the ranks at distance 1 on both sides, then those at distance 2, and so on, so that two ranks exchange
   their messages in the same round and no rank is everybody's first. */
static int peer_at(const struct ovl_coll_shape *s, int k)
{
    int distance = k / 2 + 1;
    return (s->rank + (k % 2 ? s->ranks - distance : distance)) % s->ranks;
}

/* In place: what goes to the peers of a round is first put aside. The next round finds the memory free again. */
static void copy_aside(struct ovl_builder *b, layout_of layout, int from, int to, struct ovl_bufref *aside)
{
    size_t at = 0;
    for (int k = from; k < to; k++) {
        struct layout l = layout(b->shape, peer_at(b->shape, k));
        size_t room = at + l.send_bytes;
        if (b->schedule->temporary < room)
            ovl_build_temporary(b, room - b->schedule->temporary);
        aside[k - from] = (struct ovl_bufref){OVL_TEMPORARY, at};
        ovl_build_copy(b, (struct ovl_bufref){OVL_RECV_BUFFER, l.send_offset}, aside[k - from], l.send_bytes);
        at = (room + 63) / 64 * 64;
    }
    b->round++;
}

/* A window of peers in each round. Messages of the next window may come while this one's still go. */
static void pairwise(struct ovl_builder *b, layout_of layout)
{
    const struct ovl_coll_shape *s = b->shape;
    enum { MOST = 256 };
    struct ovl_bufref send = ovl_build_input(b), recv = {OVL_RECV_BUFFER, 0}, aside[MOST];
    int window = s->tuning->window < MOST ? s->tuning->window & ~1 : MOST;
    struct layout own = layout(s, s->rank);
    ovl_build_copy(b, ovl_bufref_at(send, own.send_offset), ovl_bufref_at(recv, own.recv_offset), own.send_bytes);
    for (int from = 0; from < s->ranks - 1; from += window, b->round++) {
        int to = from + window < s->ranks - 1 ? from + window : s->ranks - 1;
        if (s->in_place)
            copy_aside(b, layout, from, to, aside);
        int first_round = s->in_place || b->round == 0 ? b->round : b->round - 1;
        for (int k = from; k < to; k++) {
            int peer = peer_at(s, k);
            struct layout l = layout(s, peer);
            ovl_build_send(b, peer, 0, s->in_place ? aside[k - from] : ovl_bufref_at(send, l.send_offset),
                           l.send_bytes);
            ovl_build_recv(b, first_round, peer, 0, ovl_bufref_at(recv, l.recv_offset), l.recv_bytes);
        }
    }
}

void ovl_build_alltoall_pairwise(struct ovl_builder *b)
{
    pairwise(b, even);
}

void ovl_build_alltoallv_pairwise(struct ovl_builder *b)
{
    pairwise(b, by_counts);
}

/* In place all is put aside before anything is overwritten. */
void ovl_build_alltoall_one_by_one(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    int n = s->ranks;
    struct ovl_bufref send = ovl_build_input(b), recv = {OVL_RECV_BUFFER, 0};
    size_t own = (size_t)s->rank * s->bytes;
    if (s->in_place) {
        send = ovl_build_temporary(b, (size_t)n * s->bytes);
        ovl_build_copy(b, recv, send, (size_t)n * s->bytes);
        b->round++;
    } else
        ovl_build_copy(b, ovl_bufref_at(send, own), ovl_bufref_at(recv, own), s->bytes);
    for (int k = 1; k < n; k++, b->round++) {
        int to = (s->rank + k) % n, from = (s->rank - k + n) % n;
        ovl_build_send(b, to, 0, ovl_bufref_at(send, (size_t)to * s->bytes), s->bytes);
        ovl_build_recv(b, b->round, from, 0, ovl_bufref_at(recv, (size_t)from * s->bytes), s->bytes);
    }
}

/* Two copies that turn n blocks round, so that block `first` comes to stand first. */
static void rotate(struct ovl_builder *b, struct ovl_bufref from, struct ovl_bufref to, int first)
{
    size_t bytes = b->shape->bytes, before = (size_t)first * bytes, behind = (size_t)(b->shape->ranks - first) * bytes;
    ovl_build_copy(b, ovl_bufref_at(from, before), to, behind);
    ovl_build_copy(b, from, ovl_bufref_at(to, behind), before);
}

/* The blocks whose number has a bit set, between their places and one behind the other. They come in runs as long as
   the bit, of which the last may be cut off; returns their bytes. */
static size_t pack(struct ovl_builder *b, int bit, size_t blocks, size_t packed, bool unpack)
{
    int n = b->shape->ranks, whole = n / (2 * bit), rest = n % (2 * bit) - bit;
    size_t bytes = b->shape->bytes, run = (size_t)bit * bytes, at = (size_t)whole * run;
    struct ovl_bufref last = {OVL_TEMPORARY, blocks + 2 * at + run}, there = {OVL_TEMPORARY, packed + at};
    size_t last_bytes = rest > 0 ? (size_t)rest * bytes : 0;
    if (unpack) {
        ovl_build_strided(b, packed, 1, blocks + run, 2, run, whole);
        ovl_build_copy(b, there, last, last_bytes);
    } else {
        ovl_build_strided(b, blocks + run, 2, packed, 1, run, whole);
        ovl_build_copy(b, last, there, last_bytes);
    }
    return at + last_bytes;
}

/* Block j is what goes to the rank j ahead; in round k those with bit k travel 2^k ranks. Then block j is what came
   from the rank j behind. */
void ovl_build_alltoall_bruck(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    int n = s->ranks;
    size_t all = (size_t)n * s->bytes, half = (size_t)(n / 2 + 1) * s->bytes;
    struct ovl_bufref blocks = ovl_build_temporary(b, all), out = ovl_build_temporary(b, half),
                      in = ovl_build_temporary(b, half), turned = ovl_build_temporary(b, all);
    rotate(b, ovl_build_input(b), blocks, s->rank);
    b->round++;
    uint32_t tag = 0;
    for (int bit = 1; bit < n; bit *= 2, tag++) {
        size_t bytes = pack(b, bit, blocks.offset, out.offset, false);
        b->round++;
        ovl_build_send(b, (s->rank + bit) % n, tag, out, bytes);
        ovl_build_recv(b, b->round - 1, (s->rank - bit + n) % n, tag, in, bytes);
        b->round++;
        pack(b, bit, blocks.offset, in.offset, true);
        b->round++;
    }
    /* Source r - j stands at j: turned round, source n - 1 - i + r + 1 stands at i. */
    ovl_build_strided(b, blocks.offset + all - s->bytes, -1, turned.offset, 1, s->bytes, n);
    b->round++;
    rotate(b, turned, (struct ovl_bufref){OVL_RECV_BUFFER, 0}, n - 1 - s->rank);
}

void ovl_build_pair(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_bufref send = ovl_build_input(b), recv = {OVL_RECV_BUFFER, 0};
    if (s->in_place && s->to >= 0 && s->to != s->rank) {
        struct ovl_bufref aside = ovl_build_temporary(b, s->bytes);
        ovl_build_copy(b, send, aside, s->bytes);
        send = aside;
        b->round++;
    }
    if (s->to == s->rank)
        ovl_build_copy(b, send, recv, s->bytes);
    else if (s->to >= 0)
        ovl_build_send(b, s->to, 0, send, s->bytes);
    if (s->from >= 0 && s->from != s->rank)
        ovl_build_recv(b, b->round, s->from, 0, recv, s->recv_bytes);
}
