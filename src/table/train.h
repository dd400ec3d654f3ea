/* What the table of ovl_train says below a row, from the cell alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_TRAIN_H
#define OVL_TABLE_TRAIN_H

#include "record/proxy.h"

#include <stdio.h>

/* Comment lines; none where there is nothing to say. */
void ovl_table_train_notes(FILE *out, const struct ovl_cell *cell);

#endif
