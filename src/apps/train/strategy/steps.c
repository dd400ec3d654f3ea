/* An event of work is a step; so are a post and a wait, whose bytes over links follow from the nodes of the team. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/steps.h"
#include "apps/train/strategy/grid.h"
#include "cli/link.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 128,      /* most steps of a group of the plan */
    BULK_PIECES = 16, /* of a layer's bulk work: behind each the rank looks whether its wait has ended */
};

size_t ovl_train_token_words(const struct ovl_train_plan *p, double token_bytes)
{
    return ovl_moe_token_words(token_bytes, p->scale_bytes);
}

size_t ovl_train_numbers(const struct ovl_train_plan *p, const struct ovl_event *post)
{
    if (post->route)
        return (size_t)ovl_moe_sends(post->route, post->returns) * ovl_train_token_words(p, post->token_bytes);
    double each = ovl_model_element(p->ask.model, post->of), members = post->team.ranks;
    double n = fmax(1, round(post->bytes / each / p->scale_bytes));
    return (size_t)(post->operation == OVL_IALLTOALL ? ceil(n / members) * members : n);
}

const struct ovl_number *ovl_train_number_type(const struct ovl_train_plan *p, const struct ovl_event *post)
{
    return post->route ? &ovl_numbers[OVL_F32] : p->ask.model->types.of[post->of];
}

const struct ovl_number *ovl_train_number_row(const struct ovl_train_plan *p, const struct ovl_event *post)
{
    return p->halves && post->of == OVL_OF_GRADIENTS ? p->halves : ovl_train_number_type(p, post);
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
    case OVL_IREDUCE_SCATTER: /* each part once, of sums made elsewhere; equal nodes get what all do in the mean */
        return (here * nodes == ranks ? ranks - here : here) * size / ranks / here;
    case OVL_IALLTOALL:
        return (ranks - here) * size / ranks;
    default: /* allgathers: the parts of ranks elsewhere come in once */
        return (ranks - here) * size / ranks / here;
    }
}

/* A reduce-scatter is an allgather backwards: what comes in by the one goes out by the other. */
static double link_bytes(const struct ovl_train_plan *p, const struct ovl_event *t, int rank, bool out)
{
    int here = 1, nodes = p->node ? nodes_of(p, &t->team, rank, &here) : 1;
    enum ovl_operation op = t->operation;
    if (out && (op == OVL_IALLGATHER || op == OVL_IREDUCE_SCATTER))
        op = op == OVL_IALLGATHER ? OVL_IREDUCE_SCATTER : OVL_IALLGATHER;
    return p->compressed ? 0 : ovl_train_link_share(op, ovl_train_bytes(p, t), t->team.ranks, nodes, here);
}

/* Words of tokens that members on other nodes send to this one, or get from it. */
static double words_elsewhere(const struct ovl_train_plan *p, const struct ovl_event *t, int rank, const int *copies)
{
    double n = p->node ? ovl_moe_elsewhere(copies, t->team.ranks, p->node + t->team.first, p->node[rank]) : 0;
    return n * (double)ovl_train_token_words(p, t->token_bytes);
}

/* What comes in and goes out is known to the byte. */
static struct ovl_app_step token_step(const struct ovl_train_plan *p, struct ovl_app_step step,
                                      const struct ovl_event *t, int rank, int send, int recv)
{
    const struct ovl_moe_route *r = t->route;
    step.what = (int)t->operation;
    step.read = send + t->id;
    step.write = recv + t->id;
    step.team = (int)t->team.axis * p->ask.ranks + t->team.first;
    step.ranks = t->team.ranks;
    step.root = t->team.first;
    step.needs = OVL_NEEDS_ALL;
    step.out = OVL_TRAIN_WORD * words_elsewhere(p, t, rank, t->returns ? r->got : r->sent);
    step.in = OVL_TRAIN_WORD * words_elsewhere(p, t, rank, t->returns ? r->sent : r->got);
    return step;
}

static struct ovl_app_step step_of(const struct ovl_train_plan *p, const struct ovl_events *e, int rank, size_t i)
{
    const struct ovl_event *t = &e->list[i];
    struct ovl_app_step step = {.index = (int)i, .mark = -1, .slot = t->slot, .buffers = 1, .after = (size_t)t->after};
    int send = 1, recv = 1 + e->ids; /* buffers of operation 0 */
    if (t->kind == OVL_EVENT_COMPUTE) {
        step.kind = OVL_APP_COMPUTE;
        step.what = t->work;
        step.units =
            (int)fmin(INT_MAX, (double)t->layers * (p->tests > 0 ? p->tests : 1) * (t->bulk ? BULK_PIECES : 1));
        step.write = t->makes_count ? send + t->makes : 0;
        step.read = t->takes_count ? recv + t->takes : 0;
        step.buffers = t->makes_count > t->takes_count ? t->makes_count : t->takes_count;
        return step;
    }
    step.kind = t->kind == OVL_EVENT_POST ? OVL_APP_POST : OVL_APP_WAIT;
    step.mark = t->id;
    if (t->kind == OVL_EVENT_WAIT)
        return step;
    if (t->route)
        return token_step(p, step, t, rank, send, recv);
    bool pair = t->operation == OVL_ISENDRECV, sends = !pair || t->to >= 0, gets = !pair || t->from >= 0;
    step.what = (int)t->operation;
    step.read = sends ? send + t->id : 0;
    step.write = gets ? recv + t->id : 0;
    step.team = (int)t->team.axis * p->ask.ranks + t->team.first;
    step.ranks = t->team.ranks;
    step.root = pair && !sends ? ovl_train_member(&t->team, t->from) : pair ? rank : t->team.first;
    step.needs = pair ? OVL_NEEDS_ROOT : OVL_NEEDS_ALL;
    step.in = gets ? link_bytes(p, t, rank, false) : 0;
    step.out = sends ? link_bytes(p, t, rank, true) : 0;
    return step;
}

static void lane_close(struct ovl_train_lane *lane)
{
    ovl_events_close(&lane->events);
    free(lane->steps);
    free(lane->bulk);
    free(lane->begin);
    *lane = (struct ovl_train_lane){.rank = -1};
}

/* Where the chain's groups begin: bulk work may begin behind the group that stands before it, which so ends there.
   begin[events + 1] may be NULL. Returns how many there are. */
static size_t cut_groups(const struct ovl_events *e, size_t *begin)
{
    size_t groups = 0, steps = 0, first = 0;
    for (size_t i = 0; i <= e->count; i++) {
        bool chain = i < e->count && e->list[i].kind != OVL_EVENT_STEP && !e->list[i].bulk;
        bool full = steps - first == GROUP;
        if (steps > first && (full || !chain)) {
            groups++;
            first = steps;
        }
        if (begin)
            begin[groups] = first;
        steps += chain;
    }
    return groups;
}

static void fill_lane(const struct ovl_train_plan *p, struct ovl_train_lane *lane)
{
    const struct ovl_events *e = &lane->events;
    size_t group = 0;
    lane->steps = ovl_check_alloc(calloc(e->count + 1, sizeof *lane->steps));
    lane->bulk = ovl_check_alloc(calloc((size_t)e->bulks + 1, sizeof *lane->bulk));
    lane->begin = ovl_check_alloc(calloc(e->count + 2, sizeof *lane->begin));
    lane->groups = cut_groups(e, lane->begin);
    for (size_t i = 0; i < e->count; i++) {
        if (e->list[i].kind == OVL_EVENT_STEP)
            continue;
        struct ovl_app_step step = step_of(p, e, lane->rank, i);
        while (group < lane->groups && lane->begin[group + 1] <= lane->count)
            group++;
        if (!e->list[i].bulk) {
            lane->steps[lane->count++] = step;
            continue;
        }
        step.after = group;
        lane->bulk[lane->bulk_count++] = step;
    }
}

static int lane_open(struct ovl_train_plan *p, struct ovl_train_lane *lane, int rank, bool runs, struct ovl_error *err)
{
    lane_close(lane);
    ovl_events_open(&lane->events);
    lane->events.counts = runs ? NULL : &p->counts;
    if (p->strategy->build(&p->ask, rank, &lane->events, err) != 0) {
        lane_close(lane);
        return -1;
    }
    lane->rank = rank;
    fill_lane(p, lane);
    return 0;
}

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    struct ovl_train_plan *p = *(struct ovl_train_plan *const *)of;
    struct ovl_train_lane *l = rank == p->own.rank ? &p->own : &p->other;
    struct ovl_error impossible;
    if (l->rank != rank && lane_open(p, l, rank, false, &impossible) != 0)
        return 0;
    if (lane == OVL_LANE_BULK && group < l->bulk_count)
        *steps = l->bulk[group];
    if (lane == OVL_LANE_BULK || group >= l->groups)
        return lane == OVL_LANE_BULK && group < l->bulk_count;
    size_t n = l->begin[group + 1] - l->begin[group];
    memcpy(steps, l->steps + l->begin[group], n * sizeof *steps);
    return (int)n;
}

int ovl_train_plan_rank(struct ovl_train_plan *p, int rank, struct ovl_error *err)
{
    return lane_open(p, &p->own, rank, false, err);
}

int ovl_train_plan_open(struct ovl_train_plan *p, int rank, struct ovl_error *err)
{
    size_t chain, bulk;
    p->self = p;
    p->own.rank = p->other.rank = -1;
    ovl_events_open(&p->other.events);
    if (lane_open(p, &p->own, rank, true, err) != 0)
        return -1;
    chain = p->own.groups;
    bulk = p->own.bulk_count;
    int stages = p->strategy->alike ? 0 : ovl_grid_stages(&p->ask);
    for (int s = 0; s < stages; s++) { /* groups are the same at all ranks: of each stage one is counted */
        struct ovl_events *e = &p->other.events;
        ovl_events_clear(e);
        if (p->strategy->build(&p->ask, s * p->ask.tensor, e, err) != 0)
            return -1;
        size_t groups = cut_groups(e, NULL), bulks = (size_t)e->bulks;
        chain = groups > chain ? groups : chain;
        bulk = bulks > bulk ? bulks : bulk;
    }
    p->plan = (struct ovl_app_plan){.ranks = p->ask.ranks,
                                    .slots = OVL_TRAIN_SLOTS,
                                    .work_alone = true,
                                    .groups = {chain, bulk},
                                    .of = &p->self,
                                    .group = group_of};
    return 0;
}

void ovl_train_plan_close(struct ovl_train_plan *p)
{
    lane_close(&p->own);
    lane_close(&p->other);
    ovl_moe_counts_close(&p->counts);
}
