/* Launches that ovl sweep left without a record: NNN.log, NNN.partial, or NNN.before.log alone, beside no NNN.jsonl. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_UNWRITTEN_H
#define OVL_TOOL_CELLS_UNWRITTEN_H

#include "record/record.h"

/* Is it NNN.log, or the NNN.before.log of a launch without one, and neither NNN.jsonl nor NNN.partial is there? */
bool ovl_unwritten_log(const char *path);

/* Is it NNN.partial of a launch that no later attempt left a record of? */
bool ovl_unwritten_partial(const char *path);

/* Adds such a launch, whose `path` must outlive the record: when it began, by the sweep.log of its folder, or by the
   time of the file; and its benchmark, by the program of the job in plan.json. */
void ovl_unwritten_add(struct ovl_record *record, const char *path);

#endif
