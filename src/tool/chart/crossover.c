/* From which message size on dpu mode's communication is the faster one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"

#include <math.h>

double ovl_chart_crossover(const struct ovl_chart_data *figure, size_t panel)
{
    double at = NAN, size_before = NAN, gain_before = NAN;
    bool all = true;
    size_t series = figure->series_count;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i], *host = ovl_figure_host_of(figure, p);
        if (p->panel != panel || !host || (series < figure->series_count && p->series != series))
            continue;
        series = p->series; /* the first dpu series that can be compared */
        double size = log(p->cell->size_bytes);
        double gain = log(host->cell->summary[OVL_COMM].median / p->cell->summary[OVL_COMM].median);
        if (isnan(gain))
            continue;
        all = all && gain > 0;
        if (gain > 0 && gain_before <= 0)
            at = exp(size_before + (size - size_before) * gain_before / (gain_before - gain));
        else if (gain <= 0)
            at = NAN;
        size_before = size;
        gain_before = gain;
    }
    return all && !isnan(gain_before) ? 0 : at;
}
