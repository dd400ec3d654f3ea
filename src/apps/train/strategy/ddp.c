/* Data parallelism with replicas: gradients are allreduced in buckets while the backward pass goes on, by the rule of
   PyTorch's DistributedDataParallel (Li et al., VLDB 2020) or of Horovod (Sergeev and Del Balso, 2018). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

static int build(const struct ovl_train_ask *ask, struct ovl_buckets *b, struct ovl_events *e)
{
    ovl_events_forward(e, ask);
    ovl_events_backward(e, ask, b, OVL_IALLREDUCE, false);
    ovl_events_wait_all(e);
    ovl_events_update(e, ask->model->numbers, 0, ovl_events_next(e));
    ovl_events_step(e);
    ovl_buckets_free(b);
    return 0;
}

static int build_ddp(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    struct ovl_buckets b;
    (void)rank, (void)err;
    ovl_buckets_ddp(&b, ask);
    return build(ask, &b, e);
}

static int build_horovod(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    struct ovl_buckets b;
    (void)rank, (void)err;
    ovl_buckets_horovod(&b, ask);
    return build(ask, &b, e);
}

static double memory(const struct ovl_train_ask *ask)
{
    return ovl_memory_of_states(ask->model->numbers, ask->ranks, 0) + ovl_memory_of_activations(ask);
}

const struct ovl_strategy ovl_strategy_ddp = {
    .name = "ddp",
    .about = "an allreduce per bucket of gradients, by PyTorch's rule",
    .build = build_ddp,
    .alike = true,
    .memory = memory,
    .zero = 1,
    .samples = ovl_samples_of_all,
};

const struct ovl_strategy ovl_strategy_horovod = {
    .name = "horovod",
    .about = "an allreduce per fusion buffer, by Horovod's rule",
    .build = build_horovod,
    .alike = true,
    .memory = memory,
    .zero = 1,
    .samples = ovl_samples_of_all,
};
