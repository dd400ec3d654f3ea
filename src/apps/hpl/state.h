/* A run of ovl_hpl: the ways of broadcasting that are measured in the same blocks, and what is kept of each block. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_STATE_H
#define OVL_APPS_HPL_STATE_H

#include "apps/hpl/dat.h"
#include "apps/hpl/lu.h"
#include "apps/hpl/options.h"
#include "bench/app/app.h"

/* Samples that only this application has, a value a block: of T, and of the work alone. */
enum ovl_hpl_quantity {
    OVL_HPL_Q_FACTOR,
    OVL_HPL_Q_BCAST, /* each panel by its slowest rank, added up: a root that has sent its own panels early would else
                        pass for one that waited for none */
    OVL_HPL_Q_SWAP,
    OVL_HPL_Q_UPDATE,
    OVL_HPL_Q_SOLVE,
    OVL_HPL_Q_UPDATE_APART,
    OVL_HPL_QUANTITIES
};

/* One way of broadcasting. */
struct ovl_hpl_variant {
    const struct ovl_hpl_scheme *scheme;
    int depth;
    struct ovl_hpl_lu lu;
    int singular; /* first column without a pivot in a solution so far, or -1 */

    /* This rank's last T, its last C, and the update of its last W. */
    double total[OVL_HPL_TIMES], *bcast, *came, update_apart;

    /* At rank 0, a value per block: of the slowest rank, and the mean over the ranks. */
    double *max[OVL_HPL_QUANTITIES], *mean[OVL_HPL_QUANTITIES];
    double *exposed, *alone; /* [blocks x panels]: the curve, of T and of C */
};

struct ovl_hpl {
    struct ovl_app_job job; /* the first */
    struct ovl_hpl_options options;
    struct ovl_hpl_dat dat; /* without words where no HPL.dat was given */
    struct ovl_hpl_grid grid;
    struct ovl_hpl_system system;
    struct ovl_hpl_variant variant[OVL_LOOP_MODES]; /* of each scheme */
    bool open;
    double wire_bytes;
    size_t blocks;
};

/* result.c. Collective: room for what is kept of blocks; a block. At rank 0: what only these cells have. */
int ovl_hpl_blocks_open(struct ovl_hpl *h, struct ovl_error *err);
void ovl_hpl_blocks_close(struct ovl_hpl *h);
void ovl_hpl_keep_block(struct ovl_app_job *job, size_t block);
void ovl_hpl_fill_cell(const struct ovl_app_job *job, int scheme, struct ovl_cell *cell);

/* solve.c. The ways of --mode, --bcast and --depth, and the hooks of the schemes. */
int ovl_hpl_choose(struct ovl_hpl *h, struct ovl_error *err);
extern const struct ovl_app_schemes_row ovl_hpl_schemes_row;

/* print.c. --plan: 1 when it was given and is printed, 0 when not, -1. */
int ovl_hpl_print(struct ovl_app_job *job, struct ovl_error *err);

/* simulated.c: the same on ranks that nobody has, in time; so many bytes come in over the link of the busiest node at
   least. -1 with *err filled. */
int ovl_hpl_simulate(const struct ovl_hpl *h, const struct ovl_hpl_shape *shape, double link_bytes,
                     struct ovl_error *err);

#endif
