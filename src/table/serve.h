/* What the table of ovl_serve says of requests, from the cell alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_SERVE_H
#define OVL_TABLE_SERVE_H

#include "record/proxy.h"

#include <stdio.h>

/* Over requests, of "ttft_seconds" or the like; NaN where it is not told. */
double ovl_table_serve_median(const struct ovl_cell *cell, const char *of);

/* A comment line below the row; none where there is nothing to say. */
void ovl_table_serve_notes(FILE *out, const struct ovl_cell *cell);

#endif
