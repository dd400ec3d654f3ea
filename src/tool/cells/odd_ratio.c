/* W / C against compute.ratio. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/odd_ratio.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double odd = 4;             /* a calibration is off by 2 and more now and then */
static const double odd_of_workers = 16; /* whose C is not the host's, of which the ratio is a multiple */

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
    const struct ovl_cell *cell = cells[0];
    bool of_workers = strcmp(cell->mode, "dpu") == 0;
    double wanted = cell->ratio > 0 ? cell->ratio * median_of(cells, n, OVL_COMM) : 1e-6 * cell->compute_us;
    double most = cell->ratio > 0 && of_workers ? odd_of_workers : odd;
    const char *compress = json_string_value(json_object_get(cell->problem, "compress"));
    if (!(wanted > 0) || (compress && strcmp(compress, "none") != 0)) /* work follows the C of plain gradients */
        return NAN;
    double times = median_of(cells, n, OVL_COMPUTE) / wanted;
    return isfinite(times) && (times > most || times < 1 / most) ? times : NAN;
}

double ovl_odd_alone(const struct ovl_cell *const *cells, size_t n)
{
    static const double gain = 0.1; /* as record/plausible.c */
    double *x = ovl_alloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        const struct ovl_samples *s = &cells[i]->samples;
        bool hides = s->blocks > 0 && !ovl_cell_solves(cells[i]) && !isnan(cells[i]->derived[OVL_HIDDEN].value);
        double work = hides ? ovl_stats_summarise(s->max[OVL_COMPUTE], s->blocks).median : NAN;
        x[i] = hides ? (work - ovl_stats_summarise(s->max[OVL_INNER], s->blocks).median) /
                           ovl_stats_summarise(s->max[OVL_COMM], s->blocks).median
                     : NAN;
    }
    struct ovl_summary over = ovl_stats_summarise(x, n);
    free(x);
    return over.ci_low > gain ? over.median : NAN;
}
