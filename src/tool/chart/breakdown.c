/* The chart of what the execution time is made of. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>

/* Parts of T as means over the ranks, whose sum is T's mean: the slowest ranks' parts are of different ranks and have
 * no sum. */
static double part(const struct ovl_cell *cell, enum ovl_quantity q)
{
    return ovl_stats_summarise(cell->samples.mean[q], cell->samples.blocks).median;
}

bool ovl_chart_breakdown_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    static const enum ovl_quantity parts[] = {OVL_INIT, OVL_INNER, OVL_TEST, OVL_WAIT};
    (void)figure;
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += part(p->cell, parts[i]);
    ovl_chart_put_first(out, p->cell->size_bytes);
    for (int i = 0; i < 4; i++)
        ovl_chart_put(out, sum > 0 ? 100 * part(p->cell, parts[i]) / sum : NAN);
    ovl_chart_put(out, p->cell->summary[OVL_TOTAL].median);
    fprintf(out, "\t%d\n", ovl_chart_status(p));
    return sum > 0;
}

void ovl_chart_breakdown_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                              size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    snprintf(text, OVL_FIGURE_LABEL, "shares: mean over ranks%s; times: slowest rank%s%s",
             figure->medians[0] ? ", latest launch" : "", *crosses ? "; x: " : "", crosses);
}
