/* Cells that have the very samples of another: no two that ran do. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_EVIDENCE_REPLAYED_H
#define OVL_TOOL_ACCEPT_EVIDENCE_REPLAYED_H

#include "tool/sweep/jobs.h"

/* Adds a verdict "samples", FAIL, as ovl_evidence_judge() does, for each sweep, and all launches of none, of which two
   cells, of whatever launches, jobs and points, have the same C, W and T in every block. */
void ovl_replayed_judge(const struct ovl_groups *groups, const struct ovl_jobs *j, json_t *verdicts);

#endif
