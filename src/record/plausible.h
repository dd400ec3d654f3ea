/* Samples and values that no clock which only goes forward can have given: a clock that was put back, or an edit, has.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_PLAUSIBLE_H
#define OVL_RECORD_PLAUSIBLE_H

#include "record/cell.h"

enum { OVL_PLAUSIBLE_WHY = 200 };

/* What is wrong with a quantity's sample of one block: the slowest rank, the mean over ranks, and T, of which it may be
   a part. NULL where nothing is. */
const char *ovl_sample_fault(const struct ovl_cell *cell, int quantity, size_t block);

/* Are the parts of that block's T, in the mean over ranks, more than T? */
bool ovl_sample_parts_exceed(const struct ovl_cell *cell, size_t block);

/* Is a value of the cell's summaries below 0, or T 0, or, of a collective, the interval of T wholly below that of the
   work that is in it, by more than 5 %? false with *why where one is. Summaries may be as stored. */
bool ovl_cell_plausible(const struct ovl_cell *cell, char why[OVL_PLAUSIBLE_WHY]);

/* The same of each sample, by the first two. */
bool ovl_cell_samples_plausible(const struct ovl_cell *cell);

#endif
