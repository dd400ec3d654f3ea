/* The options of ovl_hpl. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_OPTIONS_H
#define OVL_APPS_HPL_OPTIONS_H

#include "apps/hpl/system.h"
#include "core/options.h"

struct ovl_hpl_options {
    struct ovl_numbers orders;
    uint64_t nb, depth, threads, repetitions, warmup, mem_limit, seed;
    int full, quiet, help, version;
    const char *procs, *schemes, *modes, *spoil, *json, *format;
    int rows, columns; /* P, Q */
    enum ovl_hpl_spoil spoiled;
};

extern const struct ovl_option ovl_hpl_option_rows[];

struct ovl_hpl_options ovl_hpl_options_default(void);

/* Parses, and checks what one option alone cannot show. P x Q is made from the number of ranks where it is not given.
 */
int ovl_hpl_options_parse(int argc, char **argv, int ranks, struct ovl_hpl_options *o, struct ovl_error *err);

#endif
