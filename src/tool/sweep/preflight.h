/* What would keep the jobs of a plan from starting, found before anything starts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_PREFLIGHT_H
#define OVL_TOOL_SWEEP_PREFLIGHT_H

#include "tool/sweep/state.h"

/* Prints a line for each problem of each job that is to run: a launcher, a program or a hook that is not here, options
   that a program of ovl does not take, or files that they name and that cannot be read (but where a hook runs `before`,
   which may make them), more ranks or nodes than the allocation of Slurm has that this process is in.
   Returns OVL_OK where there is none, else OVL_USAGE. */
int ovl_sweep_check(const struct ovl_sweeping *s);

#endif
