/* A single operation as a plan: post, work, wait. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/simulate.h"

#include <limits.h>

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct ovl_sim_job *job = of;
    int n = 0;
    (void)rank, (void)group;
    if (lane == OVL_LANE_BULK)
        return 0;
    steps[n++] = (struct ovl_app_step){.kind = OVL_APP_POST, .ranks = job->operation.shape.ranks};
    if (job->work > 0)
        steps[n++] = (struct ovl_app_step){.kind = OVL_APP_COMPUTE,
                                           .units = job->tests < INT_MAX ? (int)job->tests + 1 : INT_MAX};
    steps[n++] = (struct ovl_app_step){.kind = OVL_APP_WAIT};
    return n;
}

static double seconds_of(const void *of, int rank, const struct ovl_app_step *step)
{
    (void)rank, (void)step;
    return ((const struct ovl_sim_job *)of)->work;
}

static int *copy(const int *list, int n)
{
    int *mine = list ? ovl_alloc((size_t)n, sizeof *mine) : NULL;
    for (int i = 0; mine && i < n; i++)
        mine[i] = list[i];
    return mine;
}

/* Lists are freed by who plays it. */
static struct ovl_sim_operation operation_of(const void *of, int rank, const struct ovl_app_step *step)
{
    struct ovl_sim_operation o = ((const struct ovl_sim_job *)of)->operation;
    int *list = copy(o.shape.recv_counts, 2 * o.shape.ranks);
    (void)rank, (void)step;
    o.shape.send_counts = o.shape.recv_counts = list;
    o.shape.send_displs = o.shape.recv_displs = list ? list + o.shape.ranks : NULL;
    return o;
}

int ovl_sim_run(const struct ovl_sim_job *job, struct ovl_sim_result *result, struct ovl_error *err)
{
    struct ovl_app_plan plan = {.ranks = job->operation.shape.ranks,
                                .slots = 1,
                                .groups = {[OVL_LANE_CHAIN] = 1},
                                .of = job,
                                .group = group_of};
    struct ovl_sim_program program = {.plan = &plan,
                                      .mask = OVL_MASK_TOTAL,
                                      .polls = job->tests > 0,
                                      .alike = true,
                                      .of = job,
                                      .seconds = seconds_of,
                                      .operation = operation_of};
    struct ovl_sim_machine machine = {.per_node = job->per_node < plan.ranks ? job->per_node : plan.ranks,
                                      .rates = job->rates,
                                      .mover = job->workers > 0 ? OVL_SIM_BY_WORKERS
                                               : job->threads   ? OVL_SIM_BY_THREADS
                                                                : OVL_SIM_BY_CALLS,
                                      .workers = job->workers,
                                      .shared = job->shared,
                                      .fold = job->fold,
                                      .ring_rounds = job->ring_rounds};
    return ovl_sim_play(&program, &machine, result, err);
}
