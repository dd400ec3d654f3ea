/* ovl_serve: a trace of requests that a model answers, whose keys and values, or sums, travel while other requests are
   computed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "bench/input_files.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    if (ovl_serve_options_parse(argc, argv, &s->options, err) != 0)
        return -1;
    bool leaves = s->options.common.help || s->options.common.version;
    return leaves ? 0 : ovl_serve_choose(&s->options, &s->choice, err);
}

/* Collective: the model and the trace. */
static int begin(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    if (ovl_agree(job->comm, ovl_serve_choice_load(&s->options, &s->choice, &s->model, &s->trace, err), err) != 0 ||
        ovl_agree(job->comm, ovl_input_files_same(job->comm, err), err) != 0)
        return -1;
    s->plan = (struct ovl_serve_plan){
        .ask = ovl_serve_choice_ask(&s->options, &s->choice, &s->model, &s->trace, job->ranks),
        .strategy = s->choice.row,
        .scale_bytes = s->options.scale_bytes,
        .tests = (int)s->options.common.test_lines,
        .node = job->schemes.node,
    };
    s->plan.own.rank = s->plan.other.rank = -1;
    return 0;
}

/* Collective: what the rank with most work is to take, where that is given. */
static int find_work(struct ovl_serve *s, double macs, struct ovl_error *err)
{
    const double longest = 1e9; /* as --compute-us */
    double flops = s->options.network.flops, most;
    MPI_Allreduce(&macs, &most, 1, MPI_DOUBLE, MPI_MAX, s->job.comm);
    s->us = isnan(flops) ? s->options.us : fmax(1, 2e6 * most / flops);
    if (s->us > longest)
        return ovl_error_set(err, OVL_USAGE, "--flops %g: the trace takes %.3g s; give %.2g or more, or fewer requests",
                             flops, 1e-6 * s->us, flops * s->us / longest);
    return 0;
}

static int need(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need, struct ovl_error *err)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    double macs;
    (void)problem;
    int rc = ovl_serve_need(s, job->rank, need, &macs, err);
    if (ovl_agree(job->comm, rc, err) != 0 || find_work(s, macs, err) != 0)
        return -1;
    MPI_Allreduce(MPI_IN_PLACE, &need->bytes, 1, MPI_DOUBLE, MPI_MAX, job->comm);
    return 0;
}

static size_t problems(const struct ovl_app_job *job)
{
    (void)job;
    return 1;
}

static void end(struct ovl_app_job *job)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    ovl_serve_plan_close(&s->plan);
    ovl_trace_free(&s->trace);
}

const struct ovl_app ovl_app = {
    .name = "serve",
    .about =
        "Measure how much of the communication of inference can hide behind its computation: keys and values from\n"
        "the ranks that read prompts to those that write, or to memory servers and back, sums of tensor\n"
        "parallelism, or tokens to the ranks of their experts and back;\n"
        "each word is checked.\n",
    .size = sizeof(struct ovl_serve),
    .options_at = offsetof(struct ovl_serve, options),
    .rows = ovl_serve_option_rows,
    .parse = parse,
    .print = ovl_serve_print,
    .begin = begin,
    .need = need,
    .problems = problems,
    .kernel = "inference",
    .describe = ovl_serve_describe,
    .schemes = &ovl_serve_schemes,
    .end = end,
};
