/* Tensor parallelism of a transformer's blocks (Shoeybi et al., Megatron-LM, 2019), and sequence parallelism between
   them (Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", 2022): a block has two
   halves, attention and the layers behind it, each split over a team. Each half ends with an allreduce of activations
   in the forward pass, and of gradients in the backward pass, where it travels while those of the weights are computed.
   With ask->sequence a reduce-scatter and an allgather stand in place of each allreduce, and the backward pass gathers
   a half's input once more, while the gradients of the input are computed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_TENSOR_H
#define OVL_APPS_TRAIN_STRATEGY_TENSOR_H

#include "apps/train/strategy/strategy.h"

/* A half forwards or, with twice the `work`, backwards: of it so many multiply-adds are for the weights' gradients. */
void ovl_tensor_half(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team,
                     struct ovl_event work, double weights, bool back);

/* The words' embedding, or the head that is tied to it, both split by words: the one sums up its output, the other one
   the gradients of its input. Nothing where the model has no tied weights. */
void ovl_tensor_embedding(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team, bool back);
void ovl_tensor_head(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team, bool back);

/* With ask->sequence: numbers of the layers from `first` to the one before `end` whose gradients each rank has of its
   own tokens alone: norms, and the biases behind a half's last matrix. Else 0. */
double ovl_tensor_alone(const struct ovl_train_ask *ask, int first, int end);
/* The allreduce of so many of them behind the backward pass (Megatron-LM, finalize_model_grads), if there are any. */
void ovl_tensor_sum_alone(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team,
                          double numbers);

/* Can teams of ask->tensor ranks, or with `all` of all ranks, split the model? They divide its heads, and with
   ask->sequence its tokens. -1 and OVL_USAGE with the next smaller number that would do. */
int ovl_tensor_check(const struct ovl_train_ask *ask, bool all, struct ovl_error *err);

#endif
