/* Work that is far from the multiple of the communication that its cell names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_ODD_RATIO_H
#define OVL_TOOL_CELLS_ODD_RATIO_H

#include "record/cell.h"

/* W / C of a cell in n > 0 launches, in medians over them, as a multiple of compute.ratio, or W of compute.us, where
   that is over 4 or under 1/4, and for a ratio in mode dpu, where C is not the host's, over 16 or under 1/16: work that
   an odd launch or calibration set, beside which no change of the communication shows (or only that does). NaN where it
   is not, and of cells that have neither. */
double ovl_odd_ratio(const struct ovl_cell *const *cells, size_t n);

/* By how much of C, in the median over launches, the work alone took longer than in T, where that is over 0.1 in nearly
   all of them, by its 95 % interval over launches: so much of the communication looks hidden that was not. NaN where it
   is not, in fewer than 6 launches, of cells without a hidden part, and of applications, whose work by itself has other
   caches than among messages. */
double ovl_odd_alone(const struct ovl_cell *const *cells, size_t n);

#endif
