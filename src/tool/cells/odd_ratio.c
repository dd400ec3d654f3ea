/* W / C against compute.ratio. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/odd_ratio.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double odd = 4; /* a calibration is off by 2 and more now and then */

static double median_of(const struct ovl_cell *const *cells, size_t n, enum ovl_quantity q)
{
    double *x = ovl_alloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = cells[i]->samples.blocks > 0
                   ? ovl_stats_summarise(cells[i]->samples.max[q], cells[i]->samples.blocks).median
                   : cells[i]->summary[q].median;
    double median = ovl_stats_summarise(x, n).median;
    free(x);
    return median;
}

double ovl_odd_ratio(const struct ovl_cell *const *cells, size_t n)
{
    if (ovl_cell_solves(cells[0]) || strcmp(cells[0]->mode, "host") != 0 || !(cells[0]->ratio > 0))
        return NAN;
    double times = median_of(cells, n, OVL_COMPUTE) / median_of(cells, n, OVL_COMM) / cells[0]->ratio;
    return isfinite(times) && (times > odd || times < 1 / odd) ? times : NAN;
}
