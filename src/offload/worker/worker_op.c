/* An operation of one rank: its schedule, its rounds, its end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/worker_state.h"

#include <stdlib.h>

static struct ovl_coll_shape shape_of(const struct ovl_worker *w, const struct ovl_client *c,
                                      const struct ovl_worker_team *team, const struct ovl_command *k)
{
    bool counted = k->operation == OVL_IALLTOALLV || k->operation == OVL_IREDUCE_SCATTER;
    size_t n = (size_t)team->ranks;
    const int *args = counted ? ovl_cmdq_args(c->cmdq, k->slot) : NULL;
    return (struct ovl_coll_shape){
        .operation = k->operation,
        .rank = team->rank,
        .ranks = team->ranks,
        .root = k->root,
        .bytes = k->bytes,
        .element = ovl_dtype_bytes(k->dtype),
        .in_place = k->flags & OVL_COMMAND_IN_PLACE,
        .send_counts = args,
        .send_displs = args ? args + n : NULL,
        .recv_counts = args ? args + 2 * n : NULL,
        .recv_displs = args ? args + 3 * n : NULL,
        .node = team->node,
        .tuning = &w->plan.tuning,
    };
}

/* A kept schedule of that shape, or the room of the one that was not used for longest; NULL when all are in use. */
static struct ovl_cached_schedule *plan_for(struct ovl_worker_team *team, const struct ovl_coll_shape *s)
{
    struct ovl_cached_schedule *oldest = NULL;
    for (int i = 0; i < OVL_SCHEDULES; i++) {
        struct ovl_cached_schedule *p = &team->plans[i];
        if (p->used && p->operation == (int)s->operation && p->root == s->root && p->in_place == s->in_place &&
            p->bytes == s->bytes && p->element == s->element)
            return p;
        if (p->ops == 0 && (!oldest || p->used < oldest->used))
            oldest = p;
    }
    if (oldest) {
        ovl_schedule_free(oldest->schedule);
        *oldest = (struct ovl_cached_schedule){.schedule = ovl_schedule_make(s),
                                               .operation = (int)s->operation,
                                               .root = s->root,
                                               .in_place = s->in_place,
                                               .bytes = s->bytes,
                                               .element = s->element};
    }
    return oldest;
}

void ovl_worker_team_free(struct ovl_worker_team *team)
{
    if (!team)
        return;
    for (int i = 0; i < OVL_SCHEDULES; i++)
        ovl_schedule_free(team->plans[i].schedule);
    free(team->world_rank);
    free(team->node);
    free(team);
}

static void make_ready(struct ovl_worker *w, struct ovl_op *t)
{
    if (t->on_ready_list)
        return;
    t->on_ready_list = true;
    t->next = w->ready;
    w->ready = t;
}

static void link_task(struct ovl_worker *w, struct ovl_op *t)
{
    t->after = w->ops;
    if (w->ops)
        w->ops->before = t;
    w->ops = t;
    w->op_count++;
}

static void unlink_task(struct ovl_worker *w, struct ovl_op *t)
{
    if (t->before)
        t->before->after = t->after;
    else
        w->ops = t->after;
    if (t->after)
        t->after->before = t->before;
    w->op_count--;
}

static void free_task(struct ovl_op *t)
{
    if (t) {
        free(t->pending);
        free(t->temporary);
    }
    free(t);
}

void ovl_op_begin(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *command)
{
    struct ovl_worker_team *team = command->team < c->team_room ? c->teams[command->team] : NULL;
    if (!team || command->operation >= OVL_OPERATIONS) {
        ovl_worker_fail(w, "rank %d posted operation %u to team %u, which there is not", c->cmdq->rank,
                        command->operation, command->team);
        return;
    }
    struct ovl_coll_shape shape = shape_of(w, c, team, command);
    struct ovl_cached_schedule *plan = shape.recv_counts ? NULL : plan_for(team, &shape);
    struct ovl_schedule *schedule = plan ? plan->schedule : ovl_schedule_make(&shape);
    struct ovl_op *t = schedule ? calloc(1, sizeof *t + schedule->steps * sizeof t->req[0]) : NULL;
    if (t) {
        t->pending = malloc(((size_t)schedule->rounds + 1) * sizeof *t->pending);
        t->temporary = malloc(schedule->temporary + 1);
    }
    if (!t || !t->pending || !t->temporary) {
        free_task(t);
        if (!plan)
            ovl_schedule_free(schedule);
        ovl_worker_fail(w, "no memory for %s", ovl_operation_name(shape.operation));
        return;
    }
    if (plan) {
        plan->ops++;
        plan->used = ++team->uses;
    }
    for (int r = 0; r < schedule->rounds; r++)
        t->pending[r] = schedule->in_round[r];
    t->client = c;
    t->team = team;
    t->command = *command;
    t->plan = plan;
    t->schedule = schedule;
    t->sequence = team->sequence++;
    t->payload = ovl_schedule_payload(&shape);
    link_task(w, t);
    make_ready(w, t);
}

/* The end of a step, whoever did it. */
static void step_ended(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    struct ovl_op *op = t->op;
    t->done = true;
    if (--op->pending[t->step->round] == 0 && t->step->round == op->round)
        make_ready(w, op);
}

static void begin_step(struct ovl_worker *w, struct ovl_op *op, size_t i)
{
    struct ovl_p2p_req *t = &op->req[i];
    const struct ovl_step *s = t->step = &op->schedule->step[i];
    t->op = op;
    t->complete = step_ended;
    t->tag = -1;
    if (s->kind == OVL_STEP_COPY) {
        t->source = ovl_op_addr(op, s->from, &t->raddr);
        t->rank_mem = &op->client->rank_mem;
        ovl_p2p_copy(w, t);
        return;
    }
    t->worker = w->plan.peers[op->team->world_rank[s->peer]].worker;
    if (s->kind == OVL_STEP_SEND)
        ovl_p2p_send(w, t);
    else
        ovl_p2p_recv(w, t);
}

void ovl_op_drop(struct ovl_worker *w, struct ovl_op *t)
{
    unlink_task(w, t);
    if (t->plan)
        t->plan->ops--;
    else
        ovl_schedule_free((struct ovl_schedule *)t->schedule);
    free_task(t);
}

/* The host may look at its data as soon as it sees the slot. */
static void end_task(struct ovl_worker *w, struct ovl_op *t)
{
    struct ovl_cmdq *s = t->client->cmdq;
    atomic_store_explicit(&s->operations, atomic_load_explicit(&s->operations, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    atomic_store_explicit(&s->bytes, atomic_load_explicit(&s->bytes, memory_order_relaxed) + t->payload,
                          memory_order_relaxed);
    ovl_ep_put_flag(t->client->ep, &s->operations, sizeof s->operations + sizeof s->bytes);
    ovl_cmdq_complete(s, t->client->ep, t->command.slot, t->command.sequence, 0);
    ovl_op_drop(w, t);
}

/* The operation counts as listed meanwhile: steps that end at once must not list it again. */
static void advance(struct ovl_worker *w, struct ovl_op *t)
{
    const struct ovl_schedule *s = t->schedule;
    while (t->round < s->rounds && !w->failed) {
        while (t->begun < s->steps && s->step[t->begun].first_round <= t->round && !w->failed)
            begin_step(w, t, t->begun++);
        if (t->pending[t->round] > 0) {
            t->on_ready_list = false;
            return;
        }
        t->round++;
    }
    if (!w->failed)
        end_task(w, t);
}

int ovl_op_progress_all(struct ovl_worker *w)
{
    int n = 0;
    while (w->ready && !w->failed) {
        struct ovl_op *t = w->ready;
        w->ready = t->next;
        advance(w, t);
        n++;
    }
    return n;
}
