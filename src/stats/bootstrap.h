/* Intervals of what follows from rounds in another way than by medians of overlap's quantities: a mean, a ratio of
 * means.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_BOOTSTRAP_H
#define OVL_STATS_BOOTSTRAP_H

#include "stats/overlap.h"

enum { OVL_BOOTSTRAP_COLUMNS = 2, OVL_BOOTSTRAP_ROUNDS = 64 }; /* at most */

/* The value of n rounds, a number of each column for each; it may put the numbers of a column in another order. */
typedef double ovl_bootstrap_value(double column[OVL_BOOTSTRAP_COLUMNS][OVL_BOOTSTRAP_ROUNDS], size_t n);

/* The value of n rounds, and the interval of its percentile bootstrap: 2,000 draws of whole rounds, 95 %, between
   points that lie further out where rounds are few. NaN below 6 rounds. A column may be NULL. */
struct ovl_estimate ovl_stats_bootstrap(ovl_bootstrap_value *value, const double *const columns[OVL_BOOTSTRAP_COLUMNS],
                                        size_t n, uint64_t seed);

/* The mean of the first column; its median by the mean, or by the median, of the second one. */
ovl_bootstrap_value ovl_bootstrap_mean, ovl_bootstrap_median_by_mean, ovl_bootstrap_median_by_median;

#endif
