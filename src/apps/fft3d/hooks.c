/* What is done in samples of ovl_fft3d, and the data between them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "apps/fft3d/state.h"
#include "base/rng.h"

#include <math.h>

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* Messages that are left from other data are wrong for these. */
static uint64_t key_of(const struct ovl_fft3d *d)
{
    return d->options.common.seed ^ ovl_rng_mix(d->fills);
}

static void fill(struct ovl_app_job *job)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    d->fills++;
    for (int v = 0; v < d->transform.variables; v++)
        ovl_check_fill(&d->pencil, d->transform.u[v], key_of(d), v);
}

/* The data are back, and were their spectrum on the way: there and back again is also right where messages that did
   not travel lie where they were. Where all of z is at each rank, the way back has left its inverse along z there. */
static double error_of(struct ovl_app_job *job)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    struct ovl_check_sums sums;
    double error = 0;
    for (int v = 0; v < d->transform.variables; v++) {
        bool back = d->pencil.space.members[OVL_COLUMN] == 1;
        error = larger(ovl_check_filled(&d->pencil, d->transform.u[v], key_of(d), v), error);
        ovl_check_sums(&d->pencil, d->transform.w[v], back, key_of(d), v, &sums);
        MPI_Allreduce(MPI_IN_PLACE, &sums, OVL_CHECK_SUMS, MPI_DOUBLE, MPI_SUM, job->stage.comm);
        error = larger(ovl_check_sums_differ(&sums), error);
    }
    return error;
}

/* A spectrum that is known. */
static double validate(struct ovl_app_job *job, int s)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    double error = 0;
    for (int v = 0; v < d->transform.variables; v++)
        ovl_check_known(&d->pencil, d->transform.u[v], v);
    ovl_scheme_pass(&d->scheme[s], false, OVL_MASK_TOTAL);
    for (int v = 0; v < d->transform.variables; v++)
        error = larger(ovl_check_spectrum(&d->pencil, d->transform.w[v], v), error);
    return error;
}

static void play(struct ovl_app_job *job, int s, enum ovl_app_mask mask)
{
    ovl_scheme_pair(&((struct ovl_fft3d *)job)->scheme[s], mask);
}

static void part(const struct ovl_app_job *job, int s, double *seconds)
{
    const struct ovl_fft3d *d = (const struct ovl_fft3d *)job;
    const int64_t *ns = d->scheme[s].run.ns, compute = ns[OVL_PHASE_COMPUTE];
    int64_t lines = d->transform.lines_ns < compute ? d->transform.lines_ns : compute;
    seconds[OVL_FFT3D_LINES] = 1e-9 * (double)lines;
    seconds[OVL_FFT3D_PACK] = 1e-9 * (double)(compute - lines);
    seconds[OVL_FFT3D_POST] = 1e-9 * (double)ns[OVL_PHASE_POST];
    seconds[OVL_FFT3D_TEST] = 1e-9 * (double)ns[OVL_PHASE_TEST];
    seconds[OVL_FFT3D_WAIT] = 1e-9 * (double)(ns[OVL_PHASE_WAIT] + ns[OVL_PHASE_SYNC]);
}

static const char *const parts[] = {[OVL_FFT3D_LINES] = "lines", [OVL_FFT3D_PACK] = "pack", [OVL_FFT3D_POST] = "post",
                                    [OVL_FFT3D_TEST] = "test",   [OVL_FFT3D_WAIT] = "wait", [OVL_FFT3D_PHASES] = NULL};

const struct ovl_app_schemes_row ovl_fft3d_schemes = {
    .check = "max_error",
    .parts = parts,
    .open = ovl_fft3d_open,
    .close = ovl_fft3d_close,
    .fill = fill,
    .error = error_of,
    .validate = validate,
    .play = play,
    .part = part,
    .tell = ovl_fft3d_fill_cell,
};
