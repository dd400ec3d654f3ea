/* Mixture of experts in a transformer, an expert of each block at each rank (Lepikhin et al., GShard, 2021): tokens go
   to their two experts and back by all-to-all, in both passes. Gradients of what all ranks have are not part of it:
   that is ddp. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

enum { EXPERTS_OF_A_TOKEN = 2 };

/* A third of a block is attention, two thirds are its expert. */
static void compute(struct ovl_events *e, enum ovl_event_work work, double macs, bool makes)
{
    ovl_events_compute(
        e, (struct ovl_event){.work = work, .macs = macs, .makes = ovl_events_next(e), .makes_count = makes});
}

static int post(struct ovl_events *e, const struct ovl_train_ask *ask)
{
    return ovl_events_post(e, (struct ovl_event){.operation = OVL_IALLTOALL,
                                                 .of = OVL_OF_ACTIVATIONS,
                                                 .bytes = EXPERTS_OF_A_TOKEN * ovl_activations_of_block(ask),
                                                 .team = {OVL_AXIS_OF_ALL, 0, ask->ranks, 1}});
}

static int build(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    (void)rank;
    if (ovl_need_transformer(ask->model, "moe", err) != 0)
        return -1;
    double third = ask->batch * ask->model->macs / t->blocks / 3;
    for (int block = 0; block < t->blocks; block++) {
        compute(e, OVL_EVENT_FORWARD, third, true);
        ovl_events_wait(e, post(e, ask));
        compute(e, OVL_EVENT_FORWARD, 2 * third, true);
        ovl_events_wait(e, post(e, ask));
    }
    for (int block = 0; block < t->blocks; block++) {
        compute(e, OVL_EVENT_BACKWARD, third, true); /* weights of the attention behind, or of the head */
        ovl_events_wait(e, post(e, ask));
        compute(e, OVL_EVENT_BACKWARD, 2 * third, true);
        int id = post(e, ask);
        compute(e, OVL_EVENT_BACKWARD, 2 * third, false); /* weights of the expert */
        ovl_events_wait(e, id);
        compute(e, OVL_EVENT_BACKWARD, third, false);
    }
    ovl_events_update(e, ask->model->numbers, 0, ovl_events_next(e));
    ovl_events_step(e);
    return 0;
}

static double memory(const struct ovl_train_ask *ask)
{
    return ovl_memory_of_states(ask->model->numbers, ask->ranks, 0) + ovl_memory_of_activations(ask);
}

const struct ovl_strategy ovl_strategy_moe = {
    .name = "moe",
    .about = "an expert of each of a transformer's blocks at each rank: four all-to-alls of activations a block",
    .build = build,
    .alike = true,
    .memory = memory,
    .samples = ovl_samples_of_all,
};
