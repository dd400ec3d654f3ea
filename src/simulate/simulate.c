/* Playing the schedules of all ranks in time, event by event. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/simulate.h"
#include "simulate/event.h"
#include "simulate/ranks.h"

#include <math.h>
#include <stdlib.h>

/* Who works at messages: a rank in its calls, or a worker. */
struct actor {
    double busy;  /* until then */
    double until; /* a rank computes until then, and looks at nothing */
    uint64_t calls;
    int first, last; /* what waits for its next call, in `waiting`; -1: nothing */
};

struct waiting {
    struct ovl_sim_event event;
    int next;
};

struct play {
    const struct ovl_sim_job *job;
    struct ovl_sim_ranks ranks;
    struct ovl_sim_events events;
    struct actor *actor;
    double *out, *in; /* each node's link is free from then on */
    struct waiting *waiting;
    size_t waits, waits_room;
    int unused; /* of `waiting` */
};

static int node_of(const struct play *p, int rank)
{
    return p->ranks.folded ? 0 : rank / p->ranks.per_node;
}

static struct actor *actor_of(const struct play *p, int rank)
{
    int workers = p->job->workers;
    return &p->actor[workers ? node_of(p, rank) * workers + rank % p->ranks.per_node % workers : rank];
}

/* Between nodes? Both are played ranks' numbers of peers: those of a node that stands for all are of node 0. */
static bool is_remote(const struct play *p, int rank, int peer)
{
    return rank / p->ranks.per_node != peer / p->ranks.per_node;
}

/* At one time the nearer peer's goes first, so that no node is before another for its number. */
static void add(struct play *p, double time, enum ovl_sim_kind kind, int rank, uint32_t step, uint32_t other)
{
    int n = p->ranks.ranks, peer = kind == OVL_SIM_CALL ? rank : p->ranks.rank[rank].step[step].peer;
    ovl_sim_events_add(&p->events, (struct ovl_sim_event){.time = time,
                                                          .tie = (uint32_t)((peer - rank + n) % n),
                                                          .kind = kind,
                                                          .rank = rank,
                                                          .step = step,
                                                          .other = other});
}

static void wait_for_call(struct play *p, struct actor *a, const struct ovl_sim_event *event)
{
    int at = p->unused;
    if (at >= 0)
        p->unused = p->waiting[at].next;
    else {
        if (p->waits == p->waits_room) {
            p->waits_room = p->waits_room ? 2 * p->waits_room : 1024;
            p->waiting = ovl_grow(p->waiting, p->waits_room, sizeof *p->waiting);
        }
        at = (int)p->waits++;
    }
    p->waiting[at] = (struct waiting){*event, -1};
    if (a->first < 0)
        a->first = at;
    else
        p->waiting[a->last].next = at;
    a->last = at;
}

static void step_ended(struct ovl_sim_rank *r, const struct ovl_sim_step *s)
{
    r->pending[s->round]--;
}

/* The receiver's rank and step. */
static uint32_t receiving_of(const struct play *p, int sender, const struct ovl_sim_step *s, int *receiver)
{
    int known_as;
    *receiver = ovl_sim_receiver(&p->ranks, sender, s->peer, &known_as);
    return ovl_sim_receiving(&p->ranks.rank[*receiver], known_as, s->tag);
}

static bool asks(const struct play *p, const struct ovl_sim_step *s)
{
    return s->bytes > p->job->rates.eager;
}

/* The data leave their core now. Of those that did not ask that is the end for their sender, who has a copy. */
static void send_data(struct play *p, int rank, uint32_t step, double now)
{
    struct ovl_sim_rank *r = &p->ranks.rank[rank];
    const struct ovl_sim_step *s = &r->step[step];
    int receiver;
    if (is_remote(p, rank, s->peer)) {
        add(p, now, OVL_SIM_OUT, rank, step, 0);
        return;
    }
    uint32_t to = receiving_of(p, rank, s, &receiver);
    add(p, now, OVL_SIM_DATA, receiver, to, step);
    if (asks(p, s))
        add(p, now, OVL_SIM_SENT, rank, step, to);
}

static double lag(const struct play *p, int rank, int peer)
{
    return is_remote(p, rank, peer) ? p->job->rates.latency : 0;
}

static double message_cost(const struct play *p, int rank, const struct ovl_sim_step *s, bool sends)
{
    const struct ovl_sim_rates *rates = &p->job->rates;
    int remote = is_remote(p, rank, s->peer), combined = s->kind == OVL_STEP_REDUCE;
    double touched = sends ? remote : remote && combined ? 2 : 1; /* within a node one core copies, or combines */
    return rates->overhead + touched * rates->carry * (double)s->bytes;
}

static void begin_send(struct play *p, struct actor *a, int rank, uint32_t step)
{
    struct ovl_sim_step *s = &p->ranks.rank[rank].step[step];
    if (!asks(p, s)) {
        a->busy += message_cost(p, rank, s, true);
        send_data(p, rank, step, a->busy);
        step_ended(&p->ranks.rank[rank], s);
        return;
    }
    int receiver;
    uint32_t to = receiving_of(p, rank, s, &receiver);
    a->busy += p->job->rates.overhead;
    add(p, a->busy + lag(p, rank, s->peer), OVL_SIM_ASKED, receiver, to, step);
}

static void answer(struct play *p, struct actor *a, int rank, uint32_t step)
{
    const struct ovl_sim_step *s = &p->ranks.rank[rank].step[step];
    a->busy += p->job->rates.overhead;
    add(p, a->busy + lag(p, rank, s->peer), OVL_SIM_MAY, ovl_sim_sender(&p->ranks, s->peer), s->other, step);
}

static void begin_step(struct play *p, struct actor *a, int rank, uint32_t step)
{
    struct ovl_sim_rank *r = &p->ranks.rank[rank];
    struct ovl_sim_step *s = &r->step[step];
    switch (s->kind) {
    case OVL_STEP_SEND:
        begin_send(p, a, rank, step);
        break;
    case OVL_STEP_RECV:
    case OVL_STEP_REDUCE:
        s->state |= OVL_SIM_BEGUN;
        if (s->state & OVL_SIM_HERE)
            step_ended(r, s);
        else if (s->state & OVL_SIM_ASKING)
            answer(p, a, rank, step);
        break;
    default:
        a->busy += p->job->rates.carry * (double)s->bytes;
        step_ended(r, s);
    }
}

/* Begins what may begin, round after round. */
static void go_on(struct play *p, struct actor *a, int rank)
{
    struct ovl_sim_rank *r = &p->ranks.rank[rank];
    for (;; r->round++) {
        while (r->begun < r->steps && r->step[r->begun].first_round <= r->round)
            begin_step(p, a, rank, r->begun++);
        if (r->round >= r->rounds || r->pending[r->round] > 0)
            break;
    }
    if (r->round == r->rounds && isnan(r->ended))
        r->ended = a->busy;
}

static void look_at(struct play *p, struct actor *a, const struct ovl_sim_event *e)
{
    struct ovl_sim_rank *r = &p->ranks.rank[e->rank];
    struct ovl_sim_step *s = &r->step[e->step];
    a->busy = fmax(a->busy, e->time);
    switch (e->kind) {
    case OVL_SIM_ASKED:
        s->other = e->other;
        s->state |= OVL_SIM_ASKING;
        if (s->state & OVL_SIM_BEGUN)
            answer(p, a, e->rank, e->step);
        return;
    case OVL_SIM_MAY:
        a->busy += message_cost(p, e->rank, s, true);
        send_data(p, e->rank, e->step, a->busy);
        return;
    case OVL_SIM_DATA:
        a->busy += message_cost(p, e->rank, s, false);
        s->state |= OVL_SIM_HERE;
        if (s->state & OVL_SIM_BEGUN)
            step_ended(r, s);
        break;
    default:
        step_ended(r, s);
    }
    go_on(p, a, e->rank);
}

/* The next piece of the work, of which there is one more than calls; after the last the rank waits. */
static void compute(struct play *p, struct actor *a, int rank)
{
    double piece = p->job->work / (double)(p->job->tests + 1);
    a->until = a->busy + piece;
    add(p, a->until, OVL_SIM_CALL, rank, 0, 0);
}

static void call(struct play *p, struct actor *a, int rank, double now)
{
    a->busy = fmax(a->busy, now);
    while (a->first >= 0) {
        int at = a->first;
        struct ovl_sim_event event = p->waiting[at].event;
        a->first = p->waiting[at].next;
        p->waiting[at].next = p->unused;
        p->unused = at;
        look_at(p, a, &event);
    }
    if (a->calls-- > 0)
        compute(p, a, rank);
    else
        a->until = -INFINITY;
}

static void happen(struct play *p, const struct ovl_sim_event *e)
{
    struct actor *a = actor_of(p, e->rank);
    if (e->kind == OVL_SIM_CALL) { /* of a rank, which may have no step */
        call(p, a, e->rank, e->time);
        return;
    }
    struct ovl_sim_step *s = &p->ranks.rank[e->rank].step[e->step];
    double *link, bytes = (double)s->bytes;
    int receiver;
    switch (e->kind) {
    case OVL_SIM_OUT:
        link = &p->out[node_of(p, e->rank)];
        *link = fmax(*link, e->time);
        add(p, *link + p->job->rates.latency, OVL_SIM_IN, e->rank, e->step, 0);
        *link += bytes * p->job->rates.byte;
        if (asks(p, s))
            add(p, *link, OVL_SIM_SENT, e->rank, e->step, 0);
        return;
    case OVL_SIM_IN: {
        uint32_t to = receiving_of(p, e->rank, s, &receiver);
        link = &p->in[node_of(p, receiver)];
        *link = fmax(*link, e->time) + bytes * p->job->rates.byte;
        add(p, *link, OVL_SIM_DATA, receiver, to, e->step);
        return;
    }
    default:
        if (e->time < a->until)
            wait_for_call(p, a, e);
        else
            look_at(p, a, e);
    }
}

/* All post at the same time. */
static void begin(struct play *p)
{
    bool alone = p->job->workers == 0;
    for (int r = 0; r < p->ranks.count; r++) {
        struct actor *a = actor_of(p, r);
        a->calls = p->job->tests;
        go_on(p, a, r);
        if (alone && p->job->work > 0)
            compute(p, a, r);
    }
}

/* When the last rank has done both. A rank that moved messages itself has computed when it waits. */
static double end_of(const struct play *p)
{
    double last = p->job->work;
    for (int r = 0; r < p->ranks.count; r++) {
        last = fmax(last, p->ranks.rank[r].ended);
        if (p->job->workers == 0)
            last = fmax(last, p->actor[r].busy);
    }
    return last;
}

static int stuck(const struct play *p, struct ovl_error *err)
{
    for (int r = 0; r < p->ranks.count; r++)
        if (isnan(p->ranks.rank[r].ended))
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "the simulation of %s does not come to an end at rank %d: please report it",
                                 ovl_operations[p->job->shape.operation].name, r);
    return 0;
}

int ovl_sim_run(const struct ovl_sim_job *job, struct ovl_sim_result *result, struct ovl_error *err)
{
    struct play p = {.job = job, .unused = -1};
    int rc = ovl_sim_ranks_make(&p.ranks, job, err);
    if (rc == 0) {
        int nodes = p.ranks.folded ? 1 : p.ranks.nodes;
        size_t actors = (size_t)(job->workers ? nodes * job->workers : p.ranks.count);
        p.actor = ovl_alloc(actors, sizeof *p.actor);
        for (size_t i = 0; i < actors; i++)
            p.actor[i] = (struct actor){.until = -INFINITY, .first = -1};
        p.out = ovl_alloc(2 * (size_t)nodes, sizeof *p.out);
        p.in = p.out + nodes;
        begin(&p);
        while (p.events.count > 0) {
            struct ovl_sim_event event = ovl_sim_events_take(&p.events);
            happen(&p, &event);
        }
        rc = stuck(&p, err);
        *result = (struct ovl_sim_result){
            .seconds = end_of(&p),
            .messages = p.ranks.messages,
            .folded = p.ranks.folded,
            .memory = p.ranks.memory + p.events.room * sizeof *p.events.event + p.waits_room * sizeof *p.waiting +
                      actors * sizeof *p.actor + 2 * (size_t)nodes * sizeof *p.out,
        };
    }
    ovl_sim_ranks_free(&p.ranks);
    ovl_sim_events_free(&p.events);
    free(p.actor);
    free(p.out);
    free(p.waiting);
    return rc;
}
