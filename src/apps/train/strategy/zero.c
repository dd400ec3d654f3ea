/* ZeRO's stages 1 and 2 (Rajbhandari et al., SC 2020): gradients are reduced and scattered by buckets, behind the
   backward pass in stage 1 and during it in stage 2; each rank updates its part of the parameters and gathers the rest.
   And both as DeepSpeed has them (zero/stage_1_and_2.py): buckets are allreduced, of which a rank keeps its part
   (use_multi_rank_bucket_allreduce), and all parameters are gathered in one operation behind the update, which nothing
   hides. Without overlap_comm each allreduce is waited for, too. */
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
        ovl_events_post_shards(e, ask, OVL_IALLGATHER, whole, first);
    }
    ovl_events_wait_all(e);
    ovl_events_step(e);
    ovl_buckets_free(&b);
    return 0;
}

/* Buckets in order of registration: the end of the one that begins at a tensor, and its bytes. */
static size_t fill(const struct ovl_train_ask *ask, size_t first, double *bytes)
{
    const struct ovl_model *m = ask->model;
    double element = ovl_model_element(m, OVL_OF_GRADIENTS);
    size_t t = first;
    *bytes = 0;
    do
        *bytes += element * (double)m->tensors[t++];
    while (t < m->tensor_count && *bytes + element * (double)m->tensors[t] <= ask->bucket);
    return t;
}

/* Stage 1 without overlap_comm: when the backward pass is over. */
static void reduce_behind(const struct ovl_train_ask *ask, struct ovl_events *e)
{
    const struct ovl_model *m = ask->model;
    double bytes, number = 0;
    int count = 0;
    for (size_t t = 0; t < m->tensor_count; t = fill(ask, t, &bytes))
        count++;
    ovl_events_compute(e, (struct ovl_event){.work = OVL_EVENT_BACKWARD,
                                             .macs = ovl_backward_macs(ask),
                                             .layers = (int)m->layer_count,
                                             .makes_count = count});
    for (size_t t = 0; t < m->tensor_count; number += bytes / ovl_model_element(m, OVL_OF_GRADIENTS)) {
        t = fill(ask, t, &bytes);
        ovl_events_wait(e, ovl_events_post(e, (struct ovl_event){.operation = OVL_IALLREDUCE,
                                                                 .bytes = bytes,
                                                                 .number = number,
                                                                 .team = {OVL_AXIS_OF_ALL, 0, ask->ranks, 1}}));
    }
}

static int build_deepspeed(const struct ovl_train_ask *ask, struct ovl_events *e, int stage)
{
    ovl_events_forward(e, ask);
    if (stage == 1 && !ask->deepspeed.overlap) {
        reduce_behind(ask, e);
    } else {
        struct ovl_buckets b;
        ovl_buckets_deepspeed(&b, ask);
        ovl_events_backward(e, ask, &b, OVL_IALLREDUCE, false);
        ovl_buckets_free(&b);
    }
    ovl_events_wait_all(e);
    ovl_events_update(e, ask->model->numbers / ask->ranks, 0, ovl_events_next(e));
    ovl_events_compute(e, (struct ovl_event){.work = OVL_EVENT_UPDATE, .makes = ovl_events_next(e), .makes_count = 1});
    ovl_events_wait(e, ovl_events_post_shards(e, ask, OVL_IALLGATHER, ask->model->numbers, 0));
    ovl_events_step(e);
    return 0;
}

static int build_1(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    (void)rank, (void)err;
    return ask->deepspeed.on ? build_deepspeed(ask, e, 1) : build(ask, e, 1);
}

static int build_2(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    (void)rank, (void)err;
    return ask->deepspeed.on ? build_deepspeed(ask, e, 2) : build(ask, e, 2);
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
    .zero = 2,
    .samples = ovl_samples_of_all,
};

const struct ovl_strategy ovl_strategy_zero2 = {
    .name = "zero2",
    .about = "buckets reduced and scattered during the backward pass, parameters gathered",
    .build = build_2,
    .alike = true,
    .memory = memory_2,
    .zero = 3,
    .samples = ovl_samples_of_all,
};
