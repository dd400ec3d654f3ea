/* Tokens of a mixture of experts as an exchange: its sizes and lists, of training and of inference. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_TOKEN_SHAPE_H
#define OVL_APPS_TRAIN_TOKEN_SHAPE_H

#include "apps/train/moe/tokens.h"
#include "apps/train/strategy/events.h"
#include "bench/exchange/collective.h"

/* Fills sizes, and counts and places, of what `post` sends and gets of tokens of so many words. x has its element and
   ranks. lists[4 x ranks]; NULL: sizes alone. */
void ovl_token_shape(struct ovl_exchange *x, const struct ovl_event *post, size_t words, int *lists);
/* Words of the larger of what it sends and what it gets. */
double ovl_token_shape_most(const struct ovl_event *post, size_t words);

#endif
