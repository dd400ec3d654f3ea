/* Intervals by bootstrap of rounds: how often they hold the true value, and that rounds stay whole. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "stats/bootstrap.h"
#include "tests/unit/test.h"

#include <math.h>

enum { ROUNDS = 10, FAMILIES = 1500 };

/* Nearly normal: the sum of 12. */
static double draw(struct ovl_rng *rng, double mean, double spread)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(ovl_rng_next(rng) >> 11) / 9007199254740992.0;
    return mean + spread * sum;
}

LOOP_TEST(intervals_hold_the_true_value, 0, 6)
{
    static ovl_bootstrap_value *const values[] = {ovl_bootstrap_mean, ovl_bootstrap_median_by_mean,
                                                  ovl_bootstrap_median_by_median};
    static const double truth[] = {3, 0.6, 0.6};
    size_t n = _i < 3 ? ROUNDS : 6;
    struct ovl_rng rng = ovl_rng_seeded(11);
    int held = 0;
    for (int f = 0; f < FAMILIES; f++) {
        double a[ROUNDS], b[ROUNDS];
        for (size_t i = 0; i < n; i++) {
            a[i] = draw(&rng, 3, 0.3);
            b[i] = draw(&rng, 5, 0.5);
        }
        struct ovl_estimate e =
            ovl_stats_bootstrap(values[_i % 3], (const double *[OVL_BOOTSTRAP_COLUMNS]){a, b}, n, (uint64_t)f);
        ck_assert(e.ci_low <= e.value && e.value <= e.ci_high);
        held += e.ci_low <= truth[_i % 3] && truth[_i % 3] <= e.ci_high;
    }
    ck_assert_msg(held >= 0.9 * FAMILIES, "%d of %d", held, FAMILIES);
}

TEST(of_few_rounds_a_value_alone)
{
    const double a[] = {1, 2, 3, 4, 10};
    struct ovl_estimate e =
        ovl_stats_bootstrap(ovl_bootstrap_mean, (const double *[OVL_BOOTSTRAP_COLUMNS]){a, NULL}, 5, 1);
    ck_assert_double_eq(e.value, 4);
    ck_assert(isnan(e.ci_low) && isnan(e.ci_high));
}

/* A column beside itself is 1 in each draw: both are drawn by the same rounds. */
TEST(rounds_stay_whole)
{
    const double a[] = {1, 2, 3, 4, 10, 30};
    struct ovl_estimate e =
        ovl_stats_bootstrap(ovl_bootstrap_median_by_median, (const double *[OVL_BOOTSTRAP_COLUMNS]){a, a}, 6, 1);
    ck_assert(e.value == 1 && e.ci_low == 1 && e.ci_high == 1);
}
