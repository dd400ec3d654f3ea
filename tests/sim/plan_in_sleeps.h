/* A plan in reality, with sleep for work: each rank is a process with a thread that carries what it sends, at the rate
   of the link, one piece after the other. No MPI, no core that is busy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_PLAN_IN_SLEEPS_H
#define OVL_TESTS_SIM_PLAN_IN_SLEEPS_H

#include "plan/bound.h"

enum { PLAN_IN_SLEEPS_RANKS = 4 };

/* Plays a plan whose `what` are those of random_plan.h, with `second` seconds for one of the plan's. Returns how many
   of the plan's seconds it took, by the rank that ended last; NaN where it did not end within `patience` seconds. */
double plan_in_sleeps(const struct ovl_app_plan *plan, const struct ovl_app_machine *m, double second, double patience);

/* The bounds of such a plan. */
struct ovl_app_bounds plan_in_sleeps_bounds(const struct ovl_app_plan *plan, const struct ovl_app_machine *m);

/* Plans of four ranks whose time is known to be their bound: a name for each; NULL behind the last. */
const char *plan_in_sleeps_tight(int which, struct ovl_app_plan *plan, struct ovl_app_machine *m);

#endif
