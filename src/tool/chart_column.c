/* What several charts say of a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart_column.h"

#include <math.h>
#include <string.h>

int ovl_chart_status(const struct ovl_cell *cell)
{
    return strcmp(cell->status, "invalid") == 0 || cell->unshaped > 0 ? 2
           : strcmp(cell->status, "ci_not_reached") == 0              ? 1
                                                                      : 0;
}

void ovl_chart_put(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "\t%.9g", value);
    else
        fputs("\tNaN", out);
}

const char *ovl_chart_crosses(const struct ovl_chart_data *figure, size_t first, size_t last)
{
    bool invalid = false, unshaped = false;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        bool drawn = p->panel >= first && p->panel < last;
        bool bad = strcmp(p->cell->status, "invalid") == 0;
        invalid |= drawn && bad;
        unshaped |= drawn && !bad && p->cell->unshaped > 0;
    }
    return invalid && unshaped ? "invalid or unshaped" : unshaped ? "unshaped" : "invalid";
}
