/* An allreduce whose numbers travel compressed, error bounded. Each rank has a part of the sum: it gets what all others
   have of it, packed, adds that up in the order of the ranks, packs the sum once, and sends it to all. A length goes
   ahead of each packed part. Parts are packed, added and expanded in pieces, one a round; while one is computed the
   next is fetched from the rank's memory, or the one before is brought there, and while its own part is packed those of
   the others travel. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/packed.h"
#include "offload/coll/schedule_builder.h"

enum { NUMBER = sizeof(float) };

/* Phases: lengths of parts and the parts, lengths of sums and the sums. */
enum { LENGTH, PART, SUM_LENGTH, SUM };

struct szx {
    struct ovl_builder *b;
    size_t piece;                   /* numbers that are computed on in a round */
    size_t *out, *in;               /* of each rank: where the data of its stream begin */
    struct ovl_bufref sum, doubles; /* this rank's stream of sums; sums of a piece */
    struct ovl_bufref numbers[2];   /* of a piece: of the present one and of its neighbour */
    int turn;
};

struct part {
    size_t first, count;
};

static struct part part_of(const struct szx *z, int rank)
{
    const struct ovl_coll_shape *s = z->b->shape;
    size_t n = s->bytes / NUMBER, ranks = (size_t)s->ranks, r = (size_t)rank;
    return (struct part){n / ranks * r + (r < n % ranks ? r : n % ranks), n / ranks + (r < n % ranks)};
}

/* The rank to which this one is the k-th that sends, so that nobody is everybody's first; and the k-th that sends to
   this one. */
static int after(const struct szx *z, int k)
{
    return (z->b->shape->rank + k) % z->b->shape->ranks;
}

static int before(const struct szx *z, int k)
{
    return (z->b->shape->rank - k + z->b->shape->ranks) % z->b->shape->ranks;
}

static size_t piece_at(const struct szx *z, struct part part, size_t at)
{
    return part.count - at < z->piece ? part.count - at : z->piece;
}

static struct ovl_bufref data_at(size_t offset)
{
    return (struct ovl_bufref){OVL_TEMPORARY, offset};
}

static struct ovl_bufref head_of(struct ovl_bufref data)
{
    return data_at(data.offset - OVL_STREAM_HEAD);
}

static struct ovl_bufref stream(struct szx *z, size_t numbers)
{
    return ovl_bufref_at(ovl_build_temporary(z->b, OVL_STREAM_HEAD + ovl_packed_most(numbers)), OVL_STREAM_HEAD);
}

static void compute(struct szx *z, enum ovl_step_kind kind, struct ovl_bufref from, struct ovl_bufref to, size_t n,
                    bool rewinds, bool clears)
{
    ovl_build_step(z->b, (struct ovl_step){.kind = kind,
                                           .first_round = z->b->round,
                                           .peer = -1,
                                           .bytes = n * NUMBER,
                                           .from = from,
                                           .to = to,
                                           .rewinds = rewinds,
                                           .clears = clears});
}

static void last_is_sized(struct szx *z)
{
    if (!z->b->failed)
        z->b->schedule->step[z->b->schedule->steps - 1].sized = true;
}

/* A stream of so many numbers, if there are any, and ahead of it its length. */
static void send(struct szx *z, int peer, unsigned phase, struct ovl_bufref data, size_t numbers)
{
    if (numbers == 0)
        return;
    ovl_build_send(z->b, peer, ovl_tag(phase), head_of(data), OVL_STREAM_LENGTH);
    ovl_build_send(z->b, peer, ovl_tag(phase + 1), data, ovl_packed_most(numbers));
    last_is_sized(z);
}

/* The length. */
static void hear(struct szx *z, int first_round, int peer, unsigned phase, size_t data, size_t numbers)
{
    if (numbers > 0)
        ovl_build_recv(z->b, first_round, peer, ovl_tag(phase), head_of(data_at(data)), OVL_STREAM_LENGTH);
}

/* The stream. */
static void receive(struct szx *z, int first_round, int peer, unsigned phase, size_t data, size_t numbers)
{
    if (numbers == 0)
        return;
    ovl_build_recv(z->b, first_round, peer, ovl_tag(phase), data_at(data), ovl_packed_most(numbers));
    last_is_sized(z);
}

/* What has been sent since step `from` may take until the present round. */
static void let_send_until_now(struct szx *z, size_t from)
{
    struct ovl_schedule *s = z->b->schedule;
    for (size_t i = from; i < s->steps; i++)
        if (s->step[i].kind == OVL_STEP_SEND)
            s->step[i].round = z->b->round;
}

/* This rank's numbers of a part become a stream. */
static void pack(struct szx *z, int rank)
{
    struct part part = part_of(z, rank);
    struct ovl_bufref input = ovl_build_input(z->b);
    for (size_t at = 0; at < part.count; at += z->piece) {
        size_t n = piece_at(z, part, at);
        struct ovl_bufref numbers = z->numbers[z->turn ^= 1];
        ovl_build_copy(z->b, ovl_bufref_at(input, (part.first + at) * NUMBER), numbers, n * NUMBER);
        z->b->round++;
        compute(z, OVL_STEP_PACK, numbers, data_at(z->out[rank]), n, at == 0, false);
    }
    z->b->round++;
}

/* Parts for some others are packed, one after the other, and go to them; those that send to this rank meanwhile are the
   ones before it. While the last of those come the own part is packed. */
static void exchange(struct szx *z, int from, int to)
{
    struct ovl_builder *b = z->b;
    const struct ovl_coll_shape *s = b->shape;
    size_t first = b->schedule->steps, own = part_of(z, s->rank).count;
    int begin = b->round;
    for (int k = from; k < to; k++) {
        pack(z, after(z, k));
        send(z, after(z, k), LENGTH, data_at(z->out[after(z, k)]), part_of(z, after(z, k)).count);
    }
    for (int k = from; k < to; k++)
        hear(z, begin, before(z, k), LENGTH, z->in[before(z, k)], own);
    int come = ++b->round;
    if (to == s->ranks)
        pack(z, s->rank);
    for (int k = from; k < to; k++)
        receive(z, come, before(z, k), PART, z->in[before(z, k)], own);
    let_send_until_now(z, first);
    b->round++;
}

/* This rank's part of the sum, packed. */
static void add_up(struct szx *z)
{
    const struct ovl_coll_shape *s = z->b->shape;
    struct part own = part_of(z, s->rank);
    for (size_t at = 0; at < own.count; at += z->piece, z->b->round++) {
        size_t n = piece_at(z, own, at);
        for (int r = 0; r < s->ranks; r++, z->b->round++)
            compute(z, OVL_STEP_ADD, data_at(z->in[r]), z->doubles, n, at == 0, r == 0);
        compute(z, OVL_STEP_PACK_SUMS, z->doubles, z->sum, n, at == 0, false);
    }
}

/* A part of the sum comes to the rank's memory. */
static void expand(struct szx *z, struct ovl_bufref data, int rank)
{
    struct part part = part_of(z, rank);
    for (size_t at = 0; at < part.count; at += z->piece) {
        size_t n = piece_at(z, part, at);
        struct ovl_bufref numbers = z->numbers[z->turn ^= 1];
        compute(z, OVL_STEP_EXPAND, data, numbers, n, at == 0, false);
        z->b->round++;
        ovl_build_copy(z->b, numbers, (struct ovl_bufref){OVL_RECV_BUFFER, (part.first + at) * NUMBER}, n * NUMBER);
    }
}

/* Sums come where the parts that went out have been; they are expanded as they come, this rank's before all. */
static void gather(struct szx *z, int from, int to)
{
    struct ovl_builder *b = z->b;
    const struct ovl_coll_shape *s = b->shape;
    size_t first = b->schedule->steps;
    for (int k = from; k < to; k++) {
        send(z, after(z, k), SUM_LENGTH, z->sum, part_of(z, s->rank).count);
        hear(z, b->round, before(z, k), SUM_LENGTH, z->out[before(z, k)], part_of(z, before(z, k)).count);
    }
    int come = ++b->round;
    if (from == 1)
        expand(z, z->sum, s->rank);
    for (int k = from; k < to; k++, b->round++) {
        receive(z, come, before(z, k), SUM, z->out[before(z, k)], part_of(z, before(z, k)).count);
        b->round++;
        expand(z, data_at(z->out[before(z, k)]), before(z, k));
    }
    let_send_until_now(z, first);
    b->round++;
}

/* A window of others at a time. */
static void with_all(struct szx *z, void (*do_with)(struct szx *z, int from, int to))
{
    const struct ovl_coll_shape *s = z->b->shape;
    int from = 1, to;
    do {
        to = s->ranks - from < s->tuning->window ? s->ranks : from + s->tuning->window;
        do_with(z, from, to);
    } while ((from = to) < s->ranks);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void ovl_build_allreduce_szx(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct szx z = {.b = b, .out = ovl_build_list(b, s->ranks), .in = ovl_build_list(b, s->ranks)};
    if (b->failed || s->bytes == 0)
        return;
    b->schedule->bound = s->bound;
    size_t largest = part_of(&z, 0).count, own = part_of(&z, s->rank).count, pieces = (size_t)s->tuning->pieces;
    z.piece = larger(1, larger(s->tuning->piece / NUMBER, largest / pieces));
    z.piece = (z.piece + ovl_packed_part() - 1) / ovl_packed_part() * ovl_packed_part();
    size_t most = largest < z.piece ? largest : z.piece;
    for (int r = 0; r < s->ranks; r++)
        z.out[r] = stream(&z, part_of(&z, r).count).offset;
    for (int r = 0; r < s->ranks; r++)
        z.in[r] = r == s->rank ? z.out[r] : stream(&z, own).offset;
    z.sum = stream(&z, own);
    z.doubles = ovl_build_temporary(b, most * sizeof(double));
    z.numbers[0] = ovl_build_temporary(b, most * NUMBER);
    z.numbers[1] = ovl_build_temporary(b, most * NUMBER);
    with_all(&z, exchange);
    add_up(&z);
    with_all(&z, gather);
}
