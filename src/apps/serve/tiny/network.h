/* A transformer of two blocks in whole numbers: sums are exact in any order, so that the tokens it writes are the same
   whoever shares its work. Heads and what is behind them divide by 1, 2, 3, 4, 6 and 12 ranks. Pure: no MPI, no libm.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_TINY_NETWORK_H
#define OVL_APPS_SERVE_TINY_NETWORK_H

#include "apps/serve/strategy/served.h"

#include <stddef.h>
#include <stdint.h>

enum {
    OVL_LM_BLOCKS = 2,
    OVL_LM_HEADS = 12,
    OVL_LM_HEAD = 2,
    OVL_LM_HIDDEN = OVL_LM_HEADS * OVL_LM_HEAD,
    OVL_LM_BEHIND = 48, /* the width between the two halves of what is behind the attention */
    OVL_LM_WORDS = 64,
    OVL_LM_TOKEN_MORE = 1,           /* numbers that travel with a token beside its activations */
    OVL_LM_KEPT = 2 * OVL_LM_HIDDEN, /* a block's keys, then its values, of a token: a head's beside each other */
};

/* Weights, a row for each number that they make. */
struct ovl_lm {
    int8_t query[OVL_LM_BLOCKS][OVL_LM_HIDDEN][OVL_LM_HIDDEN], kept[OVL_LM_BLOCKS][OVL_LM_KEPT][OVL_LM_HIDDEN],
        out[OVL_LM_BLOCKS][OVL_LM_HIDDEN][OVL_LM_HIDDEN], up[OVL_LM_BLOCKS][OVL_LM_BEHIND][OVL_LM_HIDDEN],
        down[OVL_LM_BLOCKS][OVL_LM_HIDDEN][OVL_LM_BEHIND], words[OVL_LM_WORDS][OVL_LM_HIDDEN],
        head[OVL_LM_WORDS][OVL_LM_HIDDEN];
};

/* A token on its way through the blocks, and a number by every sum that was added to it: where one of them had another
   bit, it is another number. */
struct ovl_lm_state {
    int64_t x[OVL_LM_HIDDEN];
    uint64_t digest; /* never 0 */
};

/* The same at every rank and in every run. */
void ovl_lm_make(struct ovl_lm *m);
/* What strategies know of it, as a file would have it. */
void ovl_lm_model(struct ovl_served *model);

/* The word at a place of a prompt, by the key of the sample and the number that says whose token it is. */
int ovl_lm_prompt_word(uint64_t key, uint64_t whose, int place);

/* What goes into the first block. */
void ovl_lm_begin(const struct ovl_lm *m, int word, int place, struct ovl_lm_state *t);
/* The two halves of a block, for the part of one rank of so many: sum[] is its part of what is added to x. kept[] has
   the keys and values of the block, place by place; with `keeps` those of this place are worked out and put there
   first, of the rank's heads. Numbers that no network made, as damaged messages bring, are cut off and do no harm. */
void ovl_lm_attention(const struct ovl_lm *m, int block, const struct ovl_lm_state *t, int place,
                      int32_t (*kept)[OVL_LM_KEPT], bool keeps, int rank, int ranks, int64_t sum[OVL_LM_HIDDEN]);
void ovl_lm_behind(const struct ovl_lm *m, int block, const struct ovl_lm_state *t, int rank, int ranks,
                   int64_t sum[OVL_LM_HIDDEN]);
/* A token's numbers as another rank has sent them, with another digest. */
void ovl_lm_take(struct ovl_lm_state *t, const int64_t x[OVL_LM_HIDDEN]);
/* Adds the sum of all ranks' parts. */
void ovl_lm_add(struct ovl_lm_state *t, const int64_t sum[OVL_LM_HIDDEN]);
/* Both halves by one rank. */
void ovl_lm_block(const struct ovl_lm *m, int block, struct ovl_lm_state *t, int place, int32_t (*kept)[OVL_LM_KEPT],
                  bool keeps);

/* The next word: that of the largest number, of equal ones the lower. */
int ovl_lm_word(const struct ovl_lm *m, const struct ovl_lm_state *t);

#endif
