/* One request after the other, one token after the other, every block whole. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/tiny/answers.h"

#include <stdlib.h>
#include <string.h>

static size_t places_of(const struct ovl_served_request *r)
{
    return (size_t)r->prompt + (size_t)r->output;
}

void ovl_answers_open(struct ovl_answers *a, const struct ovl_request_trace *trace)
{
    *a = (struct ovl_answers){.trace = trace, .first = ovl_alloc(trace->count + 1, sizeof *a->first)};
    for (size_t r = 0; r < trace->count; r++)
        a->first[r + 1] = a->first[r] + places_of(&trace->list[r]);
    a->words = ovl_alloc(a->first[trace->count] + 1, sizeof *a->words);
    a->seen = ovl_alloc(a->first[trace->count] + 1, sizeof *a->seen);
}

void ovl_answers_close(struct ovl_answers *a)
{
    free(a->first);
    free(a->words);
    free(a->seen);
    *a = (struct ovl_answers){.trace = NULL};
}

void ovl_answers_ask(struct ovl_answers *a, uint64_t key)
{
    memset(a->seen, 0, a->first[a->trace->count] * sizeof *a->seen);
    for (size_t r = 0; r < a->trace->count; r++) {
        int *words = a->words + a->first[r], prompt = a->trace->list[r].prompt;
        for (int p = 0; p < (int)places_of(&a->trace->list[r]); p++)
            words[p] = p < prompt ? ovl_lm_prompt_word(key, ovl_trace_token(a->trace, r, p), p) : -1;
    }
}

void ovl_lm_serial_open(struct ovl_lm_serial *s, const struct ovl_request_trace *trace)
{
    s->key = 0;
    ovl_lm_make(&s->network);
    ovl_answers_open(&s->answers, trace);
    s->kept = ovl_alloc(OVL_LM_BLOCKS * s->answers.first[trace->count] + 1, sizeof *s->kept);
}

void ovl_lm_serial_close(struct ovl_lm_serial *s)
{
    ovl_answers_close(&s->answers);
    free(s->kept);
    s->kept = NULL;
}

static void answer(struct ovl_lm_serial *s, size_t request)
{
    const struct ovl_served_request *r = &s->answers.trace->list[request];
    size_t first = s->answers.first[request], places = places_of(r);
    int *words = s->answers.words + first, end = r->prompt + (r->output > 0 ? r->output - 1 : 0);
    for (int p = 0; p < end; p++) {
        struct ovl_lm_state state;
        ovl_lm_begin(&s->network, words[p], p, &state);
        for (int b = 0; b < OVL_LM_BLOCKS; b++)
            ovl_lm_block(&s->network, b, &state, p, s->kept + OVL_LM_BLOCKS * first + (size_t)b * places, true);
        s->answers.seen[first + (size_t)p] = state.digest;
        if (p + 1 >= r->prompt && p + 1 < (int)places)
            words[p + 1] = ovl_lm_word(&s->network, &state);
    }
}

void ovl_lm_serial_run(struct ovl_lm_serial *s, uint64_t key)
{
    if (s->key == key && key)
        return;
    s->key = key;
    ovl_answers_ask(&s->answers, key);
    for (size_t r = 0; r < s->answers.trace->count; r++)
        answer(s, r);
}

bool ovl_lm_serial_kept(const struct ovl_lm_serial *s, size_t request, int block, int end, int from, int count,
                        const int32_t *words)
{
    size_t places = places_of(&s->answers.trace->list[request]), n = (size_t)count * OVL_LM_KEPT;
    for (; block < end; block++, words += n) {
        size_t at = OVL_LM_BLOCKS * s->answers.first[request] + (size_t)block * places + (size_t)from;
        const int32_t *own = s->kept[at];
        if (memcmp(words, own, n * sizeof *words) != 0)
            return false;
    }
    return true;
}

bool ovl_lm_serial_sent(const struct ovl_lm_serial *s, const struct ovl_serve_ask *ask,
                        const struct ovl_serve_strategy *strategy, const struct ovl_serve_note *note,
                        const int32_t *words)
{
    size_t request = (size_t)note->request;
    if (note->tokens > 0)
        return ovl_lm_serial_kept(s, request, 0, OVL_LM_BLOCKS, 0, note->tokens, words);
    if (strategy == &ovl_serve_tier)
        return ovl_lm_serial_kept(s, request, 0, OVL_LM_BLOCKS, note->part * ask->block, ask->block, words);
    return ovl_lm_serial_kept(s, request, ovl_serve_first_block(ask, note->part),
                              ovl_serve_first_block(ask, note->part + 1), 0, ask->trace->list[request].prompt, words);
}
