/* The options of ovl_fft3d; the letters are those of the drivers where they mean the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_FFT3D_OPTIONS_H
#define OVL_CLI_FFT3D_OPTIONS_H

#include "cli/app_options.h"
#include "cli/network_options.h"
#include "plan/space.h"

enum { OVL_FFT3D_GRIDS = 32, OVL_FFT3D_SLABS = 64, OVL_FFT3D_TRIED = 8 };

struct ovl_grid {
    size_t n[3]; /* points along x, y, z */
};

struct ovl_fft3d_options {
    struct ovl_app_options common; /* the first */
    const char *grid_text, *procs_text, *pmap, *chunks_text, *transform, *effort, *dry_run_text, *wisdom, *offload;
    uint64_t variables, window;
    struct ovl_network_options network; /* of --plan */

    /* From the texts. */
    struct ovl_grid grids[OVL_FFT3D_GRIDS];
    size_t grid_count;
    struct ovl_space space;
    int chunks;                          /* 0: auto */
    int dry_run_ranks, dry_run_per_node; /* 0: --plan was not given */
};

extern const struct ovl_option ovl_fft3d_option_rows[];

/* Fills *o, a struct ovl_fft3d_options, defaults first. -1 and OVL_USAGE with one line on what does not go. */
int ovl_fft3d_options_parse(int argc, char **argv, void *o, struct ovl_error *err);

/* "128x96x64", or one number for a cube. -1 and OVL_USAGE when it is neither. */
int ovl_grid_parse(const char *text, size_t length, struct ovl_grid *grid, struct ovl_error *err);

/* The decomposition of that many ranks, which is known later. */
int ovl_fft3d_options_ranks(struct ovl_fft3d_options *o, int ranks, struct ovl_error *err);

/* What they give to measuring, in seconds. */
double ovl_fft3d_options_seconds(const void *o);

/* Cells of that mode in a whole record. */
size_t ovl_fft3d_options_cells(const void *options, const char *mode);

#endif
