/* A chart of its own kind in one file, whose name says how it is drawn: .svg, .png or .pdf. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_FILE_H
#define OVL_TOOL_CHART_FILE_H

#include "tool/chart/gnuplot.h"

/* Can a file of that name be drawn, by its end? Else -1 and OVL_USAGE. */
int ovl_chart_file_check(const char *file, struct ovl_error *err);

/* Draws by plot/NAME.gp into FILE. `fill` writes the data and sets the variables that the drawing wants besides data,
   output, folder and terminal; its -1 is passed on. Holds signals back meanwhile. -1 with the cause; then no file is
   left. */
int ovl_chart_file_draw(const char *file, const char *name,
                        int (*fill)(void *of, FILE *data, struct ovl_gnuplot *g, struct ovl_error *err), void *of,
                        struct ovl_error *err);

#endif
