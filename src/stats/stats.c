/* Order statistics of samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ovl_stats_sort(double *x, size_t n)
{
    if (n > 1)
        qsort(x, n, sizeof *x, ascending);
}

static double middle(const double *sorted, size_t n)
{
    if (n == 0)
        return NAN;
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double ovl_stats_median(double *x, size_t n)
{
    ovl_stats_sort(x, n);
    return middle(x, n);
}

size_t ovl_stats_ci_rank(size_t n)
{
    /* Binomial(n, 1/2) terms by their logarithms, so that 2^-n does not underflow for large n. */
    double tail = 0, log_term = -(double)n * M_LN2;
    size_t low = 0;
    for (size_t k = 0; k < n; k++) {
        tail += exp(log_term); /* BinomCDF(k; n, 1/2) */
        if (1 - 2 * tail < 0.95)
            break;
        low = k + 1;
        log_term += log((double)(n - k)) - log((double)(k + 1));
    }
    return low;
}

int ovl_stats_summarise(const double *x, size_t n, struct ovl_summary *out)
{
    *out = (struct ovl_summary){NAN, NAN, NAN, NAN, NAN, NAN, 0, 0};
    double *sorted = malloc((n ? n : 1) * sizeof *sorted);
    if (!sorted)
        return -1;

    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            sorted[m++] = x[i];
    ovl_stats_sort(sorted, m);
    out->n = m;
    if (m > 0) {
        out->median = middle(sorted, m);
        out->min = sorted[0];
        out->max = sorted[m - 1];
        size_t low = ovl_stats_ci_rank(m);
        if (low > 0) {
            out->ci_low = sorted[low - 1];
            out->ci_high = sorted[m - low];
        }
        if (m >= 100)
            out->p99 = sorted[(size_t)ceil(0.99 * (double)m) - 1];
        double q1 = sorted[(m - 1) / 4], q3 = sorted[3 * (m - 1) / 4], reach = 3 * (q3 - q1);
        for (size_t i = 0; i < m; i++)
            out->outliers += sorted[i] < q1 - reach || sorted[i] > q3 + reach;
    }
    free(sorted);
    return 0;
}

double ovl_stats_mean(const double *x, size_t n)
{
    double sum = 0;
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) {
            sum += x[i];
            m++;
        }
    return m ? sum / (double)m : NAN;
}
