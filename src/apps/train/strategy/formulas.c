/* What strategies count by published formulas. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

double ovl_memory_of_states(double parameters, int ranks, int z)
{
    const double k = 2, K = 4, d = ranks;
    return k * parameters / (z >= 3 ? d : 1) + 3 * K * parameters / (z >= 1 ? d : 1) +
           k * parameters / (z >= 2 ? d : 1);
}

double ovl_memory_of_activations(const struct ovl_train_ask *ask)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    const double k = 2, s = t->sequence, h = t->hidden;
    return t->blocks == 0 ? 0 : s * ask->batch * h * t->blocks * (16 * k + 2 + (2 * k + 1) * t->heads * s / h);
}

double ovl_memory_of_shared_activations(const struct ovl_train_ask *ask, int tensor)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    double whole = ovl_memory_of_activations(ask), kept = 10.0 * t->sequence * ask->batch * t->hidden * t->blocks;
    return kept + (whole - kept) / tensor;
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
