/* The options of ovl_hpl. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_HPL_OPTIONS_H
#define OVL_CLI_HPL_OPTIONS_H

#include "cli/app_options.h"
#include "cli/network_options.h"

enum { OVL_HPL_ORDER_MOST = 100000000, OVL_HPL_DEPTH_MOST = 32 };

/* What is to be done on purpose, to see the check fail. */
enum ovl_hpl_spoil { OVL_HPL_SPOIL_NONE, OVL_HPL_SPOIL_PANEL, OVL_HPL_SPOIL_SINGULAR, OVL_HPL_SPOIL_NAN };

struct ovl_hpl_options {
    struct ovl_app_options common; /* the first */
    struct ovl_numbers orders;
    struct ovl_numbers depths;
    uint64_t nb, swap_threshold, threads;
    const char *procs, *pmap, *swap, *schemes, *algorithm, *spoil, *dry_run_text;
    struct ovl_network_options network;  /* of --plan */
    int rows, columns;                   /* P, Q */
    int dry_run_ranks, dry_run_per_node; /* 0: --plan was not given */
    enum ovl_hpl_spoil spoiled;
};

extern const struct ovl_option ovl_hpl_option_rows[];

/* Fills *o, a struct ovl_hpl_options, defaults first. -1 and OVL_USAGE with one line on what does not go. */
int ovl_hpl_options_parse(int argc, char **argv, void *o, struct ovl_error *err);

/* The grid of that many ranks, which is known later: P x Q is made from it where it was not given. */
int ovl_hpl_options_ranks(struct ovl_hpl_options *o, int ranks, struct ovl_error *err);

/* What they give to measuring, in seconds. */
double ovl_hpl_options_seconds(const void *o);

/* Cells of that mode in a whole record: in mode host one for each broadcast. */
size_t ovl_hpl_options_cells(const void *options, const char *mode);

#endif
