/* Events of one iteration work at what the batcher gave it (`works` of the events): halves of a batch are every other
   request of it, as tp deals them out. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/tiny/rank.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

static int prompt_of(const struct ovl_lm_rank *l, size_t request)
{
    return l->ask->trace->list[request].prompt;
}

static bool reads(const struct ovl_lm_rank *l)
{
    return !l->shares && !l->tiered && !l->routed && l->rank < ovl_serve_prefill_ranks(l->ask);
}

static int longest_of(const struct ovl_request_trace *t)
{
    int longest = 1;
    for (size_t r = 0; r < t->count; r++)
        longest = t->list[r].prompt + t->list[r].output > longest ? t->list[r].prompt + t->list[r].output : longest;
    return longest;
}

/* Tokens of an iteration, and those that are kept, at most: no more slots are taken than there are requests. */
static size_t most_tokens(const struct ovl_serve_ask *ask)
{
    size_t slots = ask->trace->count < (size_t)ask->slots ? ask->trace->count : (size_t)ask->slots;
    return (size_t)longest_of(ask->trace) * slots;
}

void ovl_lm_rank_open(struct ovl_lm_rank *l, const struct ovl_serve_ask *ask, const struct ovl_serve_events *events,
                      const struct ovl_serve_strategy *strategy, int rank)
{
    l->ask = ask;
    l->events = events;
    l->shares = strategy == &ovl_serve_tp;
    l->tiered = strategy == &ovl_serve_tier;
    l->routed = strategy == &ovl_serve_ep;
    l->rank = rank;
    l->longest = longest_of(ask->trace);
    ovl_lm_make(&l->network);
    ovl_answers_open(&l->answers, ask->trace);
    l->sums = ovl_alloc(most_tokens(ask) + 1, sizeof *l->sums);
    l->kept = ovl_alloc(OVL_LM_BLOCKS * most_tokens(ask) + 1, sizeof *l->kept);
    for (int k = 0; k < 2; k++) {
        l->count[k] = 0;
        l->tokens[k] = ovl_alloc(most_tokens(ask) + 1, sizeof **l->tokens);
    }
}

void ovl_lm_rank_close(struct ovl_lm_rank *l)
{
    ovl_answers_close(&l->answers);
    free(l->kept);
    free(l->sums);
    for (int k = 0; k < 2; k++) {
        free(l->tokens[k]);
        l->tokens[k] = NULL;
    }
    l->kept = NULL;
    l->sums = NULL;
}

double ovl_lm_rank_bytes(const struct ovl_serve_ask *ask)
{
    const double kept = OVL_LM_BLOCKS * OVL_LM_KEPT * sizeof(int32_t);
    double places = 0, own = (double)most_tokens(ask) *
                             (kept + 2 * sizeof(struct ovl_lm_token) + sizeof *((struct ovl_lm_rank *)0)->sums);
    for (size_t r = 0; r < ask->trace->count; r++)
        places += ask->trace->list[r].prompt + (double)ask->trace->list[r].output;
    return own + places * (kept + 2 * (sizeof(int) + sizeof(uint64_t)));
}

void ovl_lm_rank_begin(struct ovl_lm_rank *l, uint64_t key)
{
    ovl_answers_ask(&l->answers, key);
}

static void add_sums(struct ovl_lm_rank *l, int half, int id)
{
    const int64_t(*sums)[OVL_LM_HIDDEN] = l->buffer(l->of, id, false);
    for (int t = 0; t < l->count[half]; t++)
        ovl_lm_add(&l->tokens[half][t].state, sums[t]);
}

static void share(struct ovl_lm_rank *l, const struct ovl_event *e, const struct ovl_serve_note *note)
{
    const struct ovl_batcher_work *works;
    size_t count = ovl_lm_rank_works(l, note->iteration, &works);
    int halves = l->ask->two && count > 1 ? 2 : 1, half = note->part % halves, step = note->part / halves;
    for (int k = 0; k < halves && note->closes; k++) {
        add_sums(l, k, e->takes + k);
        for (int t = 0; t < l->count[k]; t++)
            ovl_lm_rank_end(l, &l->tokens[k][t]);
    }
    if (note->closes)
        return;
    if (step == 0)
        ovl_lm_rank_begin_half(l, works, count, half, halves);
    else
        add_sums(l, half, e->takes);
    int64_t(*sums)[OVL_LM_HIDDEN] = l->buffer(l->of, e->makes, true);
    for (int t = 0; t < l->count[half]; t++) {
        struct ovl_lm_token *token = &l->tokens[half][t];
        if (step % 2)
            ovl_lm_behind(&l->network, step / 2, &token->state, l->rank, l->ask->ranks, sums[t]);
        else
            ovl_lm_attention(&l->network, step / 2, &token->state, token->place,
                             ovl_lm_rank_kept(l, token->slot, step / 2), true, l->rank, l->ask->ranks, sums[t]);
    }
}

/* pd: a part of the blocks of a prompt, and its message. */
static void read_prompt(struct ovl_lm_rank *l, const struct ovl_event *e, const struct ovl_serve_note *note)
{
    size_t request = (size_t)note->request;
    int prompt = prompt_of(l, request), end_block = ovl_serve_first_block(l->ask, note->part + 1);
    int32_t(*sent)[OVL_LM_KEPT] = e->makes_count ? l->buffer(l->of, e->makes, true) : NULL;
    if (note->part == 0)
        l->count[0] = 0;
    for (int p = 0; p < prompt && note->part == 0; p++)
        ovl_lm_rank_begin_token(
            l, 0,
            (struct ovl_lm_token){
                .request = request, .place = p, .writes = p == prompt - 1 && l->ask->trace->list[request].output > 0});
    for (int b = ovl_serve_first_block(l->ask, note->part); b < end_block; b++) {
        for (int p = 0; p < prompt; p++)
            ovl_lm_block(&l->network, b, &l->tokens[0][p].state, p, ovl_lm_rank_kept(l, 0, b), true);
        if (sent)
            memcpy(sent, ovl_lm_rank_kept(l, 0, b), (size_t)prompt * sizeof *sent);
        sent = sent ? sent + prompt : NULL;
    }
    for (int p = 0; p < prompt && note->closes; p++)
        ovl_lm_rank_end(l, &l->tokens[0][p]);
}

/* What came is put where the request has its slot. */
static void take_kept(struct ovl_lm_rank *l, const struct ovl_event *e, const struct ovl_batcher_work *works)
{
    size_t request = (size_t)l->events->notes[l->events->events.posted_at[e->takes]].request;
    while (works->request != request)
        works++;
    for (int part = 0; part < e->takes_count; part++) {
        const int32_t(*got)[OVL_LM_KEPT] = l->buffer(l->of, e->takes + part, false);
        int n = prompt_of(l, request), b = ovl_serve_first_block(l->ask, part);
        for (; b < ovl_serve_first_block(l->ask, part + 1); b++, got += n)
            memcpy(ovl_lm_rank_kept(l, works->slot, b), got, (size_t)n * sizeof *got);
    }
}

static void write_token(struct ovl_lm_rank *l, struct ovl_lm_token token, bool keeps)
{
    l->count[0] = 0;
    ovl_lm_rank_begin_token(l, 0, token);
    for (int b = 0; b < OVL_LM_BLOCKS; b++)
        ovl_lm_block(&l->network, b, &l->tokens[0][0].state, token.place, ovl_lm_rank_kept(l, token.slot, b), keeps);
    ovl_lm_rank_end(l, &l->tokens[0][0]);
}

/* pd: a token for each request. Where one begins, the last word of its prompt goes through the blocks once more, by the
   keys and values that came: from it the first token follows, which no message brings. */
static void write_tokens(struct ovl_lm_rank *l, const struct ovl_event *e, const struct ovl_serve_note *note)
{
    const struct ovl_batcher_work *works;
    size_t count = ovl_lm_rank_works(l, note->iteration, &works);
    if (e->takes_count > 0)
        take_kept(l, e, works);
    for (size_t i = 0; i < count && note->closes; i++) {
        const struct ovl_batcher_work *w = &works[i];
        struct ovl_lm_token token = {
            .request = w->request, .slot = w->slot, .place = (int)w->context - 1, .writes = true};
        if (w->begins)
            write_token(l, token, false);
        token.place++;
        write_token(l, token, true);
    }
}

static const struct ovl_serve_note *note_of(const struct ovl_lm_rank *l, int id)
{
    return &l->events->notes[l->events->events.posted_at[id]];
}

/* tier: the blocks that came back are put where the next request that begins with such has its slot, and all that a
   request had where it has its slot now. */
static void take_blocks(struct ovl_lm_rank *l, const struct ovl_event *e, const struct ovl_batcher_work *works)
{
    while (!works[l->begun].returns && (!works[l->begun].begins || works[l->begun].context == 0))
        l->begun++;
    int slot = works[l->begun++].slot, tokens = note_of(l, e->takes)->tokens, n = tokens ? tokens : l->ask->block;
    for (int k = 0; k < e->takes_count; k++) {
        const int32_t(*got)[OVL_LM_KEPT] = l->buffer(l->of, e->takes + k, false);
        for (int b = 0; b < OVL_LM_BLOCKS; b++, got += n)
            memcpy(ovl_lm_rank_kept(l, slot, b) + k * n, got, (size_t)n * sizeof *got);
    }
}

/* A block of a prompt goes to the tier, or all that a request has, whose slot nobody else has had yet. */
static void give(struct ovl_lm_rank *l, int id, const struct ovl_batcher_work *works)
{
    const struct ovl_serve_note *note = note_of(l, id);
    int32_t(*sent)[OVL_LM_KEPT] = l->buffer(l->of, id, true);
    int n = note->tokens ? note->tokens : l->ask->block, from = note->tokens ? 0 : note->part * n;
    while (!note->tokens && works->request != (size_t)note->request)
        works++;
    for (int b = 0; b < OVL_LM_BLOCKS; b++, sent += n)
        memcpy(sent, ovl_lm_rank_kept(l, note->tokens ? note->slot : works->slot, b) + from, (size_t)n * sizeof *sent);
}

/* tier: all tokens of an iteration, each by all blocks. */
static void serve(struct ovl_lm_rank *l, const struct ovl_event *e, const struct ovl_serve_note *note)
{
    const struct ovl_batcher_work *works;
    size_t count = ovl_lm_rank_works(l, note->iteration, &works);
    l->begun = note->opens ? 0 : l->begun;
    if (e->takes_count > 0)
        take_blocks(l, e, works);
    for (size_t i = 0; i < count && note->closes; i++) {
        const struct ovl_batcher_work *w = &works[i];
        int tokens = w->reads > 0 ? w->reads : 1;
        for (int t = 0; t < tokens; t++)
            write_token(l,
                        (struct ovl_lm_token){.request = w->request,
                                              .slot = w->slot,
                                              .place = (int)w->context + t,
                                              .writes = w->writes && t == tokens - 1},
                        true);
    }
    for (int k = 0; k < e->makes_count; k++)
        give(l, e->makes + k, works);
}

void ovl_lm_rank_compute(struct ovl_lm_rank *l, size_t event)
{
    const struct ovl_event *e = &l->events->events.list[event];
    const struct ovl_serve_note *note = &l->events->notes[event];
    if (l->shares)
        share(l, e, note);
    else if (l->tiered)
        serve(l, e, note);
    else if (l->routed)
        ovl_lm_rank_exchange(l, e, note);
    else if (reads(l))
        read_prompt(l, e, note);
    else
        write_tokens(l, e, note);
}

/* tier: places of a request that came back, which this rank did not work out. */
static int known(const struct ovl_lm_rank *l, size_t request)
{
    for (size_t i = 0; i < l->events->works_count; i++)
        if (l->events->works[i].request == request && l->events->works[i].begins)
            return (int)l->events->works[i].context;
    return 0;
}

/* The places of a request that are this rank's: to the one before *end. */
static int own_places(const struct ovl_lm_rank *l, size_t request, int *end)
{
    const struct ovl_served_request *r = &l->ask->trace->list[request];
    int all = r->prompt + (r->output > 1 ? r->output - 1 : 0);
    if (l->tiered) {
        *end = ovl_serve_server(l->ask, request) == l->rank ? all : 0;
        return known(l, request);
    }
    if (l->routed) {
        *end = ovl_serve_owner(l->ask, request) == l->rank ? all : 0;
        return 0;
    }
    bool reader = !l->shares && ovl_serve_reader(l->ask, request) == l->rank;
    bool writer = !l->shares && r->output > 1 && ovl_serve_writer(l->ask, request) == l->rank;
    *end = l->shares || writer ? all : reader ? r->prompt : 0;
    return l->shares || reader ? 0 : writer ? r->prompt - 1 : 0;
}

static bool is_wrong(const struct ovl_answers *own, const struct ovl_answers *serial, size_t request, int place)
{
    const struct ovl_served_request *r = &own->trace->list[request];
    size_t at = own->first[request] + (size_t)place;
    bool writes = place + 1 >= r->prompt && place + 1 < r->prompt + r->output;
    return own->seen[at] != serial->seen[at] || (writes && own->words[at + 1] != serial->words[at + 1]);
}

int ovl_lm_rank_wrong(const struct ovl_lm_rank *l, const struct ovl_lm_serial *s, size_t *request, int *place)
{
    int wrong = 0;
    for (size_t r = 0; r < l->ask->trace->count; r++) {
        int end, p = own_places(l, r, &end);
        for (; p < end; p++) {
            if (!is_wrong(&l->answers, &s->answers, r, p))
                continue;
            if (wrong++ == 0) {
                *request = r;
                *place = p;
            }
        }
    }
    return wrong;
}

uint64_t ovl_lm_rank_written(const struct ovl_lm_rank *l)
{
    uint64_t all = 0;
    for (size_t r = 0; r < l->ask->trace->count; r++) {
        const struct ovl_served_request *q = &l->ask->trace->list[r];
        for (int t = 0; t < q->output; t++) {
            int writer = l->shares   ? 0
                         : l->tiered ? ovl_serve_server(l->ask, r)
                         : l->routed ? ovl_serve_owner(l->ask, r)
                         : t == 0    ? ovl_serve_reader(l->ask, r)
                                     : ovl_serve_writer(l->ask, r);
            uint64_t word = (uint64_t)l->answers.words[l->answers.first[r] + (size_t)(q->prompt + t)];
            if (writer == l->rank)
                all ^= ovl_rng_mix(ovl_rng_mix((uint64_t)r << 32 | (uint64_t)t) ^ word);
        }
    }
    return all;
}
