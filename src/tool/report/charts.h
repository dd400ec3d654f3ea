/* The charts on the page of `ovl report`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_REPORT_CHARTS_H
#define OVL_TOOL_REPORT_CHARTS_H

#include "cli/options.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/compare/history.h"
#include "tool/compare/verdict.h"

#include <stdio.h>

struct ovl_page_charts {
    FILE *out;
    const struct ovl_inputs *sources;
    const struct ovl_texts *filter;
    const struct ovl_record *record; /* what was read of the sources, and its groups */
    const struct ovl_groups *groups;
    const struct ovl_changes *changes; /* NULL: no chart of a comparison */
    const struct ovl_gate *gate;       /* of the comparison, as are the next two */
    const char *old, *common;
    const struct ovl_history *history; /* NULL: no chart of the history */
};

/* Writes the section with all charts. Points are medians over launches as `ovl plot` draws them. */
int ovl_page_charts(const struct ovl_page_charts *c, struct ovl_error *err);

#endif
