/* What makes measurements untrue though no sample shows it, in words, each with its cure: too few cores for threads,
   CPU quotas, processes of others, other guests, unlike nodes. A pure function of the record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_DISTURBER_H
#define OVL_RECORD_DERIVED_DISTURBER_H

#include "record/record.h"

enum { OVL_DISTURBER_TEXT = 320 };

/* Adds a warning to an array of texts for each that a run line tells of: "a CPU quota leaves 2 processes the time of 1
   processor; try a larger one (cpu.max, ...) or fewer ranks". Those that make all cells oversubscribed begin with this
   word. Where the line of an older record lacks the numbers nothing is added. */
void ovl_disturber_warn(const json_t *run_line, json_t *warnings);

/* The first cure, and what for: of what lasts, or of what at least half of the cells suffered from. False: nothing is
   known to have disturbed them. */
bool ovl_disturber_next(const struct ovl_run *run, char text[OVL_DISTURBER_TEXT]);

#endif
