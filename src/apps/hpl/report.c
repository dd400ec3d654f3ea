/* HPL's format; the table is table/proxy.c's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/report.h"

#include <stdio.h>
#include <string.h>

static void hpl_head(FILE *out, const struct ovl_run *run, bool full)
{
    (void)full;
    ovl_table_head(out, run);
    fputs("#\nT/V                N    NB     P     Q               Time                 Gflops\n", out);
    for (int i = 0; i < 80; i++)
        putc('-', out);
    putc('\n', out);
    fflush(out);
}

static void hpl_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    const char *line = json_string_value(json_object_get(cell->extra, "hpl_line"));
    (void)run, (void)full;
    fprintf(out, "# mode %s\n%s\n", cell->mode, line ? line : "-"); /* HPL's lines have no place for it */
    fprintf(out, "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= %16.8e ...... %s\n", cell->check_value,
            cell->check_value < cell->check_limit ? "PASSED" : "FAILED");
    if (strcmp(cell->status, "invalid") == 0)
        fprintf(out, "# invalid: %s; its time and rate are none\n", cell->reason);
    fflush(out);
}

static void hpl_foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)run, (void)full;
    fputs("# hpl-panel of ovl, in HPL's format; times are medians. No rated HPL run.\n", out);
    fflush(out);
}

const struct ovl_format ovl_hpl_format_hpl = {.name = "hpl", .head = hpl_head, .row = hpl_row, .foot = hpl_foot};
