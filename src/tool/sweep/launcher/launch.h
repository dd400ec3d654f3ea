/* Launches of a plan as commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_LAUNCHER_LAUNCH_H
#define OVL_TOOL_SWEEP_LAUNCHER_LAUNCH_H

#include "base/path.h"
#include "tool/sweep/plan/plan.h"

#include <stdio.h>

/* The record from which the driver of a launch takes its work, in the sweep of that folder: the first launch of the job
   that work_of names, else the plan's work_from when that is a file, and of a folder the first record in WORK/JOB or in
   WORK itself. false where there is none, where the job's options name one, and for programs that do not calibrate. */
bool ovl_launch_work_from(const struct ovl_plan *p, const struct ovl_launch *l, const char *folder,
                          struct ovl_path *path);

/* The words of a launch that appends its record to `record`, and the variables that it sets besides, both as new
   arrays and objects of texts. */
json_t *ovl_launch_command(const struct ovl_plan *p, const struct ovl_launch *l, const char *folder,
                           const char *record);
json_t *ovl_launch_environment(const struct ovl_plan *p, const struct ovl_launch *l);

/* Of these words those of the launcher, and those that the job gives to its program: its options and modes, without
   where its work and its record are. New arrays. */
json_t *ovl_launch_launcher(const struct ovl_plan *p, const struct ovl_launch *l);
json_t *ovl_launch_options(const json_t *job);

/* The variables of its hooks: those of the launch, with job, number and record, as a new object. */
json_t *ovl_launch_hook_environment(const struct ovl_plan *p, const struct ovl_launch *l, const char *record);

/* The name that a launch by srun gets for its step, so that sweep finds it again: *words is told. "" for others. */
void ovl_launch_name_step(json_t *words, const struct ovl_launch *l, char step[256]);

/* The same as a line that a shell can run, with a line for each of its hooks. */
void ovl_launch_print(FILE *out, const struct ovl_plan *p, const struct ovl_launch *l, const char *folder,
                      const char *record);

#endif
