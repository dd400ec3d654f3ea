/* Time of a run in which it measured nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_IDLE_H
#define OVL_TOOL_CELLS_IDLE_H

#include "record/record.h"

/* Seconds between a run's start and its end, by its own times, before its first block and behind its last, without what
   preparation and end may take: who edits `started`, so that something before the run counts as its own, leaves them.
   0 where the times of its blocks are not known. */
double ovl_run_idle(const struct ovl_run *run);

#endif
