/* `ovl offload --compare`: launches a command with libovl_offload.so and without it, in pairs of random order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_OFFLOAD_LAUNCHES_H
#define OVL_TOOL_OFFLOAD_LAUNCHES_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

struct ovl_offload_launches {
    char **command;
    json_t *environment; /* what the library needs */
    size_t pairs;
    double limit;       /* seconds of a launch */
    const char *metric; /* an extended regular expression with one group, the value, or two: its name and the value */
    int more_is_better;
    const char *record, *chart; /* files, or NULL */
};

/* Runs them all and prints what came of it. Returns the exit code, or -1: OVL_USAGE for a metric that is none,
   OVL_ENVIRONMENT where a launch failed or the library was not on. What the finished launches gave is in the record. */
int ovl_offload_launches(const struct ovl_offload_launches *o, struct ovl_error *err);

#endif
