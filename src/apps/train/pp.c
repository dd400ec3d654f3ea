/* Pipeline of stages by the schedule 1F1B (Narayanan et al., SC 2019): stage r runs p - r - 1 microbatches ahead, then
   one forwards and one backwards in turn. Neighbours that both have something to send do not both send first, so that
   the blocking twin ends, too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy.h"

struct stage {
    const struct ovl_train_ask *ask;
    struct ovl_events *e;
    int rank, first, end; /* its layers */
    double macs, numbers;
    int got; /* id of what came last, or -1 */
};

static int microbatches(const struct ovl_train_ask *ask)
{
    return ask->microbatches > 0 ? ask->microbatches : 2 * ask->ranks;
}

/* Stages have about equal work, and a layer at least. */
static void find_layers(struct stage *s)
{
    const struct ovl_model *m = s->ask->model;
    int stages = s->ask->ranks, layers = (int)m->layer_count, l = 0;
    double before = 0;
    for (int r = 0; r <= s->rank; r++) {
        s->first = l;
        s->macs = s->numbers = 0;
        do {
            before += m->layers[l].macs;
            s->macs += m->layers[l].macs;
            s->numbers += m->layers[l++].numbers;
        } while (layers - l > stages - r - 1 && (r + 1 == stages || before < m->macs * (r + 1) / stages));
        s->end = l;
    }
}

/* Activations of a microbatch to the next stage or from the one before, or gradients the other way: the id, or -1 where
   there is no such stage. */
static int pass(struct stage *s, bool back, bool sends)
{
    int other = s->rank + (back == sends ? -1 : 1), low = other < s->rank ? other : s->rank;
    if (other < 0 || other >= s->ask->ranks)
        return -1;
    int layer = other < s->rank ? s->first - 1 : s->end - 1;
    enum ovl_train_axis axis = back ? (low % 2 ? OVL_AXIS_BACK_ODD : OVL_AXIS_BACK_EVEN)
                                    : (low % 2 ? OVL_AXIS_FORTH_ODD : OVL_AXIS_FORTH_EVEN);
    return ovl_events_post(s->e,
                           (struct ovl_event){.operation = OVL_ISENDRECV,
                                              .bytes = s->ask->batch * s->ask->model->layers[layer].activation_bytes,
                                              .team = {axis, low, 2},
                                              .to = sends ? !back : -1,
                                              .from = sends ? -1 : back});
}

static void receive(struct stage *s, bool back)
{
    s->got = pass(s, back, false);
    if (s->got >= 0)
        ovl_events_wait(s->e, s->got);
}

/* A microbatch; `late`: what it makes is sent behind the next receive. */
static void compute(struct stage *s, bool back, bool late)
{
    bool sends = back ? s->rank > 0 : s->rank + 1 < s->ask->ranks;
    ovl_events_compute(s->e, (struct ovl_event){.work = back ? OVL_EVENT_BACKWARD : OVL_EVENT_FORWARD,
                                                .macs = (back ? 2 : 1) * s->ask->batch * s->macs,
                                                .layers = s->end - s->first,
                                                .makes = ovl_events_next(s->e) + late,
                                                .makes_count = sends,
                                                .takes = s->got,
                                                .takes_count = s->got >= 0});
}

/* Sends what a pass over a microbatch made, and receives for the other pass from the same neighbour. */
static void exchange(struct stage *s, bool back)
{
    if (s->rank % 2) {
        receive(s, !back);
        pass(s, back, true);
        return;
    }
    pass(s, back, true);
    receive(s, !back);
}

static int build(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    struct stage s = {.ask = ask, .e = e, .rank = rank};
    int m = microbatches(ask), ahead = ask->ranks - rank - 1 < m ? ask->ranks - rank - 1 : m, turns = m - ahead;
    if ((size_t)ask->ranks > ask->model->layer_count)
        return ovl_error_set(err, OVL_USAGE,
                             "--strategy pp: %s has %zu layers, too few for %d stages; give fewer ranks",
                             ask->model->name, ask->model->layer_count, ask->ranks);
    find_layers(&s);
    for (int i = 0; i < ahead; i++) {
        receive(&s, false);
        compute(&s, false, false);
        pass(&s, false, true);
    }
    if (turns > 0)
        receive(&s, false);
    for (int i = 0; i < turns; i++) {
        bool more = i + 1 < turns;
        compute(&s, false, rank % 2 && rank + 1 < ask->ranks);
        exchange(&s, false);
        compute(&s, true, rank % 2 && rank > 0 && more);
        if (more)
            exchange(&s, true);
        else
            pass(&s, true, true);
    }
    for (int i = turns; i < m; i++) {
        receive(&s, true);
        compute(&s, true, false);
        pass(&s, true, true);
    }
    ovl_events_wait_all(e);
    ovl_events_update(e, s.numbers, 0, 0);
    ovl_events_step(e);
    return 0;
}

static double memory(const struct ovl_train_ask *ask)
{
    double held = ask->ranks < microbatches(ask) ? ask->ranks : microbatches(ask); /* microbatches of the first stage */
    return ovl_memory_of_states(ask->model->numbers / ask->ranks, 1, 0) +
           held * ovl_memory_of_activations(ask) / ask->ranks;
}

static double samples(const struct ovl_train_ask *ask)
{
    return ask->batch * microbatches(ask);
}

const struct ovl_strategy ovl_strategy_pp = {
    .name = "pp",
    .about = "a pipeline of stages, 1F1B: activations and gradients of microbatches to the neighbours",
    .build = build,
    .memory = memory,
    .samples = samples,
};
