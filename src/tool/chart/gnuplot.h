/* Runs gnuplot on a drawing, without a shell in between. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_GNUPLOT_H
#define OVL_TOOL_CHART_GNUPLOT_H

#include "base/error.h"

#include <stdio.h>

/* Variables for a drawing, gathered as gnuplot assignments. */
struct ovl_gnuplot {
    FILE *out;
    char *text;
    size_t length;
};

/* Starts with no variables. */
void ovl_gnuplot_open(struct ovl_gnuplot *g);

/* NAME = 'text': any text is safe in it; bytes that are no UTF-8, which would damage an SVG, become '?'. NAME = value:
   NaN too. With n > 0 the variable's name is NAMEn. NAME = 'path': its bytes as they are, since another name is another
   file. */
void ovl_gnuplot_text(struct ovl_gnuplot *g, const char *name, size_t n, const char *text);
void ovl_gnuplot_number(struct ovl_gnuplot *g, const char *name, size_t n, double value);
void ovl_gnuplot_path(struct ovl_gnuplot *g, const char *name, const char *path);

/* Breaks a text into lines of the small print: NAME1, NAME2 ... and NAMEs, their number. The last one that there is
   room for ends in " ..." where the text goes on. */
void ovl_gnuplot_lines(struct ovl_gnuplot *g, const char *name, const char *text);

/* Draws: gnuplot -e VARIABLES DRAWING. -1 and OVL_ENVIRONMENT with gnuplot's own message in one line when it fails, or
   with the package's name when there is none; also when a signal came, which ends gnuplot at once. Signals must be held
   (tool/util/signals.h). */
int ovl_gnuplot_run(struct ovl_gnuplot *g, const char *drawing, struct ovl_error *err);

/* Puts what gnuplot drew into its place, whole or not at all. -1 and OVL_ENVIRONMENT, also when it drew nothing. */
int ovl_gnuplot_take(const char *drawn, const char *path, struct ovl_error *err);

void ovl_gnuplot_close(struct ovl_gnuplot *g);

#endif
