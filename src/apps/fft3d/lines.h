/* The one-dimensional transforms along x, y and z, by FFTW, a few lines at a time between the grid and a scratch area.
   Without MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_LINES_H
#define OVL_APPS_FFT3D_LINES_H

#include "apps/fft3d/pencil.h"

#include <complex.h>
#include <fftw3.h>

enum ovl_axis { OVL_X, OVL_Y, OVL_Z, OVL_AXES };

struct ovl_lines {
    bool real;
    size_t scratch[OVL_AXES]; /* numbers from one line of the scratch area to the next; more than a line, so that lines
                                 do not fall into the same cache sets */
    size_t length[OVL_AXES];  /* the same in the grid's arrays: points along the axis */
    fftw_plan group[OVL_AXES][2], one[OVL_AXES][2]; /* OVL_PACK_LINES lines, one line; forwards, backwards */
};

/* Plans with that effort (FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT). -1 and OVL_ENVIRONMENT when FFTW has none. */
int ovl_lines_make(struct ovl_lines *l, const struct ovl_grid *grid, bool real, unsigned effort, struct ovl_error *err);
void ovl_lines_free(struct ovl_lines *l);

/* Numbers of scratch that OVL_PACK_LINES lines along the longest axis take. */
size_t ovl_lines_scratch(const struct ovl_lines *l);

/* Transforms `lines` lines at most OVL_PACK_LINES, unnormalised. Forwards along x and y, and backwards along z, from
   the grid (x: real or complex) to the scratch area; the other three from the scratch area, which they may destroy, to
   the grid. */
void ovl_lines_forward_x(const struct ovl_lines *l, const double *grid, double complex *scratch, size_t lines);
void ovl_lines_backward_x(const struct ovl_lines *l, double complex *scratch, double *grid, size_t lines);
/* Along y and z; `back` is 1 backwards. The sides of `from` and `to` are as said above. */
void ovl_lines_run(const struct ovl_lines *l, enum ovl_axis axis, int back, const double complex *from,
                   double complex *to, size_t lines);

#endif
