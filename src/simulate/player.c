/* A rank's lanes in time, as plan/run.c plays them by a clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/operation.h"
#include "simulate/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *ovl_sim_clock(struct ovl_sim_play *p, int rank)
{
    return p->machine->mover == OVL_SIM_BY_CALLS ? &ovl_sim_actor_of(p, rank)->busy : &p->player[rank].now;
}

static void add_go_on(struct ovl_sim_play *p, int rank, double time)
{
    ovl_sim_events_add(&p->events, (struct ovl_sim_event){.time = time, .rank = rank, .kind = OVL_SIM_GO_ON});
}

void ovl_sim_load(struct ovl_sim_play *p, int rank, enum ovl_app_lane lane)
{
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    const struct ovl_app_plan *plan = p->program->plan;
    struct ovl_sim_lane *l = &p->player[rank].lane[lane];
    l->at = 0;
    l->count = l->group < plan->groups[lane] ? plan->group(plan->of, rank, lane, l->group, steps) : 0;
    if (l->count > l->room) {
        l->room = l->count;
        l->steps = ovl_grow(l->steps, (size_t)l->room, sizeof *l->steps);
    }
    if (l->count > 0)
        memcpy(l->steps, steps, (size_t)l->count * sizeof *steps);
}

static const struct ovl_app_step *present(struct ovl_sim_play *p, int rank, enum ovl_app_lane lane)
{
    struct ovl_sim_lane *l = &p->player[rank].lane[lane];
    while (l->at == l->count && l->group < p->program->plan->groups[lane]) {
        l->group++;
        ovl_sim_load(p, rank, lane);
    }
    return l->at < l->count ? &l->steps[l->at] : NULL;
}

/* The next step of a lane, where its gate is open. */
static const struct ovl_app_step *ready(struct ovl_sim_play *p, int rank, enum ovl_app_lane lane)
{
    const struct ovl_app_step *t = present(p, rank, lane);
    present(p, rank, 1 - lane);
    return t && t->after <= p->player[rank].lane[1 - lane].group ? t : NULL;
}

static void next(struct ovl_sim_player *w, enum ovl_app_lane lane)
{
    w->lane[lane].at++;
    w->lane[lane].unit = 0;
}

static size_t turn_of(struct ovl_sim_player *w, int team)
{
    int i = 0;
    while (i < w->team_count && w->teams[i].team != team)
        i++;
    if (i == w->team_count) {
        w->teams = ovl_grow(w->teams, (size_t)++w->team_count, sizeof *w->teams);
        w->teams[i] = (struct ovl_sim_turn){.team = team};
    }
    return w->teams[i].posted++;
}

static int op_make(struct ovl_sim_play *p, int rank, const struct ovl_app_step *t, size_t place, struct ovl_error *err)
{
    struct ovl_sim_operation o = p->program->operation(p->program->of, rank, t);
    o.ring_rounds = p->machine->ring_rounds;
    struct ovl_sim_op *op = ovl_alloc(1, sizeof *op);
    const struct ovl_sim_guess *guess = p->folded ? ovl_sim_guess(p, &o, true, err) : NULL;
    int rc = p->folded && !guess ? -1
                                 : ovl_sim_ranks_make(&op->members, &o, p->machine->per_node,
                                                      guess ? guess->alike : OVL_SIM_UNLIKE, err);
    ovl_sim_shape_free(&o.shape);
    op->team = t->team;
    op->place = place;
    op->left = op->members.count;
    op->next = p->team[t->team];
    p->team[t->team] = op;
    p->memory += op->members.memory;
    p->memory_most = p->memory > p->memory_most ? p->memory : p->memory_most;
    p->messages += op->members.messages;
    return rc;
}

void ovl_sim_op_free(struct ovl_sim_play *p, struct ovl_sim_op *op)
{
    struct ovl_sim_op **at = &p->team[op->team];
    while (*at != op)
        at = &(*at)->next;
    *at = op->next;
    p->memory -= op->members.memory;
    ovl_sim_ranks_free(&op->members);
    free(op);
}

/* Posts it; *op stays NULL where nothing has to move. */
static int post(struct ovl_sim_play *p, int rank, const struct ovl_app_step *t, struct ovl_sim_op **op,
                struct ovl_error *err)
{
    *op = NULL;
    if (t->needs == OVL_NEEDS_NOBODY)
        return 0;
    if (t->team >= p->teams) {
        p->team = ovl_grow(p->team, 2 * (size_t)t->team + 1, sizeof *p->team);
        memset(p->team + p->teams, 0, (2 * (size_t)t->team + 1 - (size_t)p->teams) * sizeof *p->team);
        p->teams = 2 * t->team + 1;
    }
    size_t place = turn_of(&p->player[rank], t->team);
    struct ovl_sim_op *found = p->team[t->team];
    while (found && found->place != place)
        found = found->next;
    if (!found) {
        if (op_make(p, rank, t, place, err) != 0)
            return -1;
        found = p->team[t->team];
    }
    *op = found;
    p->player[rank].outstanding++;
    ovl_sim_begin(p, found, (rank - found->members.first) / found->members.stride, *ovl_sim_clock(p, rank));
    return 0;
}

static double end_of(const struct ovl_sim_op *op, int rank)
{
    return op->members.rank[(rank - op->members.first) / op->members.stride].ended;
}

/* A call that waits or tests: has it ended? Then it is let go. */
static bool call(struct ovl_sim_play *p, int rank, struct ovl_sim_op *op)
{
    struct ovl_sim_player *w = &p->player[rank];
    double *now = ovl_sim_clock(p, rank);
    if (!op)
        return true;
    if (p->machine->mover == OVL_SIM_BY_CALLS)
        ovl_sim_call(p, rank, *now);
    double end = end_of(op, rank);
    if (isnan(end) || end > *now)
        return false;
    w->outstanding--;
    if (--op->left == 0)
        ovl_sim_op_free(p, op);
    return true;
}

static void wait(struct ovl_sim_play *p, int rank, struct ovl_sim_op *op)
{
    struct ovl_sim_player *w = &p->player[rank];
    w->state = OVL_SIM_WAITS;
    w->waits_for = op;
    if (!isnan(end_of(op, rank)))
        add_go_on(p, rank, end_of(op, rank));
}

/* Units of a step up to `to`. Whoever works at messages on the same core goes on with that first. */
static void compute(struct ovl_sim_play *p, int rank, enum ovl_app_lane lane, const struct ovl_app_step *t, int to)
{
    struct ovl_sim_player *w = &p->player[rank];
    struct ovl_sim_lane *l = &w->lane[lane];
    struct ovl_sim_actor *a = ovl_sim_actor_of(p, rank);
    bool polls = p->program->polls && w->outstanding > 0;
    double now = *ovl_sim_clock(p, rank);
    w->state = OVL_SIM_COMPUTES;
    w->computes = lane;
    w->to = polls && l->unit + 1 < to ? l->unit + 1 : to;
    double seconds = p->program->seconds(p->program->of, rank, t) * (w->to - l->unit) / t->units;
    w->work += seconds;
    w->until = now + seconds;
    w->stolen = a->core == rank && a->busy > now ? a->busy - now : 0;
    if (p->machine->mover == OVL_SIM_BY_CALLS)
        a->until = w->until;
    add_go_on(p, rank, w->until);
}

static bool left_out(const struct ovl_sim_play *p, const struct ovl_app_step *t)
{
    return t->kind == OVL_APP_COMPUTE ? p->program->mask == OVL_MASK_COMM : p->program->mask == OVL_MASK_WORK;
}

/* A step other than COMPUTE. 1 when it is done, 0 where it has to wait, -1. */
static int communicate(struct ovl_sim_play *p, int rank, const struct ovl_app_step *t, struct ovl_error *err)
{
    struct ovl_sim_player *w = &p->player[rank];
    if (t->kind == OVL_APP_POST)
        return post(p, rank, t, &w->slot[t->slot], err) == 0 ? 1 : -1;
    if (t->kind == OVL_APP_SYNC && !w->synced && post(p, rank, t, &w->sync, err) != 0)
        return -1;
    w->synced = t->kind == OVL_APP_SYNC;
    if (!call(p, rank, w->synced ? w->sync : w->slot[t->slot]))
        return 0;
    w->synced = false;
    return 1;
}

/* Goes on until it computes, waits or has done all. */
int ovl_sim_advance(struct ovl_sim_play *p, int rank, struct ovl_error *err)
{
    struct ovl_sim_player *w = &p->player[rank];
    w->state = OVL_SIM_RUNS;
    for (;;) {
        const struct ovl_app_step *c = ready(p, rank, OVL_LANE_CHAIN), *b = ready(p, rank, OVL_LANE_BULK);
        enum ovl_app_lane lane = c && !(w->synced && b && b->kind == OVL_APP_SYNC && c->kind != OVL_APP_SYNC)
                                     ? OVL_LANE_CHAIN
                                     : OVL_LANE_BULK;
        const struct ovl_app_step *t = lane == OVL_LANE_CHAIN ? c : b;
        bool fills = lane == OVL_LANE_CHAIN && b && p->program->mask != OVL_MASK_COMM;
        if (!t) {
            w->state = OVL_SIM_DONE;
            return 0;
        }
        int done = left_out(p, t) ? 1 : t->kind == OVL_APP_COMPUTE ? 0 : communicate(p, rank, t, err);
        if (done < 0)
            return -1;
        if (done > 0) {
            next(w, lane);
            continue;
        }
        if (t->kind == OVL_APP_COMPUTE) {
            compute(p, rank, lane, t, t->units);
            return 0;
        }
        if (t->kind == OVL_APP_SYNC || !fills) {
            wait(p, rank, w->synced ? w->sync : w->slot[t->slot]);
            return 0;
        }
        if (left_out(p, b))
            next(w, OVL_LANE_BULK);
        else if (b->kind == OVL_APP_COMPUTE) {
            compute(p, rank, OVL_LANE_BULK, b, w->lane[OVL_LANE_BULK].unit + 1);
            return 0;
        } else if ((done = communicate(p, rank, b, err)) < 0)
            return -1;
        else if (done > 0)
            next(w, OVL_LANE_BULK);
        else {
            wait(p, rank, w->sync);
            return 0;
        }
    }
}

int ovl_sim_go_on(struct ovl_sim_play *p, int rank, double now, struct ovl_error *err)
{
    struct ovl_sim_player *w = &p->player[rank];
    double *clock = ovl_sim_clock(p, rank);
    if (w->state == OVL_SIM_COMPUTES && w->stolen > 0) {
        w->until = now + w->stolen;
        w->stolen = 0;
        add_go_on(p, rank, w->until);
        return 0;
    }
    *clock = fmax(*clock, now);
    if (w->state == OVL_SIM_COMPUTES) {
        struct ovl_sim_lane *l = &w->lane[w->computes];
        l->unit = w->to;
        struct ovl_sim_actor *a = ovl_sim_actor_of(p, rank);
        a->until = -INFINITY;
        if (p->machine->mover == OVL_SIM_BY_CALLS)
            a->worked = now;
        if (l->unit == l->steps[l->at].units)
            next(w, w->computes);
        else if (p->program->polls && p->machine->mover == OVL_SIM_BY_CALLS)
            ovl_sim_call(p, rank, now);
    }
    return w->state == OVL_SIM_DONE ? 0 : ovl_sim_advance(p, rank, err);
}
