/* The options that all applications have; their own stand in tables of theirs, before and behind these. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_APP_OPTIONS_H
#define OVL_CLI_APP_OPTIONS_H

#include "cli/offload_options.h"

#include <stdbool.h>

struct ovl_app_options {
    struct ovl_offload_options offload;
    const char *json, *format, *skew;
    uint64_t mem_limit, seed;
    int full, quiet, help, version;

    /* Of those that stand on the measuring loop. */
    uint64_t blocks[2], warmup;
    double ci, max_time;
    int per_rank, progress;
    struct ovl_numbers percentiles;
    double energy; /* seconds; NaN: it is not read */

    /* Of those whose schemes are chosen by the frame. */
    uint64_t test_lines;
};

/* Rows of it, for OVL_OPTION_ROWS in the table of an application: those of the loop, of what also those have whose loop
   is another; of schemes; the rest, at the end. */
extern const struct ovl_option ovl_app_loop_option_rows[], ovl_app_stage_option_rows[], ovl_app_scheme_option_rows[],
    ovl_app_option_rows[];

/* Their defaults, with that --mode. */
struct ovl_app_options ovl_app_options_default(const char *modes);

/* The words of a command line, and what one option alone cannot show; nothing more with --help or --version. -1 and
   OVL_USAGE. `options` is the whole that `rows` are of, and `common` in it. */
int ovl_app_options_parse(const struct ovl_option *rows, int argc, char **argv, void *options,
                          const struct ovl_app_options *common, struct ovl_error *err);

/* The kernels (kernels/kernels.h), as --compute names them. */
#define OVL_KERNEL_WORDS "fma|triad|dgemm|sleep"
#define OVL_KERNEL_HELP  "fma, triad, dgemm or sleep (default fma)"

/* The ways in which work can be said, of which one is enough: -1 and OVL_USAGE where two are given, or units with
   --plan. */
struct ovl_work_way {
    bool given;
    const char *word;
};
int ovl_work_said_once(const struct ovl_work_way *ways, size_t count, const char *plan, struct ovl_error *err);

/* RANKS[:N] of --plan: so many ranks, N on a node or 1. NULL: 0 and 0. -1 and OVL_USAGE. */
int ovl_app_plan_parse(const char *text, int *ranks, int *per_node, struct ovl_error *err);

/* How many schemes of --mode have cells of that mode: those of host-t, which calls MPI_Test, are of host. */
size_t ovl_app_options_schemes(const struct ovl_app_options *o, const char *mode);

#endif
