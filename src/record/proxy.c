/* Values of a proxy's cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/proxy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double exposed(const double median[OVL_QUANTITIES])
{
    return median[OVL_TOTAL] - median[OVL_COMPUTE];
}

/* Of samples in which T of the blocking scheme stands in the place of B. */
static double gain(const double median[OVL_QUANTITIES])
{
    return 1 - median[OVL_TOTAL] / median[OVL_BLOCKING];
}

static const struct ovl_derived_row exposed_row = {
    .name = "exposed_comm_seconds", .of = exposed, .terms = 1u << OVL_TOTAL | 1u << OVL_COMPUTE};
static const struct ovl_derived_row gain_row = {.name = "gain_vs_blocking",
                                                .of = gain,
                                                .terms = 1u << OVL_TOTAL | 1u << OVL_BLOCKING,
                                                .divide = 1u << OVL_BLOCKING};

double ovl_proxy_operations(const struct ovl_cell *cell)
{
    double x, y, z, n = cell->n;
    char more;
    if (!isnan(n))
        return 2.0 / 3 * n * n * n + 1.5 * n * n;
    bool real = strcmp(cell->transform, "r2c") == 0;
    if (sscanf(cell->grid, "%lfx%lfx%lf%c", &x, &y, &z, &more) != 3 || !*cell->transform)
        return NAN;
    return 2 * (real ? 2.5 : 5) * x * y * z * log2(x * y * z);
}

double ovl_proxy_gflops(const struct ovl_cell *cell, double total_seconds)
{
    return 1e-9 * ovl_proxy_operations(cell) / total_seconds;
}

bool ovl_proxy_summarise(const struct ovl_cell *cell, const char *name, struct ovl_summary *out)
{
    const json_t *max = json_object_get(json_object_get(cell->others, name), "max");
    size_t n = json_array_size(max);
    double *values = malloc((n + 1) * sizeof *values);
    for (size_t i = 0; values && i < n; i++) {
        const json_t *value = json_array_get(max, i);
        values[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    bool got = values && max && ovl_stats_summarise_series(values, n, out) == 0;
    free(values);
    return got;
}

static uint64_t seed_of(const struct ovl_cell *cell)
{
    double seed = cell->bootstrap_seed; /* a damaged record may say anything */
    return seed >= 0 && seed < 0x1p64 ? (uint64_t)seed : 0;
}

double ovl_proxy_exposed(const struct ovl_cell *cell)
{
    struct ovl_summary s;
    if (json_object_get(cell->others, exposed_row.name))
        return ovl_proxy_summarise(cell, exposed_row.name, &s) ? s.median : NAN;
    return ovl_overlap_value(&cell->samples, &exposed_row, 0);
}

int ovl_proxy_derive(struct ovl_cell *cell)
{
    struct ovl_summary s;
    const struct ovl_summary *t = &cell->summary[OVL_TOTAL];
    cell->gflops = (struct ovl_estimate){ovl_proxy_gflops(cell, t->median), ovl_proxy_gflops(cell, t->ci_high),
                                         ovl_proxy_gflops(cell, t->ci_low)};
    if (!json_object_get(cell->others, exposed_row.name))
        return ovl_overlap_estimate_row(&cell->samples, &exposed_row, 0, seed_of(cell), &cell->exposed);
    if (!ovl_proxy_summarise(cell, exposed_row.name, &s))
        return -1;
    cell->exposed = (struct ovl_estimate){s.median, s.ci_low, s.ci_high};
    return 0;
}

int ovl_proxy_gain(const struct ovl_cell *cell, const struct ovl_samples *blocking, struct ovl_estimate *out)
{
    struct ovl_samples both = cell->samples;
    *out = (struct ovl_estimate){NAN, NAN, NAN};
    if (blocking->blocks != both.blocks)
        return 0;
    both.max[OVL_BLOCKING] = blocking->max[OVL_TOTAL];
    return ovl_overlap_estimate_row(&both, &gain_row, 20 * cell->clock_read_seconds, seed_of(cell), out);
}
