/* --tiny by ep: tokens go to the ranks of their experts, and what these make of them comes back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/tiny/rank.h"
#include "base/rng.h"

#include <string.h>

static const struct ovl_event *post_of(const struct ovl_lm_rank *l, int id)
{
    return &l->events->events.list[l->events->events.posted_at[id]];
}

/* A token as it travels: its numbers, and its digest. What comes back has what its experts made, and a number by all
   that they were given, since few bits of that show in what they make. */
enum { TOKEN = OVL_LM_HIDDEN + OVL_LM_TOKEN_MORE };

static int64_t seal(const int64_t token[TOKEN])
{
    uint64_t all = 0;
    for (int i = 0; i < TOKEN; i++)
        all = ovl_rng_mix(all ^ (uint64_t)token[i]);
    return (int64_t)all;
}

static void write_token(const struct ovl_lm_state *state, int64_t token[TOKEN])
{
    memcpy(token, state->x, sizeof state->x);
    token[OVL_LM_HIDDEN] = (int64_t)state->digest;
}

/* What came back of each token is the sum of what its experts made. */
static void add_answers(struct ovl_lm_rank *l, int half, int id)
{
    const struct ovl_moe_route *route = post_of(l, id)->route;
    const int64_t(*got)[TOKEN] = l->buffer(l->of, id, false);
    memset(l->sums, 0, (size_t)l->count[half] * sizeof *l->sums);
    for (int c = 0; c < route->sent[route->members]; c++) {
        int64_t *sum = l->sums[route->out[c].token], given[TOKEN];
        struct ovl_lm_state *state = &l->tokens[half][route->out[c].token].state;
        for (int i = 0; i < OVL_LM_HIDDEN; i++)
            sum[i] = (int64_t)((uint64_t)sum[i] + (uint64_t)got[c][i]);
        write_token(state, given);
        if (got[c][OVL_LM_HIDDEN] != seal(given)) /* no two of them undo each other */
            state->digest = ovl_rng_mix(state->digest ^ (uint64_t)(c + 1)) | 1;
    }
    for (int t = 0; t < l->count[half]; t++)
        ovl_lm_add(&l->tokens[half][t].state, l->sums[t]);
}

static void send_tokens(struct ovl_lm_rank *l, int half, int block, int id)
{
    const struct ovl_moe_route *route = post_of(l, id)->route;
    int64_t(*sent)[TOKEN] = l->buffer(l->of, id, true), sum[OVL_LM_HIDDEN];
    for (int t = 0; t < l->count[half]; t++) {
        struct ovl_lm_token *token = &l->tokens[half][t];
        ovl_lm_attention(&l->network, block, &token->state, token->place, ovl_lm_rank_kept(l, token->slot, block), true,
                         0, 1, sum);
        ovl_lm_add(&token->state, sum);
    }
    for (int c = 0; c < route->sent[route->members]; c++)
        write_token(&l->tokens[half][route->out[c].token].state, sent[c]);
}

/* Each of a token's experts does an equal part of what is behind the attention: all together the whole of it, whichever
   they are. */
static void be_experts(struct ovl_lm_rank *l, int block, int id)
{
    const struct ovl_moe_route *route = post_of(l, id)->route;
    const int64_t(*came)[TOKEN] = l->buffer(l->of, post_of(l, id)->answers, false);
    int64_t(*sent)[TOKEN] = l->buffer(l->of, id, true), part[OVL_LM_HIDDEN];
    const int top = l->ask->model->mixture.top;
    for (int c = 0; c < route->got[route->members]; c++) {
        struct ovl_lm_state state;
        ovl_lm_take(&state, came[c]);
        memset(sent[c], 0, sizeof *sent);
        for (int k = 0; k < top; k++) {
            if (!(route->in[c].which >> k & 1))
                continue;
            ovl_lm_behind(&l->network, block, &state, k, top, part);
            for (int i = 0; i < OVL_LM_HIDDEN; i++)
                sent[c][i] += part[i];
        }
        sent[c][OVL_LM_HIDDEN] = seal(came[c]);
    }
}

void ovl_lm_rank_exchange(struct ovl_lm_rank *l, const struct ovl_event *e, const struct ovl_serve_note *note)
{
    const struct ovl_batcher_work *works;
    size_t count = ovl_lm_rank_works(l, note->iteration, &works);
    for (int k = 0; k < e->takes_count && note->closes; k++) {
        int half = l->events->notes[l->events->events.posted_at[e->takes + k]].half;
        add_answers(l, half, e->takes + k);
        for (int t = 0; t < l->count[half]; t++)
            ovl_lm_rank_end(l, &l->tokens[half][t]);
    }
    if (note->closes)
        return;
    if (post_of(l, e->makes)->returns) {
        be_experts(l, note->part, e->makes);
        return;
    }
    if (note->part == 0)
        ovl_lm_rank_begin_half(l, works, count, note->half, l->ask->two ? 2 : 1);
    else
        add_answers(l, note->half, e->takes);
    send_tokens(l, note->half, note->part, e->makes);
}
