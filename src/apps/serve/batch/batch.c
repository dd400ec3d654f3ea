/* An iteration: slots are given, in the order of the requests; then each one that is ready writes a token, or reads of
   its prompt what the iteration still may. */
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
    return 0;
}

void ovl_batcher_close(struct ovl_batcher *b)
{
    ovl_kv_close(&b->kv);
    free(b->active);
    free(b->work);
    *b = (struct ovl_batcher){.requests = 0};
}

static int arriving(const struct ovl_batcher *b)
{
    int n = 0;
    for (int i = 0; i < b->count; i++)
        n += b->list[b->active[i].request].ready > b->now;
    return n;
}

static void give_slots(struct ovl_batcher *b, bool opens)
{
    int most = b->rules.arriving ? b->rules.arriving : INT_MAX, n = b->rules.arriving ? arriving(b) : 0;
    while (opens && b->next < b->requests && b->list[b->next].from <= b->now) {
        const struct ovl_job_request *r = &b->list[b->next];
        if (r->ready > b->now && n >= most)
            return;
        int slot = ovl_kv_take(&b->kv, ovl_job_request_tokens(r));
        if (slot < 0)
            return;
        if (b->rules.taken)
            b->rules.taken(b->rules.self, b->next, b->now);
        n += r->ready > b->now;
        b->active[b->count++] = (struct ovl_batcher_active){.request = b->next++, .slot = slot};
    }
}

/* Nothing happens before: the next iteration in which a request is ready, or may have a slot. */
static void skip(struct ovl_batcher *b)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < b->count; i++)
        next = b->list[b->active[i].request].ready < next ? b->list[b->active[i].request].ready : next;
    if (b->next < b->requests && (b->count == 0 || b->rules.continuous) && b->list[b->next].from > b->now &&
        b->list[b->next].from < next)
        next = b->list[b->next].from;
    b->now = next != INT64_MAX && next > b->now ? next : b->now;
}

/* What a request gets of an iteration, in which `left` prompt tokens may be read; false: nothing. */
static bool work_at(const struct ovl_batcher *b, struct ovl_batcher_active *a, int *left, struct ovl_batcher_work *w)
{
    const struct ovl_job_request *r = &b->list[a->request];
    *w = (struct ovl_batcher_work){.request = a->request,
                                   .slot = a->slot,
                                   .context = (int64_t)r->known + a->read + stored(r, a->written),
                                   .begins = a->read == 0 && a->written == 0};
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
    return true;
}

/* One iteration, in which maybe nothing happens: who could begin finds no slot. */
static void iterate(struct ovl_batcher *b, struct ovl_iteration *it)
{
    *it = (struct ovl_iteration){.number = b->now, .first = b->next, .work = b->work};
    give_slots(b, b->rules.continuous || b->count == 0);
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
            ovl_kv_give(&b->kv, a.slot, ovl_job_request_tokens(&b->list[a.request]));
        else
            b->active[kept++] = a;
    }
    b->count = kept;
    b->now++;
}

bool ovl_batcher_next(struct ovl_batcher *b, struct ovl_iteration *it)
{
    if (b->next == b->requests && b->count == 0)
        return false;
    do {
        skip(b);
        iterate(b, it);
    } while (it->taken + it->count == 0);
    return true;
}
