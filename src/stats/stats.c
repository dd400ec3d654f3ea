/* Order statistics of samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"
#include "base/error.h"

#include <math.h>
#include <stdbool.h>
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

size_t ovl_stats_sorted(const double *x, size_t n, double *sorted)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            sorted[m++] = x[i];
    ovl_stats_sort(sorted, m);
    return m;
}

/* Puts those of x[from] .. x[to] that are below a value, or no more than it, before the others; the place behind them.
   Without a branch on what is compared, which no processor can foresee: that would take most of the time. */
static size_t put_first(double *x, size_t from, size_t to, double value, bool equal)
{
    size_t end = from;
    for (size_t i = from; i <= to; i++) {
        double moved = x[i];
        x[i] = x[end];
        x[end] = moved;
        end += equal ? moved <= value : moved < value;
    }
    return end;
}

/* Hoare's FIND (Algorithm 65, Comm. ACM 4, 1961), where what is equal to the pivot is a part of its own. */
double ovl_stats_select(double *x, size_t n, size_t k)
{
    for (size_t low = 0, high = n - 1;;) {
        double pivot = x[k];
        size_t equal = put_first(x, low, high, pivot, false);
        if (k < equal) {
            high = equal - 1;
            continue;
        }
        low = put_first(x, equal, high, pivot, true);
        if (k < low || low == equal) /* nothing equals a NaN, which should not be here */
            return pivot;
    }
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

double ovl_stats_median_of_finite(double *x, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i]))
            x[kept++] = x[i];
    return ovl_stats_median(x, kept);
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

struct keyed {
    double value;
    size_t at;
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct keyed *)a)->value, y = ((const struct keyed *)b)->value;
    return (x > y) - (x < y);
}

/* The values that are not NaN in ascending order, with their places in x; *m is how many. Room for n doubles follows
   n of them. */
static struct keyed *ordered(const double *x, size_t n, size_t *m)
{
    struct keyed *all = ovl_alloc(n, sizeof *all + sizeof(double));
    *m = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            all[(*m)++] = (struct keyed){x[i], i};
    if (*m > 1)
        qsort(all, *m, sizeof *all, by_value);
    return all;
}

/* Of m ordered values out of n; uses the room behind them. */
static double autocorrelation(struct keyed *sorted, size_t m, size_t n)
{
    enum { VALUES_LEAST = 6, PAIRS_LEAST = 5 };
    double *rank = (double *)(void *)(sorted + n), squares = 0, products = 0;
    size_t pairs = 0;
    if (m < VALUES_LEAST)
        return NAN;
    for (size_t i = 0; i < n; i++)
        rank[i] = NAN;
    for (size_t i = 0, end; i < m; i = end) { /* equal values share the mean of their ranks */
        for (end = i + 1; end < m && !(sorted[end].value > sorted[i].value); end++)
            ;
        double from_mean = ((double)i + (double)end - (double)m) / 2;
        for (size_t k = i; k < end; k++)
            rank[sorted[k].at] = from_mean;
        squares += (double)(end - i) * from_mean * from_mean;
    }
    for (size_t i = 0; i + 1 < n; i++)
        if (!isnan(rank[i]) && !isnan(rank[i + 1])) {
            products += rank[i] * rank[i + 1];
            pairs++;
        }
    if (pairs < PAIRS_LEAST || !(squares > 0))
        return NAN;
    return fmax(-1, fmin(1, products / (double)pairs / (squares / (double)m)));
}

double ovl_stats_autocorrelation(const double *x, size_t n)
{
    size_t m;
    struct keyed *sorted = ordered(x, n, &m);
    double r = autocorrelation(sorted, m, n);
    free(sorted);
    return r;
}

double ovl_stats_widening(double r)
{
    if (!(r > 0))
        return 1;
    r = fmin(r, 0.99);
    return sqrt((1 + r) / (1 - r));
}

/* The rank at which the interval of m values begins that stand in a series of n; 0 where there is none. */
static size_t first_rank(struct keyed *sorted, size_t m, size_t n)
{
    const double rounding = 1e-9;
    double low = (double)ovl_stats_ci_rank(m), centre = ((double)m + 1) / 2;
    if (low < 1)
        return 0;
    return (size_t)fmax(1,
                        floor(centre - (centre - low) * ovl_stats_widening(autocorrelation(sorted, m, n)) + rounding));
}

static struct ovl_summary summarise(const double *x, size_t n, bool series)
{
    size_t m;
    struct keyed *sorted = ordered(x, n, &m);
    struct ovl_summary out = {NAN, NAN, NAN, NAN, NAN, NAN, m, 0};
    if (m > 0) {
        out.median = m % 2 ? sorted[m / 2].value : (sorted[m / 2 - 1].value + sorted[m / 2].value) / 2;
        out.min = sorted[0].value;
        out.max = sorted[m - 1].value;
        size_t low = series ? first_rank(sorted, m, n) : ovl_stats_ci_rank(m);
        if (low > 0) {
            out.ci_low = sorted[low - 1].value;
            out.ci_high = sorted[m - low].value;
        }
        if (m >= 100)
            out.p99 = sorted[(size_t)ceil(0.99 * (double)m) - 1].value;
        double q1 = sorted[(m - 1) / 4].value, q3 = sorted[3 * (m - 1) / 4].value, reach = 3 * (q3 - q1);
        for (size_t i = 0; i < m; i++)
            out.outliers += sorted[i].value < q1 - reach || sorted[i].value > q3 + reach;
    }
    free(sorted);
    return out;
}

struct ovl_summary ovl_stats_summarise(const double *x, size_t n)
{
    return summarise(x, n, false);
}

struct ovl_summary ovl_stats_summarise_series(const double *x, size_t n)
{
    return summarise(x, n, true);
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

void ovl_stats_limit(double *sorted, double *room, size_t n, double deviations)
{
    const double sd_of_median = 1.4826;
    double middle = n > 0 ? sorted[n / 2] : NAN;
    size_t i = n / 2;
    for (size_t k = 0; k < n; k++)
        room[k] = fabs(sorted[k] - middle);
    ovl_stats_sort(room, n);
    while (i < n && room[i] == 0)
        i++;
    if (i == n)
        return;
    double most = deviations * sd_of_median * room[i];
    for (size_t k = 0; k < n; k++)
        sorted[k] = fmax(middle - most, fmin(middle + most, sorted[k]));
}
