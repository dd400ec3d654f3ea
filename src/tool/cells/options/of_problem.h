/* What an application solves, held against its options. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_OF_PROBLEM_H
#define OVL_TOOL_CELLS_OF_PROBLEM_H

#include "tool/cells/options/of_options.h"

/* Has `problem` of an application's cell each member that its program writes, as the options say, and no other one?
   Another member is let pass in a record of a later schema. false with *why. */
bool ovl_problem_of_options(const json_t *head, const json_t *options, const struct ovl_cell *cell,
                            char why[OVL_OF_OPTIONS_WHY]);

#endif
