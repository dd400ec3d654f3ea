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

/* May the cell's summaries be of a measurement? false with *why where a time is below 0, or the thread that measures
   had its core for longer than T, by more than 10 % and what reading its clock takes, or the interval of T is wholly
   below that of W, by more than 5 %, or that of C, of an application in mode blocking alone, or that of the work in T
   by more than 10 % of W, or of C, where something may be hidden between ranks: then it was disturbed where it ran
   alone, as by a thread of the MPI library that spins while nothing is under way. */
bool ovl_cell_plausible(const struct ovl_cell *cell, char why[OVL_PLAUSIBLE_WHY]);

/* And each of its samples, by ovl_sample_fault and ovl_sample_parts_exceed? */
bool ovl_cell_samples_plausible(const struct ovl_cell *cell);

#endif
