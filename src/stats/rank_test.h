/* Rank statistics of launches and their exact null distributions (Hollander, Wolfe and Chicken, Nonparametric
   Statistical Methods, 2014, ch. 3 and 4); launch_test.h makes tests of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_RANK_TEST_H
#define OVL_STATS_RANK_TEST_H

#include <stddef.h>

/* The distribution of a rank statistic when nothing changed: of Mann and Whitney's U (how many of the m n pairs have
   the new value above the old one), or of Wilcoxon's T+ (how many of the n (n + 1) / 2 Walsh averages are above 0). */
struct ovl_null_distribution {
    size_t m, n; /* launches of both sides; m is 0 for pairs */
    size_t most; /* the greatest value */
    double *cdf; /* P(statistic <= k) for k = 0 .. most */
};

/* By a dynamic programme up to 200 launches a side (400 pairs), by the normal approximation with continuity correction
   beyond; m is 1 or more. */
struct ovl_null_distribution ovl_null_distribution_two(size_t m, size_t n);
struct ovl_null_distribution ovl_null_distribution_paired(size_t n);
void ovl_null_distribution_free(struct ovl_null_distribution *r);

/* P(statistic >= k). */
double ovl_null_distribution_above(const struct ovl_null_distribution *r, size_t k);

/* The least p that these launches can give at all: 1 / binomial(m + n, n), or 2^-n for pairs. */
double ovl_ranks_least_p(const struct ovl_null_distribution *r);

/* The bound at which the one-sided test of that level stops to reject is the order-th smallest, and from the other side
   the order-th greatest, of the differences (ovl_rank_differences). 0: no bound, too few launches. */
size_t ovl_null_distribution_order(const struct ovl_null_distribution *r, double level);

/* The r->most differences of each new value from each old one, or the averages of two differences of pairs (Walsh). The
   statistic is how many are above 0. */
void ovl_rank_differences(const struct ovl_null_distribution *r, const double *old, const double *new, double *d);

/* How many of these lie above a bound, and how many below it. */
struct ovl_rank_counts {
    size_t above, below;
};
struct ovl_rank_counts ovl_rank_count(const struct ovl_null_distribution *r, const double *old, const double *new,
                                      double bound);

/* Standard deviation between launches, pooled over both sides, or of the differences of pairs; NaN below two
   launches. */
double ovl_launches_spread(const struct ovl_null_distribution *r, const double *old, const double *new);

#endif
