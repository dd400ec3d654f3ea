/* The options that a plan gives to a job, as its program takes them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_LAUNCHER_JOB_OPTIONS_H
#define OVL_TOOL_SWEEP_LAUNCHER_JOB_OPTIONS_H

#include "cli/input_options.h"
#include "cli/program.h"

/* The name of its program, without a folder. Lent. */
const char *ovl_job_program(const json_t *job);

/* Is its program one of ovl's? */
bool ovl_job_is_ours(const json_t *job);

/* Parses options and modes of a job of a plan. false where its program is none of ovl's, or does not take them; free *o
   in any case. */
bool ovl_job_options_parse(struct ovl_program_options *o, const json_t *job);

/* The name of the file that a job's program reads for that option, as the plan says it; NULL: it reads none. Lent. */
const char *ovl_job_input_file(const json_t *job, const struct ovl_input_option *o);

#endif
