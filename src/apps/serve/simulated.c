/* A trace that ranks nobody has serve, simulated. Their lanes are written out first: ranks take turns in the
   simulation, and a lane is made as a whole. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "bench/app/simulated_plan.h"
#include "simulate/operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 2000000, GROUP = OVL_APP_GROUP_MOST };

struct lane {
    struct ovl_app_step *steps; /* `index` is the number of the step */
    struct detail {
        double macs;  /* of a COMPUTE */
        size_t bytes; /* of an operation; */
        int from, to; /* and, of a pair, who sends and who receives */
    } * details;
    size_t count;
};

struct simulated {
    struct ovl_serve_plan *p;
    struct lane *lanes; /* [count]: one where all ranks do the same, else one for each rank */
    int count;
    bool own_op; /* sums are by an operation of our own */
};

static const struct lane *lane_of(const struct simulated *s, int rank)
{
    return &s->lanes[s->count > 1 ? rank : 0];
}

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct lane *l = lane_of(of, rank);
    size_t from = group * GROUP, n = from < l->count ? l->count - from : 0;
    n = lane == OVL_LANE_BULK ? 0 : n < GROUP ? n : GROUP;
    if (n > 0)
        memcpy(steps, l->steps + from, n * sizeof *steps);
    return (int)n;
}

static double units_of(const void *of, int rank, const struct ovl_app_step *step)
{
    return lane_of(of, rank)->details[step->index].macs;
}

static struct ovl_sim_operation operation_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct simulated *s = of;
    const struct detail *d = &lane_of(s, rank)->details[step->index];
    bool pair = s->p->strategy->pairs, down = d->from > d->to;
    struct ovl_sim_operation o = {.stride = 1, .own_op = !pair && s->own_op};
    o.shape = ovl_sim_shape(pair ? OVL_ISENDRECV : OVL_IALLREDUCE, d->bytes,
                            pair ? OVL_SERVE_WORD : (size_t)s->p->ask.act_bytes, step->ranks, 0);
    if (pair) {
        o.first = down ? d->to : d->from;
        o.stride = abs(d->to - d->from);
        o.shape.from = down;
        o.shape.to = !down;
    }
    return o;
}

/* Behind the others of the lane. Of a pair each request has a team of its own: both ranks have its messages in one
   order, and numbers of teams stay small. */
static void keep(const struct simulated *s, struct lane *l, const struct ovl_serve_events *e,
                 const struct ovl_app_step *step)
{
    const struct ovl_event *t = &e->events.list[step->index];
    const bool posts = step->kind == OVL_APP_POST, pair = posts && s->p->strategy->pairs;
    l->steps = ovl_grow_one(l->steps, l->count, sizeof *l->steps);
    l->details = ovl_grow_one(l->details, l->count, sizeof *l->details);
    struct ovl_app_step *kept = &l->steps[l->count];
    *kept = *step;
    kept->index = (int)l->count;
    kept->team = pair ? e->notes[step->index].request : 0;
    l->details[l->count++] = (struct detail){
        .macs = step->kind == OVL_APP_COMPUTE ? t->macs : 0,
        .bytes = posts ? (size_t)(ovl_serve_numbers(s->p, t) * ovl_serve_element(s->p, t)) : 0,
        .from = pair ? ovl_train_member(&t->team, 0) : 0,
        .to = pair ? ovl_train_member(&t->team, 1) : 0,
    };
}

/* Steps are counted before they are kept: of all ranks, or of one that stands for them. */
static int count_steps(const struct simulated *s, struct ovl_error *err)
{
    double steps = 0;
    int rc = 0;
    for (int rank = 0; rank < s->count && rc == 0; rank++) {
        struct ovl_serve_events e;
        ovl_serve_events_open(&e, s->p->ask.trace->count, true);
        rc = s->p->strategy->build(&s->p->ask, rank, &e, err);
        steps += e.totals.steps;
        ovl_serve_events_close(&e);
    }
    if (rc == 0 && steps > STEPS_MOST)
        return ovl_error_set(err, OVL_USAGE,
                             "--plan: the trace has %.0f steps, and at most %d are simulated; give fewer requests, or "
                             "shorter ones",
                             steps, STEPS_MOST);
    return rc;
}

static int write_out(struct simulated *s, struct ovl_error *err)
{
    struct ovl_serve_plan *p = s->p;
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    if (count_steps(s, err) != 0 || ovl_serve_plan_open(p, 0, err) != 0)
        return -1;
    for (int rank = 0; rank < s->count; rank++)
        for (size_t g = 0; g < p->plan.groups[OVL_LANE_CHAIN]; g++) {
            int n = p->plan.group(p->plan.of, rank, OVL_LANE_CHAIN, g, steps);
            for (int i = 0; i < n; i++)
                keep(s, &s->lanes[rank], rank == p->own.rank ? &p->own.events : &p->other.events, &steps[i]);
        }
    return 0;
}

static int check(const struct ovl_serve *d, struct ovl_error *err)
{
    if (d->choice.row == &ovl_serve_ep)
        return ovl_error_set(err, OVL_USAGE,
                             "--strategy ep: its exchanges, of other sizes at each rank, are not simulated; give pd, "
                             "tp or tier, or leave out the network");
    if (d->options.tiny)
        return ovl_error_set(err, OVL_USAGE, "--plan: --tiny is not simulated; leave it out");
    return 0;
}

static int simulate(struct ovl_serve *d, struct simulated *s, double link_bytes, struct ovl_error *err)
{
    const struct ovl_serve_options *o = &d->options;
    const struct ovl_serve_plan *p = s->p;
    char requests[OVL_SERVE_TEXT], layout[OVL_SERVE_TEXT], problem[3 * OVL_SERVE_TEXT];
    size_t longest = 0;
    for (int rank = 0; rank < s->count; rank++)
        longest = s->lanes[rank].count > longest ? s->lanes[rank].count : longest;
    const struct ovl_app_plan plan = {.ranks = p->ask.ranks,
                                      .slots = p->plan.slots,
                                      .work_alone = true,
                                      .groups = {[OVL_LANE_CHAIN] = (longest + GROUP - 1) / GROUP},
                                      .of = s,
                                      .group = group_of};
    ovl_serve_requests_text(o, &d->trace, requests);
    ovl_serve_ranks_text(o, p->ask.ranks, layout);
    char scaled[48] = "";
    if (o->scale_bytes > 1)
        snprintf(scaled, sizeof scaled, ", messages by %g", o->scale_bytes);
    snprintf(problem, sizeof problem, "%.60s, %s%s%s, requests %.200s%s, on %.200s", d->model.name, p->strategy->name,
             p->strategy->pairs ? "" : ", sums of ", p->strategy->pairs ? "" : o->act, requests, scaled, layout);
    struct ovl_simulated_plan t = ovl_simulated_plan_of("ovl_serve", o->dry_run_text, p->ask.ranks, o->dry_run_per_node,
                                                        "no test", &o->network, &o->common);
    ovl_simulated_plan_play(&t, &plan, s);
    t.problem = problem;
    t.sample = "the trace";
    t.left_out = p->strategy->pairs
                     ? "times of single requests: T is of the whole trace; waits for the first prompts are "
                       "exposed, so hold T against least T, not hidden %"
                     : "times of single requests: T is of the whole trace";
    t.alike = p->strategy->alike;
    t.units = units_of;
    t.flops_a_unit = 2;
    t.operation = operation_of;
    t.work_seconds = o->us > 0 ? 1e-6 * o->us : NAN;
    t.ratio = o->ratio;
    t.own_work = isnan(o->network.flops);
    t.link_bytes = link_bytes;
    return ovl_simulated_plan_print(&t, err);
}

int ovl_serve_simulate(struct ovl_serve *d, double link_bytes, struct ovl_error *err)
{
    if (check(d, err) != 0)
        return -1;
    d->plan.tests = (int)d->options.common.test_lines;
    struct simulated s = {
        .p = &d->plan, .count = d->plan.strategy->alike ? 1 : d->plan.ask.ranks, .own_op = d->choice.act->own_op};
    s.lanes = ovl_alloc((size_t)s.count, sizeof *s.lanes);
    int rc = write_out(&s, err);
    ovl_serve_plan_close(&d->plan);
    if (rc == 0)
        rc = simulate(d, &s, link_bytes, err);
    for (int rank = 0; rank < s.count; rank++) {
        free(s.lanes[rank].steps);
        free(s.lanes[rank].details);
    }
    free(s.lanes);
    return rc;
}
