/* FOLDER/plan.json: the plan is kept with its results, and other launches must not be taken for its own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_KEPT_PLAN_H
#define OVL_TOOL_SWEEP_KEPT_PLAN_H

#include "tool/sweep/plan/plan.h"

/* Keeps the plan in the folder, as a copy of the file that was `given` where the plan was not changed (else NULL). With
   `resume` the folder may hold that same plan already. -1: OVL_USAGE when it holds another sweep, OVL_ENVIRONMENT when
   it cannot be written, OVL_WRONG_DATA when the plan there is damaged. */
int ovl_sweep_plan_keep(const struct ovl_plan *p, const char *given, const char *folder, bool resume,
                        struct ovl_error *err);

/* Puts --work-from (NULL: it was not given) into the plan, says which jobs take no work from there, and sees that it
   can be read. -1 with *err. */
int ovl_sweep_plan_work(struct ovl_plan *p, const char *work_from, const char *folder, struct ovl_error *err);

#endif
