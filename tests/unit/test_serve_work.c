/* Models that are served: facts of the papers; and the work of their strategies, by hand from these facts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/strategy.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct ovl_served installed(const char *name)
{
    struct ovl_served m;
    char file[4096];
    const char *top = getenv("OVL_TOP");
    snprintf(file, sizeof file, "%s/src/apps/serve/models/%s.json", top ? top : ".", name);
    ck_assert_msg(ovl_served_load(&m, file, &err) == 0, "%s", err.text);
    ck_assert_str_eq(m.name, name);
    return m;
}

/* Published: parameters, and bytes of keys and values of a token in numbers of two bytes. */
TEST(models_are_those_of_the_papers)
{
    static const struct {
        const char *name;
        double parameters, kept_bytes;
        int blocks;
    } rows[] = {{"gpt2-small", 124439808, 36864, 12},
                {"llama-8b", 8030261248, 131072, 32},
                {"llama-70b", 70553706496, 327680, 80},
                {"mixtral-8x7b", 46702792704, 131072, 32},
                {"deepseek-v3", 671e9, 70272, 61}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ovl_served m = installed(rows[i].name);
        ck_assert_double_eq(m.parameters, rows[i].parameters);
        ck_assert_double_eq(2 * ovl_served_kept(&m), rows[i].kept_bytes);
        ck_assert_int_eq(m.blocks, rows[i].blocks);
        double blocks = m.blocks * (ovl_served_attention_macs(&m) + ovl_served_own_macs(&m, 0));
        if (m.mixture.experts == 0)
            ck_assert_double_eq_tol(blocks + (m.tied ? 1 : 2) * ovl_served_head_macs(&m), m.active, 1);
    }
    struct ovl_served m = installed("llama-8b"); /* 8 heads of keys and values: from 8 ranks on each has one */
    ck_assert_double_eq(ovl_served_kept_shared(&m, 4), ovl_served_kept(&m) / 4);
    ck_assert_double_eq(ovl_served_kept_shared(&m, 32), ovl_served_kept(&m) / 8);
    m = installed("deepseek-v3");
    ck_assert_double_eq(ovl_served_kept_shared(&m, 32), ovl_served_kept(&m));
}

/* Experts and what else a token meets come to what is published as active, and all experts to nearly all parameters. */
TEST(experts_are_those_of_the_papers)
{
    static const struct {
        const char *name;
        int experts, top, shared;
        double off; /* of figures that are published in whole billions */
    } rows[] = {{"mixtral-8x7b", 8, 2, 0, 1e-4}, {"deepseek-v3", 256, 8, 1, 0.02}, {"llama-8b", 0, 0, 0, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ovl_served m = installed(rows[i].name);
        const struct ovl_served_mixture *x = &m.mixture;
        double active = 2 * ovl_served_head_macs(&m), routed = m.blocks - x->dense_blocks;
        ck_assert(x->experts == rows[i].experts && x->top == rows[i].top && x->shared == rows[i].shared);
        for (int block = 0; block < m.blocks; block++)
            active += ovl_served_attention_macs(&m) + ovl_served_own_macs(&m, block);
        ck_assert_double_eq_tol(active + routed * x->top * x->expert, m.active, rows[i].off * m.active);
        ck_assert_double_eq_tol(active + routed * x->experts * x->expert, m.parameters, rows[i].off * m.parameters);
    }
}

enum { BALANCE = 256, PROMPT = 1000, BATCH = 8 };

/* Of requests that all begin in the first iteration and write two tokens; all ranks together. */
static double work_of(const struct ovl_served *m, const struct ovl_serve_strategy *s, int ranks, size_t requests,
                      int prompt)
{
    struct ovl_served_request list[BATCH];
    for (int r = 0; r < BATCH; r++)
        list[r] = (struct ovl_served_request){.prompt = prompt, .output = 2};
    const struct ovl_request_trace t = {.list = list, .count = requests};
    const struct ovl_serve_ask ask = {.model = m,
                                      .trace = &t,
                                      .ranks = ranks,
                                      .continuous = true,
                                      .slots = BATCH,
                                      .kv_bytes = 2,
                                      .act_bytes = 2,
                                      .balance = BALANCE,
                                      .messages = 8,
                                      .block = 512,
                                      .moe = ovl_moe_default()};
    double macs = 0;
    for (int rank = 0; rank < ranks; rank++) {
        struct ovl_serve_events e;
        ovl_serve_events_open(&e, requests, true);
        ck_assert_msg(s->build(&ask, rank, &e, &err) == 0, "%s", err.text);
        macs += e.totals.macs;
        ovl_serve_events_close(&e);
    }
    return macs;
}

/* The weights of all blocks in an iteration of so many tokens: those that all tokens go through are read once, and of
   the experts those that have tokens, which are 7.2 of mixtral's 8 where 8 tokens go to 2 each. */
static double weights_by_hand(const struct ovl_served *m, double tokens)
{
    const struct ovl_served_mixture *x = &m->mixture;
    double read = x->experts ? x->experts * (1 - pow(1 - (double)x->top / x->experts, tokens)) : 0, macs = 0;
    for (int block = 0; block < m->blocks; block++)
        macs += (ovl_served_attention_macs(m) + ovl_served_own_macs(m, block)) * fmax(tokens, BALANCE) +
                (block < x->dense_blocks ? 0 : x->expert * fmax(x->top * tokens, BALANCE * read));
    return macs;
}

TEST(experts_are_read_that_have_tokens)
{
    struct ovl_served m = installed("mixtral-8x7b");
    double looks = m.blocks * BATCH * (8192 + fmax(2 * 8192, BALANCE * 2048)); /* of the two tokens of each request */
    double wanted = 2 * weights_by_hand(&m, BATCH) + looks + 2 * BALANCE * ovl_served_head_macs(&m);
    double one = m.attention + m.hidden * 8.0 + 7.199 * m.mixture.expert;
    ck_assert_double_eq_tol(weights_by_hand(&m, BATCH), m.blocks * BALANCE * one, 1e-4 * wanted);
    ck_assert_double_eq_tol(work_of(&m, &ovl_serve_tp, 4, BATCH, 1), wanted, 1e-9 * wanted);
    ck_assert_double_eq_tol(work_of(&m, &ovl_serve_tp, 1, BATCH, 1), wanted, 1e-9 * wanted);
}

/* A prompt of one request, and one token more, whose query has to read the keys and values of the prompt, a number of
   which takes as long as BALANCE multiply-adds. */
TEST(keys_and_values_are_read_for_each_token_that_is_written)
{
    static const struct {
        const char *name;
        double reads, writes, kept; /* of a query at a token, and numbers that a block keeps of one */
    } rows[] = {{"llama-8b", 32 * 2 * 128, 32 * 2 * 128, 2 * 8 * 128},
                {"mixtral-8x7b", 32 * 2 * 128, 32 * 2 * 128, 2 * 8 * 128},
                {"gpt2-small", 12 * 2 * 64, 12 * 2 * 64, 2 * 12 * 64},
                {"deepseek-v3", 128 * (192 + 128), 128 * (576 + 512), 576}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ovl_served m = installed(rows[i].name);
        double reads = m.blocks * rows[i].reads * PROMPT * (PROMPT + 1) / 2;
        double writes = m.blocks * fmax(rows[i].writes * (PROMPT + 1), BALANCE * rows[i].kept * PROMPT);
        double all =
            weights_by_hand(&m, PROMPT) + weights_by_hand(&m, 1) + reads + 2 * BALANCE * ovl_served_head_macs(&m);
        ck_assert_double_eq_tol(work_of(&m, &ovl_serve_pd, 2, 1, PROMPT), all + writes, 1e-9 * all);
        ck_assert_double_eq_tol(work_of(&m, &ovl_serve_tier, 2, 1, PROMPT), all + writes, 1e-9 * all);
        /* What is latent is at each rank of tp, which reads all of it. */
        double shared =
            m.latent ? m.blocks * fmax(rows[i].writes * (PROMPT + 1), 4 * BALANCE * rows[i].kept * PROMPT) : writes;
        ck_assert_double_eq_tol(work_of(&m, &ovl_serve_tp, 4, 1, PROMPT), all + shared, 1e-9 * all);
    }
}
