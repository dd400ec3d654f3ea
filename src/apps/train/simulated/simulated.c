/* All ranks of these strategies do the same: the lane of rank 0 is that of all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/simulated/simulated.h"
#include "bench/app/simulated_plan.h"
#include "plan/busiest.h"
#include "simulate/operation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct ovl_train_plan *p = of;
    (void)rank;
    return p->plan.group(p->plan.of, 0, lane, group, steps);
}

static const struct ovl_event *event_of(const struct ovl_train_plan *p, const struct ovl_app_step *step)
{
    return &p->own.events.list[step->index];
}

static double units_of(const void *of, int rank, const struct ovl_app_step *step)
{
    (void)rank;
    return event_of(of, step)->macs;
}

static struct ovl_sim_operation operation_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct ovl_train_plan *p = of;
    const struct ovl_event *e = event_of(p, step);
    const struct ovl_number *row = ovl_train_number_row(p, e);
    size_t element = row->bytes, numbers = ovl_train_numbers(p, e), n = (size_t)p->ask.ranks;
    bool of_each = e->operation == OVL_IALLGATHER || e->operation == OVL_IALLTOALL;
    (void)rank;
    if (of_each || e->operation == OVL_IREDUCE_SCATTER) /* all ranks' parts are as large as the largest */
        numbers = (numbers + n - 1) / n * (of_each ? 1 : n);
    return (struct ovl_sim_operation){.shape = ovl_sim_shape(e->operation, numbers * element, element, p->ask.ranks, 0),
                                      .stride = 1,
                                      .own_op = row->own_op};
}

/* What has teams or routes is refused. */
static int check(const struct ovl_train_plan *p, const struct ovl_train_options *o, struct ovl_error *err)
{
    const struct ovl_events *e = &p->own.events;
    for (int id = 0; id < e->ids; id++) {
        const struct ovl_event *t = &e->list[e->posted_at[id]];
        if (t->route || t->operation == OVL_ISENDRECV || t->team.ranks != p->ask.ranks)
            return ovl_error_set(err, OVL_USAGE,
                                 "--strategy %s: its teams are not simulated; give ddp, horovod, zero1, zero2, zero3 "
                                 "or fsdp, or leave out the network",
                                 o->strategy);
    }
    bool packed = strcmp(o->compress, "none") != 0 && !p->halves; /* to a length that nobody knows */
    if (o->checkpoint_dir || o->offload || o->dataset || o->tiny || packed)
        return ovl_error_set(err, OVL_USAGE, "--plan: --%s is not simulated; leave it out",
                             packed       ? "compress"
                             : o->tiny    ? "tiny"
                             : o->offload ? "offload"
                             : o->dataset ? "dataset"
                                          : "checkpoint-dir");
    return 0;
}

/* Bytes over the link of a node that is as full as any. */
static double link_bytes(const struct ovl_train_plan *p, int per_node)
{
    const struct ovl_events *e = &p->own.events;
    double all = 0;
    int here, nodes = ovl_nodes_of_team(0, p->ask.ranks, 1, per_node, 0, &here);
    for (int id = 0; id < e->ids; id++) {
        const struct ovl_event *t = &e->list[e->posted_at[id]];
        all += here * ovl_train_link_share(t->operation, ovl_train_bytes(p, t), p->ask.ranks, nodes, here);
    }
    return all;
}

/* What makes other messages of the same step. Returns the length. */
static size_t tell_ways(const struct ovl_train_plan *p, const struct ovl_train_options *o, char *text, size_t n,
                        size_t room)
{
    const struct ovl_train_ask *ask = &p->ask;
    if (p->strategy == &ovl_strategy_horovod)
        n += (size_t)snprintf(text + n, room - n, ", fusion %.0f, cycle %.20s", ask->fusion, o->cycle);
    else if (ask->list.count > 0)
        n += (size_t)snprintf(text + n, room - n, ", buckets of %.60s", o->buckets);
    else if (o->given.bucket || o->given.first_bucket)
        n += (size_t)snprintf(text + n, room - n, ", buckets of %.0f and %.0f", ask->first_bucket, ask->bucket);
    if (strcmp(o->compress, "none") != 0)
        n += (size_t)snprintf(text + n, room - n, ", compressed as %.20s", o->compress);
    if (o->scale_bytes > 1)
        n += (size_t)snprintf(text + n, room - n, ", messages by %g", o->scale_bytes);
    return n;
}

int ovl_train_simulate(struct ovl_train_plan *p, const struct ovl_train_options *o, struct ovl_error *err)
{
    char problem[400], types[OVL_NUMBER_TYPES_TEXT];
    p->tests = (int)o->common.test_lines;
    if (ovl_train_plan_open(p, 0, err) != 0 || check(p, o, err) != 0)
        return -1;
    struct ovl_app_plan plan = p->plan;
    plan.of = p;
    plan.group = group_of;
    ovl_number_types_text(&p->ask.model->types, types);
    size_t n = (size_t)snprintf(problem, sizeof problem, "%.60s, %.40s, batch %.0f, %.0f samples a step, %s",
                                p->ask.model->name, o->strategy, p->ask.batch, p->strategy->samples(&p->ask), types);
    n = tell_ways(p, o, problem, n, sizeof problem);
    snprintf(problem + n, sizeof problem - n, ": %.4g GMAC forwards and %.4g M parameters",
             1e-9 * p->ask.batch * p->ask.model->macs, 1e-6 * p->ask.model->numbers);
    struct ovl_simulated_plan s = ovl_simulated_plan_of("ovl_train", o->dry_run_text, p->ask.ranks, o->dry_run_per_node,
                                                        "no test", &o->network, &o->common);
    ovl_simulated_plan_play(&s, &plan, p);
    s.problem = problem;
    s.model = p->ask.model->name;
    s.sample = "a step";
    s.alike = true;
    s.units = units_of;
    s.flops_a_unit = 2 / o->scale_flops;
    s.operation = operation_of;
    s.work_seconds = o->us > 0 ? 1e-6 * o->us : NAN;
    s.ratio = o->real ? NAN : o->ratio;
    s.own_work = isnan(o->network.flops) && !o->real;
    s.link_bytes = link_bytes(p, o->dry_run_per_node);
    return ovl_simulated_plan_print(&s, err);
}
