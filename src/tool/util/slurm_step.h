/* Steps of Slurm by the name that srun gave them: srun itself has no way to ask its tasks to end, as TERM to it kills
 * them at once, and KILL to it leaves them running. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_SLURM_STEP_H
#define OVL_TOOL_UTIL_SLURM_STEP_H

/* Sends the signal ("TERM") to all tasks of this user's steps of that name, by squeue and scancel; NULL cancels the
   steps, which kills their tasks at once. How many steps were found: 0 also where Slurm does not answer. */
int ovl_slurm_step_signal(const char *name, const char *signal);

/* The seconds that are left of the job of Slurm that this process is in; INFINITY where it has no limit. -1: it is in
   none, or nobody says. */
double ovl_slurm_seconds_left(void);

#endif
