/* Comparing launches: known tables, every outcome of small samples counted by hand, and generated launches whose truth
   is known. All generated numbers are seeded: the counts are the same on every machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "stats/rank_test.h"
#include "stats/stats.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdbool.h>

static double normal(struct ovl_rng *rng)
{
    double u = ((double)(ovl_rng_next(rng) >> 11) + 1) * 0x1p-53, v = (double)(ovl_rng_next(rng) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Noise between launches: normal, skewed as times are, or with far outliers. */
enum shape { NORMAL, SKEWED, OUTLIERS, SHAPES };

static double noise(struct ovl_rng *rng, enum shape shape)
{
    double x = normal(rng);
    if (shape == SKEWED)
        return exp(0.8 * x) - exp(0.32);
    if (shape == OUTLIERS && ovl_rng_below(rng, 10) == 0)
        return 8 * x;
    return x;
}

/* Twice the least one-sided p: the two-sided ones of the tables. */
START_TEST(least_p_of_the_tables)
{
    static const struct {
        size_t n;
        double both_sides;
    } known[] = {{3, 0.1}, {4, 2.0 / 70}, {5, 2.0 / 252}, {7, 2.0 / 3432}, {8, 2.0 / 12870}, {10, 2.0 / 184756}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ovl_null_distribution r;
        ck_assert_int_eq(ovl_null_distribution_two(&r, known[i].n, known[i].n), 0);
        ck_assert_double_eq_tol(2 * ovl_ranks_least_p(&r) / known[i].both_sides, 1, 1e-12);
        ovl_null_distribution_free(&r);
    }
    struct ovl_null_distribution pairs;
    ck_assert_int_eq(ovl_null_distribution_paired(&pairs, 6), 0);
    ck_assert_double_eq(ovl_ranks_least_p(&pairs), 1.0 / 64);
    ovl_null_distribution_free(&pairs);
}
END_TEST

/* Critical values of the printed tables (two-sided 5 %): U of Mann and Whitney, T of Wilcoxon. */
START_TEST(interval_orders_of_the_tables)
{
    static const struct {
        size_t m, n, critical;
    } two[] = {{4, 4, 0}, {5, 5, 2}, {5, 8, 6}, {8, 8, 13}, {10, 10, 23}, {20, 20, 127}},
      pairs[] = {{0, 6, 0}, {0, 8, 3}, {0, 10, 8}, {0, 20, 52}};
    struct ovl_null_distribution r;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        ck_assert_int_eq(ovl_null_distribution_two(&r, two[i].m, two[i].n), 0);
        ck_assert_uint_eq(r.order, two[i].critical + 1);
        ovl_null_distribution_free(&r);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ck_assert_int_eq(ovl_null_distribution_paired(&r, pairs[i].n), 0);
        ck_assert_uint_eq(r.order, pairs[i].critical + 1);
        ovl_null_distribution_free(&r);
    }
    ck_assert_int_eq(ovl_null_distribution_two(&r, 3, 3), 0);
    ck_assert_uint_eq(r.order, 0);
    ovl_null_distribution_free(&r);
}
END_TEST

/* Every way to deal m + n ranks to two sides, counted. */
START_TEST(mann_whitney_by_enumeration)
{
    for (size_t m = 1; m <= 6; m++)
        for (size_t n = 1; n <= 6; n++) {
            double count[37] = {0}, ways = 0, below = 0;
            for (unsigned dealt = 0; dealt < 1u << (m + n); dealt++) {
                size_t u = 0, old = 0;
                if ((size_t)__builtin_popcount(dealt) != n)
                    continue;
                for (size_t rank = 0; rank < m + n; rank++)
                    if (dealt >> rank & 1)
                        u += old;
                    else
                        old++;
                count[u]++;
                ways++;
            }
            struct ovl_null_distribution r;
            ck_assert_int_eq(ovl_null_distribution_two(&r, m, n), 0);
            ck_assert_uint_eq(r.most, m * n);
            for (size_t u = 0; u <= m * n; u++) {
                ck_assert_double_eq_tol(ovl_null_distribution_above(&r, u), 1 - below / ways, 1e-12);
                below += count[u];
                ck_assert_double_eq_tol(r.cdf[u], below / ways, 1e-12);
            }
            ovl_null_distribution_free(&r);
        }
}
END_TEST

START_TEST(signed_rank_by_enumeration)
{
    for (size_t n = 1; n <= 10; n++) {
        double count[56] = {0}, below = 0;
        for (unsigned signs = 0; signs < 1u << n; signs++) {
            size_t t = 0;
            for (size_t rank = 0; rank < n; rank++)
                t += (signs >> rank & 1) * (rank + 1);
            count[t]++;
        }
        struct ovl_null_distribution r;
        ck_assert_int_eq(ovl_null_distribution_paired(&r, n), 0);
        for (size_t t = 0; t <= n * (n + 1) / 2; t++) {
            below += count[t];
            ck_assert_double_eq_tol(r.cdf[t], below / exp2((double)n), 1e-12);
        }
        ovl_null_distribution_free(&r);
    }
}
END_TEST

/* Where both can be had, the approximation beyond the dynamic programme meets it. */
START_TEST(many_launches_pass_into_the_approximation)
{
    struct ovl_null_distribution exact, near;
    ck_assert_int_eq(ovl_null_distribution_two(&exact, 200, 200), 0);
    ck_assert_int_eq(ovl_null_distribution_two(&near, 201, 200), 0);
    ck_assert_double_eq_tol((double)exact.order / 40000, (double)near.order / 40200, 2e-4);
    ck_assert_double_eq_tol(exact.cdf[18000], near.cdf[18090], 5e-4);
    ovl_null_distribution_free(&exact);
    ovl_null_distribution_free(&near);
}
END_TEST

START_TEST(shift_by_hand)
{
    /* Differences 2 3 4 / 1 2 3 / -2 -1 0, in order -2 -1 0 1 2 2 3 3 4. */
    static const double old[] = {1, 2, 5}, new[] = {3, 4, 5}, pair[] = {4, 1, 6};
    struct ovl_null_distribution r;
    struct ovl_shift s;
    ck_assert_int_eq(ovl_null_distribution_two(&r, 3, 3), 0);
    ck_assert_int_eq(ovl_shift_estimate(&r, old, new, 0, &s), 0);
    ck_assert_double_eq(s.value, 2);
    ck_assert(isnan(s.low) && isnan(s.high));
    ck_assert_double_eq_tol(s.p, 0.35, 1e-12); /* the tie counts for "no change": P(U >= 6) = 7 / 20 */
    ovl_null_distribution_free(&r);

    /* Differences 3 -1 1; Walsh averages -1 0 1 1 2 3. */
    ck_assert_int_eq(ovl_null_distribution_paired(&r, 3), 0);
    ck_assert_int_eq(ovl_shift_estimate(&r, old, pair, 0, &s), 0);
    ck_assert_double_eq(s.value, 1);
    ck_assert_double_eq_tol(s.p, 3.0 / 8, 1e-12); /* P(T+ >= 4) */
    ovl_null_distribution_free(&r);
}
END_TEST

START_TEST(identical_launches_prove_nothing)
{
    double same[8];
    struct ovl_null_distribution r;
    struct ovl_shift s;
    for (int i = 0; i < 8; i++)
        same[i] = 3;
    ck_assert_int_eq(ovl_null_distribution_two(&r, 8, 8), 0);
    ck_assert_int_eq(ovl_shift_estimate(&r, same, same, 0, &s), 0);
    ck_assert_double_eq(s.value, 0);
    ck_assert_double_eq(s.p, 1);
    ck_assert_double_eq(s.high, 0);
    ovl_null_distribution_free(&r);
}
END_TEST

START_TEST(holm_by_hand)
{
    double p[] = {0.01, NAN, 0.04, 0.03, 0.005, 0.9};
    ck_assert_int_eq(ovl_holm_adjust(p, 6), 0);
    ck_assert_double_eq_tol(p[4], 0.025, 1e-15);
    ck_assert_double_eq_tol(p[0], 0.04, 1e-15);
    ck_assert_double_eq_tol(p[3], 0.09, 1e-15);
    ck_assert_double_eq_tol(p[2], 0.09, 1e-15); /* never below the one before */
    ck_assert_double_eq_tol(p[5], 0.9, 1e-15);
    ck_assert(isnan(p[1]));
}
END_TEST

enum { COMPARISONS = 1000, CELLS = 10, MOST = 20 };

static void launches(struct ovl_rng *rng, enum shape shape, double shift, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 0.01 * noise(rng, shape) + shift;
}

/* How many of 1,000 gates of 10 cells raise an alarm, where every cell's launches lie just at the gate's bound. */
static int alarms(enum shape shape, size_t n, bool paired)
{
    struct ovl_rng rng = ovl_rng_seeded(41 + (uint64_t)shape);
    struct ovl_null_distribution r;
    int count = 0;
    ck_assert_int_eq(paired ? ovl_null_distribution_paired(&r, n) : ovl_null_distribution_two(&r, n, n), 0);
    for (int g = 0; g < COMPARISONS; g++) {
        double p[CELLS];
        bool alarm = false;
        for (int c = 0; c < CELLS; c++) {
            double old[MOST], new[MOST];
            struct ovl_shift s;
            launches(&rng, shape, 0, old, n);
            launches(&rng, shape, 0.05, new, n);
            ck_assert_int_eq(ovl_shift_estimate(&r, old, new, 0.05, &s), 0);
            p[c] = s.p;
        }
        ck_assert_int_eq(ovl_holm_adjust(p, CELLS), 0);
        for (int c = 0; c < CELLS; c++)
            alarm |= p[c] < 0.05;
        count += alarm;
    }
    ovl_null_distribution_free(&r);
    return count;
}

START_TEST(false_alarms_are_at_most_five_percent)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        ck_assert_int_le(alarms((enum shape)shape, 8, false), COMPARISONS / 20);
        ck_assert_int_le(alarms((enum shape)shape, 10, true), COMPARISONS / 20);
    }
    /* And the test has a level to lose: at the bound some alarms are due. */
    ck_assert_int_ge(alarms(NORMAL, 8, false), COMPARISONS / 200);
}
END_TEST

/* The share of comparisons in which a shift of that many standard deviations is found. */
static double power(const struct ovl_null_distribution *r, double alpha, double sigmas)
{
    struct ovl_rng rng = ovl_rng_seeded(77);
    int found = 0;
    for (int k = 0; k < 2000; k++) {
        double old[MOST], new[MOST];
        struct ovl_shift s;
        for (size_t i = 0; i < r->n; i++) {
            old[i] = r->m ? normal(&rng) : 0;
            new[i] = normal(&rng) + sigmas;
        }
        ck_assert_int_eq(ovl_shift_estimate(r, old, new, 0, &s), 0);
        found += s.p < alpha;
    }
    return found / 2000.0;
}

START_TEST(power_is_as_the_detectable_effect_says)
{
    static const struct {
        size_t n;
        double sigmas;
    } known[] = {{5, 2.3}, {10, 1.4}, {20, 1.0}}; /* two-sided 5 % */
    struct ovl_null_distribution r;
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(ovl_null_distribution_two(&r, known[i].n, known[i].n), 0);
        double sigmas = ovl_null_distribution_detectable(&r, 0.025),
               many = ovl_null_distribution_detectable(&r, 0.05 / 12);
        ck_assert_double_eq_tol(sigmas, known[i].sigmas, 0.1);
        ck_assert_double_eq_tol(power(&r, 0.025, sigmas), 0.8, 0.03);
        if (known[i].n > 5)
            ck_assert_double_eq_tol(power(&r, 0.05 / 12, many), 0.8, 0.03);
        ovl_null_distribution_free(&r);
    }
    ck_assert_int_eq(ovl_null_distribution_two(&r, 5, 5), 0);
    ck_assert(isinf(ovl_null_distribution_detectable(&r, 0.003)));
    ovl_null_distribution_free(&r);
    ck_assert_int_eq(ovl_null_distribution_paired(&r, 10), 0);
    ck_assert_double_eq_tol(power(&r, 0.05, ovl_null_distribution_detectable(&r, 0.05)), 0.8, 0.03);
    ovl_null_distribution_free(&r);
    /* Beyond the simulation the formula goes on without a step. */
    struct ovl_null_distribution more;
    ck_assert_int_eq(ovl_null_distribution_two(&r, 44, 44), 0);
    ck_assert_int_eq(ovl_null_distribution_two(&more, 45, 45), 0);
    ck_assert_double_eq_tol(ovl_null_distribution_detectable(&r, 0.01) / ovl_null_distribution_detectable(&more, 0.01),
                            1, 0.05);
    ovl_null_distribution_free(&r);
    ovl_null_distribution_free(&more);
}
END_TEST

START_TEST(intervals_cover)
{
    static const size_t sides[] = {5, 8, 12, 20};
    for (size_t i = 0; i < 2 * sizeof sides / sizeof *sides; i++) {
        bool paired = i % 2;
        size_t n = sides[i / 2] + (paired && sides[i / 2] < 6);
        struct ovl_null_distribution r;
        ck_assert_int_eq(paired ? ovl_null_distribution_paired(&r, n) : ovl_null_distribution_two(&r, n, n), 0);
        double exact = 1 - 2 * r.cdf[r.order - 1];
        for (int shape = 0; shape < SHAPES; shape++) {
            struct ovl_rng rng = ovl_rng_seeded(900 + i);
            int covered = 0;
            for (int k = 0; k < 2000; k++) {
                double old[MOST], new[MOST];
                struct ovl_shift s;
                launches(&rng, (enum shape)shape, 0, old, n);
                launches(&rng, (enum shape)shape, 0.02, new, n);
                ck_assert_int_eq(ovl_shift_estimate(&r, old, new, 0, &s), 0);
                covered += s.low <= 0.02 && 0.02 <= s.high;
            }
            /* 93-97 %; with so few launches that no interval of ranks comes that near, what can be had. */
            ck_assert_double_ge(covered / 2000.0, 0.93);
            ck_assert_double_le(covered / 2000.0, fmax(0.97, exact + 0.01));
        }
        ck_assert_double_ge(exact, 0.95);
        ck_assert_double_le(exact, n < 8 ? 0.97 : 0.965);
        ovl_null_distribution_free(&r);
    }
}
END_TEST

Suite *suite_launches(void)
{
    Suite *suite = suite_create("launches");
    TCase *tables = tcase_create("tables"), *generated = tcase_create("generated");
    tcase_add_test(tables, least_p_of_the_tables);
    tcase_add_test(tables, interval_orders_of_the_tables);
    tcase_add_test(tables, mann_whitney_by_enumeration);
    tcase_add_test(tables, signed_rank_by_enumeration);
    tcase_add_test(tables, many_launches_pass_into_the_approximation);
    tcase_add_test(tables, shift_by_hand);
    tcase_add_test(tables, identical_launches_prove_nothing);
    tcase_add_test(tables, holm_by_hand);
    suite_add_tcase(suite, tables);
    tcase_add_test(generated, false_alarms_are_at_most_five_percent);
    tcase_add_test(generated, power_is_as_the_detectable_effect_says);
    tcase_add_test(generated, intervals_cover);
    tcase_set_timeout(tables, 60);
    tcase_set_timeout(generated, 120);
    suite_add_tcase(suite, generated);
    return suite;
}
