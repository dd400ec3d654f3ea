/* The one-dimensional transforms along x, y and z, by FFTW, a few lines at a time. Without MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_LINES_H
#define OVL_APPS_FFT3D_LINES_H

#include "apps/fft3d/pencil.h"

#include <complex.h>
#include <fftw3.h>

/* Lines of one call; and lines that the scratch area holds side by side, a kilobyte in each of its rows so that they
   are copied in long runs, and few enough for all of them to stay in the second cache. */
enum ovl_lines_count { OVL_LINES_GROUP = 8, OVL_LINES_WIDE = 72 };

enum ovl_axis { OVL_X, OVL_Y, OVL_Z, OVL_AXES };

struct ovl_lines {
    bool real;
    size_t points;            /* of a line along x in x pencils, which follow each other */
    size_t spectrum;          /* from one line along x, transformed, to the next */
    size_t scratch;           /* from one point of lines along y or z to the next in the scratch area */
    size_t scratch_numbers;   /* numbers that the scratch area holds, for lines along any axis */
    int rest_lines[OVL_AXES]; /* lines left over when all others are in groups: 0 to OVL_LINES_GROUP - 1 */
    /* OVL_LINES_GROUP lines, and those that are left; forwards, backwards. */
    fftw_plan group[OVL_AXES][2], rest[OVL_AXES][2];
};

/* Plans with that effort (FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT), the same at all ranks. -1 and OVL_ENVIRONMENT
   when FFTW has none. */
int ovl_lines_make(struct ovl_lines *l, const struct ovl_pencil *p, unsigned effort, struct ovl_error *err);
void ovl_lines_free(struct ovl_lines *l);

/* Transforms OVL_LINES_GROUP lines, or those that are left, unnormalised. Along x, forwards from x pencils (real or
   complex) to lines `spectrum` apart, backwards (`back` is 1) the other way; backwards the spectrum may be destroyed.
 */
void ovl_lines_x(const struct ovl_lines *l, int back, double *grid, double complex *spectrum, size_t lines);
/* Along y and z, side by side: forwards along y, and backwards along z, from the pencils, whose points are `row` apart,
   to the scratch area; the other two from the scratch area, which they may destroy, to the pencils. */
void ovl_lines_columns(const struct ovl_lines *l, enum ovl_axis axis, int back, double complex *grid,
                       double complex *scratch, size_t lines);

/* Does it read the pencils? */
bool ovl_lines_from_grid(enum ovl_axis axis, int back);

#endif
