/* A transformer of whose blocks experts take the place of the feed-forward half: what is left of it at every rank, and
   what an expert is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_MOE_MODEL_H
#define OVL_APPS_TRAIN_STRATEGY_MOE_MODEL_H

#include "apps/train/strategy/model.h"
#include "cli/moe/options.h"

struct ovl_moe_model {
    /* Tensors and numbers of what every rank has: all but the feed-forward layers, which a shared expert keeps, and the
       router of each block, of hidden x experts numbers. It has no layers. */
    struct ovl_model dense;
    size_t *first; /* [blocks + 1]: its first tensor of each block, and of what stands behind them */
    struct ovl_moe_work {
        double macs, weights;   /* multiply-adds of a sample forwards, and of gradients of parameters, as a layer's */
    } before, attention, after; /* attention: a block's other half, with its router */
    double expert, expert_numbers; /* of an expert that all tokens of a sample go to; and its parameters */
};

/* Layers of a block that have a matrix of 4 x hidden x hidden numbers or more are its feed-forward half (Vaswani et
   al., 2017). -1 and OVL_USAGE where the model is no transformer, or its blocks have none of them. */
int ovl_moe_model_open(struct ovl_moe_model *m, const struct ovl_model *model, const struct ovl_moe *moe,
                       struct ovl_error *err);
void ovl_moe_model_close(struct ovl_moe_model *m);

#endif
