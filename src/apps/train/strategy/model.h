/* The model of a network: its layers as data, read from a JSON file ("schema": "ovl-model-1"). Knows no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_MODEL_H
#define OVL_APPS_TRAIN_STRATEGY_MODEL_H

#include "apps/train/values/numbers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_layer {
    double macs;             /* multiply-adds of the forward pass, of a sample */
    double weights;          /* of its parameters' gradients: as many, or 0 where it has none, its own or tied ones */
    double activation_bytes; /* what it hands on, of a sample */
    double numbers;          /* in its tensors */
    size_t first, tensors;   /* those of the model's list that are its own */
    int unit;   /* the entry of the file's "layers", each repetition counted: what FSDP wraps, and no pipeline cuts */
    bool block; /* of a transformer's blocks: that entry is repeated as often as it has blocks */
};

struct ovl_model {
    char name[64];
    struct ovl_number_types types;
    double sample_bytes;
    struct ovl_layer *layers; /* in forward order */
    size_t layer_count;
    uint64_t *tensors; /* numbers in each, in the order in which they are registered */
    size_t tensor_count;
    double numbers, macs, weights; /* of all layers */
    int units;
    /* Outputs that are read again behind the next layer, as U-Net's, or a network's own residual: of layer `from`, by
       layer `to` at the latest, no two of one layer. */
    struct ovl_skip {
        int from, to;
    } * skips;
    size_t skip_count;
    /* The layer that computes with the tensors of an earlier one, and that one; by 0: none does. */
    struct ovl_tie {
        int of, by;
    } tied;
    /* Of a transformer; blocks is 0 where it is none. */
    struct ovl_transformer {
        int blocks, hidden, sequence, heads;
    } transformer;
};

/* By the name of an installed model, or from a file, whose name has a slash or ends in .json. -1 with *err: OVL_USAGE
   where no model has that name, OVL_WRONG_DATA with the place in the file where it is damaged, OVL_ENVIRONMENT where
   it cannot be read; then there is nothing to free. */
int ovl_model_load(struct ovl_model *model, const char *name, struct ovl_error *err);
/* Other numbers than those of its file: what its layers hand on is as many of them. */
void ovl_model_retype(struct ovl_model *model, const struct ovl_number_types *types);
void ovl_model_free(struct ovl_model *model);

/* Bytes of a number of that kind. */
static inline double ovl_model_element(const struct ovl_model *model, enum ovl_numbers_of of)
{
    return (double)model->types.of[of]->bytes;
}

#endif
