/* Tokens of a rank of --tiny: how they begin and end, and where their keys and values are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/tiny/rank.h"

/* Keys and values of a block of the request that has a slot. */
int32_t (*ovl_lm_rank_kept(const struct ovl_lm_rank *l, int slot, int block))[OVL_LM_KEPT]
{
    return l->kept + ((size_t)slot * OVL_LM_BLOCKS + (size_t)block) * (size_t)l->longest;
}

void ovl_lm_rank_begin_token(struct ovl_lm_rank *l, int half, struct ovl_lm_token token)
{
    size_t first = l->answers.first[token.request];
    ovl_lm_begin(&l->network, l->answers.words[first + (size_t)token.place], token.place, &token.state);
    l->tokens[half][l->count[half]++] = token;
}

void ovl_lm_rank_end(struct ovl_lm_rank *l, const struct ovl_lm_token *token)
{
    size_t at = l->answers.first[token->request] + (size_t)token->place;
    l->answers.seen[at] = token->state.digest;
    if (token->writes)
        l->answers.words[at + 1] = ovl_lm_word(&l->network, &token->state);
}

/* The works of an iteration; how many. */
size_t ovl_lm_rank_works(const struct ovl_lm_rank *l, int iteration, const struct ovl_batcher_work **works)
{
    size_t first = l->events->works_at[iteration];
    size_t next = iteration + 1 < l->events->iterations ? l->events->works_at[iteration + 1] : l->events->works_count;
    *works = l->events->works + first;
    return next - first;
}

void ovl_lm_rank_begin_half(struct ovl_lm_rank *l, const struct ovl_batcher_work *works, size_t count, int half,
                            int halves)
{
    l->count[half] = 0;
    for (size_t i = (size_t)half; i < count; i += (size_t)halves) {
        const struct ovl_batcher_work *w = &works[i];
        int tokens = w->reads > 0 ? w->reads : 1;
        for (int t = 0; t < tokens; t++)
            ovl_lm_rank_begin_token(l, half,
                                    (struct ovl_lm_token){.request = w->request,
                                                          .slot = w->slot,
                                                          .place = (int)w->context + t,
                                                          .writes = w->writes && t == tokens - 1});
    }
}
