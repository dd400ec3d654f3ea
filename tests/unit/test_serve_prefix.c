/* The blocks that a tier keeps, held against a list that is as plain as can be, over random prompts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/batch/prefix.h"
#include "base/rng.h"
#include "tests/unit/test.h"

#include <string.h>

enum { LONGEST = 6, WORDS = 3, MOST = 40 };

/* A prompt of blocks, each of which is one of a few words. */
struct prompt {
    int length, words[LONGEST];
    uint64_t keys[LONGEST];
};

static struct prompt random_prompt(struct ovl_rng *rng)
{
    struct prompt p = {.length = (int)ovl_rng_below(rng, LONGEST + 1)};
    uint64_t key = 0;
    for (int k = 0; k < p.length; k++) {
        p.words[k] = (int)ovl_rng_below(rng, WORDS);
        key = ovl_rng_mix(key ^ ovl_rng_mix((uint64_t)p.words[k] + 1));
        p.keys[k] = key;
    }
    return p;
}

/* The model: whole beginnings of prompts, the least recently used one first. */
struct plain {
    struct entry {
        int length, words[LONGEST], request, place;
    } list[MOST];
    int count, limit;
};

static int at_of(const struct plain *m, const struct prompt *p, int length)
{
    for (int i = 0; i < m->count; i++)
        if (m->list[i].length == length && memcmp(m->list[i].words, p->words, (size_t)length * sizeof *p->words) == 0)
            return i;
    return -1;
}

static struct entry take_out(struct plain *m, int at)
{
    struct entry e = m->list[at];
    memmove(m->list + at, m->list + at + 1, (size_t)(m->count - at - 1) * sizeof e);
    m->count--;
    return e;
}

static int run_of(struct plain *m, const struct prompt *p)
{
    int n = 0;
    while (n < p->length && at_of(m, p, n + 1) >= 0)
        n++;
    for (int k = n; k > 0; k--) {
        struct entry e = take_out(m, at_of(m, p, k));
        m->list[m->count++] = e;
    }
    return n;
}

/* Is it the beginning of this prompt? */
static bool is_own(const struct entry *e, const struct prompt *p)
{
    return e->length <= p->length && memcmp(e->words, p->words, (size_t)e->length * sizeof *p->words) == 0;
}

/* How many gave way to those that came; -1 in *place: a place that nothing had before. */
static int keep(struct plain *m, const struct prompt *p, int request, int *kept, int *gave_way)
{
    int n = run_of(m, p), from = n;
    *gave_way = 0;
    for (; n < p->length; n++) {
        struct entry e = {.length = n + 1, .request = request, .place = m->count};
        memcpy(e.words, p->words, sizeof e.words);
        if (m->count == m->limit) {
            if (is_own(&m->list[0], p))
                break;
            e.place = take_out(m, 0).place;
            ++*gave_way;
        }
        m->list[m->count++] = e;
    }
    struct prompt there = *p;
    there.length = n;
    run_of(m, &there);
    *kept = n;
    return from;
}

static void alike(const struct plain *m, const struct ovl_prefix *p)
{
    int at = p->oldest;
    ck_assert_int_eq(p->count, m->count);
    ck_assert(p->count <= p->limit);
    for (int i = 0; i < m->count; i++, at = p->blocks[at].newer) {
        ck_assert(at >= 0);
        ck_assert_int_eq(at, m->list[i].place);
        ck_assert_int_eq(p->blocks[at].block, m->list[i].length - 1);
        ck_assert_int_eq(p->blocks[at].request, m->list[i].request);
    }
    ck_assert_int_eq(at, -1);
}

static void play(struct ovl_rng *rng, int limit, int calls)
{
    struct plain m = {.limit = limit};
    struct ovl_prefix p;
    int64_t asked = 0, found = 0, kept = 0, gave_way = 0;
    ovl_prefix_open(&p, limit);
    for (int i = 0; i < calls; i++) {
        struct prompt one = random_prompt(rng);
        int places[LONGEST], n, from, out;
        if (ovl_rng_below(rng, 2)) {
            n = ovl_prefix_find(&p, one.keys, one.length, places);
            ck_assert_int_eq(n, run_of(&m, &one));
            asked += one.length;
            found += n;
        } else {
            int wanted, wanted_from = keep(&m, &one, i, &wanted, &out);
            n = ovl_prefix_keep(&p, one.keys, one.length, i, places, &from);
            ck_assert(n == wanted && from == wanted_from);
            kept += n - from;
            gave_way += out;
        }
        for (int k = 0; k < n; k++)
            ck_assert_int_eq(places[k], m.list[at_of(&m, &one, k + 1)].place);
        alike(&m, &p);
    }
    ck_assert(p.asked == asked && p.found == found && p.kept == kept && p.gave_way == gave_way);
    ck_assert_int_eq(p.kept - p.gave_way, p.count);
    ovl_prefix_close(&p);
}

TEST(blocks_are_those_of_a_plain_list)
{
    struct ovl_rng rng = ovl_rng_seeded(48);
    for (int round = 0; round < rounds(60, 5000); round++)
        play(&rng, 1 + (int)ovl_rng_below(&rng, MOST), 60);
    play(&rng, 1, 200);
}

/* A prompt of more blocks than there is room for keeps its first ones, and none of its own gives way. */
TEST(a_prompt_that_is_too_long_keeps_its_beginning)
{
    uint64_t keys[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct ovl_prefix p;
    int places[8], from;
    ovl_prefix_open(&p, 3);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(ovl_prefix_keep(&p, keys, 8, 0, places, &from), 3);
        ck_assert_int_eq(from, again ? 3 : 0);
    }
    ck_assert_int_eq(ovl_prefix_find(&p, keys, 8, places), 3);
    uint64_t other[2] = {11, 12};
    ck_assert_int_eq(ovl_prefix_keep(&p, other, 2, 1, places, &from), 2);
    ck_assert_int_eq(ovl_prefix_find(&p, keys, 8, places), 1); /* the last ones gave way first */
    ck_assert_int_eq(p.gave_way, 2);
    ovl_prefix_close(&p);
}

/* Many blocks: the table grows with them. */
TEST(many_blocks_are_found_again)
{
    enum { N = 5000 };
    struct ovl_prefix p;
    int place, from;
    ovl_prefix_open(&p, N);
    for (uint64_t k = 0; k < 2 * N; k++) {
        uint64_t key = ovl_rng_mix(k);
        ck_assert_int_eq(ovl_prefix_keep(&p, &key, 1, (int)k, &place, &from), 1);
    }
    for (uint64_t k = 0; k < 2 * N; k++) {
        uint64_t key = ovl_rng_mix(k);
        ck_assert_int_eq(ovl_prefix_find(&p, &key, 1, &place), k >= N);
    }
    ck_assert(p.found == N && p.gave_way == N && p.count == N);
    ovl_prefix_close(&p);
}
