/* What the charts of ovl_hpl take from a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>
#include <string.h>

static bool sound(const struct ovl_point *p)
{
    return ovl_chart_status(p) < 2;
}

/* The highest speed that a broadcast of the host's has in this panel, NaN where there is none. */
static double best_of_host(const struct ovl_chart_data *figure, size_t panel)
{
    double best = NAN;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        if (p->panel == panel && figure->series[p->series].mode == OVL_SERIES_HOST && sound(p))
            best = fmax(best, p->cell->gflops.value);
    }
    return best;
}

bool ovl_chart_hpl_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_estimate *e = &p->cell->gflops;
    double best = best_of_host(figure, p->panel);
    double n = ovl_cell_problem_number(p->cell, "n");
    if (isnan(n))
        fputs("NaN", out);
    else
        fprintf(out, "%.0f", n);
    ovl_chart_put_estimate(out, *e, 1);
    ovl_chart_put(out, sound(p) && e->value != best ? ovl_chart_change(best, e->value) : NAN);
    fprintf(out, "\t%d\n", sound(p) ? 0 : 2);
    return isfinite(e->value);
}

void ovl_chart_hpl_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    (void)figure, (void)first, (void)last;
    strcpy(text, "hpl-panel, no rated HPL run; percentages: against the fastest broadcast of the host");
}

bool ovl_chart_panels_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const json_t *exposed = json_object_get(p->cell->curve, "exposed_comm_seconds");
    const json_t *alone = json_object_get(p->cell->curve, "comm_seconds");
    size_t drawn = 0;
    (void)figure;
    for (size_t i = 0; i < json_array_size(exposed); i++) {
        fprintf(out, "%zu", i);
        ovl_chart_put(out, ovl_chart_number_at(exposed, i));
        ovl_chart_put(out, ovl_chart_number_at(alone, i));
        fputs("\n", out);
        drawn += isfinite(ovl_chart_number_at(exposed, i));
    }
    if (drawn == 0)
        fputs("NaN\tNaN\tNaN\n", out);
    return drawn > 0;
}

void ovl_chart_panels_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    size_t without = 0;
    for (size_t i = 0; i < figure->point_count; i++)
        without += figure->points[i].panel >= first && figure->points[i].panel < last && !sound(&figure->points[i]);
    int n =
        snprintf(text, OVL_FIGURE_LABEL,
                 "lines: time in calls of the broadcast, waiting for a late panel too; dotted: the broadcast alone");
    if (without > 0)
        snprintf(text + n, OVL_FIGURE_LABEL - (size_t)n, "; %zu of no claim (%s)", without, crosses);
}
