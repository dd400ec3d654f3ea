/* Calibrated work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/work.h"
#include "base/clock.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

static double run_seconds(const struct ovl_work *work, uint64_t units)
{
    int64_t begin = ovl_clock_ns();
    work->kernel->run(work->scratch, units);
    return ovl_clock_since(begin);
}

int ovl_work_open(struct ovl_work *work, const char *kernel, struct ovl_error *err)
{
    const struct ovl_kernel *k = ovl_kernel_find(kernel);
    *work = (struct ovl_work){.kernel = k};
    if (!k)
        return ovl_error_set(err, OVL_USAGE, "no kernel named %s; `ovl list` names them", kernel);
    if (k->absent)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--compute %s: %s", kernel, k->absent);
    work->scratch = aligned_alloc(64, (k->scratch_bytes + 127) / 64 * 64);
    if (!work->scratch)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the %zu bytes of kernel %s", k->scratch_bytes,
                             kernel);
    k->prepare(work->scratch);
    work->rate = k->fixed_rate;
    return 0;
}

void ovl_work_close(struct ovl_work *work)
{
    free(work->scratch);
    work->scratch = NULL;
}

void ovl_work_calibrate(const struct ovl_work *work, double *rate, double *nonlinearity)
{
    enum { RUNS = 15 };
    const double aim = 1e-3;
    *rate = work->kernel->fixed_rate;
    *nonlinearity = 0;
    if (*rate > 0)
        return;

    uint64_t units = 1;
    while (run_seconds(work, units) < aim)
        units *= 2;
    double single[RUNS], twice[RUNS];
    for (int i = 0; i < RUNS; i++) {
        single[i] = run_seconds(work, units);
        twice[i] = run_seconds(work, 2 * units);
    }
    double one = ovl_stats_median(single, RUNS), two = ovl_stats_median(twice, RUNS);
    *rate = 3 * (double)units / (one + two);
    *nonlinearity = fabs(two / (2 * one) - 1);
}

uint64_t ovl_work_units(const struct ovl_work *work, double seconds)
{
    double units = round(seconds * work->rate);
    return units >= OVL_WORK_UNITS_AT_LEAST && units >= (double)work->kernel->least_units && units < 1e18
               ? (uint64_t)units
               : 0;
}
