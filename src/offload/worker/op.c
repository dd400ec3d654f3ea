/* An operation of one rank: its schedule, its rounds, its end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/algorithm.h"
#include "offload/coll/packed.h"
#include "offload/worker/state.h"

#include <stdlib.h>

static struct ovl_coll_shape shape_of(const struct ovl_worker *w, const struct ovl_client *c,
                                      const struct ovl_worker_team *team, const struct ovl_command *k)
{
    const struct ovl_operation_row *row = &ovl_operations[k->operation];
    bool pair = k->operation == OVL_ISENDRECV, counted = row->lists && (!row->rooted || team->rank == k->root);
    size_t n = (size_t)team->ranks;
    const int *args = counted ? ovl_cmdq_args(c->cmdq, k) : NULL;
    return (struct ovl_coll_shape){
        .operation = k->operation,
        .algorithm = k->algorithm ? &ovl_algorithms[k->algorithm - 1] : NULL,
        .rank = team->rank,
        .ranks = team->ranks,
        .root = pair ? 0 : k->root,
        .to = pair ? k->root : -1,
        .from = pair ? k->from : -1,
        .bytes = k->bytes,
        .recv_bytes = k->rank,
        .element = ovl_dtype_bytes(k->dtype),
        .bound = k->operation == OVL_IALLREDUCE_SZX ? ovl_packed_bound(k->rank) : 0,
        .in_place = k->flags & OVL_COMMAND_IN_PLACE,
        .send_counts = args,
        .send_displs = args ? args + n : NULL,
        .recv_counts = args ? args + 2 * n : NULL,
        .recv_displs = args ? args + 3 * n : NULL,
        .placement = &team->members->placement,
        .tuning = &w->config.tuning,
    };
}

static void make_ready(struct ovl_worker *w, struct ovl_op *t)
{
    if (t->on_ready_list)
        return;
    t->on_ready_list = true;
    t->next = w->ready;
    w->ready = t;
}

static void link_op(struct ovl_worker *w, struct ovl_op *t)
{
    t->after = w->ops;
    if (w->ops)
        w->ops->before = t;
    w->ops = t;
    w->op_count++;
    w->unbegun += t->schedule->steps > 0;
    t->team_after = t->team->ops;
    if (t->team_after)
        t->team_after->team_before = t;
    t->team->ops = t;
}

static void unlink_op(struct ovl_worker *w, struct ovl_op *t)
{
    if (t->before)
        t->before->after = t->after;
    else
        w->ops = t->after;
    if (t->after)
        t->after->before = t->before;
    if (t->team_before)
        t->team_before->team_after = t->team_after;
    else
        t->team->ops = t->team_after;
    if (t->team_after)
        t->team_after->team_before = t->team_before;
    w->op_count--;
    w->unbegun -= t->begun < t->schedule->steps;
}

static struct ovl_p2p_req *alloc_req(struct ovl_worker *w)
{
    struct ovl_p2p_req *t = w->free_reqs;
    if (t)
        w->free_reqs = t->next;
    else if (!(t = malloc(sizeof *t)))
        ovl_worker_fail(w, "no memory for messages under way");
    return t;
}

static void free_req(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->before)
        t->before->after = t->after;
    else
        t->op->reqs = t->after;
    if (t->after)
        t->after->before = t->before;
    t->next = w->free_reqs;
    w->free_reqs = t;
}

static void free_op(struct ovl_op *t)
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
    struct ovl_cached_schedule *cached = ovl_cache_acquire(w, team, &shape);
    const struct ovl_schedule *schedule = cached ? cached->schedule : NULL;
    struct ovl_op *t = schedule ? calloc(1, sizeof *t) : NULL;
    if (t) {
        t->pending = malloc(((size_t)schedule->rounds + 1) * sizeof *t->pending);
        t->temporary = malloc(schedule->temporary + 1);
    }
    if (!t || !t->pending || !t->temporary) {
        free_op(t);
        if (cached)
            ovl_cache_release(w, cached);
        ovl_worker_fail(w, "no memory for %s", ovl_operations[shape.operation].name);
        return;
    }
    for (int r = 0; r < schedule->rounds; r++)
        t->pending[r] = schedule->in_round[r];
    t->client = c;
    t->team = team;
    t->command = *command;
    t->cached = cached;
    t->schedule = schedule;
    t->sequence = team->sequence++;
    t->number = w->ops_begun++;
    t->payload = ovl_schedule_payload(&shape);
    t->whole = ovl_algorithm_measure(&shape);
    c->ops++;
    link_op(w, t);
    make_ready(w, t);
}

/* The end of a step, whoever did it. */
static void step_ended(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    struct ovl_op *op = t->op;
    int round = t->step->round;
    free_req(w, t);
    if (--op->pending[round] == 0 && round == op->round)
        make_ready(w, op);
}

/* A message that is a stream gets a step of its own, with the bytes that it has. */
static void measure(struct ovl_p2p_req *t)
{
    t->own = *t->step;
    t->own.bytes = ovl_packed_bytes(t->step, t->op->temporary);
    t->step = &t->own;
}

/* The rank has copied its own block before it posted. */
static bool is_done(const struct ovl_op *op, const struct ovl_step *s)
{
    return s->kind == OVL_STEP_COPY && op->command.flags & OVL_COMMAND_OWN && s->from.buffer == OVL_SEND_BUFFER &&
           s->to.buffer == OVL_RECV_BUFFER;
}

static void begin_step(struct ovl_worker *w, struct ovl_op *op, const struct ovl_step *s)
{
    struct ovl_p2p_req *t = alloc_req(w);
    if (!t)
        return;
    *t = (struct ovl_p2p_req){.complete = step_ended, .op = op, .step = s, .after = op->reqs, .tag = -1};
    if (op->reqs)
        op->reqs->before = t;
    op->reqs = t;
    if (s->kind == OVL_STEP_STRIDED) {
        ovl_step_strided(s, op->temporary);
        ovl_p2p_complete(w, t);
        return;
    }
    if (ovl_step_computes(s))
        ovl_step_packed(s, op->schedule->bound, op->temporary);
    if (ovl_step_computes(s) || is_done(op, s)) {
        ovl_p2p_complete(w, t);
        return;
    }
    if (s->kind == OVL_STEP_COPY) {
        ovl_p2p_copy(w, t);
        return;
    }
    if (s->sized)
        measure(t);
    t->worker = w->config.peers[op->team->world_rank[s->peer]].worker;
    if (s->kind == OVL_STEP_SEND)
        ovl_p2p_send(w, t);
    else
        ovl_p2p_recv(w, t);
}

void ovl_op_drop(struct ovl_worker *w, struct ovl_op *t)
{
    unlink_op(w, t);
    t->client->ops--;
    if (t->early > 0)
        ovl_p2p_forget(w, t);
    for (struct ovl_p2p_req *r = t->reqs, *next; r; r = next) {
        next = r->after;
        free(r->payload);
        free_req(w, r);
    }
    ovl_cache_release(w, t->cached);
    free_op(t);
}

/* The host may look at its data as soon as it sees the slot. */
static void end_op(struct ovl_worker *w, struct ovl_op *t)
{
    struct ovl_cmdq *s = t->client->cmdq;
    atomic_store_explicit(&s->operations, atomic_load_explicit(&s->operations, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    atomic_store_explicit(&s->bytes, atomic_load_explicit(&s->bytes, memory_order_relaxed) + t->payload,
                          memory_order_relaxed);
    ovl_ep_put_flag(t->client->ep, &s->operations, sizeof s->operations + sizeof s->bytes);
    ovl_worker_publish_high_water(w);
    ovl_client_complete(t->client, &t->command, 0);
    ovl_op_drop(w, t);
}

/* After some computation the operation lets others go on, and what has come meanwhile: it advances again in a later
   turn, the one that was posted first before the others. */
static void rest(struct ovl_worker *w, struct ovl_op *t)
{
    struct ovl_op **at = &w->resting;
    while (*at && (*at)->number <= t->number)
        at = &(*at)->next;
    t->next = *at;
    *at = t;
}

/* The operation counts as listed meanwhile: steps that end at once must not list it again. */
static void advance(struct ovl_worker *w, struct ovl_op *t)
{
    const struct ovl_schedule *s = t->schedule;
    while (t->round < s->rounds && !w->failed) {
        bool computed = false;
        while (t->begun < s->steps && s->step[t->begun].first_round <= t->round && !w->failed) {
            computed |= ovl_step_computes(&s->step[t->begun]);
            w->unbegun -= t->begun + 1 == s->steps;
            begin_step(w, t, &s->step[t->begun++]);
        }
        if (t->pending[t->round] > 0) {
            t->on_ready_list = false;
            return;
        }
        t->round++;
        if (computed) {
            rest(w, t);
            return;
        }
    }
    if (!w->failed)
        end_op(w, t);
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
    if (w->resting && !w->failed) { /* one of them, next time */
        w->ready = w->resting;
        w->resting = w->resting->next;
        w->ready->next = NULL;
    }
    return n;
}
