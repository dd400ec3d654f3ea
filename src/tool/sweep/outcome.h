/* What an attempt at a launch came to: its record, and its last words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_OUTCOME_H
#define OVL_TOOL_SWEEP_OUTCOME_H

#include "record/record.h"
#include "tool/sweep/plan/plan.h"

struct ovl_sweeping;

/* Is every run of the file there to its end, of the program, ranks and nodes that the launch's job says, and with cells
   none of which has wrong data? If not, *why. *doubtful: a cell is invalid. */
bool ovl_sweep_outcome_whole(const char *record, const struct ovl_launch *l, bool *doubtful, char why[OVL_ERROR_TEXT]);

/* Was a run on as many nodes as its job says? If not, *why. */
bool ovl_sweep_outcome_on_nodes(const struct ovl_run *run, const json_t *job, char why[OVL_ERROR_TEXT]);

/* Is the record of a launch of the same build as those of the sweep that are there of the same program? If not, *why: a
   program that was built anew makes a launch that is none of their sample. */
bool ovl_sweep_outcome_one_build(const struct ovl_sweeping *s, const struct ovl_launch *l, const char *record,
                                 char why[OVL_ERROR_TEXT]);

/* Is its record, of that SHA-256, no copy of one that is there? If not, *why. */
bool ovl_sweep_outcome_own(const struct ovl_sweeping *s, const char *record, const char *sha256,
                           char why[OVL_ERROR_TEXT]);

/* The last line of a log that says something, which is most often why the launch failed; "" where there is none. */
void ovl_sweep_outcome_words(const char *log, char text[200]);

#endif
