/* Launches of a sweep on nodes of their own, several at once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_AT_ONCE_H
#define OVL_TOOL_SWEEP_AT_ONCE_H

#include "tool/sweep/state.h"

enum { OVL_SWEEP_AT_ONCE = 256 };

/* Can launches of the plan run at once? -1 and OVL_USAGE: it has hooks, or no job names its nodes. */
int ovl_sweep_at_once_check(const struct ovl_plan *plan, struct ovl_error *err);

/* Runs all launches, in the order of the plan: the next one starts as soon as none that is at work has one of its
   nodes. One that names none runs alone. *p is what the last one that ended came to. -1 where the sweep cannot go on;
   those at work are waited for all the same. */
int ovl_sweep_run_at_once(struct ovl_sweeping *s, struct ovl_process *p, struct ovl_error *err);

#endif
