/* What a rank computes in a block of the model, in multiply-adds, by a roofline (Williams et al., Roofline, 2009):
   a number of two bytes that is read from memory takes as long as ask->balance multiply-adds, and the work on it hides
   behind that or takes longer. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_STRATEGY_WORK_H
#define OVL_APPS_SERVE_STRATEGY_WORK_H

#include "apps/serve/strategy/strategy.h"

/* An iteration of so many tokens: what all of them go through, of so many weights, */
double ovl_serve_weights_macs(const struct ovl_serve_ask *ask, double weights, double tokens);
/* experts of which each token goes to `top`: the weights are read of those that have tokens, which are
   experts (1 - (1 - top / experts)^tokens) on average where all are alike; */
double ovl_serve_experts_macs(const struct ovl_serve_ask *ask, double experts, double top, double tokens);
/* all that is behind the attention of that block; and all of the blocks from `first` to the one before `end`. */
double ovl_serve_behind_macs(const struct ovl_serve_ask *ask, int block, double tokens);
double ovl_serve_blocks_macs(const struct ovl_serve_ask *ask, int first, int end, double tokens);

/* The head, for so many tokens that are written. */
double ovl_serve_head_macs(const struct ovl_serve_ask *ask, double writes);

/* The queries of a request, of one block, at each of so many ranks that share it: each token looks at those before it
   and at itself. The keys and values that are there before the iteration are read once. */
double ovl_serve_looks_macs(const struct ovl_serve_ask *ask, int ranks, const struct ovl_batcher_work *w);

#endif
