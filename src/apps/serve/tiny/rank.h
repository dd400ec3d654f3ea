/* What the parts of a rank of --tiny share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_TINY_RANK_H
#define OVL_APPS_SERVE_TINY_RANK_H

#include "apps/serve/tiny/answers.h"

/* Keys and values of a block of the request that has a slot. */
int32_t (*ovl_lm_rank_kept(const struct ovl_lm_rank *l, int slot, int block))[OVL_LM_KEPT];
/* The works of an iteration; how many. */
size_t ovl_lm_rank_works(const struct ovl_lm_rank *l, int iteration, const struct ovl_batcher_work **works);
/* A token begins, of a half of the batch; all tokens of one; and one has gone through the blocks. */
void ovl_lm_rank_begin_token(struct ovl_lm_rank *l, int half, struct ovl_lm_token token);
void ovl_lm_rank_begin_half(struct ovl_lm_rank *l, const struct ovl_batcher_work *works, size_t count, int half,
                            int halves);
void ovl_lm_rank_end(struct ovl_lm_rank *l, const struct ovl_lm_token *token);

/* experts.c: a COMPUTE event of ep. */
void ovl_lm_rank_exchange(struct ovl_lm_rank *l, const struct ovl_event *e, const struct ovl_serve_note *note);

#endif
