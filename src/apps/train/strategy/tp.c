/* Tensor parallelism over all ranks: tensor.h. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/tensor.h"

static int build(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    const struct ovl_train_team all = {OVL_AXIS_OF_ALL, 0, ask->ranks, 1};
    (void)rank;
    if (ovl_need_transformer(ask->model, "tp", err) != 0 || ovl_tensor_check(ask, true, err) != 0)
        return -1;
    double each = ask->batch / ask->ranks / (2 * t->blocks); /* halves, all alike */
    double macs = each * ask->model->macs, weights = each * ask->model->weights;
    ovl_tensor_embedding(e, ask, all, false);
    for (int half = 0; half < 2 * t->blocks; half++)
        ovl_tensor_half(e, ask, all, (struct ovl_event){.work = OVL_EVENT_FORWARD, .macs = macs}, 0, false);
    ovl_tensor_head(e, ask, all, false);
    ovl_tensor_head(e, ask, all, true);
    for (int half = 0; half < 2 * t->blocks; half++)
        ovl_tensor_half(e, ask, all, (struct ovl_event){.work = OVL_EVENT_BACKWARD, .macs = macs}, weights, true);
    ovl_tensor_embedding(e, ask, all, true);
    ovl_tensor_sum_alone(e, ask, all, ovl_tensor_alone(ask, 0, (int)ask->model->layer_count));
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
    .about = "a transformer's blocks split over all ranks: four allreduces of activations a block, or what stands "
             "in their place",
    .build = build,
    .alike = true,
    .memory = memory,
    .samples = samples,
};
