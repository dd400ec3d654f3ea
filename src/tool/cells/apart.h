/* Jobs of a plan that measure the same point. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_APART_H
#define OVL_TOOL_CELLS_APART_H

#include "base/path.h"
#include "tool/cells/group.h"

/* JOB of a file FOLDER/JOB/NAME where FOLDER/plan.json is; "" else. */
void ovl_apart_job(char job[OVL_MEMBER_JOB], const char *file);

/* FOLDER/JOB of such a file; "" else. All launches there ran one command. */
struct ovl_path ovl_apart_folder(const char *file);

/* FOLDER/plan.json of such a file; NULL where it cannot be read. A new reference. */
json_t *ovl_apart_plan(const char *file);

/* Does another job of its plan have its work of it, and is it no baseline? true, too, where the plan has no job of that
   name, as where several come of one. */
bool ovl_apart_gives_work(const char *file);

/* Gives members of one point keys of their own, and sorts them, where one job must not thin out another: where the
   sides have several jobs at that point, in one sweep or in turns, and another side, where there is one, has one of the
   first side's. Else the sides are what is compared, or a job was given another name, and the point stays one.
   `in_order` compares members, by key first. */
void ovl_apart_jobs(struct ovl_member *m, size_t n, int (*in_order)(const void *, const void *));

#endif
