/* The model's layers are gone through once, in their order, so that buckets find tensors as they are registered. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/moe_model.h"

#include <stdint.h>
#include <stdlib.h>

static bool is_feed_forward(const struct ovl_model *model, const struct ovl_layer *layer)
{
    const double hidden = model->transformer.hidden;
    for (size_t t = 0; t < layer->tensors && layer->block; t++)
        if ((double)model->tensors[layer->first + t] >= 4 * hidden * hidden)
            return true;
    return false;
}

static void add_tensor(struct ovl_model *dense, uint64_t numbers)
{
    dense->tensors[dense->tensor_count++] = numbers;
    dense->numbers += (double)numbers;
}

static void add_work(struct ovl_moe_work *w, double macs, double weights)
{
    *w = (struct ovl_moe_work){w->macs + macs, w->weights + weights};
}

/* A layer's tensors are every rank's, or an expert's. */
static void add_layer(struct ovl_moe_model *m, const struct ovl_model *model, const struct ovl_layer *layer,
                      bool shared)
{
    const double blocks = model->transformer.blocks;
    bool expert = is_feed_forward(model, layer);
    if (expert) {
        m->expert += layer->macs / blocks;
        m->expert_numbers += layer->numbers / blocks;
    } else if (layer->block)
        add_work(&m->attention, layer->macs / blocks, layer->weights / blocks);
    else
        add_work(m->first[0] == SIZE_MAX ? &m->before : &m->after, layer->macs, layer->weights);
    for (size_t t = 0; t < layer->tensors && (!expert || shared); t++)
        add_tensor(&m->dense, model->tensors[layer->first + t]);
}

/* Returns how many blocks were found. */
static int gather(struct ovl_moe_model *m, const struct ovl_model *model, const struct ovl_moe *moe)
{
    const struct ovl_transformer *t = &model->transformer;
    int blocks = 0;
    for (size_t l = 0; l < model->layer_count; l++) {
        const struct ovl_layer *layer = &model->layers[l];
        bool begins = l == 0 || layer[-1].unit != layer->unit;
        if (layer->block && begins && blocks < t->blocks)
            m->first[blocks] = m->dense.tensor_count;
        blocks += layer->block && begins;
        add_layer(m, model, layer, moe->overlap == OVL_MOE_SHARED);
        bool ends = l + 1 == model->layer_count || layer[1].unit != layer->unit;
        if (layer->block && ends && blocks <= t->blocks)
            add_tensor(&m->dense, (uint64_t)t->hidden * (uint64_t)moe->experts);
        if (layer->block && ends)
            m->first[t->blocks] = m->dense.tensor_count;
    }
    double router = (double)t->sequence * t->hidden * moe->experts;
    add_work(&m->attention, router, router);
    return blocks;
}

int ovl_moe_model_open(struct ovl_moe_model *m, const struct ovl_model *model, const struct ovl_moe *moe,
                       struct ovl_error *err)
{
    int blocks = model->transformer.blocks;
    *m = (struct ovl_moe_model){.dense = {.types = model->types, .transformer = model->transformer}};
    if (blocks > 0) {
        m->first = ovl_check_alloc(calloc((size_t)blocks + 1, sizeof *m->first));
        m->dense.tensors = ovl_check_alloc(calloc(model->tensor_count + (size_t)blocks, sizeof *m->dense.tensors));
        m->first[0] = SIZE_MAX;
    }
    if (blocks > 0 && gather(m, model, moe) == blocks && m->expert_numbers > 0)
        return 0;
    ovl_moe_model_close(m);
    return ovl_error_set(err, OVL_USAGE, "--strategy moe: %s %s", model->name,
                         blocks == 0 ? "is no transformer; give one that is, such as --model gpt2"
                                     : "has no blocks with feed-forward layers; give a model that has, such as gpt2");
}

void ovl_moe_model_close(struct ovl_moe_model *m)
{
    free(m->first);
    ovl_model_free(&m->dense);
    m->first = NULL;
}
