/* The gate of a router: which experts a token goes to. It is drawn from a counter, so that every rank knows what every
   other one sends, before anything is sent and in every launch. Whole numbers alone: the same on every machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_MOE_GATE_H
#define OVL_APPS_TRAIN_MOE_GATE_H

#include "cli/moe/options.h"

#include <stdint.h>

/* Of one block: the experts by popularity, which is another order in each block. The n-th one has the weight
   2^19 / n^skew, rounded, and 1 at least (Zipf's law). */
struct ovl_moe_gate {
    int experts, top;
    int *expert;      /* [experts]: the most popular first */
    uint64_t *weight; /* [experts]: of the n-th one */
    uint64_t *before; /* [experts + 1]: weights of those before it */
};

/* Of settled numbers (ovl_moe_settle). */
void ovl_moe_gate_open(struct ovl_moe_gate *g, const struct ovl_moe *moe, int block);
void ovl_moe_gate_close(struct ovl_moe_gate *g);

/* chosen[top]: experts of a token of a member of those who share them out, as they are drawn one after the other, each
   by its weight among those that were not drawn yet. `part` is a part of the batch. */
void ovl_moe_gate_choose(const struct ovl_moe_gate *g, int block, int part, int member, int token, int *chosen);

#endif
