/* Schedules, by running those of all ranks against each other: random order, messages as late or as early as they may
   be, and every byte of every result. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule.h"
#include "tests/deal.h"
#include "tests/unit/suites.h"

#include <stdlib.h>
#include <string.h>

/* One rank: its schedule, its buffers, and how far it is. */
struct player {
    struct ovl_coll_shape shape;
    struct ovl_schedule *schedule;
    char *buffer[3];
    size_t bytes[3];
    int round;
    size_t started;  /* steps that may run */
    char *done;      /* of each step */
    uint32_t *ended; /* steps of each round */
};

static char *at(const struct player *p, struct ovl_bufref ref, size_t bytes)
{
    size_t room = ref.buffer == OVL_TEMPORARY ? p->schedule->temporary : p->bytes[ref.buffer];
    ck_assert_msg(ref.offset + bytes <= room, "a step reaches outside its buffer");
    return p->buffer[ref.buffer] + ref.offset;
}

static void advance(struct player *p)
{
    while (p->round < p->schedule->rounds && p->ended[p->round] == p->schedule->in_round[p->round])
        p->round++;
    while (p->started < p->schedule->steps && p->schedule->step[p->started].first_round <= p->round)
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
        ovl_reduce_local(OVL_SUM, OVL_INT32, at(q, r->to, s->bytes), from, at(q, r->from, s->bytes), s->bytes);
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

struct game {
    struct deal deal;
    const int *node;
    struct ovl_tuning tuning;
};

static void deal_to(const struct game *g, struct player *p, int rank, int *lists)
{
    int n = g->deal.ranks;
    deal_counts(&g->deal, rank, lists);
    p->shape = (struct ovl_coll_shape){.operation = g->deal.operation,
                                       .rank = rank,
                                       .ranks = n,
                                       .root = g->deal.root,
                                       .bytes = 4 * g->deal.count,
                                       .element = 4,
                                       .in_place = g->deal.in_place,
                                       .send_counts = lists,
                                       .send_displs = lists + n,
                                       .recv_counts = lists + 2 * n,
                                       .recv_displs = lists + 3 * n,
                                       .node = g->node,
                                       .tuning = &g->tuning};
    p->schedule = ovl_schedule_make(&p->shape);
    ck_assert_ptr_nonnull(p->schedule);
    for (int i = 0; i < 2; i++) {
        bool unused = i == OVL_SEND_BUFFER && g->deal.in_place;
        p->bytes[i] = unused ? 0 : 4 * deal_length(&g->deal, rank, i == OVL_RECV_BUFFER);
        p->buffer[i] = malloc(p->bytes[i] + 1);
    }
    p->buffer[OVL_TEMPORARY] = malloc(p->schedule->temporary + 1);
    p->done = calloc(p->schedule->steps + 1, 1);
    p->ended = calloc((size_t)p->schedule->rounds + 1, sizeof *p->ended);
    deal_fill(&g->deal, rank, lists, (int32_t *)p->buffer[OVL_SEND_BUFFER], (int32_t *)p->buffer[OVL_RECV_BUFFER]);
}

static void clear(struct player *p)
{
    for (int i = 0; i < 3; i++)
        free(p->buffer[i]);
    free(p->done);
    free(p->ended);
    ovl_schedule_free(p->schedule);
}

static void run(const struct game *g, uint64_t seed)
{
    int n = g->deal.ranks;
    struct player *all = calloc((size_t)n, sizeof *all);
    int *lists = calloc((size_t)n * (size_t)n * 4, sizeof *lists);
    struct ovl_rng rng = ovl_rng_seeded(seed);
    for (int r = 0; r < n; r++)
        deal_to(g, &all[r], r, lists + r * n * 4);
    play(all, n, &rng);
    for (int r = 0; r < n; r++) {
        long first;
        size_t wrong = deal_wrong(&g->deal, r, lists + r * n * 4, (int32_t *)all[r].buffer[OVL_RECV_BUFFER], &first);
        ck_assert_msg(wrong == 0, "%s of %d ranks, %zu numbers%s: rank %d has %zu wrong, the first at %ld",
                      ovl_operation_name(g->deal.operation), n, g->deal.count, g->deal.in_place ? ", in place" : "", r,
                      wrong, first);
        clear(&all[r]);
    }
    free(lists);
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
                        struct game g = {
                            .deal = {(enum ovl_operation)_i, ranks, (int)(c + t) % ranks, counts[c], in_place},
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
        struct game g = {.deal = {.operation = OVL_IBARRIER, .ranks = 6}, .node = node, .tuning = tunings[0]};
        struct player all[6] = {0};
        int lists[24];
        for (int r = 0; r < 6; r++)
            deal_to(&g, &all[r], r, lists);
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
            clear(&all[r]);
        }
    }
}
END_TEST

START_TEST(payloads)
{
    int counts[3] = {1, 2, 4};
    struct ovl_coll_shape s = {
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
        ck_assert_uint_eq(ovl_dtype_bytes(number), sizeof(type));                                                      \
        for (int c = 0; c < OVL_REDOPS; c++) {                                                                         \
            ovl_reduce_local((enum ovl_redop)c, number, to, a, b, sizeof to);                                          \
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
    ovl_reduce_local(OVL_SUM, OVL_INT32, &sum, &big, &one, 4);
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
