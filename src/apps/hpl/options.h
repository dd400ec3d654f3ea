/* The options of ovl_hpl. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_OPTIONS_H
#define OVL_APPS_HPL_OPTIONS_H

#include "apps/hpl/system.h"
#include "cli/app_options.h"

struct ovl_hpl_options {
    struct ovl_app_options common; /* the first */
    struct ovl_numbers orders;
    struct ovl_numbers depths;
    uint64_t nb, swap_threshold, threads;
    const char *procs, *pmap, *swap, *schemes, *algorithm, *spoil, *dry_run_text;
    int rows, columns;                   /* P, Q */
    int dry_run_ranks, dry_run_per_node; /* 0: --plan was not given */
    enum ovl_hpl_spoil spoiled;
};

extern const struct ovl_option ovl_hpl_option_rows[];

struct ovl_hpl_options ovl_hpl_options_default(void);

/* -1 and OVL_USAGE with one line on what does not go. */
int ovl_hpl_options_parse(int argc, char **argv, struct ovl_hpl_options *o, struct ovl_error *err);

/* With the largest of the depths. */
struct ovl_hpl_shape ovl_hpl_options_shape(const struct ovl_hpl_options *o, double order);

/* The grid of that many ranks, which is known later: P x Q is made from it where it was not given. */
int ovl_hpl_options_ranks(struct ovl_hpl_options *o, int ranks, struct ovl_error *err);

#endif
