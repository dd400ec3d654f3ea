/* ZeRO's stages 1 and 2 (Rajbhandari et al., SC 2020): gradients are reduced and scattered by buckets, behind the
   backward pass in stage 1 and during it in stage 2; each rank updates its part of the parameters and gathers the rest.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

static int build(const struct ovl_train_ask *ask, struct ovl_events *e, int stage)
{
    struct ovl_buckets b;
    ovl_buckets_ddp(&b, ask);
    ovl_events_forward(e, ask);
    ovl_events_backward(e, ask, &b, OVL_IREDUCE_SCATTER, stage == 1);
    for (int i = 0; i < (int)b.count; i++) {
        double first = e->list[e->posted_at[i]].number;
        double whole = b.bytes[i] / ovl_model_element(ask->model, OVL_OF_GRADIENTS), numbers = whole / ask->ranks;
        ovl_events_wait(e, i);
        ovl_events_compute(e, (struct ovl_event){.work = OVL_EVENT_UPDATE,
                                                 .macs = 2 * numbers,
                                                 .takes = i,
                                                 .takes_count = 1,
                                                 .makes = ovl_events_next(e),
                                                 .makes_count = 1});
        ovl_events_post(e, (struct ovl_event){.operation = OVL_IALLGATHER,
                                              .of = OVL_OF_PARAMETERS,
                                              .bytes = whole * ovl_model_element(ask->model, OVL_OF_PARAMETERS),
                                              .number = first,
                                              .team = {OVL_AXIS_OF_ALL, 0, ask->ranks, 1}});
    }
    ovl_events_wait_all(e);
    ovl_events_step(e);
    ovl_buckets_free(&b);
    return 0;
}

static int build_1(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    (void)rank, (void)err;
    return build(ask, e, 1);
}

static int build_2(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    (void)rank, (void)err;
    return build(ask, e, 2);
}

static double memory_1(const struct ovl_train_ask *ask)
{
    return ovl_memory_of_states(ask->model->numbers, ask->ranks, 1) + ovl_memory_of_activations(ask);
}

static double memory_2(const struct ovl_train_ask *ask)
{
    return ovl_memory_of_states(ask->model->numbers, ask->ranks, 2) + ovl_memory_of_activations(ask);
}

const struct ovl_strategy ovl_strategy_zero1 = {
    .name = "zero1",
    .about = "buckets reduced and scattered behind the backward pass, parameters gathered",
    .build = build_1,
    .alike = true,
    .memory = memory_1,
    .samples = ovl_samples_of_all,
};

const struct ovl_strategy ovl_strategy_zero2 = {
    .name = "zero2",
    .about = "buckets reduced and scattered during the backward pass, parameters gathered",
    .build = build_2,
    .alike = true,
    .memory = memory_2,
    .samples = ovl_samples_of_all,
};
