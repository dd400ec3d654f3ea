/* Schedules, by running those of all ranks against each other: random order, messages as late or as early as they may
   be, and every byte of every result. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/rng.h"
#include "offload/schedule.h"
#include "tests/unit/suites.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One rank: its schedule, its buffers, and how far it is. */
struct player {
    struct ovl_shape shape;
    struct ovl_schedule *schedule;
    char *buffer[3];
    size_t bytes[3];
    int round;
    size_t started;  /* steps that may run */
    char *done;      /* of each step */
    uint32_t *ended; /* steps of each round */
};

static char *at(const struct player *p, struct ovl_spot spot, size_t bytes)
{
    size_t room = spot.buffer == OVL_TEMPORARY ? p->schedule->temporary : p->bytes[spot.buffer];
    ck_assert_msg(spot.offset + bytes <= room, "a step reaches outside its buffer");
    return p->buffer[spot.buffer] + spot.offset;
}

static void advance(struct player *p)
{
    while (p->round < p->schedule->rounds && p->ended[p->round] == p->schedule->in_round[p->round])
        p->round++;
    while (p->started < p->schedule->steps && p->schedule->step[p->started].since <= p->round)
        p->started++;
}

static void end(struct player *p, size_t i)
{
    p->done[i] = 1;
    p->ended[p->schedule->step[i].round]++;
    advance(p);
}

/* The step of `p` that receives what step `i` of `sender` sends, if it may run. */
static long partner(const struct player *p, int sender, const struct ovl_step *sent)
{
    long found = -1;
    for (size_t i = 0; i < p->started; i++) {
        const struct ovl_step *s = &p->schedule->step[i];
        bool receives = s->kind == OVL_STEP_RECV || s->kind == OVL_STEP_REDUCE;
        if (!p->done[i] && receives && s->peer == sender && s->tag == sent->tag) {
            ck_assert_msg(found < 0, "two messages that cannot be told apart");
            ck_assert_uint_eq(s->bytes, sent->bytes);
            found = (long)i;
        }
    }
    return found;
}

/* Tries a step; true when it ended. A message moves as a whole once both sides may run, its bytes taken then: a
   schedule that writes what it is still sending is found out. */
static bool try_step(struct player *all, int rank, size_t i)
{
    struct player *p = &all[rank];
    const struct ovl_step *s = &p->schedule->step[i];
    if (s->kind == OVL_STEP_COPY) {
        memmove(at(p, s->to, s->bytes), at(p, s->from, s->bytes), s->bytes);
        end(p, i);
        return true;
    }
    if (s->kind != OVL_STEP_SEND)
        return false;
    struct player *q = &all[s->peer];
    long j = partner(q, rank, s);
    if (j < 0)
        return false;
    const struct ovl_step *r = &q->schedule->step[j];
    char *from = s->bytes ? at(p, s->from, s->bytes) : NULL;
    if (s->bytes && r->kind == OVL_STEP_RECV)
        memcpy(at(q, r->to, s->bytes), from, s->bytes);
    else if (s->bytes)
        ovl_combine(OVL_SUM, OVL_INT32, at(q, r->to, s->bytes), from, at(q, r->from, s->bytes), s->bytes);
    end(q, (size_t)j);
    end(p, i);
    return true;
}

/* Runs all to their ends, each time a random step of those that can. */
static void play(struct player *all, int ranks, struct ovl_rng *rng)
{
    for (int r = 0; r < ranks; r++)
        advance(&all[r]);
    for (;;) {
        bool moved = false, over = true;
        int first = (int)ovl_rng_below(rng, (uint32_t)ranks);
        for (int k = 0; k < ranks && !moved; k++) {
            int r = (first + k) % ranks;
            struct player *p = &all[r];
            over = over && p->round == p->schedule->rounds;
            size_t turn = p->started ? ovl_rng_below(rng, (uint32_t)p->started) : 0;
            for (size_t i = 0; i < p->started && !moved; i++) {
                size_t step = (turn + i) % p->started;
                moved = !p->done[step] && try_step(all, r, step);
            }
        }
        if (!moved) {
            ck_assert_msg(over, "%s, %d ranks, %zu bytes%s: no step can run, and not all have ended",
                          ovl_operation_name(all->shape.operation), ranks, all->shape.bytes,
                          all->shape.in_place ? ", in place" : "");
            return;
        }
    }
}

/* A number that rank r brings at index i. */
static int32_t number(int rank, size_t i)
{
    return (int32_t)(ovl_rng_mix((uint64_t)rank * 1000003 + i) & 0xffffff);
}

struct game {
    enum ovl_operation operation;
    int ranks, root;
    size_t count; /* numbers, as `bytes` of the shape */
    bool in_place;
    const int *node;
    struct ovl_tuning tuning;
};

/* Uneven counts, some of them zero: what rank `from` sends to rank `to`. In place MPI wants as much in return. */
static int uneven(const struct game *g, int from, int to)
{
    return (int)((size_t)(from * (g->in_place ? 3 : 5) + to * 3) % 4 * g->count / 2);
}

static int part_of(const struct game *g, int rank)
{
    return (int)(g->count / (size_t)g->ranks) + (rank % 3 == 1 ? 2 : 0) - (rank % 3 == 2 && g->count > 40 ? 1 : 0);
}

/* Numbers in each buffer of a rank. */
static size_t length(const struct game *g, int rank, bool recv)
{
    size_t all = 0;
    switch (g->operation) {
    case OVL_IALLTOALL:
        return g->count * (size_t)g->ranks;
    case OVL_IALLTOALLV:
        for (int r = 0; r < g->ranks; r++)
            all += (size_t)(recv ? uneven(g, r, rank) : uneven(g, rank, r)) + 1;
        return all;
    case OVL_IBCAST:
        return recv ? g->count : 0;
    case OVL_IALLREDUCE:
        return g->count;
    case OVL_IALLGATHER:
        return recv ? g->count * (size_t)g->ranks : g->count;
    case OVL_IREDUCE_SCATTER:
        for (int r = 0; r < g->ranks; r++)
            all += (size_t)part_of(g, r);
        return recv && !g->in_place ? (size_t)part_of(g, rank) : all;
    default:
        return 0;
    }
}

static void deal(const struct game *g, struct player *p, int rank, int *counts)
{
    int *send_counts = counts, *send_displs = counts + g->ranks, *recv_counts = counts + 2 * g->ranks,
        *recv_displs = counts + 3 * g->ranks, sent = 0, received = 0;
    for (int r = 0; r < g->ranks; r++) {
        send_counts[r] = uneven(g, rank, r);
        send_displs[r] = sent;
        sent += send_counts[r] + 1; /* a gap */
        recv_counts[r] = g->operation == OVL_IREDUCE_SCATTER ? part_of(g, r) : uneven(g, r, rank);
        recv_displs[r] = received;
        received += recv_counts[r] + 1;
    }
    p->shape = (struct ovl_shape){.operation = g->operation,
                                  .rank = rank,
                                  .ranks = g->ranks,
                                  .root = g->root,
                                  .bytes = 4 * g->count,
                                  .element = 4,
                                  .in_place = g->in_place,
                                  .send_counts = send_counts,
                                  .send_displs = send_displs,
                                  .recv_counts = recv_counts,
                                  .recv_displs = recv_displs,
                                  .node = g->node,
                                  .tuning = &g->tuning};
    p->schedule = ovl_schedule_make(&p->shape);
    ck_assert_ptr_nonnull(p->schedule);
    for (int i = 0; i < 2; i++) {
        p->bytes[i] = i == OVL_SEND_BUFFER && g->in_place ? 0 : 4 * length(g, rank, i == OVL_RECV_BUFFER);
        p->buffer[i] = malloc(p->bytes[i] + 1);
        memset(p->buffer[i], 0xee, p->bytes[i]);
    }
    p->buffer[OVL_TEMPORARY] = malloc(p->schedule->temporary + 1);
    p->done = calloc(p->schedule->steps + 1, 1);
    p->ended = calloc((size_t)p->schedule->rounds + 1, sizeof *p->ended);
}

/* What the rank brings: everything in the order of the ranks it goes to. */
static void fill(const struct game *g, struct player *p, int rank)
{
    int32_t *to = (int32_t *)p->buffer[g->in_place ? OVL_RECV_BUFFER : OVL_SEND_BUFFER];
    switch (g->operation) {
    case OVL_IALLTOALLV:
        for (int r = 0; r < g->ranks; r++) {
            int count = g->in_place ? p->shape.recv_counts[r] : p->shape.send_counts[r];
            int displ = g->in_place ? p->shape.recv_displs[r] : p->shape.send_displs[r];
            for (int i = 0; i < count; i++)
                to[displ + i] = number(rank, (size_t)(r * 1000 + i));
        }
        break;
    case OVL_IBCAST:
        for (size_t i = 0; i < g->count && rank == g->root; i++)
            ((int32_t *)p->buffer[OVL_RECV_BUFFER])[i] = number(rank, i);
        break;
    case OVL_IALLGATHER:
        for (size_t i = 0; i < g->count; i++)
            to[(g->in_place ? (size_t)rank * g->count : 0) + i] = number(rank, i);
        break;
    default:
        for (size_t i = 0; i < length(g, rank, false); i++)
            to[i] = number(rank, i);
    }
}

static int32_t sum_of(const struct game *g, size_t i)
{
    uint32_t sum = 0;
    for (int r = 0; r < g->ranks; r++)
        sum += (uint32_t)number(r, i);
    return (int32_t)sum;
}

static void check(const struct game *g, const struct player *p, int rank)
{
    const int32_t *got = (const int32_t *)p->buffer[OVL_RECV_BUFFER];
    size_t n = (size_t)g->ranks, before = 0;
    switch (g->operation) {
    case OVL_IALLTOALL:
        for (size_t i = 0; i < n * g->count; i++)
            ck_assert_int_eq(got[i], number((int)(i / g->count), (size_t)rank * g->count + i % g->count));
        break;
    case OVL_IALLTOALLV:
        for (int r = 0; r < g->ranks; r++) {
            for (int i = 0; i < p->shape.recv_counts[r]; i++)
                ck_assert_int_eq(got[p->shape.recv_displs[r] + i], number(r, (size_t)(rank * 1000 + i)));
            ck_assert_int_eq(got[p->shape.recv_displs[r] + p->shape.recv_counts[r]], (int32_t)0xeeeeeeee); /* the gap */
        }
        break;
    case OVL_IBCAST:
        for (size_t i = 0; i < g->count; i++)
            ck_assert_int_eq(got[i], number(g->root, i));
        break;
    case OVL_IALLREDUCE:
        for (size_t i = 0; i < g->count; i++)
            ck_assert_int_eq(got[i], sum_of(g, i));
        break;
    case OVL_IALLGATHER:
        for (size_t i = 0; i < n * g->count; i++)
            ck_assert_int_eq(got[i], number((int)(i / g->count), i % g->count));
        break;
    case OVL_IREDUCE_SCATTER:
        for (int r = 0; r < rank; r++)
            before += (size_t)part_of(g, r);
        for (int i = 0; i < part_of(g, rank); i++)
            ck_assert_int_eq(got[i], sum_of(g, before + (size_t)i));
        break;
    default:
        break;
    }
}

static void run(const struct game *g, uint64_t seed)
{
    struct player *all = calloc((size_t)g->ranks, sizeof *all);
    int *counts = calloc((size_t)g->ranks * (size_t)g->ranks * 4, sizeof *counts);
    struct ovl_rng rng = ovl_rng_seeded(seed);
    for (int r = 0; r < g->ranks; r++) {
        deal(g, &all[r], r, counts + (size_t)r * (size_t)g->ranks * 4);
        fill(g, &all[r], r);
    }
    play(all, g->ranks, &rng);
    for (int r = 0; r < g->ranks; r++) {
        check(g, &all[r], r);
        for (int i = 0; i < 3; i++)
            free(all[r].buffer[i]);
        free(all[r].done);
        free(all[r].ended);
        ovl_schedule_free(all[r].schedule);
    }
    free(counts);
    free(all);
}

/* Nodes that are even, uneven, mixed up, and one rank each. */
static int node_of(int layout, int rank, int ranks)
{
    switch (layout) {
    case 0:
        return 7;
    case 1:
        return rank;
    case 2:
        return rank / 2;
    case 3:
        return rank % 3;
    default:
        return rank < ranks - 1 ? 0 : 1;
    }
}

/* Small limits, so that each algorithm has its turn at small sizes. */
static const struct ovl_tuning tunings[] = {{64, 24, 64}, {1 << 20, 1 << 20, 1 << 20}, {1, 4, 1}};

START_TEST(every_operation)
{
    static const size_t counts[] = {0, 1, 7, 64};
    int node[9];
    for (int ranks = 1; ranks <= 9; ranks++)
        for (int layout = 0; layout < 5; layout++) {
            for (int r = 0; r < ranks; r++)
                node[r] = node_of(layout, r, ranks);
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                for (size_t t = 0; t < sizeof tunings / sizeof *tunings; t++)
                    for (int in_place = 0; in_place < 2; in_place++) {
                        struct game g = {.operation = (enum ovl_operation)_i,
                                         .ranks = ranks,
                                         .root = (int)(c + t) % ranks,
                                         .count = counts[c],
                                         .in_place = in_place,
                                         .node = node,
                                         .tuning = tunings[t]};
                        run(&g, (uint64_t)(ranks * 100 + layout * 10 + in_place));
                    }
        }
}
END_TEST

/* A barrier's schedules hold every rank until the last one has come: with one player kept out, nobody ends. */
START_TEST(a_barrier_holds)
{
    int node[6] = {0, 0, 1, 1, 2, 2};
    for (int late = 0; late < 6; late++) {
        struct game g = {.operation = OVL_IBARRIER, .ranks = 6, .node = node, .tuning = tunings[0]};
        struct player all[6] = {0};
        int counts[24];
        for (int r = 0; r < 6; r++)
            deal(&g, &all[r], r, counts);
        for (int r = 0; r < 6; r++)
            if (r != late)
                advance(&all[r]);
        for (int turn = 0; turn < 100; turn++)
            for (int r = 0; r < 6; r++)
                for (size_t i = 0; i < all[r].started; i++)
                    if (!all[r].done[i])
                        try_step(all, r, i);
        for (int r = 0; r < 6; r++) {
            ck_assert_int_lt(all[r].round, all[r].schedule->rounds);
            for (int i = 0; i < 3; i++)
                free(all[r].buffer[i]);
            free(all[r].done);
            free(all[r].ended);
            ovl_schedule_free(all[r].schedule);
        }
    }
}
END_TEST

START_TEST(payloads)
{
    int counts[3] = {1, 2, 4};
    struct ovl_shape s = {
        .ranks = 3, .rank = 2, .bytes = 10, .element = 4, .recv_counts = counts, .tuning = &ovl_tuning_default};
    static const size_t wanted[OVL_OPERATIONS] = {
        [OVL_IALLTOALL] = 30,  [OVL_IALLTOALLV] = 28, [OVL_IBCAST] = 10,
        [OVL_IALLREDUCE] = 10, [OVL_IALLGATHER] = 30, [OVL_IREDUCE_SCATTER] = 16,
    };
    for (int o = OVL_NOTHING; o < OVL_OPERATIONS; o++) {
        s.operation = (enum ovl_operation)o;
        ck_assert_uint_eq(ovl_schedule_payload(&s), wanted[o]);
        ck_assert_ptr_nonnull(ovl_operation_name(s.operation));
    }
}
END_TEST

#define COMBINES(number, type)                                                                                         \
    do {                                                                                                               \
        type a[5] = {1, 7, 3, 0, 9}, b[5] = {5, 2, 3, 4, 1}, to[5];                                                    \
        ck_assert_uint_eq(ovl_number_bytes(number), sizeof(type));                                                     \
        for (int c = 0; c < OVL_COMBINERS; c++) {                                                                      \
            ovl_combine((enum ovl_combiner)c, number, to, a, b, sizeof to);                                            \
            for (int i = 0; i < 5; i++)                                                                                \
                ck_assert(to[i] == (type)(c == OVL_SUM   ? a[i] + b[i]                                                 \
                                          : c == OVL_MIN ? (a[i] < b[i] ? a[i] : b[i])                                 \
                                          : c == OVL_MAX ? (a[i] > b[i] ? a[i] : b[i])                                 \
                                                         : a[i] * b[i]));                                              \
        }                                                                                                              \
    } while (0)

START_TEST(combining)
{
    COMBINES(OVL_INT8, int8_t);
    COMBINES(OVL_INT32, int32_t);
    COMBINES(OVL_INT64, int64_t);
    COMBINES(OVL_FLOAT, float);
    COMBINES(OVL_DOUBLE, double);
    int32_t big = INT32_MAX, one = 1, sum;
    ovl_combine(OVL_SUM, OVL_INT32, &sum, &big, &one, 4);
    ck_assert_int_eq(sum, INT32_MIN);
}
END_TEST

Suite *suite_schedule(void)
{
    Suite *s = suite_create("schedule");
    TCase *t = tcase_create("schedule");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, every_operation, OVL_NOTHING, OVL_OPERATIONS);
    tcase_add_test(t, a_barrier_holds);
    tcase_add_test(t, payloads);
    tcase_add_test(t, combining);
    suite_add_tcase(s, t);
    return s;
}
