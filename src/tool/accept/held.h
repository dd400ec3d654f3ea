/* Is a record of the job of the plan in whose folder it lies? The launcher is the vendor's, and may change the command.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_HELD_H
#define OVL_TOOL_ACCEPT_HELD_H

#include "tool/sweep/jobs.h"

enum { OVL_HELD_WHY = 200 };

/* Holds a run of a sweep against its job: processes, nodes and variables; and, where the job's program is one of ovl's
   (*held), program, words of the command, effective options (of drivers), sizes and modes, that no cell was taken out,
   and where its work comes from (tool/accept/work.h). Variables must be the same on all
   ranks but for those of `may_differ`, of limits. false with *why, one line, where it is not as the plan says. */
bool ovl_held(const struct ovl_jobs *j, size_t run, const struct ovl_launch *l, const json_t *may_differ, bool *held,
              char why[OVL_HELD_WHY]);

#endif
