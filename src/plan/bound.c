/* How long a plan takes at least. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/bound.h"
#include "plan/machine_bound.h"
#include "plan/play.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The smallest value, and the smallest on any other node than that one's. */
struct smallest {
    double value[2];
    int node;
};

struct work {
    const struct ovl_app_steps *s;
    const struct ovl_app_ops *ops;
    const struct ovl_app_machine *m;
    const double *least;
    struct ovl_app_at *order;
    /* Of all steps: when the rank can come to it, when it can have ended, and from there to the end of the plan. */
    double *begin, *end, *tail;
    /* Of operations: the last post of a member that sends; from there to the end of the plan, and how many of the
       members that get something have told what follows. */
    double *last_post, *op_tail;
    struct smallest *posts; /* of operations: of the members that send */
    int *told;
    struct ovl_machine_job *jobs, **heap;
    struct ovl_app_bounds *out;
};

static void raise(double *value, double to)
{
    *value = fmax(*value, to);
}

/* Of bytes that go after an idle time. */
static double on_link(const struct work *w, double bytes)
{
    return fmax(0, bytes - w->m->burst) / w->m->rate;
}

static bool ends_op(const struct ovl_app_step *t)
{
    return t->kind == OVL_APP_WAIT || t->kind == OVL_APP_SYNC;
}

/* Seconds for which a step holds its rank's core at least. A SYNC that does not need its own post, such as a broadcast
   at a rank that is not the root, may find all there when it comes. */
static double holds_core(const struct work *w, const struct ovl_app_step *t, int rank, size_t step)
{
    const struct ovl_app_op *op = t->kind == OVL_APP_SYNC ? &w->ops->ops[w->ops->of[step]] : NULL;
    bool all = op ? ovl_app_sends(op, rank) && ovl_app_gets(op, rank) : t->kind == OVL_APP_COMPUTE;
    return all ? w->least[step] : 0;
}

/* The last step of the first `groups` groups, or SIZE_MAX. */
static size_t last_of(const struct ovl_app_list *list, size_t groups)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->group[middle] < groups)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? list->first + low - 1 : SIZE_MAX;
}

/* The two steps that a step stands behind, in its lane and in the other; SIZE_MAX where there is none. */
static void before(const struct work *w, struct ovl_app_at at, size_t both[2])
{
    const struct ovl_app_list *list = ovl_app_list(w->s, at.rank, at.lane);
    both[0] = at.index > 0 ? list->first + at.index - 1 : SIZE_MAX;
    both[1] = last_of(ovl_app_list(w->s, at.rank, 1 - at.lane), list->steps[at.index].after);
}

static double comes(const struct work *w, struct ovl_app_at at)
{
    size_t both[2];
    double when = 0;
    before(w, at, both);
    for (int i = 0; i < 2; i++)
        if (both[i] != SIZE_MAX)
            raise(&when, w->end[both[i]]);
    return when;
}

static void see(struct smallest *s, double value, int node)
{
    if (node == s->node)
        s->value[0] = fmin(s->value[0], value);
    else if (value < s->value[0])
        *s = (struct smallest){{value, s->value[0]}, node};
    else
        s->value[1] = fmin(s->value[1], value);
}

static double elsewhere(const struct smallest *s, int node)
{
    return s->node != node ? s->value[0] : s->value[1];
}

/* In: when a byte can come from another node, at the earliest. Out: what follows its arrival there, at the least. */
static struct smallest look(const struct work *w, const struct ovl_app_op *op, bool in)
{
    struct smallest s = {{INFINITY, INFINITY}, -1};
    for (int i = 0; i < op->count; i++) {
        const struct ovl_app_member *o = &op->members[i];
        size_t first = ovl_app_list(w->s, o->rank, op->lane)->first;
        if (in ? ovl_app_sends(op, o->rank) : ovl_app_gets(op, o->rank))
            see(&s, in ? w->begin[first + o->post] : w->tail[first + o->wait], w->m->node[o->rank]);
    }
    return s;
}

/* All that send have come to their posts. */
static void see_posts(struct work *w, size_t number)
{
    const struct ovl_app_op *op = &w->ops->ops[number];
    w->posts[number] = (struct smallest){{INFINITY, INFINITY}, -1};
    w->last_post[number] = 0;
    for (int i = 0; i < op->count; i++) {
        int rank = op->members[i].rank;
        double when = comes(w, (struct ovl_app_at){rank, op->lane, op->members[i].post});
        if (ovl_app_sends(op, rank)) {
            see(&w->posts[number], when, w->m->node[rank]);
            raise(&w->last_post[number], when);
        }
    }
}

/* What has to come in begins no earlier than the first post of another node. */
static double op_end(struct work *w, size_t number, int rank, double in, double least)
{
    if (isnan(w->last_post[number]))
        see_posts(w, number);
    double first = elsewhere(&w->posts[number], w->m->node[rank]), end = w->last_post[number] + least;
    return in > 0 && isfinite(first) ? fmax(end, first + on_link(w, in)) : end;
}

static const struct ovl_app_step *post_of(const struct work *w, const struct ovl_app_op *op,
                                          const struct ovl_app_member *m)
{
    return &ovl_app_list(w->s, m->rank, op->lane)->steps[m->post];
}

static const struct ovl_app_member *member_of(const struct ovl_app_op *op, int rank)
{
    int low = 0, high = op->count; /* in the order of ranks */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (op->members[middle].rank <= rank)
            low = middle;
        else
            high = middle;
    }
    return &op->members[low];
}

static void forwards(struct work *w)
{
    for (size_t i = 0; i < w->s->count; i++) {
        struct ovl_app_at at = w->order[i];
        const struct ovl_app_list *list = ovl_app_list(w->s, at.rank, at.lane);
        size_t step = list->first + at.index, number = w->ops->of[step];
        const struct ovl_app_step *t = &list->steps[at.index];
        w->begin[step] = w->end[step] = comes(w, at);
        if (t->kind == OVL_APP_COMPUTE)
            w->end[step] += w->least[step];
        if (ends_op(t) && ovl_app_gets(&w->ops->ops[number], at.rank)) {
            const struct ovl_app_op *op = &w->ops->ops[number];
            double in = post_of(w, op, member_of(op, at.rank))->in;
            raise(&w->end[step], op_end(w, number, at.rank, in, w->least[step]));
        }
        raise(&w->out->path, w->end[step]);
    }
}

/* What follows the begin of a step, told to those that it stands behind. */
static void tell(struct work *w, struct ovl_app_at at, double tail)
{
    size_t both[2];
    before(w, at, both);
    for (int i = 0; i < 2; i++)
        if (both[i] != SIZE_MAX)
            raise(&w->tail[both[i]], tail);
}

/* A member that gets something has said what follows; when all have, it is told to those that send. In the order of
   play their posts come before all of that. */
static void tell_op(struct work *w, size_t number, int rank, double tail)
{
    const struct ovl_app_op *op = &w->ops->ops[number];
    if (!ovl_app_gets(op, rank))
        return;
    raise(&w->op_tail[number], tail);
    if (++w->told[number] < (op->needs == OVL_NEEDS_AT_ROOT ? 1 : op->count))
        return;
    struct smallest tails = look(w, op, false);
    for (int i = 0; i < op->count; i++) {
        const struct ovl_app_member *m = &op->members[i];
        double out = post_of(w, op, m)->out, there = elsewhere(&tails, w->m->node[m->rank]), after = w->op_tail[number];
        if (out > 0 && isfinite(there))
            after = fmax(after, on_link(w, out) + there);
        if (ovl_app_sends(op, m->rank))
            tell(w, (struct ovl_app_at){m->rank, op->lane, m->post}, after);
    }
}

static void backwards(struct work *w)
{
    for (size_t i = w->s->count; i-- > 0;) {
        struct ovl_app_at at = w->order[i];
        const struct ovl_app_list *list = ovl_app_list(w->s, at.rank, at.lane);
        size_t step = list->first + at.index;
        const struct ovl_app_step *t = &list->steps[at.index];
        tell(w, at, w->tail[step] + holds_core(w, t, at.rank, step));
        if (ends_op(t))
            tell_op(w, w->ops->of[step], at.rank, w->tail[step] + w->least[step]);
    }
}

/* Jobs are of work that is not nothing. */
static size_t add_job(struct work *w, size_t n, double head, double seconds, double tail)
{
    if (seconds > 0)
        w->jobs[n++] = (struct ovl_machine_job){head, seconds, tail};
    return n;
}

static void core_bound(struct work *w)
{
    for (int r = 0; r < w->s->ranks; r++) {
        size_t n = 0;
        for (int lane = 0; lane < OVL_LANES; lane++) {
            const struct ovl_app_list *list = ovl_app_list(w->s, r, (enum ovl_app_lane)lane);
            for (size_t i = 0; i < list->count; i++) {
                size_t step = list->first + i;
                n = add_job(w, n, w->begin[step], holds_core(w, &list->steps[i], r, step), w->tail[step]);
            }
        }
        raise(&w->out->core, ovl_machine_bound(w->jobs, n, w->heap));
    }
}

/* What comes in to a node, or goes out, for `seconds` a byte. */
static size_t add_bytes(struct work *w, size_t n, int node, bool in, double seconds)
{
    for (size_t o = 0; o < w->ops->count; o++) {
        const struct ovl_app_op *op = &w->ops->ops[o];
        struct smallest others = look(w, op, in);
        double other = elsewhere(&others, node);
        for (int i = 0; i < op->count && isfinite(other); i++) {
            const struct ovl_app_member *me = &op->members[i];
            const struct ovl_app_list *list = ovl_app_list(w->s, me->rank, op->lane);
            if (w->m->node[me->rank] != node)
                continue;
            if (in && ovl_app_gets(op, me->rank))
                n = add_job(w, n, other, list->steps[me->post].in * seconds, w->tail[list->first + me->wait]);
            if (!in && ovl_app_sends(op, me->rank))
                n = add_job(w, n, w->begin[list->first + me->post], list->steps[me->post].out * seconds, other);
        }
    }
    return n;
}

static double link_of(struct work *w, int node, bool in)
{
    size_t n = add_bytes(w, 0, node, in, 1 / w->m->rate);
    return ovl_machine_bound(w->jobs, n, w->heap) - w->m->burst / w->m->rate;
}

/* The work of all ranks and the carrying of all bytes by one core as quick as all of the machine's together: what these
   could do, it can. */
static double here_of(struct work *w)
{
    size_t n = 0;
    for (int i = 0; i < w->s->ranks * OVL_LANES; i++)
        for (size_t k = 0; k < w->s->lists[i].count; k++) {
            size_t step = w->s->lists[i].first + k;
            if (w->s->lists[i].steps[k].kind == OVL_APP_COMPUTE)
                n = add_job(w, n, w->begin[step], w->least[step] / w->m->cores, w->tail[step]);
        }
    for (int node = 0; node < w->m->nodes; node++)
        for (int in = 0; in < 2; in++)
            n = add_bytes(w, n, node, in, w->m->carry / w->m->cores);
    return ovl_machine_bound(w->jobs, n, w->heap);
}

static void evaluate(struct work *w)
{
    struct ovl_app_bounds *out = w->out;
    forwards(w);
    backwards(w);
    core_bound(w);
    for (int node = 0; node < w->m->nodes && isfinite(w->m->rate); node++)
        for (int in = 0; in < 2; in++)
            raise(&out->link, link_of(w, node, in));
    out->bound = fmax(out->core, fmax(out->path, out->link));
    out->here = isnan(w->m->carry) ? NAN : here_of(w);
    out->bound_here = isnan(out->here) ? NAN : fmax(out->bound, out->here);
}

/* One stretch of memory for all arrays of doubles. */
static void make_room(struct work *w)
{
    size_t steps = w->s->count + 1, ops = w->ops->count + 1, jobs = 2 * steps; /* a SYNC sends and gets */
    w->begin = ovl_alloc(3 * steps + 2 * ops, sizeof *w->begin);
    w->order = ovl_alloc(steps, sizeof *w->order);
    w->told = ovl_alloc(ops, sizeof *w->told);
    w->posts = ovl_alloc(ops, sizeof *w->posts);
    w->jobs = ovl_alloc(jobs, sizeof *w->jobs);
    w->heap = ovl_alloc(jobs, sizeof *w->heap);
    w->end = w->begin + steps;
    w->tail = w->end + steps;
    w->last_post = w->tail + steps;
    w->op_tail = w->last_post + ops;
    for (size_t i = 0; i < ops; i++)
        w->last_post[i] = NAN;
}

int ovl_app_bounds_of(const struct ovl_app_steps *s, const struct ovl_app_ops *ops, const struct ovl_app_machine *m,
                      const double *least, struct ovl_app_bounds *out, struct ovl_error *err)
{
    struct work w = {.s = s, .ops = ops, .m = m, .least = least, .out = out};
    memset(out, 0, sizeof *out);
    make_room(&w);
    int rc = ovl_app_play(s, ops, OVL_MASK_TOTAL, w.order, err);
    if (rc == 0)
        evaluate(&w);
    free(w.begin);
    free(w.order);
    free(w.told);
    free(w.posts);
    free(w.jobs);
    free(w.heap);
    return rc;
}

double ovl_app_work(const struct ovl_app_steps *s, int rank, const double *least)
{
    double seconds = 0;
    for (int lane = 0; lane < OVL_LANES; lane++) {
        const struct ovl_app_list *list = ovl_app_list(s, rank, (enum ovl_app_lane)lane);
        for (size_t i = 0; i < list->count; i++)
            seconds += list->steps[i].kind == OVL_APP_COMPUTE ? least[list->first + i] : 0;
    }
    return seconds;
}

double ovl_app_link_bytes(const struct ovl_app_steps *s, const int *node_of, int node)
{
    double in = 0, out = 0;
    for (int r = 0; r < s->ranks; r++) {
        const struct ovl_app_list *chain = ovl_app_list(s, r, OVL_LANE_CHAIN);
        for (size_t i = 0; i < chain->count && node_of[r] == node; i++)
            if (chain->steps[i].kind == OVL_APP_POST || chain->steps[i].kind == OVL_APP_SYNC) {
                in += chain->steps[i].in;
                out += chain->steps[i].out;
            }
    }
    return fmax(in, out);
}

double ovl_app_any_bound(int schemes, int ranks, const double *work, const struct ovl_app_machine *m,
                         const double *link_bytes)
{
    double bound = 0;
    for (int r = 0; r < ranks; r++) {
        double least = INFINITY;
        for (int s = 0; s < schemes; s++)
            least = fmin(least, work[s * ranks + r]);
        raise(&bound, least);
    }
    for (int n = 0; n < m->nodes; n++) {
        double least = INFINITY;
        for (int s = 0; s < schemes; s++)
            least = fmin(least, link_bytes[s * m->nodes + n]);
        raise(&bound, fmax(0, least - m->burst) / m->rate);
    }
    return bound;
}
