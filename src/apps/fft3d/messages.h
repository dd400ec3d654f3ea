/* The messages of a transform: buffers, made once, and the exchange of a slab among the ranks of a row or column. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_MESSAGES_H
#define OVL_APPS_FFT3D_MESSAGES_H

#include "apps/fft3d/pencil.h"
#include "bench/app/lines.h"
#include "bench/exchange/collective.h"
#include "bench/exchange/mode.h"
#include "bench/exchange/offload.h"

#include <complex.h>

struct ovl_message {
    double complex *send, *recv;
    struct ovl_exchange exchange;
};

struct ovl_messages {
    const struct ovl_pencil *pencil;
    struct ovl_message *slots;
    int slot_count;

    /* In dpu mode rows and columns are teams at the same time, and messages lie where workers reach them. */
    struct ovl_offload *offload; /* NULL without workers */
    struct ovl_app_lines lines;
};

/* Numbers in the largest message of a pass in so many chunks, of either side and any rank. */
size_t ovl_messages_largest(const struct ovl_pencil *pencil, int chunks);

/* Collective, with pencil and offload given: the lines of `comm`, which are teams where `offload` is not NULL, and
   `slots` pairs of buffers for largest[slot] complex numbers each. `workers`: are rows, are columns for the workers,
   where there are any? -1 when there is no memory; then ovl_messages_close all the same. */
int ovl_messages_open(struct ovl_messages *c, MPI_Comm comm, const bool workers[OVL_TRANSPOSES], int slots,
                      const size_t *largest, struct ovl_error *err);
/* Collective. */
void ovl_messages_close(struct ovl_messages *c);

/* Describes the exchange of a slab in that slot, MPI_Ialltoall where all blocks are of one size, else MPI_Ialltoallv.
 */
void ovl_messages_describe(struct ovl_messages *c, int slot, enum ovl_transpose t, bool back, size_t slab);

#endif
