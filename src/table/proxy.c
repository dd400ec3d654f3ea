/* The table of a proxy: what was solved, how fast, and how much of its communication was seen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/proxy.h"
#include "record/status.h"
#include "table/table.h"
#include "table/train.h"

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

static void put_milliseconds(char text[32], double seconds)
{
    put(text, 3, 1e3 * seconds);
}

static void put_problem(const struct ovl_cell *c, char text[32])
{
    const char *grid = ovl_cell_problem_text(c, "grid");
    if (*grid)
        snprintf(text, 32, "%.31s", grid);
    else
        put(text, 0, ovl_cell_problem_number(c, "n"));
}

static void put_model(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%.31s", ovl_cell_problem_text(c, "model"));
}

static void put_strategy(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%.31s", ovl_cell_problem_text(c, "strategy"));
}

static void put_bcast(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%.31s", ovl_cell_problem_text(c, "bcast"));
}

static void put_depth(const struct ovl_cell *c, char text[32])
{
    put(text, 0, ovl_cell_problem_number(c, "depth"));
}

/* A mode that tests while it computes is another row than one that does not, as --mode names them. */
static void put_mode(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%.28s%s", c->mode, ovl_cell_tests(c) ? "-t" : "");
}

static void put_total(const struct ovl_cell *c, char text[32])
{
    put_milliseconds(text, c->summary[OVL_TOTAL].median);
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

/* By the ratio a step computes as long as it communicates, whatever its samples would take. */
static void put_samples_rate(const struct ovl_cell *c, char text[32])
{
    put(text, 2, isnan(c->ratio) ? c->samples_rate.value : NAN);
}

static void put_compute(const struct ovl_cell *c, char text[32])
{
    put_milliseconds(text, c->summary[OVL_COMPUTE].median);
}

static void put_comm(const struct ovl_cell *c, char text[32])
{
    put_milliseconds(text, c->summary[OVL_COMM].median);
}

static void put_exposed(const struct ovl_cell *c, char text[32])
{
    put_milliseconds(text, c->exposed.value);
}

#define PART(function, name)                                                                                           \
    static void function(const struct ovl_cell *c, char text[32])                                                      \
    {                                                                                                                  \
        put_milliseconds(text, ovl_proxy_summary(c, name).median);                                                     \
    }
PART(put_factor, "factor_seconds")
PART(put_swap, "swap_seconds")
PART(put_update, "update_seconds")
PART(put_solve, "solve_seconds")

static void put_slowdown(const struct ovl_cell *c, char text[32])
{
    put(text, 3, ovl_proxy_slowdown_of(NULL, c));
}

static void put_hidden(const struct ovl_cell *c, char text[32])
{
    put(text, 1, 100 * c->derived[OVL_HIDDEN].value);
}

static void put_gain(const struct ovl_cell *c, char text[32])
{
    put(text, 1, 100 * c->gain.value);
}

static void put_bound_ratio(const struct ovl_cell *c, char text[32])
{
    put(text, 3, c->bound_ratio.value);
}

static void put_here_ratio(const struct ovl_cell *c, char text[32])
{
    put(text, 3, c->here_ratio.value);
}

PART(put_bound, "bound_seconds")

static void put_check(const struct ovl_cell *c, char text[32])
{
    strcpy(text, "-");
    if (isfinite(c->check_value))
        snprintf(text, 32, "%.2e", c->check_value);
}

static void put_blocks(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%zu", c->samples.blocks);
}

/* The columns, and whose they are: of ovl_hpl, of the applications on the measuring loop that solve on a grid, of
   ovl_train, of both on the loop, or of all. */
enum kind { HPL = 1, GRID = 2, TRAIN = 4, SCHEMES = GRID | TRAIN, SOLVERS = GRID | HPL, BOTH = SCHEMES | HPL };

static const struct {
    struct ovl_column column;
    enum kind of;
} columns[] = {
    {{"grid", 16, false, put_problem}, GRID},
    {{"model", 16, false, put_model}, TRAIN},
    {{"strategy", 13, false, put_strategy}, TRAIN},
    {{"N", 7, false, put_problem}, HPL},
    {{"bcast", 8, false, put_bcast}, HPL},
    {{"mode", 9, false, put_mode}, BOTH},
    {{"depth", 6, false, put_depth}, HPL},
    {{"total ms", 11, false, put_total}, BOTH},
    {{"95 % interval", 20, false, put_interval}, BOTH},
    {{"GFLOP/s", 9, false, put_gflops}, SOLVERS},
    {{"samples/s", 10, false, put_samples_rate}, TRAIN},
    {{"compute ms", 11, true, put_compute}, BOTH},
    {{"comm ms", 10, true, put_comm}, BOTH},
    {{"factor ms", 10, false, put_factor}, HPL},
    {{"exposed ms", 11, false, put_exposed}, BOTH},
    {{"swap ms", 9, false, put_swap}, HPL},
    {{"update ms", 10, false, put_update}, HPL},
    {{"solve ms", 9, true, put_solve}, HPL},
    {{"slowdown", 9, false, put_slowdown}, HPL},
    {{"hidden %", 10, false, put_hidden}, SCHEMES},
    {{"gain %", 8, false, put_gain}, BOTH},
    {{"bound ms", 10, true, put_bound}, BOTH},
    {{"T/bound", 9, false, put_bound_ratio}, BOTH},
    {{"T/here", 8, true, put_here_ratio}, BOTH},
    {{"error", 10, false, put_check}, GRID},
    {{"wrong", 9, false, put_check}, TRAIN},
    {{"residual", 10, false, put_check}, HPL},
    {{"blocks", 7, false, put_blocks}, BOTH},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static bool has(const struct ovl_run *run, size_t c, bool full)
{
    const char *benchmark = ovl_run_text(run, "benchmark");
    enum kind kind = strcmp(benchmark, "hpl") == 0 ? HPL : strcmp(benchmark, "train") == 0 ? TRAIN : GRID;
    return (full || !columns[c].column.full) && (columns[c].of & kind);
}

static void print_head(FILE *out, const struct ovl_run *run, bool full)
{
    struct ovl_line line = {.at = 1};
    ovl_table_head(out, run);
    if (full)
        ovl_table_build(out, run);
    fputs("#\n#", out);
    for (size_t c = 0; c < COLUMNS; c++)
        if (has(run, c, full))
            ovl_line_put(out, &line, columns[c].column.width, columns[c].column.head);
    fputs("  status\n", out);
    fflush(out);
}

static void print_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    struct ovl_line line = {0, 0};
    char text[32];
    for (size_t c = 0; c < COLUMNS; c++)
        if (has(run, c, full)) {
            columns[c].column.print(cell, text);
            ovl_line_put(out, &line, columns[c].column.width, text);
        }
    if (cell->unshaped > 0)
        fputs("  unshaped\n", out);
    else
        fprintf(out, "  %s%s%s\n", strcmp(cell->status, "ci_not_reached") == 0 ? "wide" : cell->status,
                cell->validated == 0 ? ", wrong" : "", ovl_cell_noisy(cell) ? ", noisy" : "");
    ovl_table_train_notes(out, cell);
    fflush(out);
}

static void print_foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)full;
    if (strcmp(ovl_run_text(run, "benchmark"), "hpl") == 0)
        fputs(
            "# times of the slowest rank, medians. exposed: in calls of the broadcast, waiting for a late panel too,\n"
            "# each panel by its slowest rank; slowdown: of the update beside it; T/bound: against the least that "
            "this\n"
            "# plan's steps allow. ovl_hpl(1) explains.\n",
            out);
    else if (strcmp(ovl_run_text(run, "benchmark"), "train") == 0)
        fputs("# exposed: communication that nothing hid; gain: time saved against the blocking scheme;\n"
              "# T/bound: against the least that this plan's steps allow; wrong: messages with wrong data.\n",
              out);
    else
        fputs("# exposed: communication that nothing hid; gain: time saved against the blocking scheme;\n"
              "# T/bound: against the least that this plan's steps allow; error: the largest of the solution.\n",
              out);
    fflush(out);
}

const struct ovl_format ovl_format_proxy = {.name = "proxy", .head = print_head, .row = print_row, .foot = print_foot};
