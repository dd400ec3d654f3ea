/* Which cells a rule is about. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_MATCH_H
#define OVL_TOOL_CELLS_MATCH_H

#include "tool/cells/group.h"

/* Has a group's cell all that `match` of a rule names: fields of a point by number or text, and size_bytes as a number,
   a list, or {"min", "max"}? A field that is none matches nothing. */
bool ovl_match(json_t *match, const struct ovl_group *group);

/* A `match` that this group has and no other one; NULL where none can be, as for jobs that measured the same point. */
json_t *ovl_match_only(const struct ovl_groups *groups, const struct ovl_group *group);

#endif
