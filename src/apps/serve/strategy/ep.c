/* Experts over ranks, as DeepSeek-V3 is served (2024, 3.4): each rank has whole requests, their attention and their
   keys and values, and an equal part of each block's experts. Of a block the tokens of all ranks go to the ranks of
   their experts and back, so that all ranks play an iteration together. Nobody's tokens are dropped. With `two` the
   requests of each rank go in two halves, one of which computes while the other one's tokens travel; with `shared` the
   expert that all tokens go to is computed meanwhile, one half of it on either way. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/together.h"
#include "apps/serve/strategy/work.h"

#include <math.h>
#include <stdlib.h>

enum { PARTS = 2 };

static const double draws_most = 3e8; /* of experts, by all ranks: some ten seconds */

/* Bytes of a token on its way. */
static double bytes_of(const struct ovl_serve_ask *ask, bool returns)
{
    return (returns ? ask->moe.combine.bytes : ask->moe.dispatch.bytes) *
           (double)(ask->model->hidden + ask->token_more);
}

/* Events of a rank as they are made. */
struct made {
    const struct ovl_serve_ask *ask;
    struct ovl_moe moe;
    struct ovl_together all;
    struct ovl_serve_events *e;
    struct ovl_serve_note note;
    int rank, routed;
    struct ovl_moe_route counted[PARTS]; /* where events are not kept */
    struct part {
        double tokens, looks, writes; /* of this rank */
        bool any;                     /* some rank has tokens */
        struct ovl_moe_route *route;  /* in the present block */
        int there, back;              /* operations, or -1 */
    } part[PARTS];
};

/* Work that takes what operation `takes` brought, unless that is -1, and fills the next one. */
static void compute(struct made *m, double macs, int takes, bool makes)
{
    ovl_serve_compute(m->e,
                      (struct ovl_event){.macs = macs,
                                         .takes = takes < 0 ? 0 : takes,
                                         .takes_count = takes >= 0,
                                         .makes = ovl_events_next(&m->e->events),
                                         .makes_count = makes},
                      m->note);
    m->note.opens = false;
}

static int post(struct made *m, const struct part *p, bool returns)
{
    const double token = bytes_of(m->ask, returns);
    return ovl_serve_post(m->e,
                          (struct ovl_event){.operation = OVL_IALLTOALLV,
                                             .of = OVL_OF_ACTIVATIONS,
                                             .bytes = token * ovl_moe_sends(p->route, returns),
                                             .route = p->route,
                                             .returns = returns,
                                             .answers = returns ? p->there : -1,
                                             .token_bytes = token,
                                             .team = {OVL_AXIS_OF_ALL, 0, m->ask->ranks, 1}},
                          m->note, 2 * m->note.half + returns);
}

static void wait_for(struct made *m, int id)
{
    if (id >= 0)
        ovl_serve_wait(m->e, id, m->note);
}

/* Half of the work of the experts that all tokens go to. */
static void share(struct made *m, const struct part *p)
{
    const struct ovl_served_mixture *x = &m->ask->model->mixture;
    if (m->moe.overlap == OVL_MOE_SHARED)
        compute(m, ovl_serve_weights_macs(m->ask, x->shared * x->expert, p->tokens) / 2, -1, false);
}

/* Weights are read, however few tokens there are; where there are none, they are not. */
static void attend(struct made *m, struct part *p, int block)
{
    const struct ovl_served *s = m->ask->model;
    bool apart = m->moe.overlap == OVL_MOE_SHARED && block >= s->mixture.dense_blocks;
    double weights = ovl_served_attention_macs(s) + ovl_served_own_macs(s, block) -
                     (apart ? s->mixture.shared * s->mixture.expert : 0);
    double macs = ovl_serve_weights_macs(m->ask, weights, p->tokens) + p->looks;
    wait_for(m, p->back);
    compute(m, macs, p->back, p->route != NULL);
    p->back = -1;
    if (!p->route)
        return;
    p->there = post(m, p, false);
    share(m, p);
}

/* Tokens that came are worked on, each for one of the experts here, and sent back. */
static void answer(struct made *m, struct part *p)
{
    double here = (double)m->moe.experts / m->ask->ranks, work = p->route->work;
    wait_for(m, p->there);
    compute(m, ovl_serve_experts_macs(m->ask, here, 1, work), p->there, true);
    p->back = post(m, p, true);
    share(m, p);
}

static struct ovl_moe_route *route_of(struct made *m, int half)
{
    struct ovl_moe_route *r = &m->counted[half];
    if (m->e->totals_alone)
        ovl_moe_route_close(r);
    else
        r = &m->e->events.routes->list[m->routed++];
    ovl_moe_route_open(r, &m->moe, m->note.part, m->ask->ranks, m->rank, m->all.parts + half * m->ask->ranks);
    return r;
}

static void iterate(struct made *m)
{
    double writes = m->part[0].writes + m->part[1].writes;
    m->note = (struct ovl_serve_note){.iteration = m->e->iterations, .opens = true, .request = -1};
    for (int block = 0; block < m->ask->model->blocks; block++) {
        m->note.part = block;
        for (int k = 0; k < 2 * PARTS; k++) {
            struct part *p = &m->part[m->note.half = k % PARTS];
            if (!p->any)
                continue;
            if (k < PARTS) {
                p->route = block >= m->ask->model->mixture.dense_blocks ? route_of(m, k) : NULL;
                attend(m, p, block);
            } else if (p->route)
                answer(m, p);
        }
    }
    m->note.half = 0;
    for (int k = 0; k < PARTS; k++)
        wait_for(m, m->part[k].back);
    m->note.closes = true;
    int first = m->part[m->part[0].back < 0].back;
    ovl_serve_compute(m->e,
                      (struct ovl_event){.macs = ovl_serve_head_macs(m->ask, writes),
                                         .takes = first,
                                         .takes_count = 1 + (m->part[0].any && m->part[1].any)},
                      m->note);
}

/* What this rank has of an iteration. */
static void take(struct made *m)
{
    const struct ovl_iteration *it = ovl_together_at(&m->all, m->rank);
    const struct ovl_iteration none = {.count = 0};
    const size_t *which = m->all.of[m->rank].which;
    for (int k = 0; k < PARTS; k++)
        m->part[k] = (struct part){.any = ovl_together_tokens(&m->all, k) > 0, .there = -1, .back = -1};
    for (size_t i = 0; it && i < it->count; i++) {
        const struct ovl_batcher_work *w = &it->work[i];
        struct part *p = &m->part[m->ask->two && i % 2];
        p->tokens += w->reads > 0 ? w->reads : 1;
        p->looks += ovl_serve_looks_macs(m->ask, 1, w);
        p->writes += w->writes;
        ovl_serve_live(m->e, w, which[w->request]);
    }
    m->e->tokens += (int64_t)(m->part[0].tokens + m->part[1].tokens);
    ovl_serve_keep_works(m->ask, m->e, it ? it : &none, which);
}

/* Requests of this rank that arrived before the end of this iteration. */
static void note_arrivals(struct made *m, size_t *arrived)
{
    const struct ovl_batch_of *own = &m->all.of[m->rank];
    for (; *arrived < own->count && own->list[*arrived].from <= m->all.number; ++*arrived)
        m->e->lives[own->which[*arrived]].arrival = m->e->iterations;
}

/* Tokens that go through the model, of all ranks. */
static double all_tokens(const struct ovl_serve_ask *ask)
{
    double tokens = 0;
    for (size_t r = 0; r < ask->trace->count; r++)
        tokens += ask->trace->list[r].prompt + fmax(0, ask->trace->list[r].output - 1);
    return tokens;
}

static int routed_blocks(const struct ovl_serve_ask *ask)
{
    return ask->model->blocks - ask->model->mixture.dense_blocks;
}

static int check(const struct ovl_serve_ask *ask, struct ovl_error *err)
{
    const struct ovl_served_mixture *x = &ask->model->mixture;
    double draws = all_tokens(ask) * routed_blocks(ask) * x->top * ask->ranks;
    int less = ask->ranks < x->experts ? ask->ranks : x->experts;
    while (less > 1 && x->experts % less)
        less--;
    if (x->experts == 0)
        return ovl_error_set(err, OVL_USAGE,
                             "--strategy ep: %s has no experts; give --model mixtral-8x7b or deepseek-v3",
                             ask->model->name);
    if (less != ask->ranks)
        return ovl_error_set(err, OVL_USAGE,
                             "--strategy ep: %d ranks cannot have equal parts of the %d experts of %s; give %d ranks",
                             ask->ranks, x->experts, ask->model->name, less);
    if (ask->moe.overlap == OVL_MOE_SHARED && x->shared == 0)
        return ovl_error_set(err, OVL_USAGE,
                             "--overlap shared: %s has no expert that all tokens go to; give --overlap two, or --model "
                             "deepseek-v3",
                             ask->model->name);
    if (draws > draws_most)
        return ovl_error_set(err, OVL_USAGE,
                             "--strategy ep: %.3g choices of experts, and %.3g at most are drawn; give fewer requests, "
                             "or shorter ones",
                             draws, draws_most);
    return 0;
}

/* Room for all routes, of which the batches alone say how many there are. */
static void open_routes(struct made *m)
{
    struct ovl_together t;
    struct ovl_error impossible;
    int routes = 0;
    if (ovl_together_open(&t, m->ask, &impossible) == 0)
        while (ovl_together_next(&t))
            for (int k = 0; k < PARTS; k++)
                routes += ovl_together_tokens(&t, k) > 0 ? routed_blocks(m->ask) : 0;
    ovl_together_close(&t);
    m->e->events.routes = ovl_alloc(1, sizeof *m->e->events.routes);
    *m->e->events.routes = (struct ovl_moe_routes){
        .blocks = routes, .parts = 1, .list = ovl_alloc((size_t)routes + 1, sizeof *m->e->events.routes->list)};
}

static struct ovl_moe moe_of(const struct ovl_serve_ask *ask)
{
    struct ovl_moe moe = ask->moe;
    moe.experts = ask->model->mixture.experts;
    moe.top = ask->model->mixture.top;
    return moe;
}

static int build(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e, struct ovl_error *err)
{
    struct made m = {.ask = ask, .e = e, .rank = rank};
    size_t arrived = 0;
    if (check(ask, err) != 0)
        return -1;
    m.moe = moe_of(ask);
    int rc = ovl_together_open(&m.all, ask, err);
    if (rc == 0 && !e->totals_alone)
        open_routes(&m);
    while (rc == 0 && ovl_together_next(&m.all)) {
        note_arrivals(&m, &arrived);
        take(&m);
        iterate(&m);
        e->iterations++;
    }
    for (int k = 0; k < PARTS; k++)
        ovl_moe_route_close(&m.counted[k]);
    if (rc == 0) {
        e->kv_most = m.all.of[rank].batcher.kv.most;
        e->pushed = m.all.of[rank].batcher.told;
        ovl_serve_end(e);
    }
    ovl_together_close(&m.all);
    return rc;
}

/* Everything but the experts, and an equal part of these. */
static double weights(const struct ovl_serve_ask *ask)
{
    double experts = (double)routed_blocks(ask) * ask->model->mixture.experts * ask->model->mixture.expert;
    return 2 * (ask->model->parameters - experts * (1 - 1.0 / ask->ranks));
}

static double token_bytes(const struct ovl_serve_ask *ask)
{
    return ask->kv_bytes * ovl_served_kept(ask->model);
}

/* Copies between each two ranks, drawn once for all. */
static double comes_in(const struct ovl_serve_ask *ask, int first, int end)
{
    const struct ovl_moe moe = moe_of(ask);
    const double there = bytes_of(ask, false), back = bytes_of(ask, true);
    double *copies = ovl_alloc((size_t)ask->ranks * (size_t)ask->ranks, sizeof *copies), bytes = 0;
    struct ovl_together t;
    struct ovl_error impossible;
    if (ovl_together_open(&t, ask, &impossible) == 0)
        while (ovl_together_next(&t))
            for (int i = 0; i < PARTS * routed_blocks(ask); i++)
                ovl_moe_route_count(&moe, ask->model->mixture.dense_blocks + i / PARTS, ask->ranks,
                                    t.parts + i % PARTS * ask->ranks, copies);
    ovl_together_close(&t);
    for (int i = 0; i < ask->ranks * ask->ranks; i++) {
        int from = i / ask->ranks, to = i % ask->ranks;
        bool leaves = from >= first && from < end, comes = to >= first && to < end;
        bytes += leaves == comes ? 0 : copies[i] * (comes ? there : back);
    }
    free(copies);
    return bytes;
}

static int telling(const struct ovl_serve_ask *ask)
{
    (void)ask;
    return 0;
}

const struct ovl_serve_strategy ovl_serve_ep = {
    .name = "ep",
    .about = "experts over ranks, which serve whole requests: their tokens to the ranks of their experts and back",
    .build = build,
    .alike = true,
    .weights = weights,
    .token_bytes = token_bytes,
    .comes_in = comes_in,
    .telling = telling,
};
