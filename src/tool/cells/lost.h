/* Launches that a cell has lost, or that found wrong data there: what is left may be the lucky ones. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_LOST_H
#define OVL_TOOL_CELLS_LOST_H

#include "tool/cells/group.h"

/* Does a launch count? */
typedef bool ovl_launch_usable(const struct ovl_member *m, const void *with);

/* Are more than half as many launches of that side lost to the group as are usable? Lost are those with an unusable
   cell, those that did not come to their end or lack the cell (ovl_groups_lost), and those of a sweep that left no
   record (ovl_group_unwritten). */
bool ovl_lost_many(const struct ovl_groups *groups, const struct ovl_group *group, size_t side,
                   ovl_launch_usable *usable, const void *with);

/* How many of that side did not come to their end, or lack the cell, or left no record. */
size_t ovl_lost_gone(const struct ovl_groups *groups, const struct ovl_group *group, size_t side);

/* How many launches of that side have wrong data in this cell, whatever became of the launch. */
size_t ovl_lost_wrong(const struct ovl_group *group, size_t side);

enum { OVL_LOST_MODE = 24 };

/* Is there a mode that all launches of the group, which came to their end, had by their options, and of which none left
   a cell beside the group's? Its word as in --mode, or "", as where a filter chose cells by their modes. */
void ovl_lost_mode(const struct ovl_groups *groups, const struct ovl_group *group, char word[OVL_LOST_MODE]);

#endif
