/* Options of jobs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/job_options.h"
#include "tool/sweep/launch.h"

#include <stdlib.h>
#include <string.h>

const char *ovl_job_program(const json_t *job)
{
    const char *program = json_string_value(json_object_get(job, "program")), *slash = strrchr(program, '/');
    return slash ? slash + 1 : program;
}

static const struct ovl_benchmark *benchmark_of(const json_t *job)
{
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        if (strcmp(ovl_job_program(job), b->program) == 0)
            return b;
    return NULL;
}

bool ovl_job_is_ours(const json_t *job)
{
    for (const struct ovl_proxy *x = ovl_proxies; x->name; x++)
        if (strcmp(ovl_job_program(job), x->program) == 0)
            return true;
    return benchmark_of(job) || strcmp(ovl_job_program(job), "ovl_noise") == 0;
}

bool ovl_job_options_parse(struct ovl_job_options *o, const json_t *job)
{
    struct ovl_error err;
    *o = (struct ovl_job_options){.benchmark = benchmark_of(job)};
    if (!o->benchmark)
        return false;
    json_t *words = ovl_launch_options(job);
    o->parsed = ovl_driver_options_default(o->benchmark);
    o->argc = (int)json_array_size(words) + 1;
    o->argv = ovl_alloc((size_t)o->argc + 1, sizeof *o->argv); /* the parser moves its words */
    o->argv[0] = ovl_check_alloc(strdup(o->benchmark->program));
    for (int i = 1; i < o->argc; i++)
        o->argv[i] = ovl_check_alloc(strdup(json_string_value(json_array_get(words, (size_t)i - 1))));
    json_decref(words);
    return ovl_driver_options_parse(o->benchmark, o->argc, o->argv, &o->parsed, &err) == 0;
}

void ovl_job_options_free(struct ovl_job_options *o)
{
    for (int i = 0; i < o->argc; i++)
        free(o->argv[i]);
    free(o->argv);
    *o = (struct ovl_job_options){.benchmark = NULL};
}
