/* The chart of a mixture of experts: what is exposed of each dispatch and combine of a step, and how far the rank with
   most tokens is beyond the mean. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>

bool ovl_chart_experts_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const json_t *there = json_object_get(p->cell->curve, "exposed_dispatch_seconds");
    const json_t *back = json_object_get(p->cell->curve, "exposed_combine_seconds");
    const json_t *imbalance = json_object_get(p->cell->curve, "imbalance");
    size_t drawn = 0;
    (void)figure;
    for (size_t i = 0; i < json_array_size(there); i++) {
        fprintf(out, "%zu", i);
        ovl_chart_put(out, ovl_chart_number_at(there, i));
        ovl_chart_put(out, ovl_chart_number_at(back, i));
        ovl_chart_put(out, ovl_chart_number_at(imbalance, i));
        fputc('\n', out);
        drawn += isfinite(ovl_chart_number_at(there, i)) && isfinite(ovl_chart_number_at(back, i));
    }
    if (json_array_size(there) == 0)
        fputs("NaN\tNaN\tNaN\tNaN\n", out);
    return drawn > 0;
}

void ovl_chart_experts_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    snprintf(text, OVL_FIGURE_LABEL,
             "lines with points: exposed dispatch, dotted without: exposed combine; left of the line in the middle "
             "forwards, right of it backwards; below: tokens of the rank with most / mean%s%s",
             *crosses ? "; of no claim: " : "", crosses);
}
