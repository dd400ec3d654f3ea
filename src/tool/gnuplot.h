/* Runs gnuplot on a drawing, without a shell in between. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_GNUPLOT_H
#define OVL_TOOL_GNUPLOT_H

#include "base/error.h"

#include <stdio.h>

/* Variables for a drawing, gathered as gnuplot assignments. */
struct ovl_gnuplot {
    FILE *out;
    char *text;
    size_t length;
};

/* Starts with no variables. -1 when there is no memory. */
int ovl_gnuplot_open(struct ovl_gnuplot *g, struct ovl_error *err);

/* NAME = 'text': any text is safe in it. NAME = value: NaN too. With n > 0 the variable's name is NAMEn. */
void ovl_gnuplot_text(struct ovl_gnuplot *g, const char *name, size_t n, const char *text);
void ovl_gnuplot_number(struct ovl_gnuplot *g, const char *name, size_t n, double value);

/* Draws: gnuplot -e VARIABLES DRAWING. -1 and OVL_ENVIRONMENT with gnuplot's own message in one line when it fails, or
   with the package's name when there is none; also when a signal came, which ends gnuplot at once. Signals must be held
   (tool/signals.h). */
int ovl_gnuplot_run(struct ovl_gnuplot *g, const char *drawing, struct ovl_error *err);

void ovl_gnuplot_close(struct ovl_gnuplot *g);

#endif
