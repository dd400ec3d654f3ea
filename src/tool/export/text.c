/* The table of cells over launches: on the page of `ovl report`, and for texts of somebody's, in Markdown and LaTeX. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/show.h"
#include "table/table.h"
#include "tool/cells/unlike.h"
#include "tool/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ON_PAGE(name)        .field = name, .in = OVL_IN_PAGE
#define PLAIN(head_, width_) .show = {head_, 1, 0, width_, false}

const struct ovl_column ovl_group_columns[] = {
    {PLAIN("cell", 0), .left = 2},
    {PLAIN("launches", 9)},
    {ON_PAGE("total_seconds")},
    {ON_PAGE("total_seconds"), .interval = 20, .percentiles = true},
    {.field = "total_seconds", .in = OVL_IN_MARKUP, .interval = 20, .percentiles = true},
    {ON_PAGE("comm_seconds"), .percentiles = true},
    {.field = "comm_seconds",
     .show = {"communication us", 1e6, 2, 0, false},
     .in = OVL_IN_MARKUP,
     .interval = 20,
     .percentiles = true},
    {ON_PAGE("compute_seconds")},
    {ON_PAGE("blocking_seconds")},
    {ON_PAGE("hidden_fraction")},
    {.field = "hidden_fraction", .interval = 17},
    {ON_PAGE("hideable_fraction")},
    {ON_PAGE("speedup_vs_blocking")},
    {ON_PAGE("compute_slowdown_ratio")},
    {PLAIN("status", 0), .left = 2},
    {.field = NULL},
};

/* Of one launch its status and marks, of several how many have each; "" where there is nothing to say. */
static void marks_of(const struct ovl_group *g, char text[OVL_STATUS_TEXT])
{
    struct ovl_marks_seen seen = {.cells = {0}};
    for (size_t i = 0; i < g->count; i++)
        ovl_marks_see(&seen, g->member[i].cell);
    if (g->count > 1)
        ovl_marks_text(&seen, text);
    else
        ovl_status_text(g->member[0].cell, text);
    if (strcmp(text, "ok") == 0)
        *text = '\0';
}

/* The last column: on a page how many launches are lost, in a text why the values are none. */
static void put_status(struct ovl_table *t, const struct ovl_group *g, size_t claims)
{
    const char *unlike = ovl_members_unlike(g->member, g->count);
    bool page = t->writer->in == OVL_IN_PAGE;
    if (claims < g->count && page) {
        t->class = "invalid";
        size_t wrong = 0;
        for (size_t i = 0; i < g->count; i++)
            wrong += g->member[i].cell->validated == 0;
        ovl_table_text(t, "%zu of %zu %swithout a claim", g->count - claims, g->count,
                       wrong > 0 ? "with wrong data, or " : "");
    } else if (claims < g->count) {
        ovl_table_put(t, &(struct ovl_value){
                             .number = true, .x = {(double)(g->count - claims), NAN, NAN}, .note = "without a claim"});
    } else if (unlike) {
        ovl_table_text(t, "unlike %s", unlike);
    } else {
        char marks[OVL_STATUS_TEXT];
        marks_of(g, marks);
        ovl_table_text(t, "%s%s%s", marks, *marks && ovl_group_unchecked(g) ? ", " : "",
                       ovl_group_unchecked(g) ? "data not checked"
                       : *marks               ? ""
                                              : "ok");
    }
}

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_group *g = &((const struct ovl_exporting *)of)->groups->group[i];
    size_t claims = ovl_group_claims(g), n;
    ovl_table_text(t, "%s", g->label);
    ovl_table_number(t, (double)claims);
    while (t->next->field)
        ovl_table_estimate(t, ovl_metric_over(ovl_column_field(t->next), g->member, g->count, &n));
    put_status(t, g, claims);
    ovl_table_row_end(t);
}

void ovl_export_cells(FILE *out, const struct ovl_table_writer *writer, const struct ovl_exporting *e)
{
    char head[96];
    const struct ovl_column *all = ovl_group_columns;
    struct ovl_column one[] = {all[0], all[1], {.interval = 20}, {PLAIN("status", 0), .left = 2}, {.field = NULL}};
    if (e->metric) {
        one[2].show = ovl_show_of_unit(e->metric);
        one[2].field = e->metric->name;
        bool plain = *one[2].show.head || strcmp(e->metric->unit, "1") == 0;
        snprintf(head, sizeof head, "%.64s%s%s%s", e->metric->name, one[2].show.head, plain ? "" : " ",
                 plain ? "" : e->metric->unit);
        one[2].show.head = head;
    }
    struct ovl_column *columns = ovl_columns_asked(all, e->record->runs, e->record->run_count);
    struct ovl_table t = ovl_table_to(out, writer, e->metric ? one : columns, 0, false);
    t.caption = "All cells; click a heading to sort by it";
    ovl_table_print(t, e->groups->count, put_row, e);
    free(columns);
}

static const char meaning[] =
    "Medians over launches, of each launch its median. Intervals are exact 95 % intervals over "
    "launches, from 6 launches on; of a single launch that of its blocks.";

static int write_markdown(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    (void)err;
    ovl_export_cells(out, &ovl_table_markdown, e);
    fprintf(out, "\n%s", meaning);
    if (*e->groups->common) {
        fputs(" All cells: ", out);
        ovl_table_markdown.text(out, e->groups->common);
        fputs(".", out);
    }
    fputs("\n", out);
    return 0;
}

static int write_latex(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    (void)err;
    fprintf(out, "%% Needs \\usepackage{booktabs}. %s\n%% All cells: ", meaning);
    ovl_table_latex.text(out, e->groups->common);
    fputs("\n", out);
    ovl_export_cells(out, &ovl_table_latex, e);
    return 0;
}

const struct ovl_export_form ovl_export_markdown = {.name = "markdown", .keeps_all = true, .write = write_markdown},
                             ovl_export_latex = {.name = "latex", .keeps_all = true, .write = write_latex};
