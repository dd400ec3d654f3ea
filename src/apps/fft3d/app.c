/* ovl_fft3d: what the frame has to know of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/state.h"

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    return ovl_fft3d_options_parse(argc, argv, &d->options, err);
}

static int begin(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    return ovl_fft3d_options_ranks(&d->options, job->ranks, err);
}

static size_t problems(const struct ovl_app_job *job)
{
    return ((const struct ovl_fft3d *)job)->options.grid_count;
}

static void end(struct ovl_app_job *job)
{
    (void)job;
    fftw_cleanup();
}

const struct ovl_app ovl_app = {
    .name = "fft3d",
    .about = "Measure how much of the communication of a 3D Fourier transform can be hidden behind its computation.\n"
             "Real pencil-decomposed transforms, forwards and backwards, with their answers checked.\n",
    .size = sizeof(struct ovl_fft3d),
    .options_at = offsetof(struct ovl_fft3d, options),
    .rows = ovl_fft3d_option_rows,
    .parse = parse,
    .print = ovl_fft3d_print,
    .begin = begin,
    .need = ovl_fft3d_need,
    .problems = problems,
    .kernel = "fft",
    .describe = ovl_fft3d_describe,
    .schemes = &ovl_fft3d_schemes,
    .end = end,
};
