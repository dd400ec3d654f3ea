/* Was an attempt started as the plan says, by the words that sweep.log has of its launcher? */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_LAUNCHER_STARTED_BY_H
#define OVL_TOOL_SWEEP_LAUNCHER_STARTED_BY_H

#include "tool/sweep/launcher/launch.h"

/* The launcher's program is the plan's, or of its kind, and after it come the plan's processes, nodes and options. For
   kind mpiexec the program, with words of its own, may be another: OVL_MPIEXEC says it, or what ovl was built with.
   Words that pass on variables may follow. `job`: a name in the plan. `words` NULL, of an older version: yes. */
bool ovl_started_by_plan(const struct ovl_plan *p, const char *job, const json_t *words);

#endif
