/* Prediction intervals: by the tables, and simulated nights. scripts/check/verdicts has these at length. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/prediction.h"
#include "tests/fake/normal.h"
#include "tests/sim/nights.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdbool.h>

/* Mean 0, standard deviation 1 of five: t(0.05, 4) = 2.131847, times the root of 1 + 1 / 5. */
TEST(bound_of_five)
{
    const double a = sqrt(2), x[] = {-a, 0, 0, 0, a};
    ck_assert_double_eq_tol(ovl_prediction_bound(x, 5, 1, 0.05), 2.131847 * sqrt(1.2), 1e-5);
    ck_assert_double_eq_tol(ovl_prediction_p(x, 5, 2.131847 * sqrt(1.2)), 0.05, 1e-6);
    ck_assert_double_eq_tol(ovl_prediction_bound(x, 5, 5, 0.05), ovl_prediction_bound(x, 5, 1, 0.01), 1e-12);
    ck_assert_double_nan(ovl_prediction_bound(x, 1, 1, 0.05));
    ck_assert_double_nan(ovl_prediction_p(x, 1, 3));
    ck_assert_double_eq(ovl_prediction_p(x + 1, 3, 0), 1); /* all are alike */
    ck_assert_double_eq(ovl_prediction_p(x + 1, 3, 1e-9), 0);
}

/* One night of forty was ten times as slow: what is half as slow again is found all the same, and what is usual is not.
 */
TEST(a_night_far_off_hides_nothing)
{
    double x[40];
    struct ovl_rng rng = ovl_rng_seeded(17);
    for (size_t i = 0; i < 40; i++)
        x[i] = 1 + 0.01 * normal(&rng);
    for (int far = 2; far <= 10; far += 4) {
        x[6] = far;
        ck_assert_double_lt(ovl_prediction_p(x, 40, 1.1), 1e-6);
        ck_assert_double_gt(ovl_prediction_p(x, 40, 1.01), 0.05);
    }
    for (size_t i = 6; i < 40; i += 7)
        x[i] = 1.25 + 0.001 * (double)i; /* each week */
    ck_assert_double_gt(ovl_prediction_p(x, 40, 1.26), 0.005);
    ck_assert_double_lt(ovl_prediction_p(x, 40, 1.6), 0.005);
}

TEST(steps_by_hand)
{
    double p[] = {0.02, NAN, 0.001, 0.015, 0.9};
    ovl_prediction_holm(p, 5);
    ck_assert_double_eq_tol(p[2], 0.004, 1e-12);
    ck_assert_double_eq_tol(p[3], 0.045, 1e-12);
    ck_assert_double_eq_tol(p[0], 0.045, 1e-12); /* 0.04, but no less than the step before */
    ck_assert_double_eq_tol(p[4], 0.9, 1e-12);
    ck_assert_double_nan(p[1]);
    double one[] = {0.5};
    ovl_prediction_holm(one, 1);
    ck_assert_double_eq(one[0], 0.5);
    ovl_prediction_holm(one, 0);
}

/* All of ten further launches are below the bound in 95 % of cases. */
TEST(bounds_hold_what_comes)
{
    struct ovl_rng rng = ovl_rng_seeded(11);
    int all = rounds(2000, 20000), over = 0;
    for (int round = 0; round < all; round++) {
        double x[8], bound;
        bool beyond = false;
        for (int i = 0; i < 8; i++)
            x[i] = normal(&rng);
        bound = ovl_prediction_bound(x, 8, 10, 0.05);
        for (int i = 0; i < 10; i++)
            beyond |= normal(&rng) > bound;
        over += beyond;
    }
    ck_assert_int_le(over, all * 6 / 100);
}

/* At most 2 % of nights of normal launches are alarms (here 3.2 %: 3 standard errors of 2,000), and 5 standard
   deviations are found in 90 %, of ten cells. */
TEST(nights_are_seldom_false_alarms)
{
    int nights = rounds(2000, 20000);
    for (size_t cells = 1; cells <= 10; cells += 9) {
        const struct night_truth quiet = {cells, 20, NIGHT_NORMAL, 0}, slow = {cells, 20, NIGHT_NORMAL, 5};
        ck_assert_int_le(nights_judge(&quiet, nights, 1).false_alarm, nights * 32 / 1000);
        ck_assert_int_ge(nights_judge(&slow, nights, 2).found, nights * 9 / 10);
    }
}
