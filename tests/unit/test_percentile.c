/* Percentiles against order statistics that are counted out by the binomial distribution itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "stats/percentile.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

static const double percents[] = {10, 25, 50, 75, 90, 95, 99, 99.5};
enum { PERCENTS = sizeof percents / sizeof *percents, MOST = 800 };

/* P(X <= k) of n trials, by Pascal's rule: one trial after the other, without a factorial or a logarithm. */
static long double cdf[MOST + 1];

static void count_out(size_t n, long double q)
{
    cdf[0] = 1;
    for (size_t i = 1; i <= n; i++)
        cdf[i] = 0;
    for (size_t trial = 1; trial <= n; trial++)
        for (size_t k = trial; k + 1 > 0; k--)
            cdf[k] = cdf[k] * (1 - q) + (k > 0 ? cdf[k - 1] * q : 0);
    for (size_t k = 1; k <= n; k++)
        cdf[k] += cdf[k - 1];
}

/* 1 .. n in an order without autocorrelation to speak of, so that a value is its rank. */
static void ranks(double *x, size_t n, struct ovl_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i + 1;
    for (size_t i = n; i > 1; i--) {
        size_t k = ovl_rng_below(rng, (uint32_t)i);
        double kept = x[i - 1];
        x[i - 1] = x[k];
        x[k] = kept;
    }
}

LOOP_TEST(ranks_are_those_of_the_binomial_distribution, 0, PERCENTS)
{
    static const size_t sizes[] = {1,  2,  5,   6,   9,   10,  11,  35,  36,  37, 71,
                                   72, 99, 100, 199, 200, 367, 368, 500, 736, 800};
    static double x[MOST];
    const double percent = percents[_i];
    struct ovl_rng rng = ovl_rng_seeded(3);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s], low = 0, high = n + 1, at = 1;
        do
            ranks(x, n, &rng);
        while (ovl_stats_autocorrelation(x, n) > 0);
        struct ovl_estimate e = ovl_stats_percentile(x, n, percent);
        count_out(n, (long double)percent / 100);
        while (low < n && cdf[low] <= 0.025L) /* x[low] is above the percentile in at most 2.5 % of all samples */
            low++;
        while (high > 1 && 1 - (high >= 2 ? cdf[high - 2] : 0) <= 0.025L)
            high--;
        while ((double)at * 1000 < percent * 10 * (double)n)
            at++;
        bool told = 1000 <= fmin(percent, 100 - percent) * 10 * (double)n + 1e-6;
        ck_assert_msg(told ? e.value == (double)at : isnan(e.value), "P%g of %zu: %g", percent, n, e.value);
        ck_assert_msg(told && low > 0 ? e.ci_low == (double)low : isnan(e.ci_low), "P%g of %zu from %g", percent, n,
                      e.ci_low);
        ck_assert_msg(told && high <= n ? e.ci_high == (double)high : isnan(e.ci_high), "P%g of %zu to %g", percent, n,
                      e.ci_high);
    }
}

TEST(numbers_and_claims_begin_where_the_rule_says)
{
    static const struct {
        double percent;
        size_t least, claims;
    } known[] = {{50, 2, 6}, {75, 4, 13}, {90, 10, 36}, {95, 20, 72}, {99, 100, 368}, {99.9, 1000, 3688}, {10, 10, 36}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ck_assert_uint_eq(ovl_stats_percentile_least(known[i].percent), known[i].least);
        ck_assert_uint_eq(ovl_stats_percentile_claims(known[i].percent), known[i].claims);
    }
}

/* P50 and the median have the same interval, also where blocks are autocorrelated and where some are none. */
TEST(the_interval_of_p50_is_the_median_s)
{
    double x[101];
    struct ovl_rng rng = ovl_rng_seeded(9);
    for (int i = 0; i < 101; i++)
        x[i] = i % 7 == 3 ? NAN : (i > 0 && !isnan(x[i - 1]) ? 0.6 * x[i - 1] : 0) + (double)ovl_rng_below(&rng, 1000);
    ck_assert_double_gt(ovl_stats_autocorrelation(x, 101), 0.1);
    struct ovl_summary s = ovl_stats_summarise_series(x, 101);
    struct ovl_estimate p50 = ovl_stats_percentile(x, 101, 50), p99 = ovl_stats_percentile(x, 101, 99);
    ck_assert_double_eq(p50.ci_low, s.ci_low);
    ck_assert_double_eq(p50.ci_high, s.ci_high);
    ck_assert(isnan(p99.value)); /* of 87 values */
}

TEST(a_widened_interval_ends_at_the_greatest_value)
{
    enum { N = 40 };
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = i; /* as autocorrelated as can be */
    struct ovl_estimate e = ovl_stats_percentile(x, N, 90);
    ck_assert_double_eq(e.value, 35);
    ck_assert_double_lt(e.ci_low, 20); /* 31, were they independent */
    ck_assert_double_eq(e.ci_high, N - 1);
}
