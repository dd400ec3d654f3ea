/* The chart of a comparison. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_CHART_H
#define OVL_TOOL_COMPARE_CHART_H

#include "tool/compare/verdict.h"

/* Draws by plot/compare.gp into FILE; its name says the kind: .svg, .png or .pdf. Holds signals back meanwhile.
   At most 60 cells, the worst verdicts first, are drawn. -1 with the cause; then no file is left. */
int ovl_compare_chart(const struct ovl_changes *changes, const struct ovl_gate *gate, const char *subtitle,
                      const char *file, struct ovl_error *err);

#endif
