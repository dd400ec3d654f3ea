/* Variables of a plan: names with values, which its texts hold as ${NAME}. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_PLAN_VARIABLES_H
#define OVL_TOOL_SWEEP_PLAN_VARIABLES_H

#include "base/error.h"
#include "cli/options.h"

#include <jansson.h>

/* Gives variables the values of -S, each "NAME=VALUE" (NULL: none), the last of several. -1 and OVL_USAGE: the plan of
   that path has no such variable, a number is wanted, or a variable (null) has no value then. */
int ovl_plan_variables_set(json_t *variables, const struct ovl_texts *set, const char *path, struct ovl_error *err);

/* Puts the values into the texts of a file of a plan, but for its own `variables` and `include`. Where the plan wants a
   number, a text that is one variable becomes one; $${ stands for ${. -1 with file, line and field. */
int ovl_plan_variables_put(json_t *file, const json_t *variables, const char *path, struct ovl_error *err);

#endif
