/* What launches to come may be, by launches that were: Student's prediction interval (Hahn and Meeker, Statistical
   Intervals, 1991, 4.7), exact where launches are normal and independent. stats/student.h has the distribution. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_PREDICTION_H
#define OVL_STATS_PREDICTION_H

#include <stddef.h>

/* So many standard deviations, by their median absolute deviation, are values from their median at most when a further
   one is held against them: else a single night that was ten times slower hides for months what is half as slow again.
 */
#define OVL_PREDICTION_LIMIT 5

/* Unless two of them, and such a part of all, are as far as the further value: what comes each week is usual. */
#define OVL_PREDICTION_USUAL 0.05

/* One-sided p of "the next value is of the same distribution as these n": small where it is above them, which are
   limited (OVL_PREDICTION_LIMIT, OVL_PREDICTION_USUAL, ovl_stats_limit). NaN below two values; where all are equal 0
   or 1. */
double ovl_prediction_p(const double *x, size_t n, double next);

/* What all of `future` further values are below, with probability 1 - alpha or more (Bonferroni's level for each). NaN
   below two values. */
double ovl_prediction_bound(const double *x, size_t n, size_t future, double alpha);

/* Puts p values adjusted by Holm's steps (Scand. J. Statist. 6, 1979) in their places. NaN: none of them. */
void ovl_prediction_holm(double *p, size_t n);

#endif
