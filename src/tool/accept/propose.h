/* Limits from launches: what a system like this one keeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_PROPOSE_H
#define OVL_TOOL_ACCEPT_PROPOSE_H

#include "base/error.h"

struct ovl_propose_options {
    const char *metric, *output; /* the limits file that is written */
    double margin;               /* by how much more a limit is moved away: a part of it, a difference for fractions */
};

/* `ovl accept --propose DIR`: a rule for each cell of the launches there that has 6 of them or more, that no plan has
   as a baseline, and that a rule can tell from the others. Its limit is what all further launches of all cells, as many
   as there are here, keep with 95 % (stats/prediction.h). Returns OVL_OK, OVL_INCONCLUSIVE where a cell has too few
   launches for a rule, or no rule of its own; -1 with *err. */
int ovl_propose(const char *folder, const struct ovl_propose_options *o, struct ovl_error *err);

#endif
