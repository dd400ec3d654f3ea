/* What a prompt begins with is looked for when its request gets a slot; whole blocks are kept as they are read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/course.h"
#include "base/rng.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

int ovl_serve_tier_ranks(const struct ovl_serve_ask *ask)
{
    return ask->tiers > 0 ? ask->tiers : ask->ranks / 2;
}

int ovl_serve_servers(const struct ovl_serve_ask *ask)
{
    return ask->ranks - ovl_serve_tier_ranks(ask);
}

int ovl_serve_server(const struct ovl_serve_ask *ask, size_t request)
{
    return (int)(request % (size_t)ovl_serve_servers(ask));
}

int ovl_serve_tier_of(const struct ovl_serve_ask *ask, int server)
{
    return ovl_serve_servers(ask) + server % ovl_serve_tier_ranks(ask);
}

double ovl_serve_kept_bytes(const struct ovl_serve_ask *ask)
{
    return ask->kv_bytes * ovl_served_kept(ask->model);
}

double ovl_serve_block_bytes(const struct ovl_serve_ask *ask)
{
    return ask->block * ovl_serve_sent_bytes(ask, ovl_serve_kept_bytes(ask));
}

/* Blocks that a tier keeps of each of its servers: that of the first one has most of them. */
double ovl_serve_tier_room(const struct ovl_serve_ask *ask)
{
    int tiers = ovl_serve_tier_ranks(ask), most = (ovl_serve_servers(ask) + tiers - 1) / tiers;
    return ask->tier_memory > 0 ? fmin(floor(ask->tier_memory / most / ovl_serve_block_bytes(ask)), INT_MAX) : INT_MAX;
}

static void add(struct ovl_course *c, struct ovl_moved one)
{
    if (c->moves_count == c->moves_room) {
        c->moves_room = c->moves_room ? 2 * c->moves_room : 64;
        c->moves = ovl_grow(c->moves, c->moves_room, sizeof *c->moves);
    }
    c->moves[c->moves_count++] = one;
}

static void move(struct ovl_course *c, bool back, size_t job, int place)
{
    const struct ovl_prefix_block *b = &c->kept.blocks[place];
    add(c, (struct ovl_moved){.back = back, .job = job, .request = b->request, .block = b->block, .place = place});
}

/* All that a request has: where that is read again nothing moves, and no blocks are waited for any more. */
static void push(struct ovl_course *c, const struct ovl_batcher_pushed *p, bool back)
{
    c->found[p->request] = back && p->tokens > 0;
    if (p->tokens == 0)
        return;
    c->out[p->request] += !back;
    add(c, (struct ovl_moved){.back = back,
                              .job = p->request,
                              .request = (int)c->which[p->request],
                              .block = OVL_SERVE_PUSHED + c->out[p->request],
                              .place = p->place,
                              .tokens = (int)p->tokens,
                              .slot = p->slot});
}

/* Numbers of the first blocks of a prompt, each of which stands for those before it, too. */
static void find_keys(struct ovl_course *c, size_t job, int blocks)
{
    uint64_t key = 0;
    for (int k = 0; k < blocks; k++) {
        key = ovl_rng_mix(key ^ ovl_trace_block(c->ask->trace, c->which[job], k, c->ask->block));
        c->keys[k] = key;
    }
}

/* The last token of a prompt is always read: the first one that is written follows from it. */
static void take_up(void *self, size_t job, int64_t now)
{
    struct ovl_course *c = self;
    struct ovl_job_request *r = &c->list[job];
    int blocks = (r->prompt - 1) / c->ask->block;
    find_keys(c, job, blocks);
    int found = ovl_prefix_find(&c->kept, c->keys, blocks, c->places);
    for (int k = 0; k < found; k++)
        move(c, true, job, c->places[k]);
    c->found[job] = found;
    r->known = found * c->ask->block;
    r->prompt -= r->known;
    r->ready = found ? now + 1 : now;
}

static void keep(struct ovl_course *c, const struct ovl_batcher_work *w)
{
    int64_t prompt = c->ask->trace->list[c->which[w->request]].prompt, read = w->context + w->reads;
    int blocks = (int)((read < prompt ? read : prompt) / c->ask->block), from; /* it may read what it has written */
    if (w->reads == 0 || blocks == 0)
        return;
    find_keys(c, w->request, blocks);
    int kept = ovl_prefix_keep(&c->kept, c->keys, blocks, (int)c->which[w->request], c->places, &from);
    for (int k = from; k < kept; k++)
        move(c, false, w->request, c->places[k]);
}

bool ovl_course_go_on(struct ovl_course *c)
{
    c->moves_count = 0;
    c->ended = !ovl_batcher_next(&c->batcher, &c->it);
    for (int i = 0; !c->ended && i < c->it.back_count; i++)
        push(c, &c->it.back[i], true);
    for (int i = 0; !c->ended && i < c->it.out_count; i++)
        push(c, &c->it.out[i], false);
    for (size_t i = 0; !c->ended && i < c->it.count; i++)
        keep(c, &c->it.work[i]);
    return !c->ended;
}

int ovl_course_open(struct ovl_course *c, const struct ovl_serve_ask *ask, int server, struct ovl_error *err)
{
    const struct ovl_batcher_rules rules = {.continuous = ask->continuous,
                                            .slots = ask->slots,
                                            .tokens = ovl_serve_tokens(ask, ovl_serve_kept_bytes(ask)),
                                            .chunk = ask->chunk,
                                            .preempt = ask->preempt,
                                            .taken = take_up,
                                            .self = c};
    size_t most = ask->trace->count + 1, longest = 0;
    *c = (struct ovl_course){.ask = ask, .list = ovl_alloc(most, sizeof *c->list)};
    c->which = ovl_alloc(most, sizeof *c->which);
    c->found = ovl_alloc(most, sizeof *c->found);
    c->out = ovl_alloc(most, sizeof *c->out);
    for (size_t r = 0; r < ask->trace->count; r++) {
        const struct ovl_served_request *q = &ask->trace->list[r];
        if (ovl_serve_server(ask, r) != server)
            continue;
        longest = (size_t)q->prompt > longest ? (size_t)q->prompt : longest;
        c->which[c->count] = r;
        c->list[c->count++] =
            (struct ovl_job_request){.from = q->arrival, .ready = q->arrival, .prompt = q->prompt, .output = q->output};
    }
    c->keys = ovl_alloc(longest / (size_t)ask->block + 1, sizeof *c->keys);
    c->places = ovl_alloc(longest / (size_t)ask->block + 1, sizeof *c->places);
    ovl_prefix_open(&c->kept, (int)ovl_serve_tier_room(ask));
    return ovl_batcher_open(&c->batcher, &rules, c->list, c->count, ovl_serve_kept_bytes(ask), err);
}

void ovl_course_close(struct ovl_course *c)
{
    ovl_batcher_close(&c->batcher);
    ovl_prefix_close(&c->kept);
    free(c->list);
    free(c->which);
    free(c->found);
    free(c->out);
    free(c->keys);
    free(c->places);
    free(c->moves);
}
