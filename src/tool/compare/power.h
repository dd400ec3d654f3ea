/* `ovl compare --plan`: how many launches, and how much time, a verdict will need here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_POWER_H
#define OVL_TOOL_COMPARE_POWER_H

#include "table/columns.h"
#include "tool/compare/verdict.h"

extern const struct ovl_column ovl_power_columns[];

/* Prints from the launches of one side, per cell, the spread between launches and what is needed so that a change of
   twice delta is REGRESSED, and a cell without a change is OK, in 80 % of cases each. With `launches` above 0 also what
   so many launches of both sides will find. Returns 0, OVL_INCONCLUSIVE when the launches show no spread, or -1. */
int ovl_compare_plan(const struct ovl_groups *groups, const struct ovl_record *old, const struct ovl_gate *gate,
                     size_t launches, struct ovl_error *err);

#endif
