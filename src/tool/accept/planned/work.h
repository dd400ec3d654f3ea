/* Where the work of a launch comes from by its plan, and did it do that work? The launcher is the vendor's, and may
 * name another record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_PLANNED_WORK_H
#define OVL_TOOL_ACCEPT_PLANNED_WORK_H

#include "base/path.h"
#include "tool/sweep/jobs.h"

enum { OVL_WORK_WHY = 200 };

/* The job of the sweep whose first launch sets the work of this one; NULL where none does. */
const json_t *ovl_work_source(const struct ovl_plan *p, const struct ovl_launch *l);

/* The record from which the plan has a launch take its work that is none of its sweep: of --work-from among the job's
   options, or of the plan's work_from; as a launch names it. false where there is none. */
bool ovl_work_outside(const struct ovl_plan *p, const struct ovl_launch *l, struct ovl_path *said);

/* Where that record is now: under that name, else under that name beside the folder of the sweep. false: not here. */
bool ovl_work_find(struct ovl_path *path, const char *said, const char *folder);

/* Holds what the words of the command say of it, from *at on, which is moved behind them, against the plan; and the
   units of each cell against those of the record from which they come by the plan, where that is here. false with *why
   where they are others. */
bool ovl_work_held(const struct ovl_jobs *j, size_t run, const struct ovl_launch *l, size_t *at,
                   char why[OVL_WORK_WHY]);

/* "JOB/NAME" of a path. */
const char *ovl_work_tail(const char *path);

#endif
