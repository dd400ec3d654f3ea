/* The data of a transform whose answer is known, and how far off an answer is. Without MPI: each rank knows its part.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_CHECK_H
#define OVL_APPS_FFT3D_CHECK_H

#include "apps/fft3d/pencil.h"

#include <complex.h>

/* Numbers between -0.5 and 0.5 that follow from seed, variable and the point's place in the grid; complex ones with an
   imaginary part of their own. `u` are x pencils. */
void ovl_check_fill(const struct ovl_pencil *p, double *u, uint64_t seed, int variable);
/* The largest difference from that. NaN where there is a NaN. */
double ovl_check_filled(const struct ovl_pencil *p, const double *u, uint64_t seed, int variable);

/* Data whose spectrum is known and nowhere 0, so that any number in the wrong place is seen, at any rank: of even
   variables such that are nowhere 0 themselves, of odd ones a point in the grid. */
void ovl_check_known(const struct ovl_pencil *p, double *u, int variable);
/* The largest difference of z pencils from their spectrum, as a part of its size. NaN where there is a NaN. */
double ovl_check_spectrum(const struct ovl_pencil *p, const double complex *w, int variable);

/* Of the wave numbers k of a spectrum, and the points x of its data, both random: by factors a of each axis, which a
   random number gives, the sum of w(k) a0(k0) a1(k1) a2(k2) is that of u(x) A0(x0) A1(x1) A2(x2), where A is the
   transform of a. So one number over all ranks says whether every word of the spectrum is right, without a second
   transform. */
enum { OVL_CHECK_SUMS = 5 }; /* doubles */
struct ovl_check_sums {
    double sum[4]; /* of w, and of u: real and imaginary parts of this rank; they are to be added over all ranks */
    double square; /* of all w: the sum of |w|^2, to be added as well */
};

/* This rank's part for the data that ovl_check_fill gives, and for `w`, which a transform has left in z pencils, or,
   with `back`, its inverse along z in the same place. */
void ovl_check_sums(const struct ovl_pencil *p, const double complex *w, bool back, uint64_t seed, int variable,
                    struct ovl_check_sums *sums);
/* The difference of sums over all ranks as a part of what they are in the mean; NaN where there is a NaN. */
double ovl_check_sums_differ(const struct ovl_check_sums *sums);

/* What such a difference may be by record/derived/check_limit.h, `pairs` times as much after so many pairs. */
double ovl_check_limit(const struct ovl_grid *grid, double pairs);

#endif
