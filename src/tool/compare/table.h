/* The table that `ovl compare` prints, and what `ovl report` says of the same verdicts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_TABLE_H
#define OVL_TOOL_COMPARE_TABLE_H

#include "table/columns.h"
#include "tool/compare/verdict.h"

/* The table itself, in any form: a row for each cell. */
extern const struct ovl_column ovl_change_columns[];
void ovl_compare_table(FILE *out, const struct ovl_table_writer *writer, const struct ovl_changes *c,
                       const struct ovl_gate *gate);

/* Head, the table as text, and what the verdicts mean. No line of the foot ends with a verdict's name, so that
   `grep ' REGRESSED$'` finds rows only. */
void ovl_compare_print(const struct ovl_changes *c, const struct ovl_groups *groups, const struct ovl_gate *gate);

/* By which test the verdicts were taken, and how launches were paired; and what came of all of them: the counts, the
   gate, and what stands in its way. Lines that begin with "# "; a line that goes on begins with "#  ". */
void ovl_compare_put_test(FILE *out, const struct ovl_changes *c, const struct ovl_gate *gate);
void ovl_compare_put_outcome(FILE *out, const struct ovl_changes *c, const struct ovl_gate *gate);

#endif
