/* The table: a head, which is in table/head.c, a row per cell, and a foot. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/table.h"
#include "cli/catalog.h"
#include "record/derived/settle.h"
#include "record/derived/show.h"
#include "table/columns.h"
#include "table/finding.h"
#include "table/serve.h"
#include "table/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct ovl_format *ovl_format_find(const char *name)
{
    static const struct ovl_format *const formats[] = {&ovl_format_table, &ovl_format_omb, &ovl_format_omb_blocking,
                                                       &ovl_format_bandwidth, NULL};
    for (const struct ovl_format *const *f = formats; *f; f++)
        if (strcmp((*f)->name, name) == 0)
            return *f;
    return NULL;
}

/* A mode that tests while it computes is another row than one that does not, as --mode names them. */
static void put_mode(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%.28s%s", c->mode, ovl_cell_tests(c) ? "-t" : "");
}

static void put_ms(char text[32], const char *head, double seconds)
{
    const struct ovl_show show = {head, 1e3, 3, 9, false};
    ovl_show_text(text, &show, seconds);
}

/* By the ratio a step computes as long as it communicates, whatever its samples would take. */
static void put_samples_rate(const struct ovl_cell *c, char text[32])
{
    const struct ovl_show show = {"samples/s", 1, 2, 10, false};
    ovl_show_text(text, &show, isnan(c->ratio) ? c->samples_rate.value : NAN);
}

/* Fewer than those that take them: "2 shared". */
static void put_cores(const struct ovl_cell *c, char text[32])
{
    if (isnan(c->cores))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%.0f%s", c->cores, c->cores_shared > 0 ? " shared" : "");
}

/* Of runs that were asked for it: what was not read is no zero. */
static void put_joules(char text[32], double joules)
{
    const struct ovl_show show = {"J", 1, -6, 10, false};
    if (isnan(joules))
        strcpy(text, "not read");
    else
        ovl_show_text(text, &show, joules);
}

static void put_package(const struct ovl_cell *c, char text[32])
{
    put_joules(text, c->energy.joules[0]);
}

static void put_dram(const struct ovl_cell *c, char text[32])
{
    put_joules(text, c->energy.joules[1]);
}

static void put_node(const struct ovl_cell *c, char text[32])
{
    put_joules(text, c->energy.joules[2]);
}

static void put_first_token(const struct ovl_cell *c, char text[32])
{
    put_ms(text, "ttft ms", ovl_table_serve_median(c, "ttft_seconds"));
}

static void put_further_token(const struct ovl_cell *c, char text[32])
{
    put_ms(text, "tpot ms", ovl_table_serve_median(c, "tpot_seconds"));
}

static void put_blocks(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%zu", c->samples.blocks);
}

static void put_data(const struct ovl_cell *c, char text[32])
{
    strcpy(text, c->validated < 0 ? "-" : c->validated ? "ok" : "WRONG");
}

static void put_check(const struct ovl_cell *c, char text[32])
{
    strcpy(text, "-");
    if (isfinite(c->check_value))
        snprintf(text, 32, "%.2e", c->check_value);
}

enum {
    MODELS = OVL_IN_TRAIN | OVL_IN_SERVE,
    SCHEMES = OVL_IN_GRID | MODELS,
    SOLVERS = OVL_IN_GRID | OVL_IN_HPL,
};

/* A row for each: the values in the order in which they stand, whose they are, and whether -f alone shows them. */
const struct ovl_column ovl_cell_columns[] = {
    {.field = "size_bytes", .in = OVL_IN_DRIVER},
    {.field = "grid", .in = OVL_IN_GRID},
    {.field = "model", .in = MODELS},
    {.field = "strategy", .in = MODELS},
    {.field = "n", .in = OVL_IN_HPL},
    {.field = "bcast", .in = OVL_IN_HPL},
    {.field = "mode", .in = OVL_IN_DRIVER},
    {.field = "mode", .in = OVL_IN_PROXY, .text = put_mode},
    {.field = "depth", .in = OVL_IN_HPL},
    {.field = "ratio", .in = OVL_IN_DRIVER, .full = true},
    {.field = "comm_seconds", .in = OVL_IN_DRIVER, .percentiles = true},
    {.field = "compute_seconds", .in = OVL_IN_DRIVER},
    {.field = "blocking_seconds", .in = OVL_IN_DRIVER},
    {.field = "total_seconds", .in = OVL_IN_DRIVER, .percentiles = true},
    {.field = "total_seconds", .in = OVL_IN_PROXY},
    {.field = "total_seconds", .in = OVL_IN_PROXY, .interval = 20, .percentiles = true},
    {.field = "gflops", .in = SOLVERS},
    {.field = "samples_per_second", .in = OVL_IN_TRAIN, .text = put_samples_rate},
    {.field = "compute_seconds", .in = OVL_IN_PROXY, .full = true},
    {.field = "comm_seconds", .in = OVL_IN_PROXY, .full = true, .percentiles = true},
    {.field = "factor_seconds", .in = OVL_IN_HPL},
    {.field = "exposed_comm_seconds", .in = OVL_IN_PROXY},
    {.field = "swap_seconds", .in = OVL_IN_HPL},
    {.field = "update_seconds", .in = OVL_IN_HPL},
    {.field = "solve_seconds", .in = OVL_IN_HPL, .full = true},
    {.field = "update_slowdown_ratio", .in = OVL_IN_HPL},
    {.field = "cores.count", .full = true, .text = put_cores},
    {.field = "work_per_core", .in = OVL_IN_DRIVER, .full = true},
    {.field = "work_per_core", .in = OVL_IN_PROXY, .full = true},
    {.field = "energy.package_joules", .full = true, .text = put_package},
    {.field = "energy.dram_joules", .full = true, .text = put_dram},
    {.field = "energy.node_joules", .full = true, .text = put_node},
    {.field = "init_seconds", .in = OVL_IN_DRIVER, .full = true},
    {.field = "test_seconds", .in = OVL_IN_DRIVER, .full = true},
    {.field = "wait_seconds", .in = OVL_IN_DRIVER, .full = true},
    {.field = "inner_compute_seconds", .in = OVL_IN_DRIVER, .full = true},
    {.field = "hidden_fraction", .in = OVL_IN_DRIVER | SCHEMES},
    {.field = "hidden_fraction", .in = OVL_IN_DRIVER, .interval = 17},
    {.field = "hideable_fraction", .in = OVL_IN_DRIVER},
    {.field = "hidden_fraction_rank_mean", .in = OVL_IN_DRIVER, .full = true},
    {.field = "hidden_fraction_own", .in = OVL_IN_DRIVER, .full = true},
    {.field = "efficiency_vs_blocking", .in = OVL_IN_DRIVER, .full = true},
    {.field = "overlap_ratio", .in = OVL_IN_DRIVER, .full = true},
    {.field = "speedup_vs_blocking", .in = OVL_IN_DRIVER},
    {.field = "compute_slowdown_ratio", .in = OVL_IN_DRIVER, .full = true},
    {.field = "nbc_penalty_ratio", .in = OVL_IN_DRIVER, .full = true},
    {.field = "omb_overlap_percent", .in = OVL_IN_DRIVER, .full = true},
    {.field = "imb_overlap_percent", .in = OVL_IN_DRIVER, .full = true},
    {.field = "engine.registration_hits", .full = true},
    {.field = "engine.most_fragments", .in = OVL_IN_DRIVER, .full = true},
    {.field = "engine.most_buffers", .in = OVL_IN_DRIVER, .full = true},
    {.field = "engine.most_tags", .in = OVL_IN_DRIVER, .full = true},
    {.field = "engine.most_early", .in = OVL_IN_DRIVER, .full = true},
    {.show = {"ttft ms", 1, 0, 9, false}, .in = OVL_IN_SERVE, .text = put_first_token},
    {.show = {"tpot ms", 1, 0, 9, false}, .in = OVL_IN_SERVE, .text = put_further_token},
    {.field = "gain_vs_blocking", .in = OVL_IN_PROXY},
    {.field = "bound_seconds", .in = OVL_IN_PROXY, .full = true},
    {.field = "bound_ratio", .in = OVL_IN_PROXY},
    {.field = "bound_here_ratio", .in = OVL_IN_PROXY, .full = true},
    {.show = {"error", 1, 0, 10, false}, .in = OVL_IN_GRID, .text = put_check},
    {.show = {"wrong", 1, 0, 9, false}, .in = MODELS, .text = put_check},
    {.show = {"residual", 1, 0, 10, false}, .in = OVL_IN_HPL, .text = put_check},
    {.show = {"data", 1, 0, 6, false}, .in = OVL_IN_DRIVER, .full = true, .text = put_data},
    {.show = {"blocks", 1, 0, 7, false}, .text = put_blocks},
    {.show = {"status", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

/* Of a collective, or of the application that it is. */
static unsigned whose(const struct ovl_run *run)
{
    const char *benchmark = ovl_run_text(run, "benchmark");
    for (const struct ovl_proxy *p = ovl_proxies; p->name; p++)
        if (strcmp(benchmark, p->name) == 0)
            return strcmp(benchmark, "hpl") == 0     ? OVL_IN_HPL
                   : strcmp(benchmark, "train") == 0 ? OVL_IN_TRAIN
                   : strcmp(benchmark, "serve") == 0 ? OVL_IN_SERVE
                                                     : OVL_IN_GRID;
    return OVL_IN_DRIVER;
}

static void print_head(FILE *out, const struct ovl_run *run, bool full)
{
    struct ovl_column *columns = ovl_columns_asked(ovl_cell_columns, run, 1);
    struct ovl_table t = ovl_table_to(out, &ovl_table_plain, columns, whose(run), full);
    ovl_table_head(out, run);
    if (full)
        ovl_table_build(out, run);
    fputs("#\n", out);
    ovl_table_begin(&t);
    free(columns);
    fflush(out);
}

static void print_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    char status[OVL_STATUS_TEXT];
    struct ovl_column *columns = ovl_columns_asked(ovl_cell_columns, run, 1);
    struct ovl_table t = ovl_table_to(out, &ovl_table_plain, columns, whose(run), full);
    ovl_status_text(cell, status);
    ovl_table_cell(&t, run, cell);
    ovl_table_text(&t, "%s", status);
    ovl_table_row_end(&t);
    free(columns);
    if (t.in != OVL_IN_DRIVER)
        ovl_table_train_notes(out, cell);
    if (t.in == OVL_IN_SERVE)
        ovl_table_serve_notes(out, cell);
    fflush(out);
}

static void print_findings(FILE *out, const struct ovl_run *run)
{
    struct ovl_finding f;
    ovl_finding_make(&f, run);
    for (size_t i = 0; i < f.count; i++)
        fprintf(out, "# finding   %s\n", f.found[i]);
    if (*f.next)
        fprintf(out, "# next      try %s\n", f.next);
}

static void print_foot(FILE *out, const struct ovl_run *run, bool full)
{
    static const char plain[] = "# exposed: communication that nothing hid; gain: time saved against the blocking "
                                "scheme;\n# T/bound: against the least that this plan's steps allow; ";
    unsigned in = whose(run);
    (void)full;
    if (in == OVL_IN_HPL)
        fputs(
            "# times of the slowest rank, medians. exposed: in calls of the broadcast, waiting for a late panel too,\n"
            "# each panel by its slowest rank; slowdown: of the update beside it; T/bound: against the least that "
            "this\n"
            "# plan's steps allow. ovl_hpl(1) explains.\n",
            out);
    else if (in != OVL_IN_DRIVER)
        fprintf(out, "%s%s", plain,
                in & MODELS ? "wrong: messages with wrong data.\n" : "error: the largest of the solution.\n");
    else
        fputs("# hidden = 1 - (total - compute) / comm; negative: overlapping costs more than it hides. ovl(7) "
              "explains the rest.\n",
              out);
    if (in == OVL_IN_DRIVER)
        print_findings(out, run);
    if (in == OVL_IN_SERVE)
        ovl_table_serve_answer(out, run);
    fflush(out);
}

const struct ovl_format ovl_format_table = {.name = "table", .head = print_head, .row = print_row, .foot = print_foot};
const struct ovl_format ovl_format_proxy = {.name = "proxy", .head = print_head, .row = print_row, .foot = print_foot};
