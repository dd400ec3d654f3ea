/* An iteration: who writes takes memory for it, and others may have to give way; slots are given, in the order of the
   requests; then each one that is ready writes a token, or reads of its prompt what the iteration still may. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/batch/batch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Written tokens whose KV are there, or will be: the first one comes of reading the prompt, and is read by the
   iteration that writes the next one. */
static int stored(const struct ovl_job_request *r, int written)
{
    return written > 0 && r->prompt > 0 ? written - 1 : written;
}

int64_t ovl_job_request_tokens(const struct ovl_job_request *r)
{
    return (int64_t)r->known + r->prompt + stored(r, r->output);
}

int ovl_batcher_open(struct ovl_batcher *b, const struct ovl_batcher_rules *rules, const struct ovl_job_request *list,
                     size_t requests, double token_bytes, struct ovl_error *err)
{
    size_t longest = 0;
    *b = (struct ovl_batcher){.rules = *rules, .list = list, .requests = requests};
    for (size_t r = 1; r < requests; r++)
        longest = ovl_job_request_tokens(&list[r]) > ovl_job_request_tokens(&list[longest]) ? r : longest;
    if (requests > 0 && ovl_job_request_tokens(&list[longest]) > rules->tokens)
        return ovl_error_set(err, OVL_USAGE,
                             "--kv-memory: a request of %lld tokens needs %.0f bytes for its keys and values; give as "
                             "much or more",
                             (long long)ovl_job_request_tokens(&list[longest]),
                             ceil(token_bytes * (double)ovl_job_request_tokens(&list[longest])));
    ovl_kv_open(&b->kv, rules->slots, rules->tokens);
    b->active = ovl_alloc((size_t)rules->slots, sizeof *b->active);
    b->work = ovl_alloc((size_t)rules->slots, sizeof *b->work);
    b->out = ovl_alloc((size_t)rules->slots, sizeof *b->out);
    b->back = ovl_alloc((size_t)rules->slots, sizeof *b->back);
    return 0;
}

void ovl_batcher_close(struct ovl_batcher *b)
{
    ovl_kv_close(&b->kv);
    free(b->active);
    free(b->work);
    free(b->out);
    free(b->back);
    *b = (struct ovl_batcher){.requests = 0};
}

static int arriving(const struct ovl_batcher *b)
{
    int n = 0;
    for (int i = 0; i < b->count; i++)
        n += b->active[i].job.ready > b->now;
    return n;
}

static bool writes_more(const struct ovl_job_request *job, int64_t holds)
{
    return holds < ovl_job_request_tokens(job);
}

/* A slot, where that leaves a token for each request that may write one in the next iteration. */
static int take_slot(struct ovl_batcher *b, const struct ovl_job_request *job, int64_t holds)
{
    int64_t next = b->rules.preempt && writes_more(job, holds);
    for (int i = 0; i < b->count && b->rules.preempt; i++)
        next += writes_more(&b->active[i].job, b->active[i].holds);
    return holds + next > b->kv.limit - b->kv.used ? -1 : ovl_kv_take(&b->kv, holds);
}

static void give_slots(struct ovl_batcher *b, bool opens)
{
    int most = b->rules.arriving ? b->rules.arriving : INT_MAX, n = b->rules.arriving ? arriving(b) : 0;
    while (opens && b->next < b->requests && b->list[b->next].from <= b->now) {
        const struct ovl_job_request *r = &b->list[b->next];
        int64_t holds = b->rules.preempt ? (int64_t)r->known + r->prompt : ovl_job_request_tokens(r);
        if (r->ready > b->now && n >= most)
            return;
        int slot = take_slot(b, r, holds);
        if (slot < 0)
            return;
        if (b->rules.taken)
            b->rules.taken(b->rules.self, b->next, b->now);
        n += r->ready > b->now;
        b->active[b->count++] =
            (struct ovl_batcher_active){.request = b->next++, .job = *r, .slot = slot, .holds = holds};
    }
}

/* The youngest request gives up its slot. What it has written becomes a part of its prompt where that is read again. */
static void push_out(struct ovl_batcher *b, struct ovl_iteration *it)
{
    struct ovl_batcher_active *a = &b->active[--b->count];
    int64_t tokens = (int64_t)a->job.known + a->read + stored(&a->job, a->written);
    bool moves = b->rules.preempt == OVL_PREEMPT_SWAP && a->read == a->job.prompt;
    b->out[it->out_count++] = (struct ovl_batcher_pushed){
        .request = a->request, .slot = a->slot, .tokens = moves ? tokens : 0, .place = b->pushed++};
    ovl_kv_give(&b->kv, a->slot, a->holds);
    b->told.requests += !a->was_out;
    b->told.times++;
    *(moves ? &b->told.moved : &b->told.again) += tokens;
    a->was_out = true;
    a->returns = moves;
    if (moves)
        return;
    a->job.prompt += a->job.known + a->written;
    a->job.output -= a->written;
    a->job.known = a->read = a->written = 0;
    a->job.ready = 0;
    a->holds = a->job.prompt;
}

/* Each request that writes a token whose last one has no memory yet gets that, the oldest one first. */
static void grow(struct ovl_batcher *b, struct ovl_iteration *it)
{
    for (int i = 0; i < b->count; i++) {
        struct ovl_batcher_active *a = &b->active[i];
        if (a->job.ready > b->now || a->read < a->job.prompt)
            continue;
        while (i < b->count && !ovl_kv_grow(&b->kv))
            push_out(b, it);
        a->holds += i < b->count;
    }
}

/* Requests that were pushed out have slots again before others get one, the oldest one first. */
static void take_back(struct ovl_batcher *b, struct ovl_iteration *it)
{
    while (b->pushed > 0) {
        struct ovl_batcher_active *a = &b->active[b->count];
        int slot = take_slot(b, &a->job, a->holds);
        if (slot < 0)
            return;
        a->slot = slot;
        a->job.ready = a->returns ? b->now + 1 : b->now;
        b->back[it->back_count++] = (struct ovl_batcher_pushed){
            .request = a->request, .slot = slot, .tokens = a->returns ? a->holds : 0, .place = --b->pushed};
        b->count++;
    }
}

/* Nothing happens before: the next iteration in which a request is ready, or may have a slot. */
static void skip(struct ovl_batcher *b)
{
    int64_t next = b->pushed > 0 ? b->now : INT64_MAX;
    for (int i = 0; i < b->count; i++)
        next = b->active[i].job.ready < next ? b->active[i].job.ready : next;
    if (b->next < b->requests && (b->count == 0 || b->rules.continuous) && b->list[b->next].from > b->now &&
        b->list[b->next].from < next)
        next = b->list[b->next].from;
    b->now = next != INT64_MAX && next > b->now ? next : b->now;
}

/* What a request gets of an iteration, in which `left` prompt tokens may be read; false: nothing. */
static bool work_at(const struct ovl_batcher *b, struct ovl_batcher_active *a, int *left, struct ovl_batcher_work *w)
{
    const struct ovl_job_request *r = &a->job;
    *w = (struct ovl_batcher_work){.request = a->request,
                                   .slot = a->slot,
                                   .context = (int64_t)r->known + a->read + stored(r, a->written),
                                   .begins = !a->begun,
                                   .returns = a->returns};
    if (r->ready > b->now)
        return false;
    if (a->read < r->prompt) {
        w->reads = r->prompt - a->read < *left ? r->prompt - a->read : *left;
        if (w->reads == 0)
            return false;
        *left -= w->reads;
        a->read += w->reads;
    }
    w->writes = a->read == r->prompt && a->written < r->output;
    a->written += w->writes;
    w->ends = a->read == r->prompt && a->written == r->output;
    a->begun = true;
    a->returns = false;
    return true;
}

/* One iteration, in which maybe nothing happens: who could begin finds no slot. */
static void iterate(struct ovl_batcher *b, struct ovl_iteration *it)
{
    *it = (struct ovl_iteration){.number = b->now, .first = b->next, .work = b->work, .out = b->out, .back = b->back};
    if (b->rules.preempt)
        grow(b, it);
    if (it->out_count == 0) {
        take_back(b, it);
        give_slots(b, b->pushed == 0 && (b->rules.continuous || b->count == 0));
    }
    it->taken = b->next - it->first;
    int left = b->rules.chunk ? b->rules.chunk : INT_MAX, kept = 0;
    for (int i = 0; i < b->count; i++) {
        struct ovl_batcher_active a = b->active[i];
        struct ovl_batcher_work w;
        if (work_at(b, &a, &left, &w))
            b->work[it->count++] = w;
        else
            w.ends = false;
        if (w.ends)
            ovl_kv_give(&b->kv, a.slot, a.holds);
        else
            b->active[kept++] = a;
    }
    for (int i = 0; i < b->pushed; i++)
        b->active[kept + i] = b->active[b->count + i];
    b->count = kept;
    b->now++;
}

bool ovl_batcher_next(struct ovl_batcher *b, struct ovl_iteration *it)
{
    if (b->next == b->requests && b->count + b->pushed == 0)
        return false;
    do {
        skip(b);
        iterate(b, it);
    } while (it->taken + it->count + (size_t)it->back_count == 0);
    return true;
}
