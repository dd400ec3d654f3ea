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

/* Limits values, which are in order of size, to so many standard deviations from their median. The standard deviation
   is that of a normal distribution with the same median of absolute deviations; the least of them that is not 0 stands
   for it where that is 0, as of the ticks of a coarse clock. `room` is for n numbers. */
void ovl_stats_limit(double *sorted, double *room, size_t n, double deviations);

/* Those of n values that are not NaN, in ascending order, in `sorted`, which has room for n. Returns how many. */
size_t ovl_stats_sorted(const double *x, size_t n, double *sorted);

/* The value that would stand at place k, from 0, if n > k doubles were sorted, none of which is NaN; for where one
   place or two are asked for, many thousand times. x has another order then, with no greater value before that place
   and no smaller one behind it. */
double ovl_stats_select(double *x, size_t n, size_t k);

/* The median of n values, which are put in order; the mean of the middle two when n is even, NaN when n is 0. */
double ovl_stats_median(double *x, size_t n);
/* The same of those that are finite, which a sort of NaNs would mix up; x keeps them alone, in front. */
double ovl_stats_median_of_finite(double *x, size_t n);

/* Ranks (1-based) of the exact 95 % interval of the median: x[low] .. x[n + 1 - low] with the largest low for which
   1 - 2 BinomCDF(low - 1; n, 1/2) >= 0.95 (David and Nagaraja, Order Statistics, 2003, 7.1). 0 below n = 6. */
size_t ovl_stats_ci_rank(size_t n);

/* The lag-1 rank autocorrelation of values in the order in which they were taken: with R the (mid-)rank of a value
   among those that are not NaN, the mean of (R[i] - mean R) (R[i + 1] - mean R) over the pairs of neighbours that are
   both not NaN, divided by the variance of R (the statistic of Wald and Wolfowitz, Ann. Math. Statist. 14, 1943, not
   closed to a circle; 1 less it is half of Bartels's rank ratio, J. Am. Statist. Assoc. 77, 1982). Within -1 .. 1; NaN
   below 6 values or 5 pairs, and where all values are equal. */
double ovl_stats_autocorrelation(const double *x, size_t n);

/* By how much an interval widens: n blocks with autocorrelation r > 0 are worth n (1 - r) / (1 + r) independent ones
   (Box, Jenkins and Reinsel, Time Series Analysis, 2008, 2.1), so by sqrt((1 + r) / (1 - r)), r at most 0.99. 1 where r
   is NaN or not positive: nothing narrows. */
double ovl_stats_widening(double autocorrelation);

/* Summary of the values that are not NaN; the interval, by ovl_stats_ci_rank, needs 6 values, p99 (nearest rank) needs
   100. */
struct ovl_summary ovl_stats_summarise(const double *x, size_t n);

/* The same of blocks in the order in which they were taken: the interval's ranks move away from the middle by
   ovl_stats_widening, but not beyond the least and greatest value. */
struct ovl_summary ovl_stats_summarise_series(const double *x, size_t n);

/* The mean of the values that are not NaN; NaN when there is none. */
double ovl_stats_mean(const double *x, size_t n);

#endif
