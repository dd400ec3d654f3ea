/* Commands that a plan has run before and after a launch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_HOOK_H
#define OVL_TOOL_SWEEP_HOOK_H

#include "tool/sweep/state.h"

/* Runs the present launch's `before` or `after`, when the plan has one, in the launch's environment and with OVL_JOB,
   OVL_LAUNCH and OVL_RECORD besides; what it prints goes to DIR/JOB/NNN.before.log. *p is what became of it, and `lost`
   why the launch is lost, "" when it is not. What the hook leaves running goes to *left; where that is NULL it is
   killed. -1 when it could not be started. */
int ovl_sweep_hook(const struct ovl_sweeping *s, const char *hook, struct ovl_process *p, struct ovl_process_left *left,
                   char lost[OVL_ERROR_TEXT], struct ovl_error *err);

#endif
