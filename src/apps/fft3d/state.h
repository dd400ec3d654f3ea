/* What the files of ovl_fft3d share: everything a run has, from its options to its open files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_STATE_H
#define OVL_APPS_FFT3D_STATE_H

#include "apps/fft3d/scheme.h"
#include "bench/app/app.h"
#include "cli/fft3d_options.h"

/* What a pair was spent on: seconds per variable. */
enum ovl_fft3d_phase {
    OVL_FFT3D_LINES,
    OVL_FFT3D_PACK,
    OVL_FFT3D_POST,
    OVL_FFT3D_TEST,
    OVL_FFT3D_WAIT,
    OVL_FFT3D_PHASES
};

struct ovl_fft3d {
    struct ovl_app_job job; /* the first */
    struct ovl_fft3d_options options;

    /* Of the present grid. */
    struct ovl_pencil pencil;
    struct ovl_transform transform;
    struct ovl_messages messages;
    bool carried; /* are the messages open? */
    struct ovl_scheme scheme[OVL_LOOP_MODES];
    uint64_t fills; /* each with data of its own */
};

/* grid.c: hooks of the frame. */
int ovl_fft3d_need(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need, struct ovl_error *err);
int ovl_fft3d_open(struct ovl_app_job *job, size_t problem, struct ovl_error *err);
void ovl_fft3d_close(struct ovl_app_job *job);

/* Bytes of this rank's part, for all schemes of the run. -1 and OVL_USAGE where a message does not fit MPI's counts. */
int ovl_fft3d_bytes(const struct ovl_fft3d *d, const struct ovl_pencil *p, double *bytes, struct ovl_error *err);
/* The same with its words, and *p made for the grid. */
int ovl_fft3d_need_of(const struct ovl_fft3d *d, const struct ovl_grid *grid, struct ovl_pencil *p,
                      struct ovl_app_need *need, struct ovl_error *err);
/* Which of a rank's exchanges of the present pencil --offload gives to workers. */
void ovl_fft3d_choose_workers(const struct ovl_fft3d *d, int rank, bool workers[OVL_TRANSPOSES]);

/* print.c: the hook of the frame for --plan. */
int ovl_fft3d_print(struct ovl_app_job *job, struct ovl_error *err);

/* simulated.c: the same on ranks that nobody has, in time: of the present pencil, whose grid has that name; so many
   bytes come in over the link of the busiest node. -1 with *err filled. */
int ovl_fft3d_simulate(const struct ovl_fft3d *d, const char *grid, double link_bytes, struct ovl_error *err);

/* hooks.c: what is done and looked at in samples. */
extern const struct ovl_app_schemes_row ovl_fft3d_schemes;

/* report.c. At rank 0: what is solved, and what only these cells have. */
void ovl_fft3d_describe(struct ovl_app_job *job, json_t *line);
void ovl_fft3d_fill_cell(const struct ovl_app_job *job, int scheme, struct ovl_cell *cell);

/* Does a scheme of that number block? It has one slab, and no window. */
static inline bool ovl_fft3d_blocks(const struct ovl_fft3d *d, int scheme)
{
    return scheme == d->job.schemes.blocking;
}

#endif
