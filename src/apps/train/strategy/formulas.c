/* What strategies count by published formulas. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

double ovl_memory_kept(double parameters, int ranks, int z)
{
    const double k = 2, K = 4, d = ranks;
    return k * parameters / (z >= 3 ? d : 1) + 3 * K * parameters / (z >= 1 ? d : 1);
}

double ovl_memory_of_states(double parameters, int ranks, int z)
{
    const double k = 2;
    return ovl_memory_kept(parameters, ranks, z) + k * parameters / (z >= 2 ? ranks : 1);
}

double ovl_memory_of_shared_activations(const struct ovl_train_ask *ask, int tensor)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    const double s = t->sequence, h = t->hidden, parts = tensor;
    if (t->blocks == 0)
        return 0;
    double each = 2; /* full recomputation */
    if (ask->recompute != OVL_RECOMPUTE_FULL)
        each = 10 / (ask->sequence ? parts : 1) + 24 / parts;
    if (ask->recompute == OVL_RECOMPUTE_NONE)
        each += 5 * t->heads * s / h / parts;
    return s * ask->batch * h * t->blocks * each;
}

double ovl_memory_of_activations(const struct ovl_train_ask *ask)
{
    return ovl_memory_of_shared_activations(ask, 1);
}

double ovl_samples_of_all(const struct ovl_train_ask *ask)
{
    return ask->batch * ask->ranks;
}

double ovl_activations_of_block(const struct ovl_train_ask *ask)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    return ovl_model_element(ask->model, OVL_OF_ACTIVATIONS) * ask->batch * t->sequence * t->hidden;
}

int ovl_need_transformer(const struct ovl_model *model, const char *strategy, struct ovl_error *err)
{
    if (model->transformer.blocks > 0)
        return 0;
    return ovl_error_set(err, OVL_USAGE, "--strategy %s: %s is no transformer; give one, such as --model gpt2",
                         strategy, model->name);
}
