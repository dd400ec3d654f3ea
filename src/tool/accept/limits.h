/* Judging cells by the rules of a limits file, the burden on who claims: what is not shown is not accepted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_LIMITS_H
#define OVL_TOOL_ACCEPT_LIMITS_H

#include "tool/sweep/jobs.h"

enum { OVL_RULES_LAUNCHES = 6 }; /* an exact 95 % interval of the median needs so many */

/* Reads a limits file and checks what its schema cannot. A new reference, or NULL with *err. */
json_t *ovl_limits_load(const char *path, struct ovl_error *err);

/* What a rule says there, else "median" for its statistic and "" for all others. */
const char *ovl_rule_word(const json_t *rule, const char *name);

/* The verdicts as an array of objects, one per rule, cell and job of a sweep (with ratio_to one for each baseline,
   which it then names), or one per rule that no cell matches: rule (from 1), name, cell, label, metric, statistic,
   operator, limit, value (the median over launches), ci_low and ci_high (its exact interval; null with n >= 6: the
   worst value), n (launches that count), lacking and invalid (of these, those that enter as the worst value), values
   (of each launch; null: the worst), verdict (PASS, FAIL, INCONCLUSIVE or SKIPPED) and reason; then one per sweep
   (tool/accept/evidence/attempts.h). The groups' cells, which are of the jobs' record, must have their samples. */
json_t *ovl_limits_judge(json_t *limits, const struct ovl_groups *groups, const struct ovl_jobs *jobs);

#endif
