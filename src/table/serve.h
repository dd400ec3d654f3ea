/* What the table of ovl_serve says of requests, from the cell alone, and of workers, from all cells of the run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_SERVE_H
#define OVL_TABLE_SERVE_H

#include "record/record.h"

#include <stdio.h>

/* Over requests, of "ttft_seconds" or the like; NaN where it is not told. */
double ovl_table_serve_median(const struct ovl_cell *cell, const char *of);

/* A comment line below the row; none where there is nothing to say. */
void ovl_table_serve_notes(FILE *out, const struct ovl_cell *cell);

/* Would workers help, and why (or why not)? By T of the quickest cells with them and without: they are told apart where
   their intervals do not meet. Samples are not looked at. Nothing of a run without cells. */
void ovl_table_serve_answer(FILE *out, const struct ovl_run *run);

#endif
