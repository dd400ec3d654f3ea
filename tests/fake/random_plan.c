/* Random plans of a few ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/random_plan.h"

#include <math.h>
#include <string.h>

static int below(struct ovl_rng *rng, int n)
{
    return (int)ovl_rng_below(rng, (uint32_t)n);
}

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct random_list *list = &((const struct random_plan *)of)->lists[rank][lane];
    int n = 0;
    for (int i = 0; i < list->count; i++)
        if (list->group[i] == group)
            steps[n++] = list->steps[i];
    return n;
}

/* One rank's plan while it is made: a step of a lane opens a new group now and then. */
struct maker {
    struct random_plan *p;
    struct ovl_rng *rng;
    int rank;
    bool buffers, bulk;
    size_t groups[OVL_LANES];         /* begun */
    int held[RANDOM_PLAN_SLOTS];      /* 1 and more: since that many posts; 0: free */
    int buffer_of[RANDOM_PLAN_SLOTS]; /* that the slot's operation writes */
    int posts;
};

/* A buffer that no operation holds; 0 without. */
static int free_buffer(struct maker *m)
{
    int buffer = m->buffers ? below(m->rng, RANDOM_PLAN_BUFFERS + 1) : 0;
    for (int s = 0; s < RANDOM_PLAN_SLOTS; s++)
        if (m->held[s] && m->buffer_of[s] == buffer)
            return 0;
    return buffer;
}

static void add(struct maker *m, enum ovl_app_lane lane, struct ovl_app_step step)
{
    struct random_list *list = &m->p->lists[m->rank][lane];
    enum ovl_app_lane other = 1 - lane;
    if (m->groups[lane] == 0 || below(m->rng, 3) == 0)
        m->groups[lane]++;
    /* a group of the other lane that is still open may get steps later: only those before it */
    if (m->bulk && m->groups[other] > 1 && below(m->rng, 2))
        step.after = (size_t)below(m->rng, (int)m->groups[other]);
    list->group[list->count] = m->groups[lane] - 1;
    list->steps[list->count++] = step;
}

/* Buffers of the bulk are its own, so that their order does not matter. */
static void add_compute(struct maker *m)
{
    bool bulk = m->bulk && below(m->rng, 2);
    struct ovl_app_step step = {
        .kind = OVL_APP_COMPUTE, .mark = -1, .units = 1 + below(m->rng, 3), .what = below(m->rng, 4)};
    int buffer = free_buffer(m);
    step.read = bulk ? 2 * RANDOM_PLAN_BUFFERS : buffer;
    step.write = bulk || below(m->rng, 2) ? 0 : buffer;
    add(m, bulk ? OVL_LANE_BULK : OVL_LANE_CHAIN, step);
}

static void add_wait(struct maker *m, int slot)
{
    m->held[slot] = 0;
    add(m, OVL_LANE_CHAIN, (struct ovl_app_step){.kind = OVL_APP_WAIT, .mark = -1, .slot = slot});
}

/* A free slot, where the oldest operation is waited for if there is none. */
static int take_slot(struct maker *m)
{
    int oldest = 0;
    for (int s = 0; s < RANDOM_PLAN_SLOTS; s++) {
        if (!m->held[s])
            return s;
        if (m->held[s] < m->held[oldest])
            oldest = s;
    }
    add_wait(m, oldest);
    return oldest;
}

static void add_operation(struct maker *m, struct ovl_app_step step)
{
    if (step.kind == OVL_APP_POST)
        step.slot = take_slot(m);
    step.write = free_buffer(m);
    add(m, OVL_LANE_CHAIN, step);
    if (step.kind == OVL_APP_POST) {
        m->held[step.slot] = ++m->posts;
        m->buffer_of[step.slot] = step.write;
    }
}

/* One operation in the order of all; `members` is a bit per rank. Bytes cross the link only where members are on other
   nodes. */
struct operation {
    struct ovl_app_step step;
    unsigned members;
};

static struct operation draw(const struct random_plan *p, struct ovl_rng *rng, const unsigned *teams, int count)
{
    static const enum ovl_app_needs needs[] = {OVL_NEEDS_ALL, OVL_NEEDS_ALL, OVL_NEEDS_ROOT, OVL_NEEDS_AT_ROOT,
                                               OVL_NEEDS_NOBODY};
    struct operation o = {.step = {.kind = below(rng, 4) ? OVL_APP_POST : OVL_APP_SYNC, .mark = -1}};
    o.step.team = below(rng, count);
    o.members = teams[o.step.team];
    o.step.ranks = __builtin_popcount(o.members);
    o.step.needs = needs[below(rng, 5)];
    o.step.what = below(rng, 4);
    do
        o.step.root = below(rng, p->plan.ranks);
    while (!(o.members >> o.step.root & 1));
    return o;
}

/* Each member that sends has a piece of `what` bytes for each that gets. */
static void cross(const struct random_plan *p, struct operation *o, int rank)
{
    const struct ovl_app_op op = {.needs = o->step.needs, .root = o->step.root};
    o->step.in = o->step.out = 0;
    for (int r = 0; r < p->plan.ranks; r++) {
        if (!(o->members >> r & 1) || p->node[r] == p->node[rank])
            continue;
        o->step.in += ovl_app_gets(&op, rank) && ovl_app_sends(&op, r) ? o->step.what : 0;
        o->step.out += ovl_app_sends(&op, rank) && ovl_app_gets(&op, r) ? o->step.what : 0;
    }
}

static void make_machine(struct random_plan *p, struct ovl_rng *rng)
{
    int nodes = 1 + below(rng, p->plan.ranks);
    for (int r = 0; r < p->plan.ranks; r++)
        p->node[r] = r < nodes ? r : below(rng, nodes);
    p->machine = (struct ovl_app_machine){
        .nodes = nodes, .node = p->node, .rate = 1, .carry = below(rng, 2) ? 0.5 : NAN, .cores = 1 + below(rng, 2)};
}

void random_plan_make(struct random_plan *p, struct ovl_rng *rng, int ranks, int operations, bool buffers, bool bulk)
{
    enum { TEAMS = 3 };
    struct maker makers[RANDOM_PLAN_RANKS];
    unsigned teams[TEAMS];
    memset(p, 0, sizeof *p);
    memset(makers, 0, sizeof makers);
    p->plan = (struct ovl_app_plan){.ranks = ranks, .slots = RANDOM_PLAN_SLOTS, .of = p, .group = group_of};
    make_machine(p, rng);
    for (int t = 0; t < TEAMS; t++)
        teams[t] = t == 0 ? (1u << ranks) - 1 : 1u + (unsigned)below(rng, (1 << ranks) - 1);
    for (int r = 0; r < ranks; r++)
        makers[r] = (struct maker){.p = p, .rng = rng, .rank = r, .buffers = buffers, .bulk = bulk};
    for (int i = 0; i <= operations; i++) {
        struct operation o = draw(p, rng, teams, TEAMS);
        for (int r = 0; r < ranks; r++) {
            struct maker *m = &makers[r];
            for (int c = below(rng, 3); c > 0; c--)
                add_compute(m);
            for (int s = 0; s < RANDOM_PLAN_SLOTS; s++)
                if (m->held[s] && (i == operations || below(rng, 3) == 0))
                    add_wait(m, s);
            if (i == operations || !(o.members >> r & 1))
                continue;
            cross(p, &o, r);
            add_operation(m, o.step);
        }
    }
    for (int r = 0; r < ranks; r++)
        for (int lane = 0; lane < OVL_LANES; lane++)
            if (makers[r].groups[lane] > p->plan.groups[lane])
                p->plan.groups[lane] = makers[r].groups[lane];
}

static void swap(struct ovl_app_step *a, struct ovl_app_step *b)
{
    struct ovl_app_step t = *a;
    *a = *b;
    *b = t;
}

void random_plan_spoil(struct random_plan *p, struct ovl_rng *rng)
{
    struct random_list *list = &p->lists[below(rng, p->plan.ranks)][below(rng, OVL_LANES)];
    if (list->count < 2)
        return;
    struct ovl_app_step *t = &list->steps[below(rng, list->count)];
    switch (below(rng, 9)) {
    case 0:
        swap(t, &list->steps[below(rng, list->count)]);
        break;
    case 1:
        *t = list->steps[--list->count];
        break;
    case 2:
        t->slot = below(rng, RANDOM_PLAN_SLOTS + 1);
        break;
    case 3:
        t->after = (size_t)below(rng, 4);
        break;
    case 4:
        t->write = below(rng, 2 * RANDOM_PLAN_BUFFERS + 1);
        break;
    case 5:
        t->read = below(rng, 2 * RANDOM_PLAN_BUFFERS + 1);
        t->buffers = below(rng, 4);
        break;
    case 6:
        t->root = below(rng, p->plan.ranks);
        break;
    case 7:
        t->kind = (enum ovl_app_kind)below(rng, 4);
        break;
    default:
        t->needs = (enum ovl_app_needs)below(rng, 4);
        t->what = below(rng, 3);
    }
}

void random_plan_seconds(const struct ovl_app_steps *s, struct ovl_rng *rng, int most, double *seconds)
{
    for (int r = 0; r < s->ranks; r++)
        for (int lane = 0; lane < OVL_LANES; lane++) {
            const struct ovl_app_list *list = ovl_app_list(s, r, (enum ovl_app_lane)lane);
            for (size_t i = 0; i < list->count; i++)
                seconds[list->first + i] = list->steps[i].kind == OVL_APP_POST ? 0 : below(rng, most + 1);
        }
}
