/* Draws of the bootstrap against drawing one by one and sorting, whatever was drawn before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "stats/draws.h"
#include "stats/stats.h"
#include "tests/unit/test.h"

#include <stdlib.h>

static const uint32_t counts[] = {1, 2, 3, 6, 7, 59, 60, 127, 128, 129, 254, 255, 256, 257, 600};

struct value {
    double value;
    uint32_t block;
};

static int by_value(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->block > y->block) - (x->block < y->block);
}

static void check(uint64_t seed, uint32_t n)
{
    struct value *sorted = ovl_alloc(n, sizeof *sorted);
    double *value = ovl_alloc(n, sizeof *value), *drawn = ovl_alloc(n, sizeof *drawn), median[OVL_DRAWS_AT_ONCE][2];
    uint32_t *order = ovl_alloc(n, sizeof *order);
    struct ovl_rng rng = ovl_rng_seeded(n + seed), draws = ovl_rng_seeded(seed);
    for (uint32_t b = 0; b < n; b++) {
        value[b] = ovl_rng_below(&rng, n / 2 + 2); /* some are equal */
        sorted[b] = (struct value){value[b], b};
    }
    qsort(sorted, n, sizeof *sorted, by_value);
    for (uint32_t b = 0; b < n; b++)
        order[b] = sorted[b].block;
    struct ovl_draws d;
    int of = 0;
    for (ovl_draws_begin(&d, seed, n); ovl_draws_next(&d); of += OVL_DRAWS_AT_ONCE) {
        ovl_draws_medians(&d, value, order, &median[0][1], 2);
        for (int k = 0; k < OVL_DRAWS_AT_ONCE; k++) {
            for (uint32_t i = 0; i < n; i++)
                drawn[i] = value[ovl_rng_below(&draws, n)];
            ck_assert(median[k][1] == ovl_stats_median(drawn, n));
        }
    }
    ck_assert_int_eq(of, OVL_DRAWS);
    free(sorted);
    free(value);
    free(drawn);
    free(order);
}

LOOP_TEST(medians_are_those_of_what_was_drawn, 0, sizeof counts / sizeof *counts)
{
    check(5, counts[_i]);
}

/* More numbers of blocks than are kept, and other seeds between. */
TEST(what_was_drawn_before_changes_nothing)
{
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t n = 20; n > 10; n--)
            check(6, n);
        check(0, 12);
        check(6, 30);
        check(6, 29);
    }
}
