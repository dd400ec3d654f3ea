/* Who progresses the communication: the options that drivers and proxies share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_OFFLOAD_OPTIONS_H
#define OVL_CLI_OFFLOAD_OPTIONS_H

#include "cli/options.h"

#include <stdbool.h>

struct ovl_offload_options {
    const char *modes; /* --mode, whose words are each program's own */
    const char *engine, *path, *worker_idle, *worker_priority, *worker_transport, *worker_map, *device, *dpu_map;
    const char *thread_idle, *thread_cpu;
    uint64_t workers, dpu_min, worker_memory, registrations;
    double worker_slowdown, worker_timeout;
    int cold;
};

/* The rows of all but --mode, for OVL_OPTION_ROWS in a program's table. */
extern const struct ovl_option ovl_offload_option_rows[];

/* Their defaults, with --mode host. */
extern const struct ovl_offload_options ovl_offload_options_default;

/* What one option alone cannot show. -1 and OVL_USAGE. */
int ovl_offload_options_check(const struct ovl_offload_options *options, struct ovl_error *err);

/* Do these options want progress threads? Then MPI must allow calls of several threads. */
bool ovl_thread_wanted(const struct ovl_offload_options *options);

/* Do these options want workers? */
bool ovl_offload_wanted(const struct ovl_offload_options *options);

#endif
