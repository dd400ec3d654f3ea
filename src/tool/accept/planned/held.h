/* Is a record of the job of the plan in whose folder it lies? The launcher is the vendor's, and may change the command.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_PLANNED_HELD_H
#define OVL_TOOL_ACCEPT_PLANNED_HELD_H

#include "tool/sweep/jobs.h"

enum { OVL_HELD_WHY = 200 };

/* What of a run can be held against its job: processes, nodes and variables; of a program of ovl's its words too, and
   where its work comes from (tool/accept/planned/work.h); of a driver also its options as they took effect, and that no
   cell is lacking that they ask for. */
enum ovl_held_by { OVL_HELD_START, OVL_HELD_COMMAND, OVL_HELD_CELLS };

/* Holds a run of a sweep against its job; *by becomes the most that could be. Variables must be the same on all ranks
   but for those of `may_differ`, of limits. false with *why, one line, where it is not as the plan says. */
bool ovl_held(const struct ovl_jobs *j, size_t run, const struct ovl_launch *l, const json_t *may_differ,
              enum ovl_held_by *by, char why[OVL_HELD_WHY]);

/* Does the plan set a variable of which the record says nothing, as it is none of those that records tell, or its
   program or the launcher knows nothing of OVL_TELL? *name becomes the first. */
bool ovl_held_untold(const struct ovl_jobs *j, size_t run, const struct ovl_launch *l, char name[OVL_HELD_WHY]);

#endif
