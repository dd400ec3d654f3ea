/* How long a plan takes in a model. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/plan_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rank {
    double now;
    size_t at[OVL_LANES];
    int units;   /* of the bulk's present step that are done */
    bool posted; /* the SYNC that the chain stands at */
};

struct model {
    const struct ovl_app_steps *s;
    const struct ovl_app_ops *ops;
    const struct ovl_app_machine *m;
    const double *seconds;
    struct rank *ranks;
    int *posts;      /* [ops]: of members that send */
    double *last;    /* [ops]: the latest of them */
    double **ends;   /* [ops][members], once all that send have posted; else NULL */
    double *link[2]; /* [nodes]: when it is free again; in, out */
};

static const struct ovl_app_step *next_step(const struct model *m, int rank, enum ovl_app_lane lane)
{
    const struct ovl_app_list *list = ovl_app_list(m->s, rank, lane), *other = ovl_app_list(m->s, rank, 1 - lane);
    const struct rank *r = &m->ranks[rank];
    if (r->at[lane] == list->count || list->steps[r->at[lane]].after > ovl_app_ended(other, r->at[1 - lane]))
        return NULL;
    return &list->steps[r->at[lane]];
}

/* The bytes of all members go when all have posted: out of their nodes, into their nodes; and the operation ends no
   earlier than it could without a link. */
static int carry(struct model *m, size_t number)
{
    const struct ovl_app_op *op = &m->ops->ops[number];
    m->ends[number] = malloc((size_t)op->count * sizeof **m->ends);
    if (!m->ends[number])
        return -1;
    double sent = m->last[number];
    for (int way = 1; way >= 0; way--)
        for (int i = 0; i < op->count; i++) {
            const struct ovl_app_member *o = &op->members[i];
            const struct ovl_app_list *list = ovl_app_list(m->s, o->rank, op->lane);
            const struct ovl_app_step *t = &list->steps[o->post];
            double *link = &m->link[way][m->m->node[o->rank]], bytes = way ? t->out : t->in;
            double end = m->last[number] + m->seconds[list->first + o->wait];
            if (bytes > 0)
                *link = fmax(*link, m->last[number]) + bytes / m->m->rate;
            if (way)
                sent = fmax(sent, bytes > 0 ? *link : 0);
            else
                m->ends[number][i] = fmax(fmax(end, sent), bytes > 0 ? *link : 0);
        }
    return 0;
}

static int post(struct model *m, int rank, size_t number)
{
    const struct ovl_app_op *op = &m->ops->ops[number];
    if (!ovl_app_sends(op, rank))
        return 0;
    m->last[number] = fmax(m->last[number], m->ranks[rank].now);
    int senders = op->needs == OVL_NEEDS_ROOT ? 1 : op->count;
    return ++m->posts[number] == senders ? carry(m, number) : 0;
}

/* When the operation ends at the rank; INFINITY while that is not known. */
static double end_at(const struct model *m, int rank, size_t number)
{
    const struct ovl_app_op *op = &m->ops->ops[number];
    if (!ovl_app_gets(op, rank))
        return 0;
    for (int i = 0; m->ends[number] && i < op->count; i++)
        if (op->members[i].rank == rank)
            return m->ends[number][i];
    return INFINITY;
}

/* One unit of bulk. A SYNC there is time and nothing else: who takes up which lane when is the runner's to agree. */
static void bulk_unit(struct model *m, int rank, const struct ovl_app_step *t)
{
    struct rank *r = &m->ranks[rank];
    r->now += m->seconds[ovl_app_list(m->s, rank, OVL_LANE_BULK)->first + r->at[OVL_LANE_BULK]] / t->units;
    if (++r->units >= t->units) {
        r->units = 0;
        r->at[OVL_LANE_BULK]++;
    }
}

/* The rank does one thing. *when: the time at which it can, INFINITY where it cannot; without `doing` that is all. */
static int turn(struct model *m, int rank, bool doing, double *when)
{
    struct rank *r = &m->ranks[rank];
    const struct ovl_app_list *chain = ovl_app_list(m->s, rank, OVL_LANE_CHAIN);
    const struct ovl_app_step *t = next_step(m, rank, OVL_LANE_CHAIN), *b = next_step(m, rank, OVL_LANE_BULK);
    size_t step = chain->first + r->at[OVL_LANE_CHAIN], number = t ? m->ops->of[step] : 0;
    bool stays = t && (t->kind == OVL_APP_WAIT || (t->kind == OVL_APP_SYNC && r->posted));
    double end = stays ? end_at(m, rank, number) : 0;
    bool bulk = b && (!t || (t->kind == OVL_APP_WAIT && end > r->now));
    *when = t || bulk ? (stays && !bulk ? fmax(end, r->now) : r->now) : INFINITY;
    if (!doing || (!t && !b))
        return 0;
    if (bulk) {
        bulk_unit(m, rank, b);
        return 0;
    }
    r->now = *when + (t->kind == OVL_APP_COMPUTE ? m->seconds[step] : 0);
    bool enters = t->kind == OVL_APP_SYNC && !r->posted;
    if ((t->kind == OVL_APP_POST || enters) && post(m, rank, number) != 0)
        return -1;
    r->posted = enters;
    r->at[OVL_LANE_CHAIN] += !enters;
    return 0;
}

static int run(struct model *m, double *total, struct ovl_error *err)
{
    for (;;) {
        int first = -1;
        double when, least = INFINITY;
        for (int r = 0; r < m->s->ranks; r++) {
            turn(m, r, false, &when);
            if (when < least) {
                least = when;
                first = r;
            }
        }
        if (first < 0)
            break;
        if (turn(m, first, true, &when) != 0)
            return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the model of a plan");
    }
    *total = 0;
    for (int r = 0; r < m->s->ranks; r++) {
        *total = fmax(*total, m->ranks[r].now);
        for (int lane = 0; lane < OVL_LANES; lane++)
            if (m->ranks[r].at[lane] < ovl_app_list(m->s, r, (enum ovl_app_lane)lane)->count)
                return ovl_error_set(err, OVL_USAGE, "rank %d never ends", r);
    }
    return 0;
}

int plan_model(const struct ovl_app_steps *s, const struct ovl_app_ops *ops, const struct ovl_app_machine *machine,
               const double *seconds, double *total, struct ovl_error *err)
{
    struct model m = {.s = s, .ops = ops, .m = machine, .seconds = seconds};
    size_t nodes = (size_t)machine->nodes;
    m.ranks = calloc((size_t)s->ranks, sizeof *m.ranks);
    m.posts = calloc(ops->count + 1, sizeof *m.posts);
    m.last = calloc(ops->count + 1, sizeof *m.last);
    m.ends = calloc(ops->count + 1, sizeof *m.ends);
    m.link[0] = calloc(2 * nodes, sizeof *m.link[0]);
    bool got = m.ranks && m.posts && m.last && m.ends && m.link[0];
    m.link[1] = got ? m.link[0] + nodes : NULL;
    int rc = got ? run(&m, total, err) : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the model of a plan");
    for (size_t i = 0; i < ops->count && m.ends; i++)
        free(m.ends[i]);
    free(m.ranks);
    free(m.posts);
    free(m.last);
    free(m.ends);
    free(m.link[0]);
    return rc;
}
