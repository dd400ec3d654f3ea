/* The table: a head, which is in table/head.c, a row per cell, and a foot. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/table.h"
#include "cli/catalog.h"
#include "record/derived/link_model.h"
#include "record/status.h"
#include "table/finding.h"

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

static void put(char text[32], int decimals, double value)
{
    if (isnan(value))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%.*f", decimals, value);
}

static void microseconds(char text[32], double seconds)
{
    put(text, seconds < 1e-3 ? 2 : 1, 1e6 * seconds);
}

#define SUMMARY(function, quantity)                                                                                    \
    static void function(const struct ovl_cell *c, char text[32])                                                      \
    {                                                                                                                  \
        microseconds(text, c->summary[quantity].median);                                                               \
    }
SUMMARY(put_comm, OVL_COMM)
SUMMARY(put_compute, OVL_COMPUTE)
SUMMARY(put_blocking, OVL_BLOCKING)
SUMMARY(put_total, OVL_TOTAL)
SUMMARY(put_init, OVL_INIT)
SUMMARY(put_test, OVL_TEST)
SUMMARY(put_wait, OVL_WAIT)
SUMMARY(put_inner, OVL_INNER)

#define DERIVED(function, which, decimals, factor)                                                                     \
    static void function(const struct ovl_cell *c, char text[32])                                                      \
    {                                                                                                                  \
        put(text, decimals, (factor)*c->derived[which].value);                                                         \
    }
DERIVED(put_hidden, OVL_HIDDEN, 1, 100)
DERIVED(put_hideable, OVL_HIDEABLE, 1, 100)
DERIVED(put_efficiency, OVL_EFFICIENCY, 1, 100)
DERIVED(put_overlap, OVL_OVERLAP, 3, 1)
DERIVED(put_speedup, OVL_SPEEDUP, 3, 1)
DERIVED(put_slowdown, OVL_SLOWDOWN, 3, 1)
DERIVED(put_penalty, OVL_PENALTY, 3, 1)
DERIVED(put_rank_mean, OVL_HIDDEN_RANK_MEAN, 1, 100)

static void put_size(const struct ovl_cell *c, char text[32])
{
    put(text, 0, c->size_bytes);
}
static void put_mode(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%s", c->mode);
}
static void put_ratio(const struct ovl_cell *c, char text[32])
{
    if (isnan(c->ratio))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%g", c->ratio);
}
static void put_interval(const struct ovl_cell *c, char text[32])
{
    const struct ovl_estimate *e = &c->derived[OVL_HIDDEN];
    if (isnan(e->ci_low))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%.1f..%.1f", 100 * e->ci_low, 100 * e->ci_high);
}
static void put_blocks(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%zu", c->samples.blocks);
}
static void put_omb(const struct ovl_cell *c, char text[32])
{
    put(text, 1, c->omb_percent);
}
static void put_imb(const struct ovl_cell *c, char text[32])
{
    put(text, 1, c->imb_percent);
}
static void put_fragments(const struct ovl_cell *c, char text[32])
{
    put(text, 0, c->most_fragments);
}
static void put_buffers(const struct ovl_cell *c, char text[32])
{
    put(text, 0, c->most_buffers);
}
static void put_tags(const struct ovl_cell *c, char text[32])
{
    put(text, 0, c->most_tags);
}
static void put_early(const struct ovl_cell *c, char text[32])
{
    put(text, 0, c->most_early);
}
static void put_check(const struct ovl_cell *c, char text[32])
{
    strcpy(text, c->validated < 0 ? "-" : c->validated ? "ok" : "WRONG");
}

/* Slowest rank and mean over ranks apart by more than this: one rank is not like the others. */
static const double ranks_differ = 0.05;

/* The work came out as another multiple of the host's communication time than was asked for, by more than this. */
static const double work_differs = 0.1;

static void put_status(const struct ovl_cell *c, char text[32])
{
    bool host = strcmp(c->mode, "host") == 0; /* what the work is a multiple of */
    double work = host ? c->summary[OVL_COMPUTE].median / c->summary[OVL_COMM].median / c->ratio : NAN;
    double apart = fabs(c->derived[OVL_HIDDEN].value - c->derived[OVL_HIDDEN_RANK_MEAN].value);
    const char *status = strcmp(c->status, "ci_not_reached") == 0 ? "wide" : c->status;
    bool own = c->from_record == 0; /* though --work-from was given */
    snprintf(text, 32, "%.8s%s%s%s", status,
             c->validated == 0      ? ", wrong"
             : apart > ranks_differ ? ", uneven"
                                    : "",
             ovl_cell_noisy(c) ? ", noisy" : "",
             own                             ? ", own W"
             : fabs(work - 1) > work_differs ? ", W/C"
                                             : "");
    if (c->unshaped > 0)
        snprintf(text, 32, "unshaped");
}

static const struct ovl_column columns[] = {
    {"size", 10, false, put_size},
    {"mode", 5, false, put_mode},
    {"ratio", 6, true, put_ratio},
    {"comm us", 11, false, put_comm},
    {"compute us", 11, false, put_compute},
    {"blocking us", 12, false, put_blocking},
    {"total us", 11, false, put_total},
    {"init us", 10, true, put_init},
    {"test us", 10, true, put_test},
    {"wait us", 11, true, put_wait},
    {"inner us", 11, true, put_inner},
    {"hidden %", 10, false, put_hidden},
    {"95 % interval", 17, false, put_interval},
    {"hideable %", 11, false, put_hideable},
    {"rank mean %", 12, true, put_rank_mean},
    {"vs blocking %", 14, true, put_efficiency},
    {"overlap", 9, true, put_overlap},
    {"speedup", 8, false, put_speedup},
    {"slowdown", 9, true, put_slowdown},
    {"C / B", 7, true, put_penalty},
    {"OMB %", 7, true, put_omb},
    {"IMB %", 7, true, put_imb},
    {"fragments", 10, true, put_fragments},
    {"buffers", 8, true, put_buffers},
    {"tags", 6, true, put_tags},
    {"early", 6, true, put_early},
    {"data", 6, true, put_check},
    {"blocks", 7, false, put_blocks},
    {"status", 8, false, put_status},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

const struct ovl_column *ovl_column_find(const char *head)
{
    for (size_t c = 0; c < COLUMNS; c++)
        if (strcmp(columns[c].head, head) == 0)
            return &columns[c];
    return NULL;
}

void ovl_line_put(FILE *out, struct ovl_line *line, int width, const char *text)
{
    line->due += width;
    int gap = line->due - line->at - (int)strlen(text);
    if (gap < 1 && line->at > 0)
        gap = 1; /* too long a text moves the next ones, until their own room makes up for it */
    line->at += fprintf(out, "%*s%s", gap > 0 ? gap : 0, "", text);
}

static void print_head(FILE *out, const struct ovl_run *run, bool full)
{
    ovl_table_head(out, run);
    if (full)
        ovl_table_build(out, run);
    struct ovl_line line = {.at = 1};
    fputs("#\n#", out);
    for (size_t c = 0; c < COLUMNS; c++)
        if (full || !columns[c].full)
            ovl_line_put(out, &line, columns[c].width, columns[c].head);
    fputs("\n", out);
    fflush(out);
}

static void print_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    struct ovl_line line = {0, 0};
    (void)run;
    for (size_t c = 0; c < COLUMNS; c++)
        if (full || !columns[c].full) {
            char text[32];
            columns[c].print(cell, text);
            if (c + 1 == COLUMNS)
                fprintf(out, "  %s", text);
            else
                ovl_line_put(out, &line, columns[c].width, text);
        }
    fputs("\n", out);
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

const struct ovl_format ovl_format_table = {.name = "table", .head = print_head, .row = print_row, .foot = print_foot};
