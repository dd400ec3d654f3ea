/* The messages of a transform: buffers, made once, and the exchange of a slab among the ranks of a row or column. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_CARRIER_H
#define OVL_APPS_FFT3D_CARRIER_H

#include "apps/fft3d/pencil.h"
#include "bench/collective.h"
#include "bench/mode.h"
#include "bench/offload.h"

#include <complex.h>

struct ovl_message {
    double complex *send, *recv;
    struct ovl_exchange exchange;
};

struct ovl_carrier {
    const struct ovl_pencil *pencil;
    MPI_Comm comm[OVL_TRANSPOSES]; /* MPI_COMM_NULL where the rank is alone */
    struct ovl_message *slots;
    int slot_count;

    /* dpu mode: rows and columns are teams at the same time, and messages lie where workers reach them. */
    struct ovl_offload *offload; /* NULL without workers */
    struct ovl_team team[OVL_TRANSPOSES];
    bool attached[OVL_TRANSPOSES];
};

/* Numbers in the largest message of a pass in so many chunks, of either side. */
size_t ovl_carrier_largest(const struct ovl_pencil *pencil, int chunks);

/* Collective: row and column communicators (and teams, where `offload` is not NULL), `slots` pairs of buffers for
   `largest` complex numbers each. -1 when there is no memory; then ovl_carrier_close all the same. */
int ovl_carrier_open(struct ovl_carrier *c, const struct ovl_pencil *pencil, MPI_Comm comm, struct ovl_offload *offload,
                     int slots, size_t largest, struct ovl_error *err);
/* Collective. */
void ovl_carrier_close(struct ovl_carrier *c);

/* Is an exchange needed? Where a rank is alone in its row or column, its data stay where they are. */
bool ovl_carrier_needed(const struct ovl_pencil *pencil, enum ovl_transpose t);

/* Collective over `comm`, the one that the carrier was opened with: bytes that come in over the busiest node's link
   when one variable goes there and back. NaN on one node. */
double ovl_carrier_wire_bytes(const struct ovl_pencil *pencil, MPI_Comm comm);

/* Describes the exchange of a slab in that slot, MPI_Ialltoall where all blocks are of one size, else MPI_Ialltoallv.
 */
void ovl_carrier_describe(struct ovl_carrier *c, int slot, enum ovl_transpose t, bool back, size_t slab);

#endif
