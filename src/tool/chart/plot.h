/* Drawing all charts of a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_PLOT_H
#define OVL_TOOL_CHART_PLOT_H

#include "record/record.h"

/* Draws every chart that has something to show as an SVG file in a folder that is there, and calls `tell` with each.
   Prints nothing. -1 with OVL_WRONG_DATA when there is nothing to draw, with OVL_ENVIRONMENT when gnuplot fails. */
int ovl_plot_svg(const struct ovl_record *record, const char *folder, void (*tell)(void *to, const char *path),
                 void *to, struct ovl_error *err);

#endif
