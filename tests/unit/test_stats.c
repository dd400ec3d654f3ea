/* Order statistics, the random generator and the stopping rule against values known from elsewhere. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "stats/histogram.h"
#include "stats/stats.h"
#include "stats/stop.h"
#include "tests/unit/test.h"

#include <math.h>

TEST(select_is_what_sorting_puts_there)
{
    enum { MOST = 41 };
    struct ovl_rng rng = ovl_rng_seeded(3);
    for (size_t n = 1; n <= MOST; n++)
        for (uint32_t differ = 1; differ <= 3 * MOST; differ += 17) /* from all equal to hardly two */
            for (size_t k = 0; k < n; k++) {
                double sorted[MOST], x[MOST];
                for (size_t i = 0; i < n; i++)
                    x[i] = sorted[i] = ovl_rng_below(&rng, differ);
                ovl_stats_sort(sorted, n);
                ck_assert_double_eq(ovl_stats_select(x, n, k), sorted[k]);
                ck_assert_double_eq(x[k], sorted[k]);
                for (size_t i = 0; i < n; i++)
                    ck_assert(i < k ? x[i] <= x[k] : x[i] >= x[k]);
                ovl_stats_sort(x, n);
                ck_assert_mem_eq(x, sorted, n * sizeof *x);
            }
}

TEST(median_of_what_is_finite)
{
    double x[] = {NAN, 3, INFINITY, 1, NAN, 2, -INFINITY}, none[] = {NAN, NAN};
    ck_assert_double_eq(ovl_stats_median_of_finite(x, sizeof x / sizeof *x), 2);
    ck_assert(isnan(ovl_stats_median_of_finite(none, 2)) && isnan(ovl_stats_median_of_finite(none, 0)));
}

TEST(interval_ranks)
{
    static const struct {
        size_t n, low;
    } known[] = {{0, 0},  {1, 0},  {5, 0},   {6, 1},   {8, 1},    {9, 2},
                 {10, 2}, {20, 6}, {30, 10}, {50, 18}, {100, 40}, {1000, 469}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_uint_eq(ovl_stats_ci_rank(known[i].n), known[i].low);
}

TEST(summary_of_few_and_many)
{
    double x[200];
    struct ovl_summary s;
    for (int i = 0; i < 200; i++)
        x[i] = 200 - i;
    s = ovl_stats_summarise(x, 200);
    ck_assert_double_eq(s.median, 100.5);
    ck_assert_double_eq(s.min, 1);
    ck_assert_double_eq(s.max, 200);
    ck_assert_double_eq(s.p99, 198);
    ck_assert_uint_eq(s.n, 200);
    ck_assert_uint_eq(s.outliers, 0);

    s = ovl_stats_summarise(x, 5);
    ck_assert_double_eq(s.median, 198);
    ck_assert(isnan(s.ci_low) && isnan(s.ci_high) && isnan(s.p99));

    s = ovl_stats_summarise(x, 0);
    ck_assert(isnan(s.median) && isnan(s.min) && isnan(s.max));
}

TEST(summary_passes_over_nan_and_counts_outliers)
{
    double x[] = {NAN, 3, 1, NAN, 2, 4, 5, 6, 7, 1000, NAN};
    struct ovl_summary s;
    s = ovl_stats_summarise(x, 11);
    ck_assert_uint_eq(s.n, 8);
    ck_assert_double_eq(s.median, 4.5);
    ck_assert_double_eq(s.ci_low, 1);
    ck_assert_double_eq(s.ci_high, 1000);
    ck_assert_uint_eq(s.outliers, 1);
    ck_assert_double_eq(s.max, 1000); /* counted, not removed */
    ck_assert_double_eq(ovl_stats_mean(x, 11), 1028.0 / 8);
}

/* The interval holds the true median in 93-97 % of samples of a skewed distribution. */
TEST(interval_covers)
{
    struct ovl_rng rng = ovl_rng_seeded(7);
    int covered = 0;
    enum { RUNS = 4000, N = 30 };
    for (int r = 0; r < RUNS; r++) {
        double x[N];
        struct ovl_summary s;
        for (int i = 0; i < N; i++)
            x[i] = -log((double)((ovl_rng_next(&rng) >> 11) + 1) / 9007199254740993.0);
        s = ovl_stats_summarise(x, N);
        covered += s.ci_low <= M_LN2 && M_LN2 <= s.ci_high;
    }
    ck_assert_double_ge(covered / (double)RUNS, 0.93);
    ck_assert_double_le(covered / (double)RUNS, 0.98); /* 95.7 % is exact for n = 30 */
}

static double autocorrelation(const double *x, size_t n)
{
    double r;
    r = ovl_stats_autocorrelation(x, n);
    return r;
}

TEST(autocorrelation_of_known_orders)
{
    /* Ranks from their mean: -3.5 .. 3.5, squares' mean 5.25. */
    const double up[] = {1, 2, 3, 4, 50, 600, 7000, 80000}, swing[] = {1, 8, 2, 7, 3, 6, 4, 5};
    ck_assert_double_eq_tol(autocorrelation(up, 8), (8.75 + 3.75 + 0.75 - 0.25 + 0.75 + 3.75 + 8.75) / 7 / 5.25, 1e-12);
    ck_assert_double_eq_tol(autocorrelation(swing, 8), -(12.25 + 8.75 + 6.25 + 3.75 + 2.25 + 0.75 + 0.25) / 7 / 5.25,
                            1e-12);
    /* Equal values share a rank: -2 -2 -2 1 1 1 ... of 9 values in threes, from the mean -3, 0, 3. */
    const double ties[] = {5, 5, 5, 6, 6, 6, 7, 7, 7};
    ck_assert_double_eq_tol(autocorrelation(ties, 9), (9 + 9 + 0 + 0 + 0 + 0 + 9 + 9) / 8.0 / 6, 1e-12);
}

TEST(autocorrelation_knows_no_neighbour_across_a_gap)
{
    /* In each pair of neighbours the ranks fall together; across the gaps they would not. */
    const double x[] = {1, 2, NAN, 9, 10, NAN, 3, 4, NAN, 7, 8, NAN, 5, 6};
    double pairs = (4.5 * 3.5 + 3.5 * 4.5 + 2.5 * 1.5 + 1.5 * 2.5 + 0.5 * -0.5) / 5;
    ck_assert_double_eq_tol(autocorrelation(x, 14), pairs / 8.25, 1e-12);
}

TEST(autocorrelation_where_there_is_none)
{
    const double same[] = {2, 2, 2, 2, 2, 2, 2}, few[] = {1, 2, 3, 4, 5},
                 gaps[] = {1, NAN, 2, NAN, 3, NAN, 4, NAN, 5, 6, 7, 8};
    ck_assert(isnan(autocorrelation(same, 7)));
    ck_assert(isnan(autocorrelation(few, 5)));
    ck_assert(isnan(autocorrelation(gaps, 12))); /* eight values, three pairs */
    ck_assert(isnan(autocorrelation(NULL, 0)));
    ck_assert_double_eq(ovl_stats_widening(NAN), 1);
    ck_assert_double_eq(ovl_stats_widening(-0.8), 1);
    ck_assert_double_eq(ovl_stats_widening(0), 1);
    ck_assert_double_eq_tol(ovl_stats_widening(0.6), 2, 1e-12);
    ck_assert_double_eq(ovl_stats_widening(1), ovl_stats_widening(0.99));
}

/* The same thirty values: in an order without memory the ranks are (10, 21); going up they move by the widening; never
   beyond the ends. */
TEST(interval_widens_with_autocorrelation)
{
    double up[30], mixed[30];
    struct ovl_summary s;
    for (int i = 0; i < 30; i++) {
        up[i] = i + 1;
        mixed[i] = (i * 17 + 5) % 30 + 1;
    }
    ck_assert_double_lt(autocorrelation(mixed, 30), 0);
    s = ovl_stats_summarise_series(mixed, 30);
    ck_assert_double_eq(s.ci_low, 10);
    ck_assert_double_eq(s.ci_high, 21);

    for (int i = 0; i < 30; i++) /* a slow swing with much noise on it */
        mixed[i] = (i % 10 < 5 ? 0 : 9) + (i * 7 + 3) % 30 + 0.01 * i;
    double r = autocorrelation(mixed, 30), sorted[30];
    ck_assert_double_gt(r, 0.05);
    s = ovl_stats_summarise_series(mixed, 30);
    for (int i = 0; i < 30; i++)
        sorted[i] = mixed[i];
    ovl_stats_sort(sorted, 30);
    size_t low = (size_t)floor(15.5 - 5.5 * sqrt((1 + r) / (1 - r)));
    ck_assert_uint_lt(low, 10);
    ck_assert_double_eq(s.ci_low, sorted[low - 1]);
    ck_assert_double_eq(s.ci_high, sorted[30 - low]);

    s = ovl_stats_summarise_series(up, 30);
    ck_assert_double_eq(s.ci_low, 1);
    ck_assert_double_eq(s.ci_high, 30);
    s = ovl_stats_summarise(up, 30); /* of values that are no series */
    ck_assert_double_eq(s.ci_low, 10);
    ck_assert_double_eq(s.ci_high, 21);
}

/* First outputs of the authors' reference code from the state 1, 2, 3, 4. */
TEST(generator_is_xoshiro256starstar)
{
    struct ovl_rng r = {{1, 2, 3, 4}};
    ck_assert_uint_eq(ovl_rng_next(&r), 11520);
    ck_assert_uint_eq(ovl_rng_next(&r), 0);
    ck_assert_uint_eq(ovl_rng_next(&r), 1509978240);
    ck_assert_uint_eq(ovl_rng_next(&r), 1215971899390074240u);
    unsigned seen = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t x = ovl_rng_below(&r, 7);
        ck_assert_uint_lt(x, 7);
        seen |= 1u << x;
    }
    ck_assert_uint_eq(seen, 0x7f);
}

TEST(looks_grow)
{
    struct ovl_stop stop = {.least = 30, .most = 1000, .percent = 2, .max_seconds = 10};
    ck_assert_uint_eq(ovl_stop_next_look(&stop, 0), 30);
    ck_assert_uint_eq(ovl_stop_next_look(&stop, 30), 45);
    ck_assert_uint_eq(ovl_stop_next_look(&stop, 45), 68);
    ck_assert_uint_eq(ovl_stop_next_look(&stop, 900), 1000);
    stop.most = 10;
    ck_assert_uint_eq(ovl_stop_next_look(&stop, 0), 10);
    stop = (struct ovl_stop){.least = 30, .most = 1000, .values = 368};
    ck_assert_uint_eq(ovl_stop_next_look(&stop, 0), 368);
    ck_assert_uint_eq(ovl_stop_next_look(&stop, 368), 552);
    stop.most = 100; /* the user's word */
    ck_assert_uint_eq(ovl_stop_next_look(&stop, 0), 100);
}

TEST(stops_when_both_are_narrow)
{
    struct ovl_samples s;
    struct ovl_stop stop = {.least = 6, .most = 100, .percent = 2, .max_seconds = 10};
    ovl_samples_make(&s, 20);
    s.blocks = 20;
    for (int b = 0; b < 20; b++) {
        s.max[OVL_COMM][b] = s.max[OVL_COMPUTE][b] = 1e-3;
        s.max[OVL_TOTAL][b] = 1.5e-3 * (1 + (b % 2 ? 1e-3 : -1e-3));
    }
    ck_assert(ovl_stop_reached(&stop, &s, 0, 1));
    stop.values = 20;
    ck_assert(ovl_stop_reached(&stop, &s, 0, 1));
    s.max[OVL_COMM][7] = NAN; /* a sample too late to count is none of the values that a percentile needs */
    ck_assert(!ovl_stop_reached(&stop, &s, 0, 1));
    stop.values = 0;
    ck_assert(ovl_stop_reached(&stop, &s, 0, 1));
    for (int b = 0; b < 20; b++) /* the total still narrow, the overlap not: C is a tenth */
        s.max[OVL_COMM][b] = 1e-4, s.max[OVL_TOTAL][b] = 1.5e-3 * (1 + (b % 2 ? 5e-3 : -5e-3));
    ck_assert(!ovl_stop_reached(&stop, &s, 0, 1));
    ck_assert(ovl_stop_reached(&stop, &s, 1e-3, 1)); /* no value for the overlap: it asks for nothing */
    for (int b = 0; b < 20; b++)
        s.max[OVL_TOTAL][b] = 1.5e-3 * (b % 2 ? 1.1 : 0.9);
    ck_assert(!ovl_stop_reached(&stop, &s, 1e-3, 1));
    s.blocks = 5; /* no interval yet */
    ck_assert(!ovl_stop_reached(&stop, &s, 1e-3, 1));
    s.blocks = 20;
    ovl_samples_free(&s);
}

TEST(histogram_covers_all_but_outliers)
{
    double x[103];
    size_t sum = 0;
    struct ovl_histogram h;
    for (int i = 0; i < 100; i++)
        x[i] = 100 + i % 10;
    x[100] = 1000;
    x[101] = NAN;
    x[102] = 1;
    h = ovl_histogram_make(x, 103);
    ck_assert_double_eq(h.low, 100);
    ck_assert_double_eq(h.high, 109);
    ck_assert_uint_eq(h.below, 1);
    ck_assert_uint_eq(h.above, 1);
    ck_assert_uint_eq(h.bins, 5); /* quartiles 102 and 107: 9 * cbrt(102) / (2 * 5) = 4.2 */
    for (size_t i = 0; i < h.bins; i++)
        sum += h.count[i];
    ck_assert_uint_eq(sum, 100);
    ck_assert_uint_eq(h.count[0], 20); /* 100 and 101 are below 101.8 */
    ck_assert_uint_eq(h.count[4], 20); /* 108 and 109, the highest value among them */
}

TEST(histogram_of_few_or_equal_values)
{
    double x[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5.04, 6};
    struct ovl_histogram h;
    h = ovl_histogram_make(x, 0);
    ck_assert_uint_eq(h.bins, 0);
    h = ovl_histogram_make(x, 10);
    ck_assert_uint_eq(h.bins, 1);
    ck_assert_uint_eq(h.count[0], 10);
    ck_assert(h.low < 5 && h.high > 5);
    h = ovl_histogram_make(x, 12); /* within 1 % of the median nothing is an outlier */
    ck_assert_double_eq(h.high, 5.04);
    ck_assert_uint_eq(h.above, 1);
    h = ovl_histogram_make(x + 8, 4); /* too few to tell one */
    ck_assert_double_eq(h.high, 6);
    ck_assert_uint_eq(h.above, 0);
}
