/* Cells of one point that did unlike work all the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_UNLIKE_H
#define OVL_TOOL_CELLS_UNLIKE_H

#include "tool/cells/group.h"

/* The same units; or none that is told, where the cell's point says what is solved and no work is set beside it. */
bool ovl_same_units(const struct ovl_cell *a, const struct ovl_cell *b);

/* W / C, which what is hidden follows, whatever the units. */
double ovl_work_beside(const struct ovl_cell *cell);
/* Are two of them, by their ratio, near enough that values which follow it can be held against each other? */
bool ovl_work_beside_like(double ratio);

/* Had both the same model (input_files.model)? Another file under its name is another problem. */
bool ovl_same_model(const struct ovl_run *a, const struct ovl_run *b);

/* Has the one a machine of the other's? One that tells none has none of one that tells its own: only where neither does
   nothing speaks against it. */
bool ovl_share_machine(const struct ovl_run *a, const struct ovl_run *b);

/* The most units of those of the launches that have a claim over the least; 1 where none tells any. */
double ovl_members_work_ratio(const struct ovl_member *members, size_t count);

/* What those of the launches that have a claim differ in so far that no median over them says anything: "model";
   "units", where those of one are over twice those of another (calibrated anew, they differ by less); NULL: nothing. */
const char *ovl_members_unlike(const struct ovl_member *members, size_t count);

#endif
