/* The loop's hooks for ovl_fft3d: whole samples, and the data between them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "apps/fft3d/state.h"

#include <math.h>

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static void fill(struct ovl_fft3d *d)
{
    for (int v = 0; v < d->transform.variables; v++)
        ovl_check_fill(&d->pencil, d->transform.u[v], d->options.seed, v);
    d->data = OVL_DATA_GOOD;
}

/* Every answer is looked at, between the samples; so a pair never begins with the errors of the one before. */
void ovl_fft3d_settle(struct ovl_fft3d *d)
{
    if (d->data == OVL_DATA_ANSWERED)
        for (int v = 0; v < d->transform.variables; v++)
            d->error = larger(ovl_check_filled(&d->pencil, d->transform.u[v], d->options.seed, v), d->error);
    if (d->data != OVL_DATA_GOOD)
        fill(d);
}

double ovl_fft3d_validate(struct ovl_fft3d *d)
{
    double error = 0, all;
    for (int s = 0; s < d->schemes; s++) {
        struct ovl_parts parts = {0};
        for (int v = 0; v < d->transform.variables; v++)
            ovl_check_sines(&d->pencil, d->transform.u[v], v);
        ovl_scheme_pass(&d->scheme[s], false, OVL_DO_BOTH);
        for (int v = 0; v < d->transform.variables; v++)
            error = larger(ovl_check_spectrum(&d->pencil, d->transform.w[v], v), error);
        fill(d);
        ovl_scheme_pair(&d->scheme[s], OVL_DO_BOTH, &parts);
        d->pair_seconds = parts.init + parts.test + parts.wait + parts.inner;
        for (int v = 0; v < d->transform.variables; v++)
            error = larger(ovl_check_filled(&d->pencil, d->transform.u[v], d->options.seed, v), error);
    }
    fill(d);
    if (isnan(error))
        error = INFINITY; /* which a maximum keeps */
    MPI_Allreduce(&error, &all, 1, MPI_DOUBLE, MPI_MAX, d->comm);
    MPI_Bcast(&d->pair_seconds, 1, MPI_DOUBLE, 0, d->comm);
    return all;
}

static struct ovl_start start(void *stage, enum ovl_quantity sample, int mode)
{
    ovl_fft3d_settle(stage);
    return ovl_stage_ops.start(stage, sample, mode);
}

static void run(void *stage, enum ovl_quantity sample, int mode, struct ovl_parts *parts)
{
    struct ovl_fft3d *d = stage;
    enum ovl_doing doing = sample == OVL_COMM ? OVL_DO_EXCHANGE : sample == OVL_COMPUTE ? OVL_DO_COMPUTE : OVL_DO_BOTH;
    d->transform.poll_every = d->scheme[mode].mode ? d->options.test_lines : 0;
    ovl_scheme_pair(&d->scheme[mode], doing, parts);
    if (doing != OVL_DO_EXCHANGE)
        d->data = doing == OVL_DO_BOTH ? OVL_DATA_ANSWERED : OVL_DATA_SPOILT;
}

/* The work is the grid's own. */
static uint64_t units(void *stage, double seconds)
{
    (void)seconds;
    return (uint64_t)((struct ovl_fft3d *)stage)->transform.variables;
}

struct ovl_stage_ops ovl_fft3d_stage_ops(void)
{
    struct ovl_stage_ops ops = ovl_stage_ops;
    ops.start = start;
    ops.run = run;
    ops.units = units;
    ops.blocking = NULL;
    return ops;
}
