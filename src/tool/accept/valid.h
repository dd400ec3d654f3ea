/* Records that contradict themselves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_VALID_H
#define OVL_TOOL_ACCEPT_VALID_H

#include "tool/cells/inputs.h"

/* Adds a verdict "validate", with rule 0: FAIL where `ovl validate` finds a problem in a file. None where it does not.
   -1 with *err: a file that cannot be read again. */
int ovl_valid_judge(const struct ovl_inputs *sources, json_t *verdicts, struct ovl_error *err);

#endif
