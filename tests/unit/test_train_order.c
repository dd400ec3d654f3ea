/* Orders of samples: the same samples in the same steps whatever the order, hits that a slow second way counts too, and
   buffers that hold what they are said to hold. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/drawn/order.h"
#include "base/rng.h"
#include "tests/unit/test.h"

#include <string.h>

enum { MOST = 400, RANKS_MOST = 4, EPOCHS_MOST = 6, SLOW_MOST = MOST * EPOCHS_MOST };

static struct ovl_order orders[OVL_ORDERS][RANKS_MOST];

static struct ovl_order_ask drawn(uint64_t draw)
{
    struct ovl_rng rng = ovl_rng_seeded(draw);
    struct ovl_order_ask a = {.ranks = 1 + ovl_rng_below(&rng, RANKS_MOST), .batch = 1 + ovl_rng_below(&rng, 9)};
    a.samples = a.ranks * a.batch + ovl_rng_below(&rng, MOST - a.ranks * a.batch);
    a.epochs = 1 + ovl_rng_below(&rng, EPOCHS_MOST);
    a.room = ovl_rng_below(&rng, a.samples / a.ranks + 2);
    a.seed = draw;
    return a;
}

static void make_all(struct ovl_order_ask a)
{
    for (int kind = 0; kind < OVL_ORDERS; kind++)
        for (uint32_t r = 0; r < a.ranks; r++) {
            a.kind = (enum ovl_order_kind)kind;
            ck_assert_int_eq(ovl_order_make(&orders[kind][r], &a, r, &err), 0);
            ck_assert_uint_eq(orders[kind][r].steps, a.samples / (a.ranks * a.batch));
        }
}

static void free_all(const struct ovl_order_ask *a)
{
    for (int kind = 0; kind < OVL_ORDERS; kind++)
        for (uint32_t r = 0; r < a->ranks; r++)
            ovl_order_free(&orders[kind][r]);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Of all ranks, sorted. */
static size_t samples_of_step(const struct ovl_order_ask *a, int kind, uint32_t epoch, size_t step, uint32_t *to)
{
    size_t n = 0;
    for (uint32_t r = 0; r < a->ranks; r++)
        for (uint32_t i = 0; i < a->batch; i++)
            to[n++] = ovl_order_batch(&orders[kind][r], epoch, step)[i].sample;
    qsort(to, n, sizeof *to, by_number);
    return n;
}

/* Every SHARES-th draw: a process for each of them would take longer than what it looks at. */
enum { SHARES = 20 };

static void check_share(int share, int draws, void (*check)(uint64_t draw))
{
    for (int draw = share; draw < draws; draw += SHARES)
        check((uint64_t)draw);
}

static void check_samples(uint64_t draw)
{
    struct ovl_order_ask a = drawn(draw);
    make_all(a);
    for (uint32_t e = 0; e < a.epochs; e++) {
        int times[MOST] = {0};
        for (size_t s = 0; s < orders[0][0].steps; s++) {
            uint32_t random[MOST], other[MOST];
            size_t n = samples_of_step(&a, OVL_ORDER_RANDOM, e, s, random);
            for (int kind = OVL_ORDER_RANDOM + 1; kind < OVL_ORDERS; kind++) {
                samples_of_step(&a, kind, e, s, other);
                ck_assert_mem_eq(random, other, n * sizeof *random);
            }
            for (size_t i = 0; i < n; i++) {
                ck_assert_uint_lt(random[i], a.samples);
                times[random[i]]++;
            }
        }
        for (uint32_t i = 0; i < a.samples; i++)
            ck_assert_int_le(times[i], 1);
    }
    free_all(&a);
}

LOOP_TEST(the_same_samples_in_the_same_steps, 0, SHARES)
{
    check_share(_i, rounds(60, 2000), check_samples);
}

/* A hit is what lies in its slot; what is read lies in its slot from then on. */
static void check_slots(uint64_t draw)
{
    struct ovl_order_ask a = drawn(draw + 7000);
    make_all(a);
    for (int kind = 0; kind < OVL_ORDERS; kind++)
        for (uint32_t r = 0; r < a.ranks; r++) {
            const struct ovl_order *o = &orders[kind][r];
            uint32_t slots[MOST + 2];
            memset(slots, 0xff, sizeof slots);
            for (uint32_t e = 0; e < a.epochs; e++) {
                uint64_t hits = 0;
                for (size_t i = 0; i < o->steps * o->batch; i++) {
                    struct ovl_order_use u = ovl_order_batch(o, e, 0)[i];
                    ck_assert(u.slot < a.room || (u.slot == OVL_ORDER_NO_SLOT && !u.hit));
                    if (u.hit)
                        ck_assert_uint_eq(slots[u.slot], u.sample);
                    else if (u.slot != OVL_ORDER_NO_SLOT)
                        slots[u.slot] = u.sample;
                    hits += u.hit;
                }
                ck_assert_uint_eq(o->hits[e], hits);
            }
        }
    free_all(&a);
}

LOOP_TEST(slots_hold_what_they_are_said_to_hold, 0, SHARES)
{
    check_share(_i, rounds(60, 2000), check_slots);
}

/* One rank's samples in their order, and what a buffer of `room` has: by looking at everything each time. */
struct slow {
    uint32_t sample[SLOW_MOST], held[MOST];
    size_t n, count;
};

static size_t last_use(const struct slow *s, size_t before, uint32_t sample)
{
    while (before > 0 && s->sample[before - 1] != sample)
        before--;
    return before;
}

static bool has(const struct slow *s, uint32_t sample)
{
    size_t i = 0;
    while (i < s->count && s->held[i] != sample)
        i++;
    return i < s->count;
}

/* What goes is what was used longest ago, or nothing. */
static uint64_t slow_hits(struct slow *s, size_t room, size_t batch, bool evicts)
{
    uint64_t hits = 0;
    for (size_t from = 0; from < s->n; from += batch) {
        bool hit[16];
        for (size_t i = 0; i < batch; i++)
            hits += hit[i] = has(s, s->sample[from + i]);
        for (size_t i = 0; i < batch; i++) {
            size_t goes = 0;
            if (hit[i] || room == 0 || (!evicts && s->count == room))
                continue;
            if (s->count < room) {
                s->held[s->count++] = s->sample[from + i];
                continue;
            }
            for (size_t k = 1; k < room; k++)
                if (last_use(s, from + i, s->held[k]) < last_use(s, from + i, s->held[goes]))
                    goes = k;
            s->held[goes] = s->sample[from + i];
        }
    }
    return hits;
}

/* Of one rank, whose samples are those of all. */
static void check_hits(uint64_t draw)
{
    static struct slow s;
    struct ovl_order_ask a = drawn(draw / 3 + 90000);
    a.kind = (enum ovl_order_kind)(draw % 3);
    a.samples = a.batch + a.samples % 120;
    a.ranks = 1;
    a.room = a.samples / 3;
    struct ovl_order *o = &orders[0][0];
    uint64_t hits = 0;
    ck_assert_int_eq(ovl_order_make(o, &a, 0, &err), 0);
    s.n = s.count = 0;
    for (uint32_t e = 0; e < a.epochs; e++) {
        hits += o->hits[e];
        ck_assert_uint_le(o->hits[e], a.room);
        for (size_t i = 0; i < o->steps * o->batch; i++)
            s.sample[s.n++] = ovl_order_batch(o, e, 0)[i].sample;
    }
    ck_assert_uint_eq(hits, slow_hits(&s, a.kind == OVL_ORDER_RANDOM ? 0 : a.room, a.batch, a.kind == OVL_ORDER_LRU));
    ovl_order_free(o);
}

LOOP_TEST(hits_are_those_of_a_slow_count, 0, SHARES)
{
    check_share(_i, 3 * rounds(20, 400), check_hits);
}

/* With room for a third: a third by solar, on one rank exactly, as no buffer can have more, and nearly so on several;
   by what was used last the sixteenth part of one rank's, and fewer of several. */
LOOP_TEST(a_buffer_for_a_third, 1, RANKS_MOST + 1)
{
    struct ovl_order_ask a = {.samples = 6000, .ranks = (uint32_t)_i, .batch = 10, .epochs = EPOCHS_MOST, .seed = 3};
    a.room = a.samples / a.ranks / 3;
    make_all(a);
    for (uint32_t e = 1; e < a.epochs; e++) {
        double hits[OVL_ORDERS] = {0};
        for (int kind = 0; kind < OVL_ORDERS; kind++)
            for (uint32_t r = 0; r < a.ranks; r++)
                hits[kind] += (double)orders[kind][r].hits[e];
        if (_i == 1)
            ck_assert_double_eq(hits[OVL_ORDER_SOLAR], 2000);
        ck_assert(hits[OVL_ORDER_SOLAR] > 1960 && hits[OVL_ORDER_SOLAR] <= 2000 && hits[OVL_ORDER_RANDOM] == 0);
        ck_assert_double_eq_tol(hits[OVL_ORDER_LRU], 378.0 / _i, 120);
    }
    free_all(&a);
}

/* With room for all, only the first epoch reads; with none, all do. */
TEST(room_for_all_and_for_none)
{
    struct ovl_order_ask a = {.samples = 60, .ranks = 1, .batch = 5, .epochs = 4, .room = 60, .seed = 1};
    make_all(a);
    ck_assert(orders[OVL_ORDER_SOLAR][0].hits[1] == 60 && orders[OVL_ORDER_LRU][0].hits[3] == 60);
    free_all(&a);
    a.room = 0;
    make_all(a);
    ck_assert_uint_eq(orders[OVL_ORDER_SOLAR][0].hits[3] + orders[OVL_ORDER_LRU][0].hits[3], 0);
    free_all(&a);
}
