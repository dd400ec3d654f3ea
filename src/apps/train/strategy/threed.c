/* The strategies of a grid of ranks: a pipeline, and tensor parallelism, pipeline and replicas together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/grid.h"

#include <math.h>

/* Of the stage with most parameters. The first one holds the activations of as many microbatches as there are stages;
   interleaved, of (p - 1) / v more (Korthikanti et al., 2022). */
static double memory(const struct ovl_train_ask *ask)
{
    double p = ovl_grid_stages(ask), held = p + (ask->interleave > 1 ? (p - 1) / ask->interleave : 0);
    return ovl_memory_of_states(ovl_grid_numbers_most(ask), 1, 0) +
           fmin(held, ovl_grid_microbatches(ask)) / p * ovl_memory_of_shared_activations(ask, ask->tensor);
}

static double samples(const struct ovl_train_ask *ask)
{
    int replicas = ask->ranks / (ask->tensor * ovl_grid_stages(ask));
    return ask->batch * ovl_grid_microbatches(ask) * replicas;
}

static double bubble(const struct ovl_train_ask *ask)
{
    return (ovl_grid_stages(ask) - 1.0) / ask->interleave / ovl_grid_microbatches(ask);
}

const struct ovl_strategy ovl_strategy_pp = {
    .name = "pp",
    .about = "a pipeline of stages, 1F1B: activations and gradients of microbatches to the neighbours",
    .build = ovl_grid_build,
    .memory = memory,
    .samples = samples,
    .bubble = bubble,
};

const struct ovl_strategy ovl_strategy_3d = {
    .name = "3d",
    .about = "a transformer's blocks split over teams, which are stages of a pipeline, in replicas",
    .build = ovl_grid_build,
    .memory = memory,
    .samples = samples,
    .bubble = bubble,
};
