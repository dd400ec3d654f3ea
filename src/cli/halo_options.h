/* The options of ovl_halo. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_HALO_OPTIONS_H
#define OVL_CLI_HALO_OPTIONS_H

#include "cli/app_options.h"

enum { OVL_HALO_SIDE_MOST = 4096 };

struct ovl_halo_options {
    struct ovl_app_options common; /* the first */
    struct ovl_numbers sides;
    uint64_t steps;
    const char *dry_run_text;
    int dry_run_ranks, dry_run_per_node; /* 0: measure */
};

extern const struct ovl_option ovl_halo_option_rows[];

/* Fills *o, a struct ovl_halo_options, defaults first. -1 and OVL_USAGE with one line on what does not go. */
int ovl_halo_options_parse(int argc, char **argv, void *o, struct ovl_error *err);

/* What they give to measuring, in seconds. */
double ovl_halo_options_seconds(const void *o);

/* Cells of that mode in a whole record. */
size_t ovl_halo_options_cells(const void *options, const char *mode);

#endif
