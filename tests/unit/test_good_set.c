/* The largest set of nodes without a bad pair, against all sets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "stats/good_set.h"
#include "tests/unit/test.h"

enum { MOST = 10, PAIRS = MOST * (MOST - 1) / 2 };

static size_t size_of(const bool *good, size_t n)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += good[i];
    return size;
}

static size_t largest_by_force(size_t n, const size_t (*bad)[2], size_t count)
{
    size_t largest = 0;
    for (unsigned set = 0; set < 1u << n; set++) {
        bool sound = true;
        for (size_t k = 0; k < count && sound; k++)
            sound = !(set >> bad[k][0] & 1 && set >> bad[k][1] & 1);
        size_t size = (size_t)__builtin_popcount(set);
        if (sound && size > largest)
            largest = size;
    }
    return largest;
}

TEST(it_is_as_large_as_any)
{
    struct ovl_rng rng = ovl_rng_seeded(3);
    for (int round = 0; round < rounds(300, 5000); round++) {
        size_t bad[PAIRS][2], count = 0, n = 1 + ovl_rng_below(&rng, MOST);
        uint32_t share = 1 + ovl_rng_below(&rng, 9);
        bool good[MOST];
        for (size_t a = 0; a < n; a++)
            for (size_t b = a + 1; b < n; b++)
                if (ovl_rng_below(&rng, 10) < share) {
                    bad[count][0] = b;
                    bad[count++][1] = a;
                }
        ck_assert(ovl_good_set(n, bad, count, good));
        for (size_t k = 0; k < count; k++)
            ck_assert(!(good[bad[k][0]] && good[bad[k][1]]));
        ck_assert_uint_eq(size_of(good, n), largest_by_force(n, bad, count));
    }
}

/* A slow node, and a bad link between two others: two nodes go. */
TEST(a_slow_node_goes_and_not_its_peers)
{
    enum { NODES = 500 };
    static size_t bad[NODES][2];
    static bool good[NODES];
    size_t count = 0;
    for (size_t i = 0; i < NODES; i++)
        if (i != 123) {
            bad[count][0] = i < 123 ? i : 123;
            bad[count++][1] = i < 123 ? 123 : i;
        }
    bad[count][0] = 7;
    bad[count++][1] = 400;
    ck_assert(ovl_good_set(NODES, bad, count, good));
    ck_assert(!good[123]);
    ck_assert(good[7] != good[400]);
    ck_assert_uint_eq(size_of(good, NODES), NODES - 2);
    ck_assert(ovl_good_set(NODES, bad, 0, good));
    ck_assert_uint_eq(size_of(good, NODES), NODES);
}

/* Where the search is cut off there is a set without a bad pair all the same. */
TEST(a_search_that_is_cut_off_has_a_sound_set)
{
    enum { NODES = 200, BAD = 1200 };
    static size_t bad[BAD][2];
    static bool good[NODES];
    struct ovl_rng rng = ovl_rng_seeded(4);
    for (size_t k = 0; k < BAD; k++) {
        bad[k][0] = ovl_rng_below(&rng, NODES);
        bad[k][1] = (bad[k][0] + 1 + ovl_rng_below(&rng, NODES - 1)) % NODES;
    }
    ck_assert(!ovl_good_set(NODES, bad, BAD, good));
    ck_assert_uint_gt(size_of(good, NODES), 20);
    for (size_t k = 0; k < BAD; k++)
        ck_assert(!(good[bad[k][0]] && good[bad[k][1]]));
}
