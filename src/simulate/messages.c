/* Messages of the operations that are under way, event by event. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "simulate/state.h"

#include <math.h>

static int node_of(const struct ovl_sim_play *p, int rank)
{
    return p->folded ? 0 : rank / p->machine->per_node;
}

struct ovl_sim_actor *ovl_sim_actor_of(const struct ovl_sim_play *p, int rank)
{
    const struct ovl_sim_machine *m = p->machine;
    bool by_workers = m->mover == OVL_SIM_BY_WORKERS;
    return &p->actor[by_workers ? node_of(p, rank) * m->workers + rank % m->per_node % m->workers : rank];
}

static struct ovl_sim_actor *actor_of(const struct ovl_sim_play *p, const struct ovl_sim_op *op, int member)
{
    return ovl_sim_actor_of(p, ovl_sim_member_rank(op, member));
}

/* Between nodes? `peer` is a number among all members. */
static bool is_remote(const struct ovl_sim_op *op, int member, int peer)
{
    return ovl_sim_node(&op->members, member) != ovl_sim_node(&op->members, peer);
}

/* At one time the nearer peer's goes first, so that no node is before another for its number. */
static void add(struct ovl_sim_play *p, double time, enum ovl_sim_kind kind, struct ovl_sim_op *op, int member,
                uint32_t step, uint32_t other)
{
    const struct ovl_sim_ranks *t = &op->members;
    int n = t->ranks, peer = t->rank[member].step[step].peer;
    ovl_sim_events_add(&p->events,
                       (struct ovl_sim_event){.time = time,
                                              .tie = (uint32_t)(t->turned ? peer ^ member : (peer - member + n) % n),
                                              .kind = kind,
                                              .op = op,
                                              .rank = member,
                                              .step = step,
                                              .other = other});
}

static void wait_for_call(struct ovl_sim_play *p, struct ovl_sim_actor *a, const struct ovl_sim_event *event)
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
    p->waiting[at] = (struct ovl_sim_waiting){*event, -1};
    if (a->first < 0)
        a->first = at;
    else
        p->waiting[a->last].next = at;
    a->last = at;
}

/* What a rank computes is longer by work of its core for messages. */
static void delay(struct ovl_sim_play *p, int rank, double seconds)
{
    if (p->player[rank].state == OVL_SIM_COMPUTES)
        p->player[rank].stolen += seconds;
}

/* An operation has ended at a rank: goes on with it where it waits for that. */
static void ended(struct ovl_sim_play *p, struct ovl_sim_op *op, int rank, double at)
{
    const struct ovl_sim_player *w = &p->player[rank];
    if (w->state == OVL_SIM_WAITS && w->waits_for == op)
        ovl_sim_events_add(&p->events, (struct ovl_sim_event){.time = at, .rank = rank, .kind = OVL_SIM_GO_ON});
}

/* Work at messages, which whoever computes on that core waits for. */
static void spend(struct ovl_sim_play *p, struct ovl_sim_actor *a, double seconds)
{
    a->busy += seconds;
    if (seconds > 0)
        a->worked = a->busy;
    if (a->core >= 0)
        delay(p, a->core, seconds);
}

static void step_ended(struct ovl_sim_rank *r, const struct ovl_sim_step *s)
{
    r->pending[s->round]--;
}

/* The receiver's member and step. */
static uint32_t receiving_of(const struct ovl_sim_op *op, int sender, const struct ovl_sim_step *s, int *receiver)
{
    int known_as;
    uint32_t tag = s->tag;
    *receiver = ovl_sim_receiver(&op->members, sender, s->peer, &known_as, &tag);
    return ovl_sim_receiving(&op->members.rank[*receiver], known_as, tag);
}

static bool asks(const struct ovl_sim_play *p, const struct ovl_sim_step *s)
{
    return s->bytes / s->times > p->machine->rates.eager;
}

/* The data leave their core now. Of those that did not ask that is the end for their sender, who has a copy. */
static void send_data(struct ovl_sim_play *p, struct ovl_sim_op *op, int member, uint32_t step, double now)
{
    const struct ovl_sim_step *s = &op->members.rank[member].step[step];
    int receiver;
    if (is_remote(op, member, s->peer)) {
        add(p, now, OVL_SIM_OUT, op, member, step, 0);
        return;
    }
    uint32_t to = receiving_of(op, member, s, &receiver);
    add(p, now, OVL_SIM_DATA, op, receiver, to, step);
    if (asks(p, s))
        add(p, now, OVL_SIM_SENT, op, member, step, to);
}

static double lag(const struct ovl_sim_play *p, const struct ovl_sim_op *op, int member, const struct ovl_sim_step *s)
{
    return is_remote(op, member, s->peer) ? s->times * p->machine->rates.latency : 0;
}

static double overhead(const struct ovl_sim_play *p, const struct ovl_sim_step *s)
{
    return s->times * p->machine->rates.overhead;
}

/* Seconds of a core for a message's bytes. */
static double carried(const struct ovl_sim_play *p, const struct ovl_sim_op *op, int member,
                      const struct ovl_sim_step *s, bool sends)
{
    const struct ovl_sim_rates *rates = &p->machine->rates;
    bool remote = is_remote(op, member, s->peer), combined = s->kind == OVL_STEP_REDUCE;
    double of_link = remote ? rates->carry : 0;
    double of_memory = !sends && (!remote || combined) ? rates->copy : 0; /* in a node one core copies, or combines */
    return (of_link + of_memory) * (double)s->bytes;
}

/* Bytes leave while others are still carried: the last one goes when all are. */
static void send_now(struct ovl_sim_play *p, struct ovl_sim_actor *a, struct ovl_sim_op *op, int member, uint32_t step)
{
    const struct ovl_sim_step *s = &op->members.rank[member].step[step];
    spend(p, a, overhead(p, s));
    double first = a->busy;
    spend(p, a, carried(p, op, member, s, true));
    send_data(p, op, member, step, fmax(first, a->busy - (double)s->bytes * p->machine->rates.byte));
}

/* Those that come are carried meanwhile, as far as the core has nothing else to do and is in a call. */
static void take(struct ovl_sim_play *p, struct ovl_sim_actor *a, const struct ovl_sim_event *e)
{
    const struct ovl_sim_step *s = &e->op->members.rank[e->rank].step[e->step];
    double cost = carried(p, e->op, e->rank, s, false);
    bool comes = is_remote(e->op, e->rank, s->peer); /* within a node it is there at once */
    double looked = a->busy;
    double comes_for = (double)s->bytes * fmax(p->machine->rates.byte, p->machine->rates.carry);
    a->busy = comes ? fmax(a->worked, e->time - fmin(cost, comes_for)) : looked;
    spend(p, a, cost);
    a->busy = fmax(a->busy, looked);
    spend(p, a, overhead(p, s));
}

static void begin_send(struct ovl_sim_play *p, struct ovl_sim_actor *a, struct ovl_sim_op *op, int member,
                       uint32_t step)
{
    struct ovl_sim_step *s = &op->members.rank[member].step[step];
    if (!asks(p, s)) {
        send_now(p, a, op, member, step);
        step_ended(&op->members.rank[member], s);
        return;
    }
    int receiver;
    uint32_t to = receiving_of(op, member, s, &receiver);
    spend(p, a, overhead(p, s));
    add(p, a->busy + lag(p, op, member, s), OVL_SIM_ASKED, op, receiver, to, step);
}

static void answer(struct ovl_sim_play *p, struct ovl_sim_actor *a, struct ovl_sim_op *op, int member, uint32_t step)
{
    const struct ovl_sim_step *s = &op->members.rank[member].step[step];
    spend(p, a, overhead(p, s));
    add(p, a->busy + lag(p, op, member, s), OVL_SIM_MAY, op, ovl_sim_sender(&op->members, s->peer), s->other, step);
}

static void begin_step(struct ovl_sim_play *p, struct ovl_sim_actor *a, struct ovl_sim_op *op, int member,
                       uint32_t step)
{
    struct ovl_sim_rank *r = &op->members.rank[member];
    struct ovl_sim_step *s = &r->step[step];
    switch (s->kind) {
    case OVL_STEP_SEND:
        begin_send(p, a, op, member, step);
        break;
    case OVL_STEP_RECV:
    case OVL_STEP_REDUCE:
        s->state |= OVL_SIM_BEGUN;
        if (s->state & OVL_SIM_HERE)
            step_ended(r, s);
        else if (s->state & OVL_SIM_ASKING)
            answer(p, a, op, member, step);
        break;
    default:
        spend(p, a, p->machine->rates.copy * (double)s->bytes);
        step_ended(r, s);
    }
}

/* Begins what may begin, round after round. */
static void go_on(struct ovl_sim_play *p, struct ovl_sim_actor *a, struct ovl_sim_op *op, int member)
{
    struct ovl_sim_rank *r = &op->members.rank[member];
    if (!r->posted)
        return;
    for (;; r->round++) {
        while (r->begun < r->steps && r->step[r->begun].first_round <= r->round)
            begin_step(p, a, op, member, r->begun++);
        if (r->round >= r->rounds || r->pending[r->round] > 0)
            break;
    }
    if (r->round == r->rounds && isnan(r->ended)) {
        r->ended = a->busy;
        ended(p, op, ovl_sim_member_rank(op, member), a->busy);
    }
}

void ovl_sim_begin(struct ovl_sim_play *p, struct ovl_sim_op *op, int member, double now)
{
    struct ovl_sim_actor *a = actor_of(p, op, member);
    a->busy = fmax(a->busy, now);
    op->members.rank[member].posted = true;
    go_on(p, a, op, member);
}

static void look_at(struct ovl_sim_play *p, struct ovl_sim_actor *a, const struct ovl_sim_event *e)
{
    struct ovl_sim_rank *r = &e->op->members.rank[e->rank];
    struct ovl_sim_step *s = &r->step[e->step];
    a->busy = fmax(a->busy, e->time);
    switch (e->kind) {
    case OVL_SIM_ASKED:
        s->other = e->other;
        s->state |= OVL_SIM_ASKING;
        if (s->state & OVL_SIM_BEGUN)
            answer(p, a, e->op, e->rank, e->step);
        return;
    case OVL_SIM_MAY:
        send_now(p, a, e->op, e->rank, e->step);
        return;
    case OVL_SIM_DATA:
        take(p, a, e);
        s->state |= OVL_SIM_HERE;
        if (s->state & OVL_SIM_BEGUN)
            step_ended(r, s);
        break;
    default:
        step_ended(r, s);
    }
    go_on(p, a, e->op, e->rank);
}

void ovl_sim_call(struct ovl_sim_play *p, int rank, double now)
{
    struct ovl_sim_actor *a = ovl_sim_actor_of(p, rank);
    a->busy = fmax(a->busy, now);
    while (a->first >= 0) {
        int at = a->first;
        struct ovl_sim_event event = p->waiting[at].event;
        a->first = p->waiting[at].next;
        p->waiting[at].next = p->unused;
        p->unused = at;
        look_at(p, a, &event);
    }
}

/* A message through a link, from `now` on: when its first byte goes, and its last. *link is the time till which the
   link would have been busy without its burst. */
static double pass(double *link, double now, double bytes, const struct ovl_sim_rates *rates, double *ends)
{
    *link = fmax(*link, now - rates->burst);
    double begins = fmax(*link, now);
    *link += bytes * rates->byte;
    *ends = fmax(*link, now);
    return begins;
}

void ovl_sim_happen(struct ovl_sim_play *p, const struct ovl_sim_event *e)
{
    const struct ovl_sim_rates *rates = &p->machine->rates;
    struct ovl_sim_op *op = e->op;
    struct ovl_sim_step *s = &op->members.rank[e->rank].step[e->step];
    double bytes = (double)s->bytes, begins, ends;
    int receiver;
    switch (e->kind) {
    case OVL_SIM_OUT:
        begins = pass(&p->out[node_of(p, ovl_sim_member_rank(op, e->rank))], e->time, bytes, rates, &ends);
        add(p, begins + s->times * rates->latency, OVL_SIM_IN, op, e->rank, e->step, 0);
        if (asks(p, s))
            add(p, ends, OVL_SIM_SENT, op, e->rank, e->step, 0);
        return;
    case OVL_SIM_IN: {
        uint32_t to = receiving_of(op, e->rank, s, &receiver);
        pass(&p->in[node_of(p, ovl_sim_member_rank(op, receiver))], e->time, bytes, rates, &ends);
        add(p, ends, OVL_SIM_DATA, op, receiver, to, e->step);
        return;
    }
    default: {
        struct ovl_sim_actor *a = actor_of(p, op, e->rank);
        if (e->time < a->until)
            wait_for_call(p, a, e);
        else
            look_at(p, a, e);
    }
    }
}
