/* The plans of strategy `ep`: what one rank sends another one gets, each token goes to as many experts as it has
   choices, on random traces; work that is the same whatever hides; bytes by hand; and what does not fit is refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/plan.h"
#include "base/rng.h"
#include "plan/check.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 24, RANKS = 4, HIDDEN = 8, EXPERTS = 12, TOP = 3, BLOCKS = 3, DENSE = 1 };

static const struct ovl_served small = {
    .name = "small",
    .blocks = BLOCKS,
    .hidden = HIDDEN,
    .heads = 4,
    .kv_heads = 2,
    .head = 2,
    .vocabulary = 10,
    .parameters = 9000,
    .active = 3000,
    .attention = 100,
    .mixture = {.experts = EXPERTS, .top = TOP, .shared = 1, .dense_blocks = DENSE, .expert = 200, .dense = 900}};

static struct ovl_serve_ask ask_of(const struct ovl_request_trace *t, int ranks)
{
    struct ovl_serve_ask ask = {.model = &small,
                                .trace = t,
                                .ranks = ranks,
                                .continuous = true,
                                .slots = 4,
                                .kv_bytes = 2,
                                .act_bytes = 2,
                                .works = true,
                                .moe = ovl_moe_default()};
    return ask;
}

static void overlap(struct ovl_serve_ask *ask, enum ovl_moe_overlap how)
{
    ask->moe.overlap = how;
    ask->two = how == OVL_MOE_TWO;
}

static struct ovl_serve_events events_of(const struct ovl_serve_ask *ask, int rank)
{
    struct ovl_serve_events e;
    ovl_serve_events_open(&e, ask->trace->count, false);
    ck_assert_msg(ovl_serve_ep.build(ask, rank, &e, &err) == 0, "%s", err.text);
    return e;
}

static const struct ovl_event *post_of(const struct ovl_serve_events *e, int id)
{
    return &e->events.list[e->events.posted_at[id]];
}

/* Copies from the one to the other are as many, and of the same tokens, at both ends; a token's copies have all of its
   choices once. */
static void agrees(const struct ovl_serve_events e[RANKS], int ranks, int id)
{
    const struct ovl_event *post = post_of(&e[0], id);
    for (int from = 0; from < ranks; from++) {
        const struct ovl_moe_route *own = post_of(&e[from], id)->route;
        uint64_t *seen = ovl_alloc((size_t)own->sent[ranks] + 1, sizeof *seen);
        ck_assert(post_of(&e[from], id)->returns == post->returns);
        for (int to = 0; to < ranks; to++) {
            const struct ovl_moe_route *other = post_of(&e[to], id)->route;
            const struct ovl_moe_copy *out = own->out + own->sent[to], *in = other->in + other->got[from];
            int n = own->sent[to + 1] - own->sent[to];
            ck_assert_int_eq(n, other->got[from + 1] - other->got[from]);
            for (int c = 0; c < n; c++) {
                ck_assert(out[c].token == in[c].token && out[c].which == in[c].which && out[c].sum == in[c].sum);
                ck_assert(out[c].which && (seen[out[c].token] & out[c].which) == 0);
                seen[out[c].token] |= out[c].which;
            }
        }
        for (int c = 0; c < own->sent[ranks]; c++)
            ck_assert(seen[own->out[c].token] == (1 << TOP) - 1);
        free(seen);
    }
}

/* Multiply-adds of a rank. */
static double macs_of(const struct ovl_serve_events *e)
{
    double macs = 0;
    for (size_t i = 0; i < e->events.count; i++)
        macs += e->events.list[i].macs;
    return macs;
}

/* By hand, of all ranks: weights of each token, and queries of each one with all up to itself. */
static double macs_by_hand(const struct ovl_request_trace *t)
{
    const double routed = 100 + HIDDEN * EXPERTS + (1 + TOP) * 200, dense = 100 + 900;
    double macs = 0;
    for (size_t r = 0; r < t->count; r++) {
        double n = t->list[r].prompt + fmax(0, t->list[r].output - 1);
        macs += n * ((BLOCKS - DENSE) * routed + DENSE * dense) + BLOCKS * 2 * 4 * 2 * n * (n + 1) / 2 +
                t->list[r].output * 10.0 * HIDDEN;
    }
    return macs;
}

static void look(struct ovl_serve_ask *ask)
{
    struct ovl_serve_events e[RANKS];
    double in = 0, moved = 0, macs = 0;
    for (int r = 0; r < ask->ranks; r++) {
        e[r] = events_of(ask, r);
        ck_assert(e[r].events.ids == e[0].events.ids && e[r].events.count == e[0].events.count);
        ck_assert_int_eq(e[r].iterations, e[0].iterations);
        macs += macs_of(&e[r]);
        in += ovl_serve_ep.comes_in(ask, r, r + 1);
        struct ovl_serve_events counted;
        ovl_serve_events_open(&counted, ask->trace->count, true);
        ck_assert_int_eq(ovl_serve_ep.build(ask, r, &counted, &err), 0);
        ck_assert_double_eq(counted.totals.bytes, e[r].totals.bytes);
        ck_assert_double_eq(counted.totals.routes, e[r].totals.routes);
        ck_assert_double_eq(e[r].totals.routes, e[r].events.routes ? ovl_moe_routes_bytes(e[r].events.routes) : 0);
        ovl_serve_events_close(&counted);
    }
    for (int id = 0; id < e[0].events.ids; id++) {
        agrees(e, ask->ranks, id);
        for (int r = 0; r < ask->ranks; r++) {
            const struct ovl_event *post = post_of(&e[r], id);
            const int *sent = post->returns ? post->route->got : post->route->sent;
            moved += post->token_bytes * (sent[ask->ranks] - (sent[r + 1] - sent[r]));
        }
    }
    ck_assert_double_eq(in, moved);
    ck_assert_double_eq_tol(macs, macs_by_hand(ask->trace), 1e-9 * (1 + macs));
    for (int r = 0; r < ask->ranks; r++)
        ovl_serve_events_close(&e[r]);
}

/* The plan and its blocking twin can be played, and none of their ranks waits for ever. */
static void accepted(const struct ovl_serve_ask *ask)
{
    static const int node[RANKS] = {0, 0, 1, 1};
    struct ovl_serve_plan p = {.ask = *ask, .strategy = &ovl_serve_ep, .scale_bytes = 1, .node = node};
    struct ovl_app_steps steps;
    bool apart;
    ck_assert_msg(ovl_serve_plan_open(&p, 0, &err) == 0, "%s", err.text);
    struct ovl_app_plan twin = ovl_app_blocking(&p.plan), *plans[] = {&p.plan, &twin};
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(ovl_app_steps_make(&steps, plans[i], 1000000, &err) == 0, "%s", err.text);
        ck_assert_msg(ovl_app_check(&steps, &apart, &err) == 0, "%s: %s", i ? "blocking" : "", err.text);
        ovl_app_steps_free(&steps);
    }
    ovl_serve_plan_close(&p);
}

TEST(what_one_rank_sends_another_one_gets)
{
    static const int all[] = {1, 2, 3, 4};
    struct ovl_rng rng = ovl_rng_seeded(48);
    for (int round = 0; round < rounds(60, 2000); round++) {
        struct ovl_served_request list[REQUESTS];
        struct ovl_request_trace t = {.list = list, .count = ovl_rng_below(&rng, REQUESTS)};
        int64_t at = 0;
        for (size_t r = 0; r < t.count; r++) {
            at += ovl_rng_below(&rng, 2) ? ovl_rng_below(&rng, 6) : 0;
            list[r] = (struct ovl_served_request){at, 1 + (int)ovl_rng_below(&rng, 30), (int)ovl_rng_below(&rng, 8)};
        }
        struct ovl_serve_ask ask = ask_of(&t, all[ovl_rng_below(&rng, 4)]);
        ask.continuous = ovl_rng_below(&rng, 2);
        ask.slots = 1 + (int)ovl_rng_below(&rng, 5);
        ask.chunk = (int)ovl_rng_below(&rng, 2) * (1 + (int)ovl_rng_below(&rng, 20));
        ask.moe.skew = (double)ovl_rng_below(&rng, 3);
        ask.moe.per_expert = ovl_rng_below(&rng, 2);
        overlap(&ask, (enum ovl_moe_overlap)ovl_rng_below(&rng, 3));
        look(&ask);
        if (t.count > 0)
            accepted(&ask);
    }
}

/* A single request of 5 + 1 tokens: its rank sends, the other one has nothing of its own, and takes part. */
TEST(a_rank_without_requests_takes_part)
{
    struct ovl_served_request list[] = {{0, 5, 2}};
    struct ovl_request_trace t = {.list = list, .count = 1};
    struct ovl_serve_ask ask = ask_of(&t, 2);
    struct ovl_serve_events own = events_of(&ask, 0), other = events_of(&ask, 1);
    ck_assert_int_eq(own.iterations, 2);
    ck_assert_int_eq(own.events.ids, 2 * 2 * (BLOCKS - DENSE)); /* there and back */
    ck_assert_int_eq(other.events.ids, own.events.ids);
    ck_assert(own.tokens == 6 && other.tokens == 0);
    ck_assert_double_gt(macs_of(&other), 0); /* its experts' */
    ck_assert_int_eq(own.lives[0].first, 0);
    ck_assert_int_eq(other.lives[0].first, -1);
    for (int id = 0; id < own.events.ids; id++) {
        const struct ovl_event *post = post_of(&own, id);
        const int tokens = id < own.events.ids / 2 ? 5 : 1;
        ck_assert_double_eq(post->token_bytes, HIDDEN * (post->returns ? 2 : 1)); /* bf16, f8 */
        if (post->returns) { /* its experts' answers go to itself alone */
            ck_assert_int_eq(post->route->got[2], post->route->got[1]);
            continue;
        }
        ck_assert(post->route->sent[1] <= tokens && post->route->sent[2] - post->route->sent[1] <= tokens);
        ck_assert_int_ge(post->route->sent[2], tokens);
        ck_assert_int_eq(post_of(&other, id)->route->sent[2], 0);
    }
    ovl_serve_events_close(&own);
    ovl_serve_events_close(&other);
}

/* Experts of a token follow from the request and the place: they are the same in a batch of another shape. */
TEST(experts_of_a_token_are_the_same_in_every_batch)
{
    struct ovl_served_request list[] = {{0, 9, 3}, {0, 4, 3}, {1, 6, 2}, {1, 1, 5}};
    struct ovl_request_trace t = {.list = list, .count = 4};
    double work[2];
    for (int i = 0; i < 2; i++) {
        struct ovl_serve_ask ask = ask_of(&t, 2);
        ask.chunk = i ? 2 : 0;
        ask.slots = i ? 1 : 4;
        struct ovl_serve_events e = events_of(&ask, 1);
        work[i] = 0;
        for (int id = 0; id < e.events.ids; id++)
            work[i] += post_of(&e, id)->returns ? 0 : post_of(&e, id)->route->work;
        ovl_serve_events_close(&e);
    }
    ck_assert_double_eq(work[0], work[1]);
    ck_assert_double_gt(work[0], 0);
}

TEST(ranks_that_do_not_fit_are_refused_with_the_number)
{
    struct ovl_served_request list[] = {{0, 5, 2}};
    struct ovl_request_trace t = {.list = list, .count = 1};
    struct ovl_serve_ask ask = ask_of(&t, 5);
    struct ovl_serve_events e;
    struct ovl_served other = small;
    ovl_serve_events_open(&e, 1, true);
    ck_assert_int_eq(ovl_serve_ep.build(&ask, 0, &e, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_str_eq(err.text,
                     "--strategy ep: 5 ranks cannot have equal parts of the 12 experts of small; give 4 ranks");
    ask.ranks = 2;
    ask.kv_memory = 10;
    ck_assert_int_eq(ovl_serve_ep.build(&ask, 0, &e, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "--kv-memory: a request of 6 tokens needs 288 bytes"));
    ask.kv_memory = 0;
    other.mixture.shared = 0;
    ask.model = &other;
    overlap(&ask, OVL_MOE_SHARED);
    ck_assert_int_eq(ovl_serve_ep.build(&ask, 0, &e, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "--overlap shared: small has no expert that all tokens go to"));
    other.mixture.experts = 0;
    ck_assert_int_eq(ovl_serve_ep.build(&ask, 0, &e, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "small has no experts; give --model mixtral-8x7b or deepseek-v3"));
    ovl_serve_events_close(&e);
}
