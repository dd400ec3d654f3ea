/* The computation of a 3D transform: lines, and packing between pencils and messages. Without MPI: who carries the
   messages, and in what order, is decided elsewhere (transform_plan.h, messages.h). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_TRANSFORM_H
#define OVL_APPS_FFT3D_TRANSFORM_H

#include "apps/fft3d/lines.h"
#include "apps/fft3d/transform_plan.h"

struct ovl_transform {
    struct ovl_pencil pencil;
    struct ovl_lines lines;
    int variables;
    double **u;           /* x pencils of each variable, real or complex */
    double complex **w;   /* z pencils of each variable: the spectrum */
    double complex *v[2]; /* y pencils of two variables that are under way at a time */
    double complex *scratch;

    /* After every `poll_every` lines, where that is not 0: `poll` of `poller`. */
    size_t poll_every, polled;
    void (*poll)(void *poller);
    void *poller;

    /* Time within FFTW, by `clock`, where that is not NULL: one call in seven is timed, and stands for all, so that two
       reads of the clock for each do not slow down short lines. */
    int64_t (*clock)(void), lines_ns;
    unsigned calls;
};

/* Bytes of all arrays but the messages. */
double ovl_transform_bytes(const struct ovl_pencil *pencil, int variables);

/* Plans and arrays, touched by the caller. -1 when there is no memory or no plan; then ovl_transform_free all the same.
 */
int ovl_transform_make(struct ovl_transform *t, const struct ovl_pencil *pencil, int variables, unsigned effort,
                       struct ovl_error *err);
void ovl_transform_free(struct ovl_transform *t);

/* Where P1 is 1, lines along x are transformed with those along y, plane by plane.

   Makes a slab ready: transforms what comes before the transpose and packs it into `message` (NULL: the transpose stays
   within this rank). `slab` counts within the rank's own. */
void ovl_transform_produce(struct ovl_transform *t, bool back, const struct ovl_slab_exchange *step,
                           struct ovl_range slab, double complex *message);
/* Takes a slab in: unpacks it and transforms what comes after the transpose. Backwards the last one divides by the
   number of points. */
void ovl_transform_consume(struct ovl_transform *t, bool back, const struct ovl_slab_exchange *step,
                           struct ovl_range slab, const double complex *message);

/* Where P1 is 1: the same for all slabs of a column transpose at once, lines along x and y plane by plane, between x
   pencils and a message per slab: forwards what is produced, backwards what is consumed. */
void ovl_transform_fused(struct ovl_transform *t, bool back, int variable, int chunks, double complex *const *messages);

#endif
