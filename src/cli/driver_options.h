/* The options of every driver: one table for parsing, --help, the man page and the record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_DRIVER_OPTIONS_H
#define OVL_CLI_DRIVER_OPTIONS_H

#include "cli/app_options.h"
#include "cli/catalog.h"
#include "cli/network_options.h"

struct ovl_driver_options {
    struct ovl_app_options common;
    struct ovl_sizes sizes;
    uint64_t tests, root, rotate;
    uint64_t dims; /* dimensions; 0: not given, 2 */
    int validate, show_validation, persistent, in_place, multi, self_test;
    const char *type, *op, *vector, *pairs, *edges, *group; /* NULL: the default; of type and pairs it is filled in */
    uint64_t block, stride;                                 /* of --vector, in elements; 0 without */
    uint64_t group_ranks;                                   /* of --group; 0 without */
    int group_cyclic;
    const char *algorithm, *compute, *work_from, *cadence;
    struct ovl_numbers ratios;
    double compute_us; /* NaN: the work follows the communication */
    const char *plan;  /* NULL: not given; else it is simulated */
    struct ovl_network_options network;
};

extern const struct ovl_option ovl_driver_option_rows[];

/* The defaults for that benchmark. */
struct ovl_driver_options ovl_driver_options_default(const struct ovl_benchmark *benchmark);

/* Of an element of that --type: bytes, and its name in MPI, or NULL where there is no such type. */
uint64_t ovl_driver_type_bytes(const char *type);
const char *ovl_driver_type_name(const char *type);

/* The cells of a mode: one for each size and ratio, and of one size where there is no message. */
size_t ovl_driver_options_cells(const struct ovl_driver_options *o);

/* Parses and checks what one option alone cannot show: sizes that the benchmark cannot take, and stray arguments. */
int ovl_driver_options_parse(const struct ovl_benchmark *benchmark, int argc, char **argv, struct ovl_driver_options *o,
                             struct ovl_error *err);

#endif
