/* An event is a step; what operations move over links follows from the nodes of their team. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/plan.h"
#include "apps/train/moe/tokens.h"
#include "apps/train/strategy/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 128 }; /* steps of a group of the plan */

double ovl_serve_element(const struct ovl_serve_plan *p, const struct ovl_event *post)
{
    return post->operation == OVL_ISENDRECV || post->route ? OVL_SERVE_WORD : p->ask.act_bytes;
}

double ovl_serve_numbers(const struct ovl_serve_plan *p, const struct ovl_event *post)
{
    if (post->route)
        return ovl_moe_sends(post->route, post->returns) *
               (double)ovl_moe_token_words(post->token_bytes, p->scale_bytes);
    return fmax(1, round(post->bytes / ovl_serve_element(p, post) / p->scale_bytes));
}

/* How many nodes all ranks are on, and how many ranks are on the node of `rank`. */
static int nodes_of(const struct ovl_serve_plan *p, int rank, int *here)
{
    int nodes = 0;
    *here = 0;
    for (int r = 0; r < p->ask.ranks; r++) {
        nodes = p->node[r] >= nodes ? p->node[r] + 1 : nodes;
        *here += p->node[r] == p->node[rank];
    }
    return nodes;
}

static double link_bytes(const struct ovl_serve_plan *p, const struct ovl_event *t, int rank)
{
    double bytes = ovl_serve_numbers(p, t) * ovl_serve_element(p, t);
    int here, nodes;
    if (!p->node)
        return 0;
    if (t->operation == OVL_ISENDRECV)
        return p->node[ovl_train_member(&t->team, 0)] == p->node[ovl_train_member(&t->team, 1)] ? 0 : bytes;
    nodes = nodes_of(p, rank, &here);
    return ovl_train_link_share(t->operation, bytes, p->ask.ranks, nodes, here);
}

/* Tokens from and for ranks on other nodes, known to the byte. */
static double tokens_elsewhere(const struct ovl_serve_plan *p, const struct ovl_event *t, int rank, const int *copies)
{
    double n = p->node ? ovl_moe_elsewhere(copies, t->team.ranks, p->node, p->node[rank]) : 0;
    return OVL_SERVE_WORD * n * (double)ovl_moe_token_words(t->token_bytes, p->scale_bytes);
}

static struct ovl_app_step post_of(const struct ovl_serve_plan *p, const struct ovl_serve_events *e, int rank,
                                   const struct ovl_event *t, struct ovl_app_step step)
{
    bool pair = t->operation == OVL_ISENDRECV, sends = !pair || t->to >= 0, gets = !pair || t->from >= 0;
    double bytes = t->route ? 0 : link_bytes(p, t, rank);
    step.kind = OVL_APP_POST;
    step.what = (int)t->operation;
    bool again = sends && e->notes[e->events.posted_at[t->id]].back;
    step.read = sends ? 1 + (again ? e->places : 0) + e->place[t->id] : 0;
    step.write = gets ? 1 + e->places + e->place[t->id] : 0;
    step.team = pair ? (1 + t->team.first) * p->ask.ranks + ovl_train_member(&t->team, 1) : 0;
    step.ranks = t->team.ranks;
    step.root = t->team.first; /* of a pair the sender */
    step.needs = pair ? OVL_NEEDS_ROOT : OVL_NEEDS_ALL;
    step.in = gets ? bytes : 0;
    step.out = sends ? bytes : 0;
    if (t->route) {
        step.out = tokens_elsewhere(p, t, rank, t->returns ? t->route->got : t->route->sent);
        step.in = tokens_elsewhere(p, t, rank, t->returns ? t->route->sent : t->route->got);
    }
    return step;
}

static struct ovl_app_step step_of(const struct ovl_serve_plan *p, const struct ovl_serve_events *e, int rank, size_t i)
{
    const struct ovl_event *t = &e->events.list[i];
    struct ovl_app_step step = {
        .index = (int)i, .mark = e->notes[i].iteration, .slot = t->slot, .buffers = 1, .units = 1};
    if (t->kind == OVL_EVENT_POST)
        return post_of(p, e, rank, t, step);
    step.kind = t->kind == OVL_EVENT_WAIT ? OVL_APP_WAIT : OVL_APP_COMPUTE;
    if (t->kind == OVL_EVENT_WAIT)
        return step;
    step.mark = -1;
    step.units = p->tests > 0 ? p->tests : 1;
    step.write = t->makes_count ? 1 + e->place[t->makes] : 0;
    step.read = t->takes_count ? 1 + e->places + e->place[t->takes] : 0;
    step.buffers = t->makes_count > t->takes_count ? t->makes_count : t->takes_count;
    return step;
}

static void lane_close(struct ovl_serve_lane *lane)
{
    ovl_serve_events_close(&lane->events);
    free(lane->steps);
    *lane = (struct ovl_serve_lane){.rank = -1};
}

static int lane_open(struct ovl_serve_plan *p, struct ovl_serve_lane *lane, int rank, struct ovl_error *err)
{
    lane_close(lane);
    ovl_serve_events_open(&lane->events, p->ask.trace->count, false);
    if (p->strategy->build(&p->ask, rank, &lane->events, err) != 0) {
        lane_close(lane);
        return -1;
    }
    lane->rank = rank;
    lane->steps = ovl_alloc(lane->events.events.count + 1, sizeof *lane->steps);
    for (size_t i = 0; i < lane->events.events.count; i++)
        if (lane->events.events.list[i].kind != OVL_EVENT_STEP)
            lane->steps[lane->count++] = step_of(p, &lane->events, rank, i);
    return 0;
}

static size_t groups_of(size_t steps)
{
    return (steps + GROUP - 1) / GROUP;
}

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    struct ovl_serve_plan *p = *(struct ovl_serve_plan *const *)of;
    struct ovl_serve_lane *l = rank == p->own.rank ? &p->own : &p->other;
    struct ovl_error impossible;
    if (l->rank != rank && lane_open(p, l, rank, &impossible) != 0)
        return 0;
    if (lane == OVL_LANE_BULK || group >= groups_of(l->count))
        return 0;
    size_t n = l->count - group * GROUP < GROUP ? l->count - group * GROUP : GROUP;
    memcpy(steps, l->steps + group * GROUP, n * sizeof *steps);
    return (int)n;
}

/* Groups are as many at all ranks: those of the rank with most. Where all do the same, of its own. */
static int count_groups(struct ovl_serve_plan *p, size_t *groups, struct ovl_error *err)
{
    *groups = groups_of(p->own.count);
    for (int rank = 0; rank < p->ask.ranks && !p->strategy->alike; rank++) {
        if (rank != p->own.rank && lane_open(p, &p->other, rank, err) != 0)
            return -1;
        size_t n = groups_of(rank == p->own.rank ? p->own.count : p->other.count);
        *groups = n > *groups ? n : *groups;
    }
    return 0;
}

int ovl_serve_plan_open(struct ovl_serve_plan *p, int rank, struct ovl_error *err)
{
    size_t groups;
    p->self = p;
    p->own.rank = p->other.rank = -1;
    if (lane_open(p, &p->own, rank, err) != 0 || count_groups(p, &groups, err) != 0)
        return -1;
    p->plan = (struct ovl_app_plan){.ranks = p->ask.ranks,
                                    .slots = OVL_TRAIN_SLOTS,
                                    .work_alone = true,
                                    .groups = {groups, 0},
                                    .of = &p->self,
                                    .group = group_of};
    return 0;
}

void ovl_serve_plan_close(struct ovl_serve_plan *p)
{
    lane_close(&p->own);
    lane_close(&p->other);
}
