/* Percentiles by order statistics, in per cent: 99.9. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_PERCENTILE_H
#define OVL_STATS_PERCENTILE_H

#include "stats/overlap.h"

/* Above 0 and below 100. From how many values on there is a percentile: so many that one lies beyond it, 10 for P90,
   100 for P99; and from how many on it is a claim, as its interval has both ends: 6 for P50, 36 for P90, 368 for P99.
 */
size_t ovl_stats_percentile_least(double percent);
size_t ovl_stats_percentile_claims(double percent);

/* Of the values that are not NaN, by nearest rank: the smallest that at least so many per cent do not exceed. The
   interval x[low] .. x[high] is exact where values are independent: the largest low with BinomCDF(low - 1; n, q) <=
   0.025, and high the same from the other side (David and Nagaraja, Order Statistics, 2003, 7.1), as of the median. By
   the autocorrelation of the values in the order in which they were taken its ranks move away from the middle, as in
   ovl_stats_summarise_series, but not beyond the least and greatest value. NaN where there are too few. */
struct ovl_estimate ovl_stats_percentile(const double *x, size_t n, double percent);

#endif
