/* `ovl export`, tables for texts: Markdown as GitHub reads it, and LaTeX with the package booktabs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"
#include "record/derived/show.h"
#include "tool/cells/unlike.h"
#include "tool/export/export.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* What a character is written as; NULL ends the list, and what is not in it stands for itself. */
struct escape {
    char character;
    const char *text;
};

static const struct escape markdown_escapes[] = {
    {'\\', "\\\\"}, {'|', "\\|"},   {'*', "\\*"}, {'_', "\\_"}, {'`', "\\`"}, {'[', "\\["}, {']', "\\]"}, {'<', "&lt;"},
    {'>', "&gt;"},  {'&', "&amp;"}, {'~', "\\~"}, {'#', "\\#"}, {'$', "\\$"}, {'!', "\\!"}, {'\0', NULL}};

/* Two of these in a row are one character to TeX (ligatures). */
static const struct escape latex_escapes[] = {{'\\', "\\textbackslash{}"},
                                              {'{', "\\{"},
                                              {'}', "\\}"},
                                              {'$', "\\$"},
                                              {'&', "\\&"},
                                              {'#', "\\#"},
                                              {'_', "\\_"},
                                              {'%', "\\%"},
                                              {'~', "\\textasciitilde{}"},
                                              {'^', "\\textasciicircum{}"},
                                              {'<', "\\textless{}"},
                                              {'>', "\\textgreater{}"},
                                              {'|', "\\textbar{}"},
                                              {'"', "\\char34{}"},
                                              {'[', "{[}"},
                                              {'-', "-{}"},
                                              {'`', "`{}"},
                                              {'\'', "'{}"},
                                              {'\0', NULL}};

static void put_text(FILE *out, const char *text, const struct escape *escapes)
{
    for (size_t n = 1; *text; text += n) {
        const struct escape *e = escapes;
        n = ovl_utf8_character(text);
        while (e->text && e->character != *text)
            e++;
        if (e->text)
            fputs(e->text, out);
        else if (n == 0 || iscntrl((unsigned char)*text))
            fputc(n == 0 ? '?' : ' ', out);
        else
            fwrite(text, 1, n, out);
        n = n > 0 ? n : 1;
    }
}

/* A column: a metric, and how it is shown. */
struct column {
    const struct ovl_field *metric;
    struct ovl_show show;
};

enum { COLUMNS = 3 };

struct style {
    const char *begin, *gap, *end; /* of a row */
    const char *math;              /* stands on both sides of a number */
    const struct escape *escapes;
};

static const struct style markdown = {"| ", " | ", " |\n", "", markdown_escapes},
                          latex = {"", " & ", " \\\\\n", "$", latex_escapes};

/* "17.14 [16.90, 17.31]"; the interval where there is one. */
static void put_estimate(FILE *out, const struct style *s, const struct ovl_show *show, const struct ovl_estimate *x)
{
    double k = show->factor;
    bool interval = isfinite(x->ci_low) && isfinite(x->ci_high);
    const char *open = s == &markdown ? "\\[" : "[", *close = s == &markdown ? "\\]" : "]";
    if (!isfinite(x->value))
        fputs("n/a", out);
    else
        fprintf(out, "%s%.*f%s", s->math, show->decimals, k * x->value, s->math);
    if (isfinite(x->value) && interval)
        fprintf(out, " %s%s%.*f, %.*f%s%s", s->math, open, show->decimals, k * x->ci_low, show->decimals,
                k * x->ci_high, close, s->math);
}

static void put_row(FILE *out, const struct style *s, const struct ovl_group *g, const struct column *column,
                    size_t columns)
{
    size_t claims = ovl_group_claims(g), n;
    fputs(s->begin, out);
    put_text(out, g->label, s->escapes);
    fprintf(out, "%s%s%zu%s", s->gap, s->math, claims, s->math);
    for (size_t c = 0; c < columns; c++) {
        struct ovl_estimate x = ovl_metric_over(column[c].metric, g->member, g->count, &n);
        fputs(s->gap, out);
        put_estimate(out, s, &column[c].show, &x);
    }
    fputs(s->gap, out);
    const char *unlike = ovl_members_unlike(g->member, g->count);
    if (claims < g->count)
        fprintf(out, "%s%zu%s without a claim", s->math, g->count - claims, s->math);
    else if (unlike)
        fprintf(out, "unlike %s", unlike);
    else if (ovl_group_unchecked(g))
        fputs("data not checked", out);
    else
        fputs("ok", out);
    fputs(s->end, out);
}

static void put_head(FILE *out, const struct style *s, const struct column *column, size_t columns)
{
    fprintf(out, "%scell%slaunches", s->begin, s->gap);
    for (size_t c = 0; c < columns; c++) {
        fputs(s->gap, out);
        put_text(out, column[c].show.head, s->escapes);
    }
    fprintf(out, "%sstatus%s", s->gap, s->end);
}

/* The usual columns, or the metric that was asked for; returns how many. */
static size_t choose(const struct ovl_exporting *e, struct column column[COLUMNS], char head[96])
{
    static const char *const usual[] = {"total_seconds", "comm_seconds", "hidden_fraction"};
    for (size_t c = 0; c < COLUMNS && !e->metric; c++) {
        column[c].metric = ovl_field_named(ovl_fields_cell, usual[c]);
        column[c].show = column[c].metric->show;
    }
    if (!e->metric) {
        column[1].show.head = "communication us"; /* in a text of somebody's */
        return COLUMNS;
    }
    column[0] = (struct column){e->metric, ovl_show_of_unit(e->metric)};
    const char *unit = e->metric->unit;
    bool plain = *column[0].show.head || strcmp(unit, "1") == 0;
    snprintf(head, 96, "%.64s%s%s%s", e->metric->name, column[0].show.head, plain ? "" : " ", plain ? "" : unit);
    column[0].show.head = head;
    return 1;
}

static const char meaning[] =
    "Medians over launches, of each launch its median. Intervals are exact 95 % intervals over "
    "launches, from 6 launches on; of a single launch that of its blocks.";

static int write_markdown(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    struct column column[COLUMNS];
    char head[96];
    (void)err;
    size_t columns = choose(e, column, head);
    put_head(out, &markdown, column, columns);
    fputs("| :-- | --: |", out);
    for (size_t c = 0; c < columns; c++)
        fputs(" --: |", out);
    fputs(" :-- |\n", out);
    for (size_t g = 0; g < e->groups->count; g++)
        put_row(out, &markdown, &e->groups->group[g], column, columns);
    fprintf(out, "\n%s", meaning);
    if (*e->groups->common) {
        fputs(" All cells: ", out);
        put_text(out, e->groups->common, markdown_escapes);
        fputs(".", out);
    }
    fputs("\n", out);
    return 0;
}

static int write_latex(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    struct column column[COLUMNS];
    char head[96];
    (void)err;
    size_t columns = choose(e, column, head);
    fprintf(out, "%% Needs \\usepackage{booktabs}. %s\n%% All cells: ", meaning);
    put_text(out, e->groups->common, latex_escapes);
    fputs("\n\\begin{tabular}{lr", out);
    for (size_t c = 0; c < columns; c++)
        fputc('r', out);
    fputs("l}\n\\toprule\n", out);
    put_head(out, &latex, column, columns);
    fputs("\\midrule\n", out);
    for (size_t g = 0; g < e->groups->count; g++)
        put_row(out, &latex, &e->groups->group[g], column, columns);
    fputs("\\bottomrule\n\\end{tabular}\n", out);
    return 0;
}

const struct ovl_export_form ovl_export_markdown = {.name = "markdown", .keeps_all = true, .write = write_markdown},
                             ovl_export_latex = {.name = "latex", .keeps_all = true, .write = write_latex};
