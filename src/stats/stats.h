/* Order statistics of samples: medians, intervals that are exact if values are independent, outliers. NaN stands for
 * "no value" (null in the record). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_STATS_H
#define OVL_STATS_STATS_H

#include <stddef.h>

struct ovl_summary {
    double median, ci_low, ci_high, min, max, p99; /* each NaN where there are too few values */
    size_t n;                                      /* values that were not NaN */
    size_t outliers;                               /* beyond 3 interquartile ranges of the quartiles; counted, kept */
};

/* Sorts n doubles upwards; there must be no NaN among them. */
void ovl_stats_sort(double *x, size_t n);

/* The median of n values, which are put in order; the mean of the middle two when n is even, NaN when n is 0. */
double ovl_stats_median(double *x, size_t n);

/* Ranks (1-based) of the exact 95 % interval of the median: x[low] .. x[n + 1 - low] with the largest low for which
   1 - 2 BinomCDF(low - 1; n, 1/2) >= 0.95 (David and Nagaraja, Order Statistics, 2003, 7.1). 0 below n = 6. */
size_t ovl_stats_ci_rank(size_t n);

/* Summary of the values that are not NaN; the interval needs 6 values, p99 (nearest rank) needs 100.
   Returns -1 when there is no memory. */
int ovl_stats_summarise(const double *x, size_t n, struct ovl_summary *out);

/* The mean of the values that are not NaN; NaN when there is none. */
double ovl_stats_mean(const double *x, size_t n);

#endif
