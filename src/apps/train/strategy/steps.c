/* An event of work is a step; so are a post and a wait, whose bytes over links follow from the nodes of the team. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/steps.h"
#include "apps/train/strategy/grid.h"
#include "cli/link.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 128 }; /* steps of a group of the plan */

size_t ovl_train_numbers(const struct ovl_train_plan *p, const struct ovl_event *post)
{
    double each = ovl_model_element(p->ask.model, post->of), members = post->team.ranks;
    double n = fmax(1, round(post->bytes / each / p->scale_bytes));
    return (size_t)(post->operation == OVL_IALLTOALL ? ceil(n / members) * members : n);
}

const struct ovl_number *ovl_train_number_row(const struct ovl_train_plan *p, const struct ovl_event *post)
{
    return p->halves && post->of == OVL_OF_GRADIENTS ? p->halves : p->ask.model->types.of[post->of];
}

double ovl_train_bytes(const struct ovl_train_plan *p, const struct ovl_event *post)
{
    return (double)ovl_train_number_row(p, post)->bytes * (double)ovl_train_numbers(p, post);
}

/* How many nodes a team is on, and how many of its members are on the node of `rank`. */
static int nodes_of(const struct ovl_train_plan *p, const struct ovl_train_team *team, int rank, int *here)
{
    int nodes = 0;
    bool *seen = ovl_check_alloc(calloc((size_t)p->ask.ranks, sizeof *seen));
    *here = 0;
    for (int i = 0; i < team->ranks; i++) {
        int node = p->node[ovl_train_member(team, i)];
        nodes += !seen[node];
        seen[node] = true;
        *here += node == p->node[rank];
    }
    free(seen);
    return nodes;
}

double ovl_train_link_share(enum ovl_operation operation, double size, double ranks, int nodes, int here)
{
    if (nodes == 1)
        return 0;
    switch (operation) {
    case OVL_ISENDRECV:
        return size;
    case OVL_IALLREDUCE:
        return ovl_link_bytes_allreduce(size, ranks, nodes) / here;
    case OVL_IREDUCE_SCATTER:
        return ovl_link_bytes_reduce_scatter(size, ranks, nodes) / here;
    case OVL_IALLTOALL:
        return (ranks - here) * size / ranks;
    default: /* allgathers: the parts of ranks elsewhere come in once */
        return (ranks - here) * size / ranks / here;
    }
}

static double link_bytes(const struct ovl_train_plan *p, const struct ovl_event *t, int rank)
{
    int here, nodes = p->node ? nodes_of(p, &t->team, rank, &here) : 1;
    return nodes == 1 || p->compressed
               ? 0
               : ovl_train_link_share(t->operation, ovl_train_bytes(p, t), t->team.ranks, nodes, here);
}

static struct ovl_app_step step_of(const struct ovl_train_plan *p, const struct ovl_events *e, int rank, size_t i)
{
    const struct ovl_event *t = &e->list[i];
    struct ovl_app_step step = {.index = (int)i, .mark = -1, .slot = t->slot, .buffers = 1};
    int send = 1, recv = 1 + e->ids; /* buffers of operation 0 */
    if (t->kind == OVL_EVENT_COMPUTE) {
        step.kind = OVL_APP_COMPUTE;
        step.what = t->work;
        step.units = (int)fmin(INT_MAX, (double)t->layers * (p->tests > 0 ? p->tests : 1));
        step.write = t->makes_count ? send + t->makes : 0;
        step.read = t->takes_count ? recv + t->takes : 0;
        step.buffers = t->makes_count > t->takes_count ? t->makes_count : t->takes_count;
        return step;
    }
    step.kind = t->kind == OVL_EVENT_POST ? OVL_APP_POST : OVL_APP_WAIT;
    step.mark = t->id;
    if (t->kind == OVL_EVENT_WAIT)
        return step;
    bool pair = t->operation == OVL_ISENDRECV, sends = !pair || t->to >= 0, gets = !pair || t->from >= 0;
    double bytes = link_bytes(p, t, rank);
    step.what = (int)t->operation;
    step.read = sends ? send + t->id : 0;
    step.write = gets ? recv + t->id : 0;
    step.team = (int)t->team.axis * p->ask.ranks + t->team.first;
    step.ranks = t->team.ranks;
    step.root = pair && !sends ? ovl_train_member(&t->team, t->from) : pair ? rank : t->team.first;
    step.needs = pair ? OVL_NEEDS_ROOT : OVL_NEEDS_ALL;
    step.in = gets ? bytes : 0;
    step.out = sends ? bytes : 0;
    return step;
}

static void lane_close(struct ovl_train_lane *lane)
{
    ovl_events_close(&lane->events);
    free(lane->steps);
    *lane = (struct ovl_train_lane){.rank = -1};
}

static int lane_open(struct ovl_train_plan *p, struct ovl_train_lane *lane, int rank, struct ovl_error *err)
{
    lane_close(lane);
    ovl_events_open(&lane->events);
    if (p->strategy->build(&p->ask, rank, &lane->events, err) != 0) {
        lane_close(lane);
        return -1;
    }
    lane->rank = rank;
    lane->steps = ovl_check_alloc(calloc(lane->events.count + 1, sizeof *lane->steps));
    for (size_t i = 0; i < lane->events.count; i++)
        if (lane->events.list[i].kind != OVL_EVENT_STEP)
            lane->steps[lane->count++] = step_of(p, &lane->events, rank, i);
    return 0;
}

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    struct ovl_train_plan *p = *(struct ovl_train_plan *const *)of;
    struct ovl_train_lane *l = rank == p->own.rank ? &p->own : &p->other;
    struct ovl_error impossible;
    if (l->rank != rank && lane_open(p, l, rank, &impossible) != 0)
        return 0;
    size_t first = group * GROUP, n = first < l->count ? l->count - first : 0;
    n = lane != OVL_LANE_CHAIN ? 0 : n < GROUP ? n : GROUP;
    if (n > 0)
        memcpy(steps, l->steps + first, n * sizeof *steps);
    return (int)n;
}

int ovl_train_plan_rank(struct ovl_train_plan *p, int rank, struct ovl_error *err)
{
    return lane_open(p, &p->own, rank, err);
}

int ovl_train_plan_open(struct ovl_train_plan *p, int rank, struct ovl_error *err)
{
    size_t most = 0;
    p->self = p;
    p->own.rank = p->other.rank = -1;
    ovl_events_open(&p->other.events);
    if (ovl_train_plan_rank(p, rank, err) != 0)
        return -1;
    most = p->own.count;
    int stages = p->strategy->alike ? 0 : ovl_grid_stages(&p->ask);
    for (int s = 0; s < stages; s++) { /* groups are the same at all ranks: of each stage one is counted */
        struct ovl_events *e = &p->other.events;
        ovl_events_clear(e);
        if (p->strategy->build(&p->ask, s * p->ask.tensor, e, err) != 0)
            return -1;
        most = e->count > most ? e->count : most;
    }
    p->plan = (struct ovl_app_plan){.ranks = p->ask.ranks,
                                    .slots = OVL_TRAIN_SLOTS,
                                    .work_alone = true,
                                    .groups = {most / GROUP + 1, 0},
                                    .of = &p->self,
                                    .group = group_of};
    return 0;
}

void ovl_train_plan_close(struct ovl_train_plan *p)
{
    lane_close(&p->own);
    lane_close(&p->other);
}
