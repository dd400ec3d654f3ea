/* Every member's tokens are looked at once for what they bring to a member, in one order at all of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/moe/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A walk over the tokens of one member. */
struct walk {
    const struct ovl_moe *moe;
    struct ovl_moe_gate gate;
    int members, tokens, block, part;
    const struct ovl_moe_tokens *of; /* [members], or NULL: tokens are known by member and number */
    double capacity;                 /* tokens of a member that an expert takes */
    int *taken;                      /* [experts] */
    struct ovl_moe_copy *copies;     /* [tokens * top]: of the present token, by place in `to` */
    int *to;                         /* [tokens * top]: the member that each goes to */
    int count;
    double *work; /* [members] */
    double dropped;
};

static void walk_open(struct walk *w, const struct ovl_moe *moe, int members, int tokens)
{
    size_t most = (size_t)tokens * (size_t)moe->top;
    double mean = (double)tokens * moe->top / moe->experts;
    *w = (struct walk){.moe = moe, .members = members, .tokens = tokens};
    w->capacity = moe->capacity > 0 ? ceil(moe->capacity * mean) : INFINITY;
    w->taken = ovl_check_alloc(calloc((size_t)moe->experts, sizeof *w->taken));
    w->copies = ovl_check_alloc(calloc(most + 1, sizeof *w->copies));
    w->to = ovl_check_alloc(calloc(most + 1, sizeof *w->to));
    w->work = ovl_check_alloc(calloc((size_t)members, sizeof *w->work));
}

static void walk_close(struct walk *w)
{
    free(w->taken);
    free(w->copies);
    free(w->to);
    free(w->work);
}

static void walk_begin(struct walk *w, int block, int part)
{
    ovl_moe_gate_open(&w->gate, w->moe, block);
    w->block = block;
    w->part = part;
    w->dropped = 0;
    memset(w->work, 0, (size_t)w->members * sizeof *w->work);
}

static void walk_end(struct walk *w)
{
    ovl_moe_gate_close(&w->gate);
}

/* The token's copy for a member: the one that it has, where one is enough. */
static struct ovl_moe_copy *copy_for(struct walk *w, int first, int to, int token)
{
    int i = w->moe->per_expert ? w->count : first;
    while (i < w->count && w->to[i] != to)
        i++;
    if (i == w->count) {
        w->to[w->count] = to;
        w->copies[w->count++] = (struct ovl_moe_copy){.token = token};
    }
    return &w->copies[i];
}

static void choose(const struct walk *w, int member, int token, int *chosen)
{
    const struct ovl_moe_token *t = w->of ? &w->of[member].list[token] : NULL;
    ovl_moe_gate_choose(&w->gate, w->block, w->part, t ? t->whose : member, t ? t->place : token, chosen);
}

/* Fills copies and to, in the order of the tokens. */
static void walk_over(struct walk *w, int member)
{
    int chosen[OVL_MOE_TOP_MOST], here = w->moe->experts / w->members;
    int tokens = w->of ? w->of[member].count : w->tokens;
    memset(w->taken, 0, (size_t)w->moe->experts * sizeof *w->taken);
    w->count = 0;
    for (int token = 0; token < tokens; token++) {
        int first = w->count;
        choose(w, member, token, chosen);
        for (int k = 0; k < w->moe->top; k++) {
            if (w->taken[chosen[k]] >= w->capacity) {
                w->dropped++;
                continue;
            }
            w->taken[chosen[k]]++;
            struct ovl_moe_copy *copy = copy_for(w, first, chosen[k] / here, token);
            copy->which |= (uint64_t)1 << k;
            copy->sum += (unsigned)chosen[k];
            w->work[chosen[k] / here]++;
        }
    }
}

/* Of the walk's copies those for `to`; returns how many. */
static int copies_to(const struct walk *w, int to, struct ovl_moe_copy *list)
{
    int n = 0;
    for (int i = 0; i < w->count; i++)
        if (w->to[i] == to)
            list[n++] = w->copies[i];
    return n;
}

/* All of the walk's copies, by the member that they go to. */
static void sort_out(const struct walk *w, struct ovl_moe_route *r)
{
    int *at = ovl_check_alloc(calloc((size_t)w->members + 1, sizeof *at));
    for (int i = 0; i < w->count; i++)
        r->sent[w->to[i] + 1]++;
    for (int m = 0; m < w->members; m++)
        at[m + 1] = r->sent[m + 1] += r->sent[m];
    r->out = ovl_check_alloc(calloc((size_t)w->count + 1, sizeof *r->out));
    for (int i = 0; i < w->count; i++)
        r->out[at[w->to[i]]++] = w->copies[i];
    free(at);
}

static struct ovl_moe_route empty_route(int members, int member, int tokens)
{
    size_t places = (size_t)members + 1;
    struct ovl_moe_route r = {.members = members, .member = member, .tokens = tokens};
    r.sent = ovl_check_alloc(calloc(places, sizeof *r.sent));
    r.got = ovl_check_alloc(calloc(places, sizeof *r.got));
    return r;
}

static void note_work(struct ovl_moe_route *r, const double *work, double chosen, double dropped)
{
    r->work = work[r->member];
    for (int m = 0; m < r->members; m++)
        r->most_work = fmax(r->most_work, work[m]);
    r->chosen = chosen;
    r->dropped = dropped;
}

static void make_route(struct walk *w, struct ovl_moe_route *r, int block, int part, int member)
{
    size_t room = 0;
    double chosen = 0;
    *r = empty_route(w->members, member, w->tokens);
    walk_begin(w, block, part);
    for (int from = 0; from < w->members; from++) {
        walk_over(w, from);
        chosen += (double)(w->of ? w->of[from].count : w->tokens) * w->moe->top;
        if (from == member)
            sort_out(w, r);
        room = (size_t)r->got[from] + (size_t)w->count + 1;
        r->in = ovl_check_alloc(realloc(r->in, room * sizeof *r->in));
        r->got[from + 1] = r->got[from] + copies_to(w, member, r->in + r->got[from]);
    }
    r->in = ovl_check_alloc(realloc(r->in, ((size_t)r->got[w->members] + 1) * sizeof *r->in));
    note_work(r, w->work, chosen, w->dropped);
    walk_end(w);
}

void ovl_moe_routes_open(struct ovl_moe_routes *r, const struct ovl_moe *moe, int blocks, int members, int member,
                         int tokens)
{
    struct walk w;
    *r = (struct ovl_moe_routes){.blocks = blocks, .parts = ovl_moe_parts(moe)};
    r->list = ovl_check_alloc(calloc((size_t)blocks * (size_t)r->parts, sizeof *r->list));
    walk_open(&w, moe, members, tokens);
    for (int i = 0; i < blocks * r->parts; i++)
        make_route(&w, &r->list[i], i / r->parts, i % r->parts, member);
    walk_close(&w);
}

/* A walk over the tokens of members that have some each. */
static void walk_over_all_open(struct walk *w, const struct ovl_moe *moe, int members, const struct ovl_moe_tokens *of)
{
    int most = 0;
    double all = 0;
    for (int m = 0; m < members; m++) {
        most = of[m].count > most ? of[m].count : most;
        all += of[m].count;
    }
    walk_open(w, moe, members, most);
    w->tokens = (int)ceil(all / members);
    w->of = of;
}

void ovl_moe_route_open(struct ovl_moe_route *r, const struct ovl_moe *moe, int block, int members, int member,
                        const struct ovl_moe_tokens *of)
{
    struct walk w;
    walk_over_all_open(&w, moe, members, of);
    make_route(&w, r, block, 0, member);
    walk_close(&w);
}

void ovl_moe_route_count(const struct ovl_moe *moe, int block, int members, const struct ovl_moe_tokens *of,
                         double *copies)
{
    struct walk w;
    walk_over_all_open(&w, moe, members, of);
    walk_begin(&w, block, 0);
    for (int from = 0; from < members; from++) {
        walk_over(&w, from);
        for (int copy = 0; copy < w.count; copy++)
            copies[from * members + w.to[copy]]++;
    }
    walk_end(&w);
    walk_close(&w);
}

void ovl_moe_route_close(struct ovl_moe_route *r)
{
    free(r->sent);
    free(r->got);
    free(r->out);
    free(r->in);
    *r = (struct ovl_moe_route){.members = 0};
}

void ovl_moe_routes_close(struct ovl_moe_routes *r)
{
    for (int i = 0; i < r->blocks * r->parts; i++)
        ovl_moe_route_close(&r->list[i]);
    free(r->list);
    *r = (struct ovl_moe_routes){.blocks = 0};
}

void ovl_moe_counts_open(struct ovl_moe_counts *c, const struct ovl_moe *moe, int blocks, int members, int tokens)
{
    struct walk w;
    *c = (struct ovl_moe_counts){
        .blocks = blocks, .parts = ovl_moe_parts(moe), .members = members, .tokens = tokens, .top = moe->top};
    size_t m = (size_t)members, cells = (size_t)(blocks * c->parts);
    c->copies = ovl_check_alloc(calloc(cells * m * m, sizeof *c->copies));
    c->work = ovl_check_alloc(calloc(cells * m, sizeof *c->work));
    c->dropped = ovl_check_alloc(calloc(cells, sizeof *c->dropped));
    walk_open(&w, moe, members, tokens);
    for (size_t i = 0; i < cells; i++) {
        walk_begin(&w, (int)i / c->parts, (int)i % c->parts);
        for (int from = 0; from < members; from++) {
            int *to = &c->copies[(i * m + (size_t)from) * m];
            walk_over(&w, from);
            for (int copy = 0; copy < w.count; copy++)
                to[w.to[copy]]++;
        }
        memcpy(&c->work[i * m], w.work, m * sizeof *w.work);
        c->dropped[i] = w.dropped;
        walk_end(&w);
    }
    walk_close(&w);
}

void ovl_moe_counts_close(struct ovl_moe_counts *c)
{
    free(c->copies);
    free(c->work);
    free(c->dropped);
    *c = (struct ovl_moe_counts){.copies = NULL};
}

void ovl_moe_routes_count(struct ovl_moe_routes *r, const struct ovl_moe_counts *c, int member)
{
    const size_t m = (size_t)c->members, cells = (size_t)(c->blocks * c->parts);
    *r = (struct ovl_moe_routes){.blocks = c->blocks, .parts = c->parts};
    r->list = ovl_check_alloc(calloc(cells, sizeof *r->list));
    for (size_t i = 0; i < cells; i++) {
        const int *copies = &c->copies[i * m * m];
        struct ovl_moe_route *route = &r->list[i];
        *route = empty_route(c->members, member, c->tokens);
        for (size_t o = 0; o < m; o++) {
            route->sent[o + 1] = route->sent[o] + copies[(size_t)member * m + o];
            route->got[o + 1] = route->got[o] + copies[o * m + (size_t)member];
        }
        note_work(route, &c->work[i * m], (double)c->members * c->tokens * c->top, c->dropped[i]);
    }
}

double ovl_moe_route_bytes(const struct ovl_moe_route *r)
{
    double copies = r->in ? (double)ovl_moe_sends(r, false) + ovl_moe_sends(r, true) : 0;
    return sizeof *r + copies * sizeof *r->in + 2.0 * (r->members + 1) * sizeof *r->sent;
}

double ovl_moe_routes_bytes(const struct ovl_moe_routes *r)
{
    double bytes = 0;
    for (int i = 0; i < r->blocks * r->parts; i++)
        bytes += ovl_moe_route_bytes(&r->list[i]);
    return bytes;
}

double ovl_moe_counts_bytes(const struct ovl_moe_counts *c)
{
    double cells = (double)c->blocks * c->parts, m = c->members;
    return cells * (m * m * sizeof *c->copies + m * sizeof *c->work + sizeof *c->dropped);
}

double ovl_moe_imbalance(const struct ovl_moe_route *r)
{
    double taken = r->chosen - r->dropped;
    return taken > 0 ? r->most_work * r->members / taken : 1;
}

struct ovl_moe_told ovl_moe_tell(const struct ovl_moe_routes *r)
{
    struct ovl_moe_told told = {.chosen = 0};
    int count = 0;
    for (int i = 0; i < r->blocks * r->parts; i++)
        count += r->list[i].chosen > 0;
    for (int i = 0; i < r->blocks * r->parts; i++) {
        if (!(r->list[i].chosen > 0))
            continue;
        double imbalance = ovl_moe_imbalance(&r->list[i]);
        told.largest = fmax(told.largest, imbalance);
        told.imbalance += imbalance / count;
        told.chosen += r->list[i].chosen;
        told.dropped += r->list[i].dropped;
    }
    return told;
}

void ovl_moe_lists(const struct ovl_moe_route *r, bool back, int words, int *lists)
{
    const int *sent = back ? r->got : r->sent, *got = back ? r->sent : r->got;
    for (int m = 0; m < r->members; m++) {
        lists[m] = (sent[m + 1] - sent[m]) * words;
        lists[r->members + m] = sent[m] * words;
        lists[2 * r->members + m] = (got[m + 1] - got[m]) * words;
        lists[3 * r->members + m] = got[m] * words;
    }
}

double ovl_moe_elsewhere(const int *copies, int members, const int *node, int here)
{
    double n = 0;
    for (int m = 0; m < members; m++)
        if (node[m] != here)
            n += copies[m + 1] - copies[m];
    return n;
}
