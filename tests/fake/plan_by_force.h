/* What src/plan says of a plan, found by looking at everything that could happen, or by the definition, however slow.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_PLAN_BY_FORCE_H
#define OVL_TESTS_FAKE_PLAN_BY_FORCE_H

#include "plan/bound.h"
#include "plan/machine_bound.h"

/* Can the plan be played? Every order in which ranks and lanes may go on is tried, with `apart` each operation by
   itself. 1 yes, 0 no, -1 too many states to look at. */
int plan_by_force_playable(const struct ovl_app_steps *s, bool apart);

/* The bounds by definition: times raised until nothing changes any more. The plan can be played. */
void plan_by_force_bounds(const struct ovl_app_steps *s, const struct ovl_app_ops *ops, const struct ovl_app_machine *m,
                          const double *least, struct ovl_app_bounds *out);

/* Every preemptive schedule of jobs of whole numbers, at most 6 of them and small ones. */
double plan_by_force_machine(const struct ovl_machine_job *jobs, size_t n);

#endif
