/* Comparing launches of one cell: known tables, every outcome of small samples counted by hand, and generated launches
   whose truth is known. All generated numbers are seeded: the counts are the same on every machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/test.h"
#include "stats/launch_test.h"
#include "stats/student.h"
#include "tests/fake/normal.h"

#include <stdbool.h>

/* Noise between launches: normal, or with far outliers. */
enum shape { NORMAL, OUTLIERS };

static double noise(struct ovl_rng *rng, enum shape shape)
{
    double x = normal(rng);
    if (shape == OUTLIERS && ovl_rng_below(rng, 10) == 0)
        return 8 * x;
    return x;
}

/* Twice the least one-sided p: the two-sided ones of the tables. */
TEST(least_p_of_the_tables)
{
    static const struct {
        size_t n;
        double both_sides;
    } known[] = {{3, 0.1}, {4, 2.0 / 70}, {5, 2.0 / 252}, {7, 2.0 / 3432}, {8, 2.0 / 12870}, {10, 2.0 / 184756}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ovl_null_distribution r;
        r = ovl_null_distribution_two(known[i].n, known[i].n);
        ck_assert_double_eq_tol(2 * ovl_ranks_least_p(&r) / known[i].both_sides, 1, 1e-12);
        ovl_null_distribution_free(&r);
    }
    struct ovl_null_distribution pairs;
    pairs = ovl_null_distribution_paired(6);
    ck_assert_double_eq(ovl_ranks_least_p(&pairs), 1.0 / 64);
    ovl_null_distribution_free(&pairs);
}

/* Critical values of the printed tables (two-sided 5 %): U of Mann and Whitney, T of Wilcoxon. */
TEST(interval_orders_of_the_tables)
{
    static const struct {
        size_t m, n, critical;
    } two[] = {{4, 4, 0}, {5, 5, 2}, {5, 8, 6}, {8, 8, 13}, {10, 10, 23}, {20, 20, 127}},
      pairs[] = {{0, 6, 0}, {0, 8, 3}, {0, 10, 8}, {0, 20, 52}};
    struct ovl_null_distribution r;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        r = ovl_null_distribution_two(two[i].m, two[i].n);
        ck_assert_uint_eq(ovl_null_distribution_order(&r, 0.025), two[i].critical + 1);
        ovl_null_distribution_free(&r);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        r = ovl_null_distribution_paired(pairs[i].n);
        ck_assert_uint_eq(ovl_null_distribution_order(&r, 0.025), pairs[i].critical + 1);
        ovl_null_distribution_free(&r);
    }
    r = ovl_null_distribution_two(3, 3);
    ck_assert_uint_eq(ovl_null_distribution_order(&r, 0.025), 0);
    ovl_null_distribution_free(&r);
}

/* Every way to deal m + n ranks to two sides, counted. */
TEST(mann_whitney_by_enumeration)
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
            r = ovl_null_distribution_two(m, n);
            ck_assert_uint_eq(r.most, m * n);
            for (size_t u = 0; u <= m * n; u++) {
                ck_assert_double_eq_tol(ovl_null_distribution_above(&r, u), 1 - below / ways, 1e-12);
                below += count[u];
                ck_assert_double_eq_tol(r.cdf[u], below / ways, 1e-12);
            }
            ovl_null_distribution_free(&r);
        }
}

TEST(signed_rank_by_enumeration)
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
        r = ovl_null_distribution_paired(n);
        for (size_t t = 0; t <= n * (n + 1) / 2; t++) {
            below += count[t];
            ck_assert_double_eq_tol(r.cdf[t], below / exp2((double)n), 1e-12);
        }
        ovl_null_distribution_free(&r);
    }
}

/* Where both can be had, the approximation beyond the dynamic programme meets it. */
TEST(many_launches_pass_into_the_approximation)
{
    struct ovl_null_distribution exact, near;
    exact = ovl_null_distribution_two(200, 200);
    near = ovl_null_distribution_two(201, 200);
    ck_assert_double_eq_tol((double)ovl_null_distribution_order(&exact, 0.025) / 40000,
                            (double)ovl_null_distribution_order(&near, 0.025) / 40200, 2e-4);
    ck_assert_double_eq_tol(exact.cdf[18000], near.cdf[18090], 5e-4);
    ovl_null_distribution_free(&exact);
    ovl_null_distribution_free(&near);
}

/* The density's integral is known for 1, 2 and 4 degrees of freedom; others stand in every table. */
TEST(students_distribution)
{
    static const struct {
        double above, freedom, t;
    } known[] = {{0.05, 9, 1.833113},
                 {0.025, 11, 2.200985},
                 {0.0005, 9, 4.780913},
                 {0.0005, 22, 3.792131},
                 {0.025, 120, 1.979930}};
    for (double t = -6; t < 50; t += 0.7) {
        double s = t / sqrt(4 + t * t);
        ck_assert_double_eq_tol(ovl_student_above(t, 1), 0.5 - atan(t) / M_PI, 1e-14);
        ck_assert_double_eq_tol(ovl_student_above(t, 2), 0.5 - t / sqrt(2 + t * t) / 2, 1e-14);
        ck_assert_double_eq_tol(ovl_student_above(t, 4), 0.5 - 0.75 * s + s * s * s / 4, 1e-14);
        if (fabs(t) < 4)
            ck_assert_double_eq_tol(ovl_student_above(t, 1e6) / (erfc(t / M_SQRT2) / 2), 1, 1e-3);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_double_eq_tol(ovl_student_quantile(known[i].above, known[i].freedom), known[i].t, 1e-6);
    for (double freedom = 1; freedom < 1000; freedom *= 1.7)
        for (double p = 1e-9; p < 1; p = p < 0.1 ? p * 7 : p + 0.1) {
            double t = ovl_student_quantile(p, freedom);
            ck_assert_double_eq_tol(ovl_student_above(t, freedom) / p, 1, 1e-9);
        }
}

TEST(shift_by_hand)
{
    /* Differences 2 3 4 / 1 2 3 / -2 -1 0, in order -2 -1 0 1 2 2 3 3 4. */
    static const double old[] = {1, 2, 5}, new[] = {3, 4, 5}, pair[] = {4, 1, 6};
    struct ovl_launch_test t;
    struct ovl_shift s;
    ovl_launch_test_make(&t, 3, false);
    struct ovl_evidence e = ovl_launch_test_evidence(&t, old, new, 0);
    s = ovl_launch_test_shift(&t, old, new, 0.05, 0.05);
    ck_assert_double_eq(s.value, 2);
    ck_assert(isinf(s.low) && isfinite(s.high) == false);
    /* Of ranks: the tie counts for "no change", P(U >= 6) = 7 / 20; Welch's t of 1 is less. */
    ck_assert_double_eq_tol(e.worse, 0.35, 1e-12);
    /* Of Welch: t = -1 with 2.9 degrees; of ranks P(U >= 2) = 18 / 20. */
    ck_assert_double_eq_tol(e.within, 0.9, 1e-12);
    ovl_launch_test_free(&t);

    /* Differences 3 -1 1; Walsh averages -1 0 1 1 2 3. */
    ovl_launch_test_make(&t, 3, true);
    e = ovl_launch_test_evidence(&t, old, pair, 0);
    s = ovl_launch_test_shift(&t, old, pair, 0.2, 0.3);
    ck_assert_double_eq(s.value, 1);
    ck_assert_double_eq(s.low, -1);                    /* P(T+ <= 0) = 1 / 8 is below 0.2, P(T+ <= 1) = 2 / 8 is not */
    ck_assert_double_eq(s.high, 2);                    /* but is below 0.3 */
    ck_assert_double_eq_tol(e.worse, 3.0 / 8, 1e-12);  /* P(T+ >= 4) */
    ck_assert_double_eq_tol(e.within, 7.0 / 8, 1e-12); /* P(T+ >= 1) */
    ovl_launch_test_free(&t);
}

/* Welch's is larger than that of the ranks where one launch is far off; here and there it is the other way round. */
TEST(the_larger_p_counts)
{
    static const double old[] = {0, 1, 2, 3, 4}, far[] = {10, 11, 12, 13, 400}, even[] = {1.5, 2.5, 3.5, 4.5, 5.5};
    struct ovl_launch_test t;
    struct ovl_shift s;
    ovl_launch_test_make(&t, 5, false);
    struct ovl_evidence e = ovl_launch_test_evidence(&t, old, far, 0);
    ck_assert_double_gt(e.worse, 0.15); /* the ranks alone: 1 / 252 */
    s = ovl_launch_test_shift(&t, old, far, 0.05, 0.05);
    ck_assert_double_lt(s.low, 0); /* and the interval agrees */
    e = ovl_launch_test_evidence(&t, old, even, 0);
    ck_assert_double_eq_tol(e.worse, 28.0 / 252, 1e-12); /* P(U >= 19); Welch: t = 1.5 with 8 degrees, 0.086 */
    ovl_launch_test_free(&t);
}

TEST(identical_launches_prove_nothing)
{
    double same[12];
    struct ovl_launch_test t;
    struct ovl_shift s;
    for (int i = 0; i < 12; i++)
        same[i] = 3;
    for (int paired = 0; paired < 2; paired++) {
        ovl_launch_test_make(&t, 12, paired);
        struct ovl_evidence e = ovl_launch_test_evidence(&t, same, same, 0);
        s = ovl_launch_test_shift(&t, same, same, 0.025, 0.025);
        ck_assert(s.value == 0 && s.low == 0 && s.high == 0);
        ck_assert_double_eq(e.worse, 1);
        ck_assert_double_eq(e.within, 1);
        ck_assert_double_eq(e.better, 1);
        /* But they show that it is not worse than by a margin. */
        ck_assert_double_lt(ovl_launch_test_evidence(&t, same, same, 0.01).within, 0.001);
        ovl_launch_test_free(&t);
    }
}

TEST(fewest_launches)
{
    ck_assert_uint_eq(ovl_launch_test_needed(0.05 / 100, true), 11);
    ck_assert_uint_eq(ovl_launch_test_needed(0.05 / 800, true), 14);
    ck_assert_uint_eq(ovl_launch_test_needed(0.05, true), 5);
    ck_assert_uint_eq(ovl_launch_test_needed(0.05 / 13, true), 9); /* 8 pairs can tell of 12 cells at most */
    ck_assert_uint_eq(ovl_launch_test_needed(0.05 / 12, true), 8);
    ck_assert_uint_eq(ovl_launch_test_needed(0.04, false), 4); /* 1 / 20 of 3 a side is not below it, 1 / 70 is */
}

enum { MOST = 20 };

/* The share of comparisons in which a shift of that many standard deviations is found. */
static double power(const struct ovl_launch_test *t, double alpha, double sigmas)
{
    struct ovl_rng rng = ovl_rng_seeded(77);
    int found = 0;
    for (int k = 0; k < 2000; k++) {
        double old[MOST], new[MOST];
        for (size_t i = 0; i < t->n; i++) {
            old[i] = t->paired ? 0 : normal(&rng);
            new[i] = normal(&rng) + sigmas;
        }
        found += ovl_launch_test_evidence(t, old, new, 0).worse < alpha;
    }
    return found / 2000.0;
}

TEST(power_is_as_the_detectable_effect_says)
{
    static const struct {
        size_t n;
        double sigmas;
    } known[] = {{5, 2.3}, {10, 1.4}, {20, 1.0}}; /* two-sided 5 % */
    struct ovl_launch_test t;
    for (size_t i = 0; i < 3; i++) {
        ovl_launch_test_make(&t, known[i].n, false);
        double sigmas = ovl_launch_test_detectable(&t, 0.025, 0.8),
               many = ovl_launch_test_detectable(&t, 0.05 / 12, 0.8),
               sure = ovl_launch_test_detectable(&t, 0.025, 0.99);
        ck_assert_double_eq_tol(sigmas, known[i].sigmas, 0.15);
        ck_assert_double_eq_tol(power(&t, 0.025, sigmas), 0.8, 0.03);
        ck_assert_double_eq_tol(power(&t, 0.025, sure), 0.99, 0.01);
        if (known[i].n > 5)
            ck_assert_double_eq_tol(power(&t, 0.05 / 12, many), 0.8, 0.03);
        ovl_launch_test_free(&t);
    }
    ovl_launch_test_make(&t, 5, false);
    ck_assert(isinf(ovl_launch_test_detectable(&t, 0.003, 0.8)));
    ovl_launch_test_free(&t);
    ovl_launch_test_make(&t, 12, true);
    ck_assert_double_eq_tol(power(&t, 0.0005, ovl_launch_test_detectable(&t, 0.0005, 0.8)), 0.8, 0.03);
    ovl_launch_test_free(&t);
    /* Beyond the simulation the formula goes on without a step. */
    struct ovl_launch_test more;
    ovl_launch_test_make(&t, 44, false);
    ovl_launch_test_make(&more, 45, false);
    ck_assert_double_eq_tol(ovl_launch_test_detectable(&t, 0.01, 0.8) / ovl_launch_test_detectable(&more, 0.01, 0.8), 1,
                            0.05);
    ovl_launch_test_free(&t);
    ovl_launch_test_free(&more);
}

/* An end misses the truth as seldom as its level says, and nearly as often. */
TEST(ends_of_intervals_have_their_level)
{
    for (int i = 0; i < 8; i++) {
        bool paired = i % 2, outliers = i / 4;
        size_t n = i / 2 % 2 ? 20 : 12;
        struct ovl_launch_test t;
        struct ovl_rng rng = ovl_rng_seeded(900 + (uint64_t)i);
        int below = 0, above = 0;
        ovl_launch_test_make(&t, n, paired);
        for (int k = 0; k < 4000; k++) {
            double old[MOST], new[MOST];
            struct ovl_shift s;
            for (size_t l = 0; l < n; l++) {
                old[l] = 0.01 * noise(&rng, outliers ? OUTLIERS : NORMAL);
                new[l] = 0.01 * noise(&rng, outliers ? OUTLIERS : NORMAL) + 0.02;
            }
            s = ovl_launch_test_shift(&t, old, new, 0.02, 0.05);
            above += s.low > 0.02;
            below += s.high < 0.02;
        }
        ck_assert_double_lt(above / 4000.0, 0.026);
        ck_assert_double_lt(below / 4000.0, 0.06);
        if (!outliers) {
            ck_assert_double_gt(above / 4000.0, 0.010);
            ck_assert_double_gt(below / 4000.0, 0.030);
        }
        ovl_launch_test_free(&t);
    }
}
