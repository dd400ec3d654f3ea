/* Options of jobs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/launcher/job_options.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/plan/plan.h"

#include <stdio.h>
#include <string.h>

const char *ovl_job_program(const json_t *job)
{
    const char *program = json_string_value(json_object_get(job, "program")), *slash = strrchr(program, '/');
    return slash ? slash + 1 : program;
}

bool ovl_job_is_ours(const json_t *job)
{
    return ovl_program_is_ours(ovl_job_program(job));
}

bool ovl_job_options_parse(struct ovl_program_options *o, const json_t *job)
{
    struct ovl_error err;
    json_t *words = ovl_launch_options(job);
    bool good = ovl_program_options_parse(o, ovl_job_program(job), words, 0, &err);
    json_decref(words);
    return good;
}

const char *ovl_job_input_file(const json_t *job, const struct ovl_input_option *o)
{
    char word[64];
    if (!ovl_job_is_ours(job) || (o->program && strcmp(o->program, ovl_job_program(job)) != 0))
        return NULL;
    snprintf(word, sizeof word, "--%s", o->unless ? o->unless : "");
    if (o->unless && ovl_plan_option(job, word))
        return NULL;
    snprintf(word, sizeof word, "--%s", o->name);
    const char *said = ovl_plan_option(job, word);
    return said ? said : o->usual;
}
