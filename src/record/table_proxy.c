/* The table of a proxy: what was solved, how fast, and how much of its communication was seen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/status.h"
#include "record/table.h"

#include <math.h>
#include <string.h>

/* "-" where there is no value. */
static void put(char text[32], int decimals, double value)
{
    if (isnan(value))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%.*f", decimals, value);
}

static void put_problem(const struct ovl_cell *c, char text[32])
{
    if (*c->grid)
        snprintf(text, 32, "%.31s", c->grid);
    else
        put(text, 0, c->n);
}

static void put_block(const struct ovl_cell *c, char text[32])
{
    put(text, 0, c->nb);
}

static void put_bcast(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%s", *c->bcast ? c->bcast : "-");
}

static void put_mode(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%s", c->mode);
}

static void put_total(const struct ovl_cell *c, char text[32])
{
    put(text, 3, 1e3 * c->summary[OVL_TOTAL].median);
}

static void put_interval(const struct ovl_cell *c, char text[32])
{
    const struct ovl_summary *s = &c->summary[OVL_TOTAL];
    strcpy(text, "-");
    if (!isnan(s->ci_low))
        snprintf(text, 32, "%.3f..%.3f", 1e3 * s->ci_low, 1e3 * s->ci_high);
}

static void put_gflops(const struct ovl_cell *c, char text[32])
{
    put(text, 2, c->gflops.value);
}

static void put_exposed(const struct ovl_cell *c, char text[32])
{
    put(text, 3, 1e3 * c->exposed.value);
}

static void put_hidden(const struct ovl_cell *c, char text[32])
{
    put(text, 1, 100 * c->derived[OVL_HIDDEN].value);
}

static void put_gain(const struct ovl_cell *c, char text[32])
{
    put(text, 1, 100 * c->gain.value);
}

static void put_error(const struct ovl_cell *c, char text[32])
{
    double error = isnan(c->max_error) ? c->residual : c->max_error;
    strcpy(text, "-");
    if (!isnan(error))
        snprintf(text, 32, "%.2e", error);
}

static void put_blocks(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%zu", c->samples.blocks);
}

static const struct ovl_column columns[] = {
    {"grid or N", 16, false, put_problem}, {"NB", 6, false, put_block},
    {"bcast", 8, false, put_bcast},        {"mode", 9, false, put_mode},
    {"total ms", 12, false, put_total},    {"95 % interval", 20, false, put_interval},
    {"GFLOP/s", 10, false, put_gflops},    {"exposed ms", 12, false, put_exposed},
    {"hidden %", 10, false, put_hidden},   {"gain %", 8, false, put_gain},
    {"error", 10, false, put_error},       {"blocks", 7, false, put_blocks},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void print_head(FILE *out, const struct ovl_run *run, bool full)
{
    struct ovl_line line = {.at = 1};
    (void)full;
    ovl_table_head(out, run);
    fputs("#\n#", out);
    for (size_t c = 0; c < COLUMNS; c++)
        ovl_line_put(out, &line, columns[c].width, columns[c].head);
    fputs("  status\n", out);
    fflush(out);
}

static void print_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    struct ovl_line line = {0, 0};
    char text[32];
    (void)run, (void)full;
    for (size_t c = 0; c < COLUMNS; c++) {
        columns[c].print(cell, text);
        ovl_line_put(out, &line, columns[c].width, text);
    }
    if (cell->unshaped > 0)
        fputs("  unshaped\n", out);
    else
        fprintf(out, "  %s%s%s\n", strcmp(cell->status, "ci_not_reached") == 0 ? "wide" : cell->status,
                cell->validated == 0 ? ", wrong" : "", ovl_cell_noisy(cell) ? ", noisy" : "");
    fflush(out);
}

static void print_foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)run, (void)full;
    fputs("# exposed: communication that nothing hid; gain: time saved against the blocking scheme;\n"
          "# error: largest error of the solution, or its residual.\n",
          out);
    fflush(out);
}

const struct ovl_format ovl_format_proxy = {.name = "proxy", .head = print_head, .row = print_row, .foot = print_foot};
