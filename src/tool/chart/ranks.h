/* The chart of what --plan simulated of several numbers of ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_RANKS_H
#define OVL_TOOL_CHART_RANKS_H

#include "base/error.h"

#include <stddef.h>

/* Reads the files, which have lines of the kind `simulated` alone, of one network and one program, and draws
   DIR/PROGRAM-ranks.KIND by plot/ranks.gp, whose title says "simulated, not measured": of ovl_train the share of T that
   computes, which is the efficiency of a fixed batch a rank, with what share/ovl/published.json has of that model; of
   others T. A panel for each problem or size, a line for each mode. KIND is svg, png or pdf. Prints the file's name. -1
   with OVL_USAGE where the files do not fit together, OVL_WRONG_DATA where a line is no such line, or as
   ovl_chart_file_draw. */
int ovl_chart_ranks(char *const *files, size_t count, const char *folder, const char *kind, struct ovl_error *err);

#endif
