/* Launches that owe a group a cell, or that gave others their work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_OWED_H
#define OVL_TOOL_CELLS_OWED_H

#include "tool/cells/group.h"

/* Which launches of a side, by their place in its record, owed the group a cell that counts: those of its benchmark and
   job that did not come to their end, before the cell as well; and those that did, on as many ranks, but lack the cell
   and have none besides those of launches that have it: a launch of other sizes is another measurement. To be freed. */
bool *ovl_groups_lost(const struct ovl_groups *groups, const struct ovl_group *g, size_t side);

/* Did a launch without a record owe the group a cell: is it of its benchmark and job, or where no plan is, of the
   folder of one of its launches? Where launches of several jobs are the group, as of nights whose jobs have their
   dates for names, one of its benchmark does, whatever its job. */
bool ovl_group_unwritten(const struct ovl_group *g, size_t side, const struct ovl_unwritten *u);

/* Has another job of the plan the very point of the group's only launch in more of them, and is it by the plan that
   others have their work of it? It is no side of a comparison then. A launch that is left of several is a rival yet. */
bool ovl_group_gave_work(const struct ovl_groups *groups, const struct ovl_group *g);

#endif
