/* The point of a chart that another one is compared with. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/unlike.h"
#include "tool/chart/column.h"

#include <math.h>
#include <string.h>

struct ovl_point ovl_chart_point_at(const struct ovl_point *p, size_t panel, size_t series)
{
    struct ovl_point at = *p;
    at.panel = panel;
    at.series = series;
    return at;
}

const struct ovl_point *ovl_chart_data_point(const struct ovl_chart_data *figure, size_t panel, size_t series,
                                             double size)
{
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        double other = p->cell->size_bytes;
        if (p->panel == panel && p->series == series && (other == size || (isnan(other) && isnan(size))))
            return p;
    }
    return NULL;
}

/* Medians over launches that were calibrated anew have no units; in each of them a block group has but one number, and
   where both have the same block groups, both are over the same launches. */
bool ovl_figure_same_work(const struct ovl_cell *a, const struct ovl_cell *b)
{
    return ovl_same_units(a, b) ||
           (isnan(a->units) && isnan(b->units) && strcmp(a->block_group, b->block_group) == 0 && *a->block_group);
}

const struct ovl_point *ovl_figure_host_of(const struct ovl_chart_data *figure, const struct ovl_point *point)
{
    const struct ovl_series *mine = &figure->series[point->series];
    for (size_t s = 0; s < figure->series_count && mine->mode == OVL_SERIES_DPU; s++) {
        if (figure->series[s].mode != OVL_SERIES_HOST || figure->series[s].variant != mine->variant)
            continue;
        const struct ovl_point *host = ovl_chart_data_point(figure, point->panel, s, point->cell->size_bytes);
        if (host && ovl_figure_same_work(host->cell, point->cell) && !ovl_chart_no_claim(host) &&
            !ovl_chart_no_claim(point))
            return host;
    }
    return NULL;
}
