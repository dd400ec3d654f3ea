/* The forms of `ovl export`: a row each, in the file that writes it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_EXPORT_EXPORT_H
#define OVL_TOOL_EXPORT_EXPORT_H

#include "table/columns.h"
#include "tool/cells/group.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/metric.h"

struct ovl_exporting {
    const struct ovl_inputs *sources;
    const struct ovl_record *record;
    const struct ovl_groups *groups;
    const struct ovl_field *metric; /* the only one, of forms that can show one alone; NULL: all that the form shows */
    const struct ovl_field *const *metrics; /* all that there are, or `metric` alone, and the percentiles asked for;
                                               then NULL */
    bool timestamps;                        /* openmetrics: when the last launch began */
};

/* The table of cells over launches, with its usual columns or the only metric. */
extern const struct ovl_column ovl_group_columns[];
void ovl_export_cells(FILE *out, const struct ovl_table_writer *writer, const struct ovl_exporting *e);

struct ovl_export_form {
    const char *name;
    bool keeps_all;     /* cells without a claim are in it too, marked; of other forms they are said to be left out */
    const char *metric; /* that it shows when none is named; NULL: several */
    int (*write)(FILE *out, const struct ovl_exporting *e, struct ovl_error *err);
};

extern const struct ovl_export_form ovl_export_junit, ovl_export_bmf, ovl_export_gha, ovl_export_extrap,
    ovl_export_markdown, ovl_export_latex, ovl_export_openmetrics;

#endif
