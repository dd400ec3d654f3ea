/* Judging cells by the rules of a limits file, the burden on who claims: what is not shown is not accepted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_RULES_H
#define OVL_TOOL_RULES_H

#include "tool/group.h"

/* Reads a limits file and checks what its schema cannot. A new reference, or NULL with *err. */
json_t *ovl_rules_load(const char *path, struct ovl_error *err);

/* The verdicts as an array of objects, one per rule and cell, or one per rule that no cell matches: rule (from 1),
   name, cell, label, metric, statistic, operator, limit, value (the median over launches), ci_low and ci_high (its
   exact interval), n, values (of each launch), verdict (PASS, FAIL, INCONCLUSIVE or SKIPPED) and reason. The groups'
   cells must have their samples. NULL when there is no memory. */
json_t *ovl_rules_judge(json_t *limits, const struct ovl_groups *groups);

#endif
