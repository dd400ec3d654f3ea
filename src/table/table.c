/* The table: a head, which is in table/head.c, a row per cell, and a foot. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/table.h"
#include "record/derived/settle.h"
#include "record/derived/show.h"
#include "record/field.h"
#include "table/finding.h"
#include "table/train.h"

#include <math.h>
#include <string.h>

const struct ovl_format *ovl_format_find(const char *name)
{
    static const struct ovl_format *const formats[] = {&ovl_format_table, &ovl_format_omb, &ovl_format_omb_blocking,
                                                       NULL};
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

/* By the ratio a step computes as long as it communicates, whatever its samples would take. */
static void put_samples_rate(const struct ovl_cell *c, char text[32])
{
    const struct ovl_show show = {"samples/s", 1, 2, 10, 0};
    ovl_show_text(text, &show, isnan(c->ratio) ? c->samples_rate.value : NAN);
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

void ovl_status_text(const struct ovl_cell *c, char text[32])
{
    static const struct {
        enum ovl_mark mark;
        const char *text;
    } shown[] = {{OVL_MARK_UNEVEN, ", uneven"},
                 {OVL_MARK_NOISY, ", noisy"},
                 {OVL_MARK_OWN_WORK, ", own W"},
                 {OVL_MARK_RATIO, ", W/C"}};
    unsigned marks = ovl_cell_marks(c);
    bool wide = strcmp(c->status, "ci_not_reached") == 0, wrong = c->validated == 0;
    int n = snprintf(text, 32, "%.8s%s", wide ? "wide" : c->status, wrong ? ", wrong" : "");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (marks & 1U << shown[i].mark && !(wrong && shown[i].mark == OVL_MARK_UNEVEN))
            n += snprintf(text + n, 32 - (size_t)n, "%s", shown[i].text);
    if (c->unshaped > 0)
        strcpy(text, "unshaped");
}

/* Whose a column is: of the drivers of collectives, of ovl_hpl, of the applications on the measuring loop that solve on
   a grid, of ovl_train. */
enum kind {
    DRIVER = 1,
    HPL = 2,
    GRID = 4,
    TRAIN = 8,
    SCHEMES = GRID | TRAIN,
    SOLVERS = GRID | HPL,
    PROXY = SCHEMES | HPL,
    ALL = DRIVER | PROXY
};

/* A row for each: the values in the order in which they stand, whose they are, and whether -f alone shows them. */
static const struct ovl_column columns[] = {
    {.field = "size_bytes", .of = DRIVER},
    {.field = "grid", .of = GRID},
    {.field = "model", .of = TRAIN},
    {.field = "strategy", .of = TRAIN},
    {.field = "n", .of = HPL},
    {.field = "bcast", .of = HPL},
    {.field = "mode", .of = DRIVER},
    {.field = "mode", .of = PROXY, .text = put_mode},
    {.field = "depth", .of = HPL},
    {.field = "ratio", .of = DRIVER, .full = true},
    {.field = "comm_seconds", .of = DRIVER},
    {.field = "compute_seconds", .of = DRIVER},
    {.field = "blocking_seconds", .of = DRIVER},
    {.field = "total_seconds", .of = DRIVER},
    {.field = "total_seconds", .of = PROXY},
    {.field = "total_seconds", .of = PROXY, .interval = true},
    {.field = "gflops", .of = SOLVERS},
    {.field = "samples_per_second", .of = TRAIN, .text = put_samples_rate},
    {.field = "compute_seconds", .of = PROXY, .full = true},
    {.field = "comm_seconds", .of = PROXY, .full = true},
    {.field = "factor_seconds", .of = HPL},
    {.field = "exposed_comm_seconds", .of = PROXY},
    {.field = "swap_seconds", .of = HPL},
    {.field = "update_seconds", .of = HPL},
    {.field = "solve_seconds", .of = HPL, .full = true},
    {.field = "update_slowdown_ratio", .of = HPL},
    {.field = "init_seconds", .of = DRIVER, .full = true},
    {.field = "test_seconds", .of = DRIVER, .full = true},
    {.field = "wait_seconds", .of = DRIVER, .full = true},
    {.field = "inner_compute_seconds", .of = DRIVER, .full = true},
    {.field = "hidden_fraction", .of = DRIVER | SCHEMES},
    {.field = "hidden_fraction", .of = DRIVER, .interval = true},
    {.field = "hideable_fraction", .of = DRIVER},
    {.field = "hidden_fraction_rank_mean", .of = DRIVER, .full = true},
    {.field = "efficiency_vs_blocking", .of = DRIVER, .full = true},
    {.field = "overlap_ratio", .of = DRIVER, .full = true},
    {.field = "speedup_vs_blocking", .of = DRIVER},
    {.field = "compute_slowdown_ratio", .of = DRIVER, .full = true},
    {.field = "nbc_penalty_ratio", .of = DRIVER, .full = true},
    {.field = "omb_overlap_percent", .of = DRIVER, .full = true},
    {.field = "imb_overlap_percent", .of = DRIVER, .full = true},
    {.field = "engine.most_fragments", .of = DRIVER, .full = true},
    {.field = "engine.most_buffers", .of = DRIVER, .full = true},
    {.field = "engine.most_tags", .of = DRIVER, .full = true},
    {.field = "engine.most_early", .of = DRIVER, .full = true},
    {.field = "gain_vs_blocking", .of = PROXY},
    {.field = "bound_seconds", .of = PROXY, .full = true},
    {.field = "bound_ratio", .of = PROXY},
    {.field = "bound_here_ratio", .of = PROXY, .full = true},
    {.head = "error", .width = 10, .of = GRID, .text = put_check},
    {.head = "wrong", .width = 9, .of = TRAIN, .text = put_check},
    {.head = "residual", .width = 10, .of = HPL, .text = put_check},
    {.head = "data", .width = 6, .of = DRIVER, .full = true, .text = put_data},
    {.head = "blocks", .width = 7, .of = ALL, .text = put_blocks},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static enum kind kind_of(const struct ovl_run *run)
{
    const char *benchmark = ovl_run_text(run, "benchmark");
    return strcmp(benchmark, "hpl") == 0 ? HPL : strcmp(benchmark, "train") == 0 ? TRAIN : GRID;
}

static const struct ovl_field *field_of(const char *name)
{
    const struct ovl_field *f = ovl_field_named(ovl_fields_point, name);
    return f ? f : ovl_field_named(ovl_fields_cell, name);
}

static const struct ovl_show *show_of(const struct ovl_column *c)
{
    return ovl_field_show(field_of(c->field), !(c->of & DRIVER));
}

int ovl_column_width(const struct ovl_column *c)
{
    return !c->field ? c->width : c->interval ? show_of(c)->interval : show_of(c)->width;
}

const char *ovl_column_head(const struct ovl_column *c)
{
    return !c->field ? c->head : c->interval ? "95 % interval" : show_of(c)->head;
}

void ovl_column_text(char text[64], const struct ovl_column *c, const struct ovl_run *run, const struct ovl_cell *cell)
{
    char whole[OVL_FIELD_TEXT_ROOM];
    const struct ovl_field *f = c->field ? field_of(c->field) : NULL;
    if (c->text) {
        c->text(cell, text);
    } else if (f->kind == OVL_FIELD_TEXT || strncmp(f->path, "problem.", strlen("problem.")) == 0) {
        ovl_field_text(whole, f, run, cell);
        snprintf(text, 64, "%.31s", *whole || f->kind == OVL_FIELD_TEXT ? whole : "-");
    } else {
        struct ovl_estimate e = ovl_field_estimate(f, cell);
        if (isnan(e.value) && f->again && f->size == 0)
            e.value = f->again(run, cell);
        struct ovl_show show = *show_of(c);
        if (show.factor == 1e6 && e.value >= 1e-3)
            show.decimals--; /* of milliseconds, nobody reads all digits */
        if (c->interval)
            ovl_show_interval(text, &show, &e);
        else
            ovl_show_text(text, &show, e.value);
    }
}

void ovl_line_put(FILE *out, struct ovl_line *line, int width, const char *text)
{
    line->due += width;
    int gap = line->due - line->at - (int)strlen(text);
    if (gap < 1 && line->at > 0)
        gap = 1; /* too long a text moves the next ones, until their own room makes up for it */
    line->at += fprintf(out, "%*s%s", gap > 0 ? gap : 0, "", text);
}

static void put_heads(FILE *out, const struct ovl_run *run, bool full, enum kind of)
{
    struct ovl_line line = {.at = 1};
    ovl_table_head(out, run);
    if (full)
        ovl_table_build(out, run);
    fputs("#\n#", out);
    for (const struct ovl_column *c = columns; c < columns + COLUMNS; c++)
        if ((full || !c->full) && (c->of & of))
            ovl_line_put(out, &line, ovl_column_width(c), ovl_column_head(c));
}

static void put_values(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full, enum kind of)
{
    struct ovl_line line = {0, 0};
    char text[64];
    for (const struct ovl_column *c = columns; c < columns + COLUMNS; c++)
        if ((full || !c->full) && (c->of & of)) {
            ovl_column_text(text, c, run, cell);
            ovl_line_put(out, &line, ovl_column_width(c), text);
        }
    ovl_status_text(cell, text);
    fprintf(out, "  %s\n", text);
}

static void print_head(FILE *out, const struct ovl_run *run, bool full)
{
    struct ovl_line line = {0, 0};
    put_heads(out, run, full, DRIVER);
    ovl_line_put(out, &line, 8, "status");
    fputs("\n", out);
    fflush(out);
}

static void print_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    put_values(out, run, cell, full, DRIVER);
    fflush(out);
}

static void print_foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)full;
    fputs("# hidden = 1 - (total - compute) / comm; negative: overlapping costs more than it hides. ovl(7) explains "
          "the rest.\n",
          out);
    struct ovl_finding f;
    ovl_finding_make(&f, run);
    for (size_t i = 0; i < f.count; i++)
        fprintf(out, "# finding   %s\n", f.found[i]);
    if (*f.next)
        fprintf(out, "# next      try %s\n", f.next);
    fflush(out);
}

static void print_proxy_head(FILE *out, const struct ovl_run *run, bool full)
{
    put_heads(out, run, full, kind_of(run));
    fputs("  status\n", out);
    fflush(out);
}

static void print_proxy_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    put_values(out, run, cell, full, kind_of(run));
    ovl_table_train_notes(out, cell);
    fflush(out);
}

static void print_proxy_foot(FILE *out, const struct ovl_run *run, bool full)
{
    static const char plain[] = "# exposed: communication that nothing hid; gain: time saved against the blocking "
                                "scheme;\n# T/bound: against the least that this plan's steps allow; ";
    (void)full;
    if (kind_of(run) == HPL)
        fputs(
            "# times of the slowest rank, medians. exposed: in calls of the broadcast, waiting for a late panel too,\n"
            "# each panel by its slowest rank; slowdown: of the update beside it; T/bound: against the least that "
            "this\n"
            "# plan's steps allow. ovl_hpl(1) explains.\n",
            out);
    else
        fprintf(out, "%s%s", plain,
                kind_of(run) == TRAIN ? "wrong: messages with wrong data.\n" : "error: the largest of the solution.\n");
    fflush(out);
}

const struct ovl_format ovl_format_table = {.name = "table", .head = print_head, .row = print_row, .foot = print_foot};
const struct ovl_format ovl_format_proxy = {
    .name = "proxy", .head = print_proxy_head, .row = print_proxy_row, .foot = print_proxy_foot};
