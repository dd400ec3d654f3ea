/* Student's distribution, with any number of degrees of freedom from 1 on, whole or not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_STUDENT_H
#define OVL_STATS_STUDENT_H

/* P(T > t); relative error below 1e-10 up to 10,000 degrees of freedom, 1e-8 up to a million. */
double ovl_student_above(double t, double freedom);

/* The t that is exceeded with probability p; p is above 0 and below 1. */
double ovl_student_quantile(double p, double freedom);

#endif
