/* Comparing launches: each launch (one mpirun) gives one number per cell, and ranks of these numbers decide, by exact
   null distributions (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 2014, ch. 3 and 4). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_RANK_TEST_H
#define OVL_STATS_RANK_TEST_H

#include <stddef.h>

/* The distribution of a rank statistic when nothing changed: of Mann and Whitney's U (how many of the m n pairs have
   the new value above the old one), or of Wilcoxon's T+ (how many of the n (n + 1) / 2 Walsh averages are above 0). */
struct ovl_null_distribution {
    size_t m, n;  /* launches of both sides; m is 0 for pairs */
    size_t most;  /* the greatest value */
    double *cdf;  /* P(statistic <= k) for k = 0 .. most */
    size_t order; /* the 95 % interval goes from the order-th smallest difference to the order-th greatest; 0: too few
                     launches for an interval */
};

/* By a dynamic programme up to 200 launches a side (400 pairs), by the normal approximation with continuity correction
   beyond. -1 when there is no memory. */
int ovl_null_distribution_two(struct ovl_null_distribution *r, size_t m, size_t n);
int ovl_null_distribution_paired(struct ovl_null_distribution *r, size_t n);
void ovl_null_distribution_free(struct ovl_null_distribution *r);

/* P(statistic >= k). */
double ovl_null_distribution_above(const struct ovl_null_distribution *r, size_t k);

/* The least p that these launches can give at all: 1 / binomial(m + n, n), or 2^-n for pairs. */
double ovl_ranks_least_p(const struct ovl_null_distribution *r);

struct ovl_shift {
    double value;     /* Hodges and Lehmann's: the median of the differences, or of the Walsh averages */
    double low, high; /* 95 % interval by inverting the test; NaN where there are too few launches */
    double p;         /* one-sided, of "the new values lie at most `bound` above the old ones"; ties speak for it */
};

/* The shift from m old values to n new ones, or that of n pairs (old[i] with new[i]), as *r was made. Values are
   finite: logarithms where ratios are compared. -1 when there is no memory. */
int ovl_shift_estimate(const struct ovl_null_distribution *r, const double *old, const double *new, double bound,
                       struct ovl_shift *out);

/* Holm's step-down adjustment (Scand. J. Statist. 6, 1979): p[i] becomes the level at which it is still rejected among
   all n. Those that are NaN are left alone and not counted. -1 when there is no memory. */
int ovl_holm_adjust(double *p, size_t n);

/* The minimum detectable effect: the shift, in standard deviations between launches, that the test at this one-sided
   level finds with 80 % power where launches are normal. Simulated (seeded, the same everywhere) up to 2,000
   differences, by the asymptotic formula beyond. INFINITY when no p can get below alpha. */
double ovl_null_distribution_detectable(const struct ovl_null_distribution *r, double alpha);

/* Standard deviation between launches, pooled over both sides, or of the differences of pairs; NaN below two
   launches. */
double ovl_launches_spread(const struct ovl_null_distribution *r, const double *old, const double *new);

#endif
