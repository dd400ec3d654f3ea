/* Tensor parallelism of a transformer (Shoeybi et al., Megatron-LM, 2019): each block's two halves are split over all
   ranks, whose parts are added up by an allreduce of the activations, in both passes. In the backward pass it travels
   while gradients of weights are computed, for which nobody waits before the update. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

static int build(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    (void)rank;
    if (ovl_need_transformer(ask->model, "tp", err) != 0)
        return -1;
    double macs = ask->batch * ask->model->macs / ask->ranks / (2 * t->blocks); /* of a half */
    for (int half = 0; half < 4 * t->blocks; half++) {
        bool back = half >= 2 * t->blocks;
        struct ovl_event work = {.work = back ? OVL_EVENT_BACKWARD : OVL_EVENT_FORWARD, .macs = macs};
        work.makes = ovl_events_next(e);
        work.makes_count = 1;
        ovl_events_compute(e, work);
        int id = ovl_events_post(e, (struct ovl_event){.operation = OVL_IALLREDUCE,
                                                       .bytes = ovl_activations_of_block(ask),
                                                       .team = {OVL_AXIS_OF_ALL, 0, ask->ranks, 1}});
        work.makes_count = 0;
        if (back)
            ovl_events_bulk(e, work);
        ovl_events_wait(e, id);
    }
    ovl_events_update(e, ask->model->numbers / ask->ranks, 0, ovl_events_next(e));
    ovl_events_step(e);
    return 0;
}

static double memory(const struct ovl_train_ask *ask)
{
    return ovl_memory_of_states(ask->model->numbers / ask->ranks, 1, 0) +
           ovl_memory_of_shared_activations(ask, ask->ranks);
}

static double samples(const struct ovl_train_ask *ask)
{
    return ask->batch;
}

const struct ovl_strategy ovl_strategy_tp = {
    .name = "tp",
    .about = "a transformer's blocks split over all ranks: four allreduces of activations a block",
    .build = build,
    .alike = true,
    .memory = memory,
    .samples = samples,
};
