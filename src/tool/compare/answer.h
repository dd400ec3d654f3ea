/* The verdicts of a comparison, and the changes of a history, as JSON (tool/util/answer.h). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_ANSWER_H
#define OVL_TOOL_COMPARE_ANSWER_H

#include "tool/compare/history.h"
#include "tool/compare/verdict.h"

/* New references. */
json_t *ovl_changes_answer(const struct ovl_changes *c, const struct ovl_groups *groups, const struct ovl_gate *gate);
json_t *ovl_history_answer(const struct ovl_history *h);

#endif
