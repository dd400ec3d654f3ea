/* The table of acceptance, in any form: a row for each verdict of a report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_TABLE_H
#define OVL_TOOL_ACCEPT_TABLE_H

#include "table/columns.h"

extern const struct ovl_column ovl_accept_columns[];
void ovl_accept_table(FILE *out, const struct ovl_table_writer *writer, const json_t *verdicts);

#endif
