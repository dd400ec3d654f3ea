/* Each rank has a batcher of its own; the one that is furthest behind says which iteration comes next. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/together.h"

#include <stdlib.h>

enum { HALVES = 2 };

int ovl_serve_owner(const struct ovl_serve_ask *ask, size_t request)
{
    return (int)(request % (size_t)ask->ranks);
}

static int open_one(struct ovl_together *t, int rank, struct ovl_error *err)
{
    const struct ovl_serve_ask *ask = t->ask;
    const double token = ask->kv_bytes * ovl_served_kept(ask->model);
    const struct ovl_batcher_rules rules = {.continuous = ask->continuous,
                                            .slots = ask->slots,
                                            .tokens = ovl_serve_tokens(ask, token),
                                            .chunk = ask->chunk,
                                            .preempt = ask->preempt};
    struct ovl_batch_of *b = &t->of[rank];
    b->list = ovl_alloc(ask->trace->count + 1, sizeof *b->list);
    b->which = ovl_alloc(ask->trace->count + 1, sizeof *b->which);
    for (size_t r = 0; r < ask->trace->count; r++) {
        const struct ovl_served_request *q = &ask->trace->list[r];
        if (ovl_serve_owner(ask, r) != rank)
            continue;
        b->which[b->count] = r;
        b->list[b->count++] =
            (struct ovl_job_request){.from = q->arrival, .ready = q->arrival, .prompt = q->prompt, .output = q->output};
    }
    b->opened = ovl_batcher_open(&b->batcher, &rules, b->list, b->count, token, err) == 0;
    b->ended = !b->opened || !ovl_batcher_next(&b->batcher, &b->it);
    return b->opened ? 0 : -1;
}

int ovl_together_open(struct ovl_together *t, const struct ovl_serve_ask *ask, struct ovl_error *err)
{
    size_t ranks = (size_t)ask->ranks;
    int rc = 0;
    *t = (struct ovl_together){.ask = ask, .number = -1, .of = ovl_alloc(ranks, sizeof *t->of)};
    t->parts = ovl_alloc(HALVES * ranks, sizeof *t->parts);
    t->tokens = ovl_alloc(HALVES * ranks, sizeof *t->tokens);
    t->rooms = ovl_alloc(HALVES * ranks, sizeof *t->rooms);
    for (int rank = 0; rank < ask->ranks && rc == 0; rank++)
        rc = open_one(t, rank, err);
    return rc;
}

void ovl_together_close(struct ovl_together *t)
{
    for (int rank = 0; rank < t->ask->ranks; rank++) {
        if (t->of[rank].opened)
            ovl_batcher_close(&t->of[rank].batcher);
        free(t->of[rank].list);
        free(t->of[rank].which);
    }
    for (int i = 0; i < HALVES * t->ask->ranks; i++)
        free(t->tokens[i]);
    free(t->of);
    free(t->parts);
    free(t->tokens);
    free(t->rooms);
}

static void add(struct ovl_together *t, int half, int rank, struct ovl_moe_token token)
{
    int at = half * t->ask->ranks + rank, n = t->parts[at].count;
    if (n == t->rooms[at]) {
        t->rooms[at] = 2 * n + 64;
        t->tokens[at] = ovl_grow(t->tokens[at], (size_t)t->rooms[at], sizeof **t->tokens);
    }
    t->tokens[at][n] = token;
    t->parts[at].list = t->tokens[at];
    t->parts[at].count++;
}

static void take(struct ovl_together *t, int rank)
{
    const struct ovl_iteration *it = ovl_together_at(t, rank);
    for (int half = 0; half < HALVES; half++)
        t->parts[half * t->ask->ranks + rank].count = 0;
    for (size_t i = 0; it && i < it->count; i++) {
        const struct ovl_batcher_work *w = &it->work[i];
        int tokens = w->reads > 0 ? w->reads : 1;
        for (int n = 0; n < tokens; n++)
            add(t, t->ask->two && i % 2, rank,
                (struct ovl_moe_token){(int)t->of[rank].which[w->request], (int)w->context + n});
    }
}

/* Iterations in which requests get slots and no more are none. */
bool ovl_together_next(struct ovl_together *t)
{
    double tokens = 0;
    while (tokens == 0) {
        int64_t next = INT64_MAX;
        for (int rank = 0; rank < t->ask->ranks; rank++) {
            struct ovl_batch_of *b = &t->of[rank];
            if (!b->ended && b->it.number <= t->number)
                b->ended = !ovl_batcher_next(&b->batcher, &b->it);
            next = !b->ended && b->it.number < next ? b->it.number : next;
        }
        if (next == INT64_MAX)
            return false;
        t->number = next;
        for (int rank = 0; rank < t->ask->ranks; rank++)
            take(t, rank);
        tokens = ovl_together_tokens(t, 0) + ovl_together_tokens(t, 1);
    }
    return true;
}

const struct ovl_iteration *ovl_together_at(const struct ovl_together *t, int rank)
{
    const struct ovl_batch_of *b = &t->of[rank];
    return !b->ended && b->it.number == t->number ? &b->it : NULL;
}

double ovl_together_tokens(const struct ovl_together *t, int half)
{
    double n = 0;
    for (int rank = 0; rank < t->ask->ranks; rank++)
        n += t->parts[half * t->ask->ranks + rank].count;
    return n;
}
