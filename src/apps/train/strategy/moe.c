/* Mixture of experts in a transformer (Lepikhin et al., GShard, 2021; Liu et al., DeepSeek-V3, 2024): of each block the
   tokens go to the ranks of their experts and back, in both passes, by counts that the gate gives. Gradients of what
   all ranks have are allreduced in buckets, as ddp's; those of experts among the ranks that have the same ones. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/moe_model.h"
#include "apps/train/strategy/strategy.h"

#include <stdlib.h>

enum { PARTS = 2 };

static const struct ovl_moe_work nothing = {0, 0};
static const double draws_most = 3e8; /* by which a rank finds its routes: some ten seconds */

/* Events of a step as they are made. */
struct made {
    const struct ovl_train_ask *ask;
    struct ovl_moe moe;
    struct ovl_moe_model model;
    struct ovl_events *e;
    struct ovl_buckets buckets;
    int rank, members, parts;
    double samples;   /* of a part of the batch */
    int there[PARTS]; /* operations on their way, of each part */
    int back[PARTS];
    size_t posted; /* buckets */
};

static const enum ovl_event_work passes[] = {OVL_EVENT_FORWARD, OVL_EVENT_BACKWARD};

/* Work that takes what operation `takes` brought, unless that is -1, and fills the next one. */
static void compute(struct made *m, bool back, double macs, int takes, bool makes)
{
    ovl_events_compute(m->e, (struct ovl_event){.work = passes[back],
                                                .macs = macs,
                                                .takes = takes,
                                                .takes_count = takes >= 0,
                                                .makes = ovl_events_next(m->e),
                                                .makes_count = makes});
}

/* The same, forwards; backwards twice as much. Of that the gradients of the weights are of the same work where nothing
   may hide what follows, else they are made whenever there is time. */
static void work(struct made *m, bool back, struct ovl_moe_work of, int takes, bool makes)
{
    bool together = m->moe.overlap == OVL_MOE_NONE;
    compute(m, back, back ? 2 * of.macs - (together ? 0 : of.weights) : of.macs, takes, makes);
    if (back && !together) /* of no tokens, too: all ranks have as many events */
        ovl_events_bulk(m->e, (struct ovl_event){.work = OVL_EVENT_BACKWARD, .macs = of.weights});
}

/* Of all samples of a part of the batch: one piece of work, or two together. */
static struct ovl_moe_work of_part(const struct made *m, struct ovl_moe_work a, struct ovl_moe_work b)
{
    return (struct ovl_moe_work){m->samples * (a.macs + b.macs), m->samples * (a.weights + b.weights)};
}

/* Of a part of the batch, in a block: its tokens to their experts, or back. Returns the id. */
static int post(struct made *m, int block, int part, bool returns, int answers)
{
    const struct ovl_moe_route *route = ovl_moe_route(m->e->routes, block, part);
    const struct ovl_moe_type *type = returns ? &m->moe.combine : &m->moe.dispatch;
    double token = (double)type->bytes * m->ask->model->transformer.hidden;
    return ovl_events_post(
        m->e, (struct ovl_event){.operation = OVL_IALLTOALLV,
                                 .of = OVL_OF_ACTIVATIONS,
                                 .bytes = token * ovl_moe_sends(route, returns),
                                 .route = route,
                                 .returns = returns,
                                 .answers = answers,
                                 .token_bytes = token,
                                 .team = {OVL_AXIS_EXPERT, m->rank / m->members * m->members, m->members, 1}});
}

static void wait_for(struct made *m, int id)
{
    if (id >= 0)
        ovl_events_wait(m->e, id);
}

/* Half of the work of the expert that all tokens go to. */
static void share(struct made *m, bool back)
{
    const double half = m->samples * m->model.expert / 2;
    if (m->moe.overlap == OVL_MOE_SHARED)
        work(m, back, (struct ovl_moe_work){half, half}, -1, false);
}

/* Tokens that came are worked on, and sent back. */
static void experts(struct made *m, int block, bool back)
{
    const double token = m->model.expert / m->ask->model->transformer.sequence; /* work of one */
    for (int part = 0; part < m->parts; part++) {
        wait_for(m, m->there[part]);
        double macs = token * ovl_moe_route(m->e->routes, block, part)->work;
        work(m, back, (struct ovl_moe_work){macs, macs}, m->there[part], true);
        m->back[part] = post(m, block, part, true, m->there[part]);
        share(m, back);
    }
}

static void forward(struct made *m)
{
    const int blocks = m->ask->model->transformer.blocks;
    for (int block = 0; block < blocks; block++) {
        struct ovl_moe_work of = of_part(m, m->model.attention, block == 0 ? m->model.before : nothing);
        for (int part = 0; part < m->parts; part++) {
            wait_for(m, m->back[part]);
            work(m, false, of, m->back[part], true);
            m->there[part] = post(m, block, part, false, -1);
            share(m, false);
        }
        experts(m, block, false);
    }
    for (int part = 0; part < m->parts; part++) {
        wait_for(m, m->back[part]);
        work(m, false, of_part(m, m->model.after, nothing), m->back[part], false);
    }
}

/* Gradients of what stands at `block` or behind it, those of its expert too, when so much bulk work has been done. */
static void gradients(struct made *m, int block, int after)
{
    const int replicas = m->ask->ranks / m->members, blocks = m->ask->model->transformer.blocks;
    size_t ready = m->posted, first = block > 0 ? m->model.first[block] : 0;
    bool expert = replicas > 1 && block < blocks;
    while (ready < m->buckets.count && m->buckets.low[ready] >= first)
        ready++;
    if (ready == m->posted && !expert)
        return;
    ovl_events_compute(m->e, (struct ovl_event){.work = OVL_EVENT_BACKWARD,
                                                .makes = ovl_events_next(m->e),
                                                .makes_count = (int)(ready - m->posted) + expert,
                                                .after = after});
    for (; m->posted < ready; m->posted++)
        ovl_events_post(m->e, (struct ovl_event){.operation = OVL_IALLREDUCE,
                                                 .bytes = m->buckets.bytes[m->posted],
                                                 .team = {OVL_AXIS_OF_ALL, 0, m->ask->ranks, 1}});
    if (expert)
        ovl_events_post(m->e, (struct ovl_event){.operation = OVL_IALLREDUCE,
                                                 .bytes = ovl_model_element(m->ask->model, OVL_OF_GRADIENTS) *
                                                          m->moe.experts / m->members * m->model.expert_numbers,
                                                 .team = {OVL_AXIS_DATA, m->rank % m->members, replicas, m->members}});
}

/* Block after block. With bulk work a block's gradients follow a block later, so that this work has waits to fill. */
static void backward(struct made *m)
{
    const int blocks = m->ask->model->transformer.blocks, lag = m->moe.overlap != OVL_MOE_NONE;
    int done = 0; /* bulk work up to the block behind the last one */
    for (int block = blocks - 1; block >= 0; block--) {
        bool last = block == blocks - 1; /* of the model: what stands behind it comes first */
        int before = done;
        for (int part = 0; part < m->parts; part++) {
            if (!last)
                wait_for(m, m->back[part]);
            work(m, true, of_part(m, last ? m->model.after : m->model.attention, nothing), last ? -1 : m->back[part],
                 true);
            m->there[part] = post(m, block, part, false, -1);
            share(m, true);
        }
        done = m->e->bulks;
        if (block + 1 + lag <= blocks)
            gradients(m, block + 1 + lag, lag ? before : 0);
        experts(m, block, true);
    }
    for (int part = 0; part < m->parts; part++) {
        wait_for(m, m->back[part]);
        work(m, true, of_part(m, m->model.attention, m->model.before), m->back[part], false);
    }
    if (lag)
        gradients(m, 1, done);
    gradients(m, 0, m->e->bulks);
}

/* Parameters of a rank's own experts. */
static double numbers_of_experts(const struct ovl_moe *moe, const struct ovl_moe_model *model,
                                 const struct ovl_train_ask *ask)
{
    double own = (double)moe->experts / ovl_moe_members(moe, ask->ranks);
    return own * ask->model->transformer.blocks * model->expert_numbers;
}

/* All that members draw in a pass is drawn at each of them. */
static int check_draws(const struct made *m, struct ovl_error *err)
{
    const struct ovl_transformer *t = &m->ask->model->transformer;
    double draws = m->ask->batch * t->sequence * t->blocks * m->members * m->moe.top;
    return draws <= draws_most
               ? 0
               : ovl_error_set(err, OVL_USAGE,
                               "--strategy moe: %.3g choices of experts in a pass, and %.3g at most are "
                               "drawn; give a smaller --batch, or fewer --experts",
                               draws, draws_most);
}

static int build(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    struct made m = {.ask = ask, .moe = ask->moe, .e = e, .rank = rank, .there = {-1, -1}, .back = {-1, -1}};
    struct ovl_train_ask dense = *ask;
    if (ovl_moe_settle(&m.moe, ask->ranks, ask->batch, err) != 0)
        return -1;
    m.parts = ovl_moe_parts(&m.moe);
    m.members = ovl_moe_members(&m.moe, ask->ranks);
    if (check_draws(&m, err) != 0 || ovl_moe_model_open(&m.model, ask->model, &m.moe, err) != 0)
        return -1;
    m.samples = ask->batch / m.parts;
    dense.model = &m.model.dense;
    ovl_buckets_ddp(&m.buckets, &dense);
    e->routes = ovl_check_alloc(calloc(1, sizeof *e->routes));
    const struct ovl_transformer *t = &ask->model->transformer;
    const int tokens = (int)(m.samples * t->sequence);
    if (e->counts && !e->counts->copies)
        ovl_moe_counts_open(e->counts, &m.moe, t->blocks, m.members, tokens);
    if (e->counts)
        ovl_moe_routes_count(e->routes, e->counts, rank % m.members);
    else
        ovl_moe_routes_open(e->routes, &m.moe, t->blocks, m.members, rank % m.members, tokens);
    forward(&m);
    backward(&m);
    ovl_events_wait_all(e);
    ovl_events_update(e, m.model.dense.numbers + numbers_of_experts(&m.moe, &m.model, ask), 0, ovl_events_next(e));
    ovl_events_step(e);
    ovl_buckets_free(&m.buckets);
    ovl_moe_model_close(&m.model);
    return 0;
}

/* Of a block's activations, 34 numbers of a byte for each token and hidden unit, 19 are its feed-forward half's
   (Korthikanti et al., 2022): once for each expert that the token goes to. */
static double memory(const struct ovl_train_ask *ask)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    struct ovl_moe moe = ask->moe;
    struct ovl_moe_model model;
    struct ovl_error impossible;
    if (ovl_moe_settle(&moe, ask->ranks, ask->batch, &impossible) != 0 ||
        ovl_moe_model_open(&model, ask->model, &moe, &impossible) != 0)
        return 0;
    double more =
        19.0 * t->sequence * ask->batch * t->hidden * t->blocks * (moe.top - 1 + (moe.overlap == OVL_MOE_SHARED));
    double numbers = model.dense.numbers + numbers_of_experts(&moe, &model, ask);
    ovl_moe_model_close(&model);
    more *= ask->recompute != OVL_RECOMPUTE_FULL;
    return ovl_memory_of_states(numbers, ask->ranks, 0) + ovl_memory_of_activations(ask) + more;
}

const struct ovl_strategy ovl_strategy_moe = {
    .name = "moe",
    .about = "experts in a transformer's blocks: tokens to their ranks and back, and buckets of the other gradients",
    .build = build,
    .alike = true,
    .memory = memory,
    .samples = ovl_samples_of_all,
};
