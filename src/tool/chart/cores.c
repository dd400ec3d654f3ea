/* What the chart of equal cores takes from a cell: its time, and its time by the cores that it took. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sizes.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"
#include "tool/chart/sorting.h"

#include <math.h>
#include <string.h>

static bool same_size(const struct ovl_cell *a, const struct ovl_cell *b)
{
    return a->size_bytes == b->size_bytes || (isnan(a->size_bytes) && isnan(b->size_bytes));
}

/* The point of the panel's first mode at that size, with which the others are compared; NULL: it has none. */
static const struct ovl_point *first_of(const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    size_t first = 0;
    while (figure->points[first].panel != p->panel)
        first++;
    return ovl_chart_data_point(figure, p->panel, figure->points[first].series, p->cell->size_bytes);
}

static bool is_unlike(const struct ovl_point *with, const struct ovl_point *p)
{
    return with && (with->cell->units < p->cell->units || with->cell->units > p->cell->units); /* both are known */
}

/* NULL, too, where that has no claim, or does not say how many cores it took, or did other work than `p`. */
static const struct ovl_cell *compared_with(const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_point *q = first_of(figure, p);
    return q && ovl_chart_status(q) < 2 && q->cell->cores > 0 && !is_unlike(q, p) ? q->cell : NULL;
}

/* Of its panel's sizes, from 1 on. */
static size_t place_of(const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    size_t place = 1;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *q = &figure->points[i];
        bool first = q->panel == p->panel && q->cell->size_bytes < p->cell->size_bytes;
        for (size_t k = 0; k < i && first; k++)
            first = figure->points[k].panel != p->panel || !same_size(figure->points[k].cell, q->cell);
        place += first;
    }
    return place;
}

bool ovl_chart_cores_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_cell *cell = p->cell, *with = compared_with(figure, p);
    const struct ovl_summary *t = &cell->summary[OVL_TOTAL];
    double whole = with ? with->summary[OVL_TOTAL].median / 100 : NAN;
    double by_cores = with && cell->cores_shared == 0 ? cell->cores / with->cores : NAN;
    char name[32] = "";
    if (isfinite(cell->size_bytes))
        ovl_options_size_text((uint64_t)cell->size_bytes, name);
    fprintf(out, "%zu", place_of(figure, p));
    ovl_chart_put(out, t->median / whole);
    ovl_chart_put(out, by_cores * t->median / whole);
    ovl_chart_put(out, t->median);
    ovl_chart_put(out, cell->cores);
    fprintf(out, "\t%d\t", ovl_chart_status(p));
    ovl_chart_put_name(out, name, OVL_FIGURE_LABEL);
    fputs("\n", out);
    return ovl_cell_is_helped(cell) && !isnan(by_cores) && !isnan(t->median);
}

void ovl_chart_cores_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    size_t drawn = 0, shared = 0, unlike = 0;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        if (p->panel < first || p->panel >= last)
            continue;
        drawn++;
        shared += p->cell->cores_shared != 0;
        unlike += is_unlike(first_of(figure, p), p);
    }
    snprintf(text, OVL_FIGURE_LABEL, "dark: time; pale: time x cores that it took%s",
             shared == 0      ? ""
             : shared < drawn ? "; not shown where ranks, workers or threads share their cores"
                              : "; not shown here: ranks, workers or threads share their cores");
    if (unlike > 0)
        ovl_chart_append(text, OVL_FIGURE_LABEL, "; no bars where the first mode did other work, or says nothing");
}
