/* How long plans take to make. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_PLAN_TIMES_H
#define OVL_TESTS_SIM_PLAN_TIMES_H

/* Prints it; returns the exit code. */
int print_plan_times(void);

#endif
