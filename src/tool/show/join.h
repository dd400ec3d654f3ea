/* One table of several launches of a benchmark: a line for each size and launch, set against the first launch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SHOW_JOIN_H
#define OVL_TOOL_SHOW_JOIN_H

#include "table/columns.h"

/* Can these runs stand in one table: two or more, all of one benchmark with messages or without? Proxies have
   tables of their own. */
bool ovl_join_possible(const struct ovl_record *record);

extern const struct ovl_column ovl_join_columns[];

/* Prints the table; `full` prints all its columns. A launch is what one mpiexec measured in one mode with one amount of
   work; a letter stands for it, and the head says in what it differs from the others. */
void ovl_join_print(FILE *out, const struct ovl_record *record, bool full);

#endif
