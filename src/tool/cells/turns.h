/* Were launches taken in turns, as a plan has it? What drifts between two days must not pass for what tells their jobs
 * apart. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_TURNS_H
#define OVL_TOOL_CELLS_TURNS_H

#include "record/record.h"

/* NNN of a path that ends in /NNN.jsonl, or -1. */
long ovl_launch_number(const char *path);

enum { OVL_CLOCKS_APART = 86400 }; /* seconds by which clocks may differ */

/* When the run began, in seconds: by the sweep.log beside it, whose lines follow from each other, else by the record,
   and where that is of another day, which is told; 0 where neither says. */
double ovl_run_began(const struct ovl_run *run);

enum { OVL_PAIR_PAUSE = 3600 }; /* seconds */

/* Lies more than that between the end of one of these launches and the start of the other, by their records? Turns that
   are so far apart, as in two sessions, have not seen the same hour. */
bool ovl_pair_paused(const struct ovl_run *a, const struct ovl_run *b);

/* Are these paused, or did one of `n` others, of which NULL is none, begin between their starts? They are of the same
   jobs: the launches before and behind. A start that is not told is between none. */
bool ovl_began_between(const struct ovl_run *a, const struct ovl_run *b, const struct ovl_run *const *other, size_t n);

/* Of so many pairs, or launches, are too many not taken in turns to say anything of them all? A few are where a launch
   failed and was made up for. */
static inline bool ovl_turns_missed(size_t apart, size_t pairs)
{
    return 4 * apart > pairs;
}

#endif
