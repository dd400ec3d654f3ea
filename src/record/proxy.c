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

static const char exposed_name[] = "exposed_comm_seconds", bound_name[] = "bound_seconds",
                  here_name[] = "bound_here_seconds";
static const struct ovl_derived_row exposed_row = {.of = exposed, .terms = 1u << OVL_TOTAL | 1u << OVL_COMPUTE};
static const struct ovl_derived_row gain_row = {
    .of = gain, .terms = 1u << OVL_TOTAL | 1u << OVL_BLOCKING, .divide = 1u << OVL_BLOCKING};

/* The bound stands in the place of B. */
static double bound_ratio(const double median[OVL_QUANTITIES])
{
    return median[OVL_TOTAL] / median[OVL_BLOCKING];
}

static const struct ovl_derived_row bound_row = {
    .of = bound_ratio, .terms = 1u << OVL_TOTAL | 1u << OVL_BLOCKING, .divide = 1u << OVL_BLOCKING};

static double number_in(const json_t *o, const char *name)
{
    const json_t *value = json_object_get(o, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double ovl_proxy_operations(const struct ovl_cell *cell)
{
    double x, y, z, n = ovl_cell_problem_number(cell, "n");
    const char *grid = ovl_cell_problem_text(cell, "grid"), *transform = ovl_cell_problem_text(cell, "transform");
    char more;
    if (!isnan(n) && strcmp(cell->benchmark, "hpl") == 0)
        return 2.0 / 3 * n * n * n + 1.5 * n * n;
    bool real = strcmp(transform, "r2c") == 0;
    if (sscanf(grid, "%lfx%lfx%lf%c", &x, &y, &z, &more) != 3)
        return NAN;
    if (!*transform) /* seven points: five additions and a division */
        return isnan(ovl_cell_problem_number(cell, "steps")) ? NAN : 6 * x * y * z;
    return 2 * (real ? 2.5 : 5) * x * y * z * log2(x * y * z);
}

double ovl_proxy_gflops(const struct ovl_cell *cell, double total_seconds)
{
    return 1e-9 * ovl_proxy_operations(cell) / total_seconds;
}

double *ovl_proxy_samples(const struct ovl_cell *cell, const char *name, size_t *n)
{
    const json_t *max = json_object_get(json_object_get(cell->others, name), "max");
    *n = json_array_size(max);
    double *values = max ? ovl_alloc(*n, sizeof *values) : NULL;
    for (size_t i = 0; i < *n; i++) {
        const json_t *value = json_array_get(max, i);
        values[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return values;
}

bool ovl_proxy_summarise(const struct ovl_cell *cell, const char *name, struct ovl_summary *out)
{
    size_t n;
    double *values = ovl_proxy_samples(cell, name, &n);
    if (values)
        *out = ovl_stats_summarise_series(values, n);
    free(values);
    return values != NULL;
}

struct ovl_summary ovl_proxy_summary(const struct ovl_cell *cell, const char *name)
{
    const json_t *stored = json_object_get(cell->extra, name);
    struct ovl_summary s = {NAN, NAN, NAN, NAN, NAN, NAN, 0, 0};
    if (!ovl_proxy_summarise(cell, name, &s) && json_is_object(stored))
        s = (struct ovl_summary){.median = number_in(stored, "median"),
                                 .ci_low = number_in(stored, "ci_low"),
                                 .ci_high = number_in(stored, "ci_high"),
                                 .min = number_in(stored, "min"),
                                 .max = number_in(stored, "max"),
                                 .p99 = number_in(stored, "p99"),
                                 .outliers = (size_t)json_integer_value(json_object_get(stored, "outliers"))};
    return s;
}

double ovl_proxy_exposed(const struct ovl_cell *cell)
{
    struct ovl_summary s;
    if (json_object_get(cell->others, exposed_name))
        return ovl_proxy_summarise(cell, exposed_name, &s) ? s.median : NAN;
    return ovl_overlap_value(&cell->samples, &exposed_row, 0);
}

/* The samples with the bound in the place of B, which the caller frees; false where the cell has none. */
static bool with_bound(const struct ovl_cell *cell, const char *name, struct ovl_samples *both)
{
    size_t n;
    double *bound = ovl_proxy_samples(cell, name, &n);
    *both = cell->samples;
    both->max[OVL_BLOCKING] = bound;
    if (bound && n == both->blocks)
        return true;
    free(bound);
    return false;
}

/* Of T at its bound every second block is below it by noise alone. */
static const double below_noise = 0.98;

bool ovl_proxy_below_bound(const struct ovl_cell *cell, size_t *below, size_t *blocks)
{
    struct ovl_samples both;
    *below = *blocks = 0;
    if (!with_bound(cell, bound_name, &both))
        return false;
    for (size_t b = 0; b < both.blocks; b++) {
        double t = both.max[OVL_TOTAL][b], least = below_noise * both.max[OVL_BLOCKING][b];
        *blocks += !isnan(t) && !isnan(least);
        *below += t < least && !(both.max[OVL_COMPUTE][b] >= least);
    }
    free(both.max[OVL_BLOCKING]);
    return *blocks > 0;
}

static struct ovl_estimate derive_ratio(const struct ovl_cell *cell, const char *name)
{
    struct ovl_samples both;
    if (!with_bound(cell, name, &both))
        return (struct ovl_estimate){NAN, NAN, NAN};
    struct ovl_estimate ratio = ovl_overlap_estimate_row(&both, &bound_row, 0, ovl_cell_seed(cell));
    free(both.max[OVL_BLOCKING]);
    return ratio;
}

void ovl_proxy_derive(struct ovl_cell *cell)
{
    struct ovl_summary s;
    cell->bound_ratio = derive_ratio(cell, bound_name);
    cell->here_ratio = derive_ratio(cell, here_name);
    const struct ovl_summary *t = &cell->summary[OVL_TOTAL];
    cell->gflops = (struct ovl_estimate){ovl_proxy_gflops(cell, t->median), ovl_proxy_gflops(cell, t->ci_high),
                                         ovl_proxy_gflops(cell, t->ci_low)};
    cell->samples_rate = (struct ovl_estimate){cell->step_samples / t->median, cell->step_samples / t->ci_high,
                                               cell->step_samples / t->ci_low};
    cell->exposed = ovl_proxy_summarise(cell, exposed_name, &s)
                        ? (struct ovl_estimate){s.median, s.ci_low, s.ci_high}
                        : ovl_overlap_estimate_row(&cell->samples, &exposed_row, 0, ovl_cell_seed(cell));
}

bool ovl_proxy_lost_in_noise(const struct ovl_cell *cell)
{
    const struct ovl_samples *s = &cell->samples;
    struct ovl_estimate difference = ovl_overlap_estimate_row(s, &exposed_row, 0, ovl_cell_seed(cell));
    return ovl_stats_summarise(s->max[OVL_COMM], s->blocks).median <= (difference.ci_high - difference.ci_low) / 2;
}

/* From the samples alone. */
static double total_of(const struct ovl_cell *cell)
{
    return ovl_stats_summarise(cell->samples.max[OVL_TOTAL], cell->samples.blocks).median;
}

double ovl_proxy_gflops_of(const struct ovl_run *run, const struct ovl_cell *cell)
{
    (void)run;
    return ovl_proxy_gflops(cell, total_of(cell));
}

double ovl_proxy_samples_rate_of(const struct ovl_run *run, const struct ovl_cell *cell)
{
    (void)run;
    return cell->step_samples / total_of(cell);
}

double ovl_proxy_exposed_of(const struct ovl_run *run, const struct ovl_cell *cell)
{
    (void)run;
    return ovl_cell_solves(cell) ? ovl_proxy_exposed(cell) : NAN;
}

static double ratio_of(const struct ovl_cell *cell, const char *name)
{
    struct ovl_samples both;
    if (!with_bound(cell, name, &both))
        return NAN;
    double value = ovl_overlap_value(&both, &bound_row, 0);
    free(both.max[OVL_BLOCKING]);
    return value;
}

double ovl_proxy_bound_ratio_of(const struct ovl_run *run, const struct ovl_cell *cell)
{
    (void)run;
    return ratio_of(cell, bound_name);
}

double ovl_proxy_here_ratio_of(const struct ovl_run *run, const struct ovl_cell *cell)
{
    (void)run;
    return ratio_of(cell, here_name);
}

double ovl_proxy_slowdown_of(const struct ovl_run *run, const struct ovl_cell *cell)
{
    struct ovl_summary beside, apart;
    (void)run;
    return ovl_proxy_summarise(cell, "update_seconds", &beside) &&
                   ovl_proxy_summarise(cell, "update_apart_seconds", &apart)
               ? beside.median / apart.median
               : NAN;
}

struct ovl_estimate ovl_proxy_gain(const struct ovl_cell *cell, const struct ovl_samples *blocking)
{
    struct ovl_samples both = cell->samples;
    if (blocking->blocks != both.blocks)
        return (struct ovl_estimate){NAN, NAN, NAN};
    both.max[OVL_BLOCKING] = blocking->max[OVL_TOTAL];
    return ovl_overlap_estimate_row(&both, &gain_row, 20 * cell->clock_read_seconds, ovl_cell_seed(cell));
}
