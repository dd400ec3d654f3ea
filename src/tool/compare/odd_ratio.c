/* W / C against compute.ratio. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/odd_ratio.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double odd = 4; /* a calibration is off by 2 and more now and then */

static double median_of(const struct ovl_launch_pairs *p, enum ovl_quantity q)
{
    double *x = ovl_alloc(p->count, sizeof *x);
    for (size_t i = 0; i < p->count; i++)
        x[i] = p->old[i]->cell->summary[q].median;
    double median = ovl_stats_summarise(x, p->count).median;
    free(x);
    return median;
}

double ovl_compare_odd_ratio(const struct ovl_launch_pairs *p)
{
    const struct ovl_cell *cell = p->count > 0 ? p->old[0]->cell : NULL;
    if (!cell || ovl_cell_solves(cell) || strcmp(cell->mode, "host") != 0 || !(cell->ratio > 0))
        return NAN;
    double times = median_of(p, OVL_COMPUTE) / median_of(p, OVL_COMM) / cell->ratio;
    return isfinite(times) && (times > odd || times < 1 / odd) ? times : NAN;
}
