/* Percentiles by order statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/percentile.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

/* Of each side of the interval. */
static const double tail = 0.025;

/* What a quotient of small decimal numbers is off by. */
static const double rounding = 1e-9;

size_t ovl_stats_percentile_least(double percent)
{
    return (size_t)ceil(100 / fmin(percent, 100 - percent) - rounding);
}

size_t ovl_stats_percentile_claims(double percent)
{
    return (size_t)ceil(log(tail) / log(fmax(percent, 100 - percent) / 100) - rounding);
}

/* The largest rank with BinomCDF(rank - 1; n, q) <= tail; 0: there is none. Terms by their logarithms, so that they do
   not underflow for large n. */
static size_t low_rank(size_t n, double q)
{
    double sum = 0, log_term = (double)n * log1p(-q);
    size_t rank = 0;
    for (size_t k = 0; k < n; k++) {
        sum += exp(log_term);
        if (sum > tail)
            break;
        rank = k + 1;
        log_term += log((double)(n - k)) - log((double)(k + 1)) + log(q) - log1p(-q);
    }
    return rank;
}

/* Of m sorted values, whose interval is so much wider. */
static struct ovl_estimate of_sorted(const double *sorted, size_t m, double percent, double widening)
{
    struct ovl_estimate e = {NAN, NAN, NAN};
    double q = percent / 100, centre = q * ((double)m + 1), n = (double)m;
    if (m < ovl_stats_percentile_least(percent))
        return e;
    e.value = sorted[(size_t)fmax(1, ceil(q * n - rounding)) - 1];
    size_t low = low_rank(m, q), high = low_rank(m, (100 - percent) / 100); /* counted from the greatest */
    if (low > 0)
        e.ci_low = sorted[(size_t)fmax(1, floor(centre - (centre - (double)low) * widening + rounding)) - 1];
    if (high > 0)
        e.ci_high = sorted[(size_t)fmin(n, ceil(centre + (n + 1 - (double)high - centre) * widening - rounding)) - 1];
    return e;
}

struct ovl_estimate ovl_stats_percentile(const double *x, size_t n, double percent)
{
    double *sorted = ovl_alloc(n, sizeof *sorted);
    size_t m = ovl_stats_sorted(x, n, sorted);
    struct ovl_estimate e = of_sorted(sorted, m, percent, ovl_stats_widening(ovl_stats_autocorrelation(x, n)));
    free(sorted);
    return e;
}
