/* What the chart of ovl_fft3d, ovl_halo and ovl_train takes from a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"
#include "tool/chart/column.h"
#include "tool/chart/sorting.h"

#include <math.h>
#include <string.h>

/* Comes q before p for a bar that others are compared with? First what has a claim, then the blocking scheme, then by
   name, so that the order of files does not matter. */
static bool goes_first(const struct ovl_chart_data *figure, const struct ovl_point *q, const struct ovl_point *p)
{
    bool claims[] = {ovl_chart_status(q) < 2, ovl_chart_status(p) < 2};
    bool blocks[] = {strcmp(q->cell->mode, "blocking") == 0, strcmp(p->cell->mode, "blocking") == 0};
    const struct ovl_series *a = &figure->series[q->series], *b = &figure->series[p->series];
    return claims[0] != claims[1]   ? claims[0]
           : blocks[0] != blocks[1] ? blocks[0]
           : a->mode != b->mode     ? a->mode < b->mode
                                    : strcmp(a->label, b->label) < 0;
}

/* The point of a panel that its bars are compared with; NULL where it has none. */
static const struct ovl_point *compared_with(const struct ovl_chart_data *figure, size_t panel)
{
    const struct ovl_point *first = NULL;
    for (size_t i = 0; i < figure->point_count; i++)
        if (figure->points[i].panel == panel && (!first || goes_first(figure, &figure->points[i], first)))
            first = &figure->points[i];
    return first;
}

/* Of other work no part in per cent says anything. */
static bool is_unlike(const struct ovl_cell *with, const struct ovl_cell *cell)
{
    return with->units < cell->units || with->units > cell->units; /* where both are known */
}

/* What a panel's bars solve, or train, or serve: the first text that tells these panels apart, or else the longest. */
static const char *tick_of(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t panel, int detail)
{
    const struct ovl_point *p = compared_with(figure, panel);
    const char *model = p ? ovl_cell_problem_text(p->cell, "model") : "";
    const char *strategy = p ? ovl_cell_problem_text(p->cell, "strategy") : "";
    bool more = detail > 0 && *strategy;
    if (detail == 2 && *figure->panels[panel])
        snprintf(text, OVL_FIGURE_LABEL, "%s", figure->panels[panel]);
    else
        snprintf(text, OVL_FIGURE_LABEL, "%s%s%s", *model || !p ? model : ovl_cell_problem_text(p->cell, "grid"),
                 more ? ", " : "", more ? strategy : "");
    return text;
}

/* "Blocking", "Host, pd or Host, ep": what is 100 % in these panels. */
static void append_compared(char labels[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                            size_t last)
{
    bool told[OVL_FIGURE_SERIES] = {false};
    for (size_t panel = first; panel < last; panel++) {
        const struct ovl_point *p = compared_with(figure, panel);
        if (!p || told[p->series])
            continue;
        told[p->series] = true;
        ovl_chart_append(labels, OVL_FIGURE_LABEL, "%s%s", *labels ? " or " : "", figure->series[p->series].label);
    }
}

void ovl_chart_fft3d_labels(struct ovl_gnuplot *g, const struct ovl_chart_data *figure, size_t first, size_t last)
{
    char one[OVL_FIGURE_LABEL], other[OVL_FIGURE_LABEL];
    int detail = 0;
    for (bool alike = true; alike && detail < 2; detail += alike) {
        alike = false;
        for (size_t p = first; p < last; p++)
            for (size_t q = first; q < p; q++)
                alike |= strcmp(tick_of(one, figure, p, detail), tick_of(other, figure, q, detail)) == 0;
    }
    *one = '\0';
    append_compared(one, figure, first, last);
    ovl_gnuplot_text(g, "whole", 1, one);
    for (size_t p = first; p < last; p++)
        ovl_gnuplot_text(g, "tick", p - first + 1, tick_of(one, figure, p, detail));
}

bool ovl_chart_fft3d_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_cell *cell = p->cell, *with = compared_with(figure, p->panel)->cell;
    double whole = is_unlike(with, cell) ? NAN : with->summary[OVL_TOTAL].median / 100;
    const struct ovl_summary *t = &cell->summary[OVL_TOTAL];
    if (isnan(whole))
        fputs("NaN", out);
    else
        fprintf(out, "%.9g", t->median / whole);
    ovl_chart_put(out, (isnan(t->ci_low) ? t->median : t->ci_low) / whole);
    ovl_chart_put(out, (isnan(t->ci_high) ? t->median : t->ci_high) / whole);
    ovl_chart_put(out, fmin(t->median, cell->summary[OVL_COMPUTE].median) / whole);
    ovl_chart_put(out, cell == with ? 1e6 : t->median / whole - 100);
    ovl_chart_put(out, t->median);
    bool trains = *ovl_cell_problem_text(cell, "model");
    fprintf(out, "\t%d", ovl_chart_status(p));
    ovl_chart_put(out, trains ? p->bound / whole : NAN);
    fputs("\n", out);
    return !isnan(t->median) && !isnan(whole);
}

void ovl_chart_fft3d_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    bool bounded = false, unlike = false, serves = strcmp(figure->benchmark, "serve") == 0;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        bool drawn = p->panel >= first && p->panel < last;
        bounded |= drawn && *ovl_cell_problem_text(p->cell, "model") && !isnan(p->bound);
        unlike |= drawn && is_unlike(compared_with(figure, p->panel)->cell, p->cell);
    }
    snprintf(text, OVL_FIGURE_LABEL, "dark: computation alone; pale: communication that nothing hid%s%s%s",
             !bounded ? ""
             : serves ? "; line: the least that the requests' work and bytes take"
                      : "; line: the least that the step's work and bytes take",
             *crosses ? "; x: " : "", crosses);
    char labels[OVL_FIGURE_LABEL] = "";
    append_compared(labels, figure, first, last);
    if (strcmp(labels, "Blocking") != 0)
        ovl_chart_append(text, OVL_FIGURE_LABEL, "; 100 %%: %s", labels);
    if (unlike)
        ovl_chart_append(text, OVL_FIGURE_LABEL, "; no bar where other work was done");
}
