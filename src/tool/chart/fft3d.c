/* What the chart of ovl_fft3d, ovl_halo and ovl_train takes from a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>
#include <string.h>

/* The cell of the same panel that a grid's bars are compared with: the blocking scheme's, or the first that has a
   claim; where none has, the first. */
static const struct ovl_cell *compared_with(const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_cell *first = NULL, *claims = NULL;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *q = &figure->points[i];
        if (q->panel != p->panel)
            continue;
        first = first ? first : q->cell;
        if (ovl_chart_status(q) == 2)
            continue;
        if (strcmp(q->cell->mode, "blocking") == 0)
            return q->cell;
        claims = claims ? claims : q->cell;
    }
    return claims ? claims : first;
}

bool ovl_chart_fft3d_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_cell *cell = p->cell, *with = compared_with(figure, p);
    double whole = with->summary[OVL_TOTAL].median / 100;
    const struct ovl_summary *t = &cell->summary[OVL_TOTAL];
    fprintf(out, "%.9g", t->median / whole);
    ovl_chart_put(out, (isnan(t->ci_low) ? t->median : t->ci_low) / whole);
    ovl_chart_put(out, (isnan(t->ci_high) ? t->median : t->ci_high) / whole);
    ovl_chart_put(out, fmin(t->median, cell->summary[OVL_COMPUTE].median) / whole);
    ovl_chart_put(out, cell == with ? 1e6 : t->median / whole - 100);
    ovl_chart_put(out, t->median);
    bool trains = *ovl_cell_problem_text(cell, "model");
    fprintf(out, "\t%d\t", ovl_chart_status(p));
    ovl_chart_put_name(out, ovl_cell_problem_text(cell, trains ? "model" : "grid"), OVL_FIGURE_LABEL);
    ovl_chart_put(out, trains ? p->bound / whole : NAN);
    fputs("\n", out);
    return !isnan(t->median);
}

void ovl_chart_fft3d_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    bool bounded = false, serves = strcmp(figure->benchmark, "serve") == 0;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        bool drawn = p->panel >= first && p->panel < last;
        bounded |= drawn && *ovl_cell_problem_text(p->cell, "model") && !isnan(p->bound);
    }
    snprintf(text, OVL_FIGURE_LABEL, "dark: computation alone; pale: communication that nothing hid%s%s%s",
             !bounded ? ""
             : serves ? "; line: the least that the requests' work and bytes take"
                      : "; line: the least that the step's work and bytes take",
             *crosses ? "; x: " : "", crosses);
}
