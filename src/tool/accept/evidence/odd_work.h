/* Work that comes from a launch unlike the others: other load beside it makes the work of all, and what hides behind
 * that, larger or smaller than the plan asks for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_EVIDENCE_ODD_WORK_H
#define OVL_TOOL_ACCEPT_EVIDENCE_ODD_WORK_H

#include "tool/sweep/jobs.h"

#define OVL_ODD_WORK 1.5

/* Adds a verdict "work", INCONCLUSIVE, as ovl_evidence_judge() does, for each sweep in which the launch whose work all
   take had, in any cell, another communication than the other launches of its job: C more than OVL_ODD_WORK times their
   median or less than that part of it. By the ratio that the plan asks for all would have had
   other work. And one "ratio" for each sweep in which a cell's work, in medians over the launches of a job, is that far
   from what the plan asks for as ovl_odd_ratio() says: whatever it was set by, T is of another problem; and one
   "alone" where, by ovl_odd_alone(), the work took longer by itself than beside the communication. */
void ovl_odd_work_judge(const struct ovl_groups *groups, const struct ovl_jobs *j, json_t *verdicts);

#endif
