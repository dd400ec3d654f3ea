/* The options that a plan gives to a job, as its driver takes them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_JOB_OPTIONS_H
#define OVL_TOOL_SWEEP_JOB_OPTIONS_H

#include "cli/driver_options.h"

#include <jansson.h>

struct ovl_job_options {
    const struct ovl_benchmark *benchmark;
    struct ovl_driver_options parsed;
    int argc;
    char **argv; /* whose texts `parsed` has */
};

/* The name of its program, without a folder. Lent. */
const char *ovl_job_program(const json_t *job);

/* Is its program one of ovl's: a driver, a proxy, or ovl_noise? */
bool ovl_job_is_ours(const json_t *job);

/* Parses options and modes of a job of a plan. false where its program is no driver, or does not take them; free *o in
   any case. */
bool ovl_job_options_parse(struct ovl_job_options *o, const json_t *job);
void ovl_job_options_free(struct ovl_job_options *o);

#endif
