/* What src/plan says of a plan, found by looking at everything. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/plan_by_force.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, STATES = 1 << 15 };

/* Where all ranks are: steps that have ended in both lanes, and whether the chain's next operation has begun. */
struct state {
    unsigned char at[RANKS][3];
};

struct force {
    const struct ovl_app_steps *s;
    bool apart, wrong;
    struct state *seen; /* open addressing; used[] says which are there, places[] where */
    bool *used;
    size_t *places, count;
    /* [chain steps of the rank][bulk steps]: has the bulk's step been seen before, after the chain's? */
    bool order[RANKS][64][64][2];
};

static const struct ovl_app_list *list_of(const struct force *f, int rank, int lane)
{
    return ovl_app_list(f->s, rank, (enum ovl_app_lane)lane);
}

static bool begins(const struct ovl_app_step *t)
{
    return t->kind == OVL_APP_POST || t->kind == OVL_APP_SYNC;
}

/* The n-th operation of a team at a rank, or -1. */
static int nth(const struct force *f, int rank, int team, int n)
{
    const struct ovl_app_list *chain = list_of(f, rank, 0);
    for (size_t i = 0; i < chain->count; i++)
        if (begins(&chain->steps[i]) && chain->steps[i].team == team && n-- == 0)
            return (int)i;
    return -1;
}

static int turn_of(const struct force *f, int rank, size_t index)
{
    const struct ovl_app_list *chain = list_of(f, rank, 0);
    int n = 0;
    for (size_t i = 0; i < index; i++)
        n += begins(&chain->steps[i]) && chain->steps[i].team == chain->steps[index].team;
    return n;
}

/* The POST that a WAIT belongs to, or -1. */
static int post_of(const struct force *f, int rank, size_t wait)
{
    const struct ovl_app_list *chain = list_of(f, rank, 0);
    for (size_t i = wait; i-- > 0;) {
        if (chain->steps[i].kind == OVL_APP_WAIT && chain->steps[i].slot == chain->steps[wait].slot)
            return -1;
        if (chain->steps[i].kind == OVL_APP_POST && chain->steps[i].slot == chain->steps[wait].slot)
            return (int)i;
    }
    return -1;
}

static bool posted(const struct force *f, const struct state *st, int rank, int team, int n)
{
    int at = nth(f, rank, team, n), done = st->at[rank][0];
    return at >= 0 && (at < done || (at == done && st->at[rank][2]));
}

/* Has the operation that this rank began by `post` what it needs? */
static bool met(const struct force *f, const struct state *st, int rank, int post)
{
    const struct ovl_app_step *t = &list_of(f, rank, 0)->steps[post];
    int n = turn_of(f, rank, (size_t)post), there = 0;
    for (int r = 0; r < f->s->ranks; r++)
        there += posted(f, st, r, t->team, n);
    if (t->needs == OVL_NEEDS_NOBODY || (t->needs == OVL_NEEDS_AT_ROOT && rank != t->root))
        return true;
    return t->needs == OVL_NEEDS_ROOT ? posted(f, st, t->root, t->team, n) : there == t->ranks;
}

/* Rules that need no play. */
static bool fits(const struct force *f)
{
    for (int r = 0; r < f->s->ranks; r++) {
        const struct ovl_app_list *chain = list_of(f, r, 0), *bulk = list_of(f, r, 1);
        for (size_t i = 0; i < bulk->count; i++)
            if (bulk->steps[i].kind != OVL_APP_COMPUTE || bulk->steps[i].units < 1)
                return false;
        int held[16] = {0};
        for (size_t i = 0; i < chain->count; i++) {
            const struct ovl_app_step *t = &chain->steps[i];
            if (t->kind == OVL_APP_COMPUTE) {
                if (t->units < 1)
                    return false;
                continue;
            }
            if (t->kind != OVL_APP_SYNC && (t->slot >= f->s->slots || held[t->slot]++ != (t->kind == OVL_APP_WAIT)))
                return false;
            if (t->kind == OVL_APP_WAIT)
                held[t->slot] = 0;
            if (!begins(t))
                continue;
            int n = turn_of(f, r, i), members = 0;
            if (t->ranks < 1)
                return false;
            for (int o = 0; o < f->s->ranks; o++) {
                int at = nth(f, o, t->team, n);
                const struct ovl_app_step *u = at < 0 ? t : &list_of(f, o, 0)->steps[at];
                members += at >= 0;
                if (u->what != t->what || u->needs != t->needs || u->root != t->root || u->ranks != t->ranks ||
                    u->kind != t->kind)
                    return false;
            }
            if (members != t->ranks)
                return false;
        }
        for (int s = 0; s < f->s->slots; s++)
            if (held[s])
                return false;
    }
    return true;
}

static bool touches(const struct ovl_app_step *t, int first, int buffer)
{
    return first && buffer >= first && buffer <= first + (t->buffers ? t->buffers - 1 : 0);
}

static bool share(const struct ovl_app_step *a, const struct ovl_app_step *b)
{
    for (int buffer = 1; buffer < 32; buffer++) {
        bool a_writes = touches(a, a->write, buffer), b_writes = touches(b, b->write, buffer);
        if ((a_writes && (b_writes || touches(b, b->read, buffer))) || (b_writes && touches(a, a->read, buffer)))
            return true;
    }
    return false;
}

/* The bulk's step is run: what of the chain has been, is under way, or comes? */
static void see(struct force *f, const struct state *st, int rank, size_t b)
{
    const struct ovl_app_list *chain = list_of(f, rank, 0);
    const struct ovl_app_step *t = &list_of(f, rank, 1)->steps[b];
    for (size_t c = 0; c < chain->count; c++) {
        if (chain->steps[c].kind == OVL_APP_WAIT || !share(&chain->steps[c], t))
            continue;
        bool begun = c < st->at[rank][0], under_way = false;
        if (chain->steps[c].kind == OVL_APP_POST && begun) {
            under_way = true;
            for (size_t i = c + 1; i < st->at[rank][0]; i++)
                under_way = under_way && (chain->steps[i].kind != OVL_APP_WAIT || post_of(f, rank, i) != (int)c);
        }
        f->order[rank][c][b][begun] = true;
        if (under_way || f->order[rank][c][b][!begun])
            f->wrong = true;
    }
}

/* The chain's step is run while others are under way. */
static void see_chain(struct force *f, int rank, size_t c)
{
    const struct ovl_app_list *chain = list_of(f, rank, 0);
    for (size_t i = 0; i < c; i++) {
        if (chain->steps[i].kind != OVL_APP_POST || chain->steps[c].kind == OVL_APP_WAIT)
            continue;
        bool over = false;
        for (size_t w = i + 1; w < c; w++)
            over = over || (chain->steps[w].kind == OVL_APP_WAIT && post_of(f, rank, w) == (int)i);
        if (!over && share(&chain->steps[i], &chain->steps[c]))
            f->wrong = true;
    }
}

static void visit(struct force *f, struct state st);

/* The chain of a rank goes on by a step, or enters one. False where it cannot. */
static bool try_chain(struct force *f, struct state st, int rank)
{
    const struct ovl_app_list *chain = list_of(f, rank, 0), *bulk = list_of(f, rank, 1);
    size_t at = st.at[rank][0];
    const struct ovl_app_step *t = &chain->steps[at];
    if (at == chain->count || t->after > ovl_app_ended(bulk, st.at[rank][1]))
        return false;
    bool stays = t->kind == OVL_APP_SYNC || (f->apart && t->kind == OVL_APP_POST);
    bool waits = t->kind == OVL_APP_WAIT && !f->apart;
    bool enters = stays && !st.at[rank][2];
    if (!enters && (stays || waits) && !met(f, &st, rank, waits ? post_of(f, rank, at) : (int)at))
        return false;
    st.at[rank][0] += !enters;
    st.at[rank][2] = enters;
    if (!f->apart)
        see_chain(f, rank, at);
    visit(f, st);
    return true;
}

static bool try_bulk(struct force *f, struct state st, int rank)
{
    const struct ovl_app_list *chain = list_of(f, rank, 0), *bulk = list_of(f, rank, 1);
    size_t at = st.at[rank][1];
    if (at == bulk->count || st.at[rank][2] || bulk->steps[at].after > ovl_app_ended(chain, st.at[rank][0]))
        return false;
    if (!f->apart)
        see(f, &st, rank, at);
    st.at[rank][1]++;
    visit(f, st);
    return true;
}

static void visit(struct force *f, struct state st)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < sizeof st; i++)
        hash = (hash ^ ((unsigned char *)&st)[i]) * 1099511628211u;
    size_t at = hash % STATES;
    for (; f->used[at]; at = (at + 1) % STATES)
        if (memcmp(&f->seen[at], &st, sizeof st) == 0)
            return;
    if (f->wrong || f->count > STATES / 2)
        return;
    f->used[at] = true;
    f->seen[at] = st;
    f->places[f->count++] = at;
    bool ended = true, moved = false;
    for (int r = 0; r < f->s->ranks; r++) {
        ended = ended && st.at[r][0] == list_of(f, r, 0)->count && st.at[r][1] == list_of(f, r, 1)->count;
        moved = try_chain(f, st, r) || moved;
        moved = try_bulk(f, st, r) || moved;
    }
    f->wrong = f->wrong || (!ended && !moved);
}

int plan_by_force_playable(const struct ovl_app_steps *s, bool apart)
{
    static struct state seen[STATES];
    static bool used[STATES];
    static size_t places[STATES];
    static struct force f;
    memset(&f, 0, sizeof f);
    f.s = s;
    f.apart = apart;
    f.seen = seen;
    f.used = used;
    f.places = places;
    if (!fits(&f))
        return 0;
    struct state start;
    memset(&start, 0, sizeof start);
    visit(&f, start);
    for (size_t i = 0; i < f.count; i++)
        used[places[i]] = false;
    return f.wrong ? 0 : f.count > STATES / 2 ? -1 : 1;
}

/* Times of all steps, by definition. */
struct times {
    const struct ovl_app_steps *s;
    const struct ovl_app_ops *ops;
    const struct ovl_app_machine *m;
    const double *least;
    double *begin, *end, *tail;
    bool changed;
};

static void raise(struct times *t, double *value, double to)
{
    t->changed = t->changed || to > *value;
    *value = fmax(*value, to);
}

/* What follows the begin of a step. */
static double behind(const struct times *t, int rank, int lane, size_t i)
{
    const struct ovl_app_list *list = ovl_app_list(t->s, rank, (enum ovl_app_lane)lane);
    const struct ovl_app_step *step = &list->steps[i];
    double own = step->kind == OVL_APP_COMPUTE ? t->least[list->first + i] : 0;
    double most = t->tail[list->first + i] + own, there = INFINITY;
    if (!begins(step))
        return most;
    const struct ovl_app_op *op = &t->ops->ops[t->ops->of[list->first + i]];
    for (int m = 0; m < op->count && ovl_app_sends(op, rank); m++) {
        size_t w = ovl_app_list(t->s, op->members[m].rank, OVL_LANE_CHAIN)->first + op->members[m].wait;
        if (ovl_app_gets(op, op->members[m].rank))
            most = fmax(most, t->least[w] + t->tail[w]);
        if (ovl_app_gets(op, op->members[m].rank) && t->m->node[op->members[m].rank] != t->m->node[rank])
            there = fmin(there, t->tail[w]);
    }
    return step->out > 0 && isfinite(there) ? fmax(most, fmax(0, step->out - t->m->burst) / t->m->rate + there) : most;
}

static void define_step(struct times *t, int rank, int lane, size_t i)
{
    const struct ovl_app_list *list = ovl_app_list(t->s, rank, (enum ovl_app_lane)lane),
                              *other = ovl_app_list(t->s, rank, (enum ovl_app_lane)(1 - lane));
    const struct ovl_app_step *step = &list->steps[i];
    size_t n = list->first + i;
    if (i > 0)
        raise(t, &t->begin[n], t->end[n - 1]);
    if (i + 1 < list->count)
        raise(t, &t->tail[n], behind(t, rank, lane, i + 1));
    for (size_t k = 0; k < other->count; k++) {
        if (other->group[k] < step->after)
            raise(t, &t->begin[n], t->end[other->first + k]);
        if (list->group[i] < other->steps[k].after)
            raise(t, &t->tail[n], behind(t, rank, 1 - lane, k));
    }
    raise(t, &t->end[n], t->begin[n] + (step->kind == OVL_APP_COMPUTE ? t->least[n] : 0));
    if (step->kind != OVL_APP_WAIT && step->kind != OVL_APP_SYNC)
        return;
    const struct ovl_app_op *op = &t->ops->ops[t->ops->of[n]];
    double first = INFINITY, in = 0;
    for (int m = 0; m < op->count && ovl_app_gets(op, rank); m++) {
        const struct ovl_app_list *chain = ovl_app_list(t->s, op->members[m].rank, OVL_LANE_CHAIN);
        size_t p = chain->first + op->members[m].post;
        if (op->members[m].rank == rank)
            in = chain->steps[op->members[m].post].in;
        if (!ovl_app_sends(op, op->members[m].rank))
            continue;
        raise(t, &t->end[n], t->begin[p] + t->least[n]);
        if (t->m->node[op->members[m].rank] != t->m->node[rank])
            first = fmin(first, t->begin[p]);
    }
    if (in > 0 && isfinite(first))
        raise(t, &t->end[n], first + fmax(0, in - t->m->burst) / t->m->rate);
}

static double bound_of_jobs(struct ovl_machine_job *jobs, size_t n)
{
    struct ovl_machine_job *heap[3 * RANKS * OVL_LANES * 64];
    return ovl_machine_bound(jobs, n, heap);
}

/* Adds a job of `seconds` a byte for each member on the node that brings something in, or sends something out. */
static size_t bytes_by_force(const struct times *t, const struct ovl_app_machine *m, int node, bool in, double seconds,
                             struct ovl_machine_job *jobs, size_t n)
{
    for (size_t o = 0; o < t->ops->count; o++) {
        const struct ovl_app_op *op = &t->ops->ops[o];
        for (int i = 0; i < op->count; i++) {
            const struct ovl_app_member *me = &op->members[i];
            const struct ovl_app_list *chain = ovl_app_list(t->s, me->rank, OVL_LANE_CHAIN);
            double bytes = in ? chain->steps[me->post].in : chain->steps[me->post].out, other = INFINITY;
            for (int k = 0; k < op->count; k++) {
                const struct ovl_app_member *he = &op->members[k];
                size_t first = ovl_app_list(t->s, he->rank, OVL_LANE_CHAIN)->first;
                bool joined = in ? ovl_app_gets(op, me->rank) && ovl_app_sends(op, he->rank)
                                 : ovl_app_sends(op, me->rank) && ovl_app_gets(op, he->rank);
                if (joined && m->node[he->rank] != m->node[me->rank])
                    other = fmin(other, in ? t->begin[first + he->post] : t->tail[first + he->wait]);
            }
            if (m->node[me->rank] != node || isinf(other) || bytes == 0)
                continue;
            double mine = in ? t->tail[chain->first + me->wait] : t->begin[chain->first + me->post];
            jobs[n++] = (struct ovl_machine_job){in ? other : mine, bytes * seconds, in ? mine : other};
        }
    }
    return n;
}

static double here_by_force(const struct times *t, const struct ovl_app_machine *m)
{
    struct ovl_machine_job jobs[3 * RANKS * OVL_LANES * 64];
    size_t n = 0;
    for (int r = 0; r < t->s->ranks; r++)
        for (int lane = 0; lane < OVL_LANES; lane++) {
            const struct ovl_app_list *list = ovl_app_list(t->s, r, (enum ovl_app_lane)lane);
            for (size_t k = list->first; k < list->first + list->count; k++)
                if (list->steps[k - list->first].kind == OVL_APP_COMPUTE && t->least[k] > 0)
                    jobs[n++] = (struct ovl_machine_job){t->begin[k], t->least[k] / m->cores, t->tail[k]};
        }
    for (int node = 0; node < m->nodes; node++)
        for (int in = 0; in < 2; in++)
            n = bytes_by_force(t, m, node, in, m->carry / m->cores, jobs, n);
    return bound_of_jobs(jobs, n);
}

void plan_by_force_bounds(const struct ovl_app_steps *s, const struct ovl_app_ops *ops, const struct ovl_app_machine *m,
                          const double *least, struct ovl_app_bounds *out)
{
    struct times t = {.s = s, .ops = ops, .m = m, .least = least, .changed = true};
    struct ovl_machine_job jobs[RANKS * OVL_LANES * 64];
    size_t n;
    t.begin = calloc(3 * s->count + 1, sizeof *t.begin);
    t.end = t.begin + s->count;
    t.tail = t.end + s->count;
    memset(out, 0, sizeof *out);
    while (t.changed) {
        t.changed = false;
        for (int r = 0; r < s->ranks; r++)
            for (int lane = 0; lane < OVL_LANES; lane++)
                for (size_t i = 0; i < ovl_app_list(s, r, (enum ovl_app_lane)lane)->count; i++)
                    define_step(&t, r, lane, i);
    }
    for (int r = 0; r < s->ranks; r++) {
        n = 0;
        for (int lane = 0; lane < OVL_LANES; lane++) {
            const struct ovl_app_list *list = ovl_app_list(s, r, (enum ovl_app_lane)lane);
            for (size_t i = 0; i < list->count; i++) {
                size_t k = list->first + i;
                const struct ovl_app_step *step = &list->steps[i];
                out->path = fmax(out->path, t.end[k]);
                const struct ovl_app_op *op = step->kind == OVL_APP_SYNC ? &ops->ops[ops->of[k]] : NULL;
                bool takes = op ? ovl_app_gets(op, r) && ovl_app_sends(op, r) : step->kind == OVL_APP_COMPUTE;
                if (takes && least[k] > 0)
                    jobs[n++] = (struct ovl_machine_job){t.begin[k], least[k], t.tail[k]};
            }
        }
        out->core = fmax(out->core, bound_of_jobs(jobs, n));
    }
    for (int node = 0; node < m->nodes; node++) {
        for (int in = 0; in < 2; in++) {
            n = bytes_by_force(&t, m, node, in, 1 / m->rate, jobs, 0);
            out->link = fmax(out->link, bound_of_jobs(jobs, n) - m->burst / m->rate);
        }
    }
    out->bound = fmax(out->core, fmax(out->path, out->link));
    out->here = isnan(m->carry) ? NAN : here_by_force(&t, m);
    out->bound_here = isnan(m->carry) ? NAN : fmax(out->bound, out->here);
    free(t.begin);
}

/* What is left of each job is the state; the machine does one second of one of them, or waits. */
static double schedule(const struct ovl_machine_job *jobs, size_t n, int *left, int now, double end)
{
    double best = INFINITY;
    bool over = true, waited = true;
    for (size_t i = 0; i < n; i++) {
        over = over && left[i] == 0;
        if (left[i] == 0 || jobs[i].head > now)
            continue;
        waited = false;
        left[i]--;
        best = fmin(best, schedule(jobs, n, left, now + 1, left[i] ? end : fmax(end, now + 1 + jobs[i].tail)));
        left[i]++;
    }
    if (over)
        return end;
    return waited ? schedule(jobs, n, left, now + 1, end) : best;
}

double plan_by_force_machine(const struct ovl_machine_job *jobs, size_t n)
{
    int left[6];
    double end = 0;
    for (size_t i = 0; i < n; i++) {
        left[i] = (int)jobs[i].work;
        end = left[i] ? end : fmax(end, jobs[i].head + jobs[i].tail);
    }
    return schedule(jobs, n, left, 0, end);
}
