/* Did a cell get worse from old launches to new ones? Each launch (one mpiexec) gives one value, a loss: more is worse.
   Pairs of launches that were taken in turns are judged by Wilcoxon's signed ranks, which is exact when the difference
   of a pair that did not change is symmetric, whatever the spreads are. Without pairs the p value is the larger of Mann
   and Whitney's and Welch's: the ranks fail where spreads differ, Student's t where launches are far from normal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_LAUNCH_TEST_H
#define OVL_STATS_LAUNCH_TEST_H

#include "stats/rank_test.h"

#include <stdbool.h>

struct ovl_launch_test {
    struct ovl_null_distribution ranks;
    bool paired;
    size_t n; /* pairs, or launches a side */
};

void ovl_launch_test_make(struct ovl_launch_test *t, size_t n, bool paired);
void ovl_launch_test_free(struct ovl_launch_test *t);

/* One-sided p values of what is to be refuted. Ties speak for it. */
struct ovl_evidence {
    double worse;  /* of "at most the margin worse" */
    double within; /* of "the margin worse, or more" */
    double better; /* of "not better" */
};
struct ovl_evidence ovl_launch_test_evidence(const struct ovl_launch_test *t, const double *old, const double *new,
                                             double margin);

struct ovl_shift {
    double value;     /* Hodges and Lehmann's: the median of the differences, or of the Walsh averages */
    double low, high; /* one-sided bounds, each at its own level; infinite where there are too few launches */
};

/* The shift from the old values to the new ones: a test at low_level refutes all that is below `low`. */
struct ovl_shift ovl_launch_test_shift(const struct ovl_launch_test *t, const double *old, const double *new,
                                       double low_level, double high_level);

/* The shift, in standard deviations between launches (of the difference of a pair), that the test at this one-sided
   level finds with that power where launches are normal. Simulated (seeded, the same everywhere) up to 2,000
   differences, by the asymptotic formula beyond. INFINITY when no p can get below alpha. */
double ovl_launch_test_detectable(const struct ovl_launch_test *t, double alpha, double power);

/* The fewest launches a side, or pairs, with which a p value can be below that level at all. */
size_t ovl_launch_test_needed(double level, bool paired);

#endif
