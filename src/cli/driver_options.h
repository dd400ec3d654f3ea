/* The options of every driver: one table for parsing, --help, the man page and the record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_DRIVER_OPTIONS_H
#define OVL_CLI_DRIVER_OPTIONS_H

#include "cli/catalog.h"
#include "cli/offload_options.h"

struct ovl_driver_options {
    uint64_t size[2]; /* smallest and largest message */
    uint64_t blocks[2];
    uint64_t warmup, tests, mem_limit, seed, root, rotate;
    int validate, show_validation, per_rank, full, quiet, progress, persistent, self_test, help, version;
    struct ovl_offload_options offload;
    const char *compute, *json, *format, *skew, *work_from;
    struct ovl_numbers ratios;
    double compute_us; /* NaN: the work follows the communication */
    double ci, max_time;
};

extern const struct ovl_option ovl_driver_option_rows[];

/* The defaults for that benchmark. */
struct ovl_driver_options ovl_driver_options_default(const struct ovl_benchmark *benchmark);

/* Parses and checks what one option alone cannot show: sizes that the benchmark cannot take, and stray arguments. */
int ovl_driver_options_parse(const struct ovl_benchmark *benchmark, int argc, char **argv, struct ovl_driver_options *o,
                             struct ovl_error *err);

#endif
