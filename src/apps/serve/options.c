/* Which options go together, and what they come to in words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/options.h"
#include "apps/serve/tiny/network.h"
#include "base/rng.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *or_usual(const char *text, const char *usual)
{
    return text ? text : usual;
}

static int check_trace(const struct ovl_serve_options *o, struct ovl_error *err)
{
    const char *own = o->requests  ? "--requests"
                      : o->arrival ? "--arrival"
                      : o->prompt  ? "--prompt"
                      : o->output  ? "--output"
                                   : "--shared";
    if (o->trace && (o->requests || o->arrival || o->prompt || o->output || o->shared))
        return ovl_error_set(err, OVL_USAGE, "%s: a trace has its own; leave it out, or --trace", own);
    if (!o->trace && o->iteration_ms > 0)
        return ovl_error_set(err, OVL_USAGE, "--iteration-ms: drawn requests arrive in iterations; give --trace, too");
    return 0;
}

static int check_tiny(const struct ovl_serve_options *o, struct ovl_error *err)
{
    if (o->tiny && o->scale_bytes != 1)
        return ovl_error_set(err, OVL_USAGE, "--scale-bytes: --tiny has no word to spare; leave one of them out");
    return 0;
}

static int check_strategy(const struct ovl_serve_options *o, const struct ovl_serve_choice *c, struct ovl_error *err)
{
    bool tp = c->row == &ovl_serve_tp, tier = c->row == &ovl_serve_tier, ep = c->row == &ovl_serve_ep;
    if (!tp && !ep && o->overlap)
        return ovl_error_set(err, OVL_USAGE, "--overlap: %s has no halves of a batch; give --strategy tp or ep",
                             c->row->name);
    if (tp && o->overlap && strcmp(o->overlap, "shared") == 0)
        return ovl_error_set(err, OVL_USAGE, "--overlap shared: tp has no experts; give none or two, or --strategy ep");
    if (!ep && (o->gate_skew > 0 || o->dispatch || o->combine || o->dispatch_per))
        return ovl_error_set(err, OVL_USAGE, "--%s: %s has no experts; give --strategy ep",
                             o->gate_skew > 0 ? "gate-skew"
                             : o->dispatch    ? "dispatch"
                             : o->combine     ? "combine"
                                              : "dispatch-per",
                             c->row->name);
    if (c->row != &ovl_serve_pd && (o->prefill || o->messages))
        return ovl_error_set(err, OVL_USAGE, "%s: ranks of %s %s; give --strategy pd",
                             o->prefill ? "--prefill" : "--kv-messages", c->row->name,
                             tp ? "do all alike" : "read and write alike");
    if (!tier && (o->tier_ranks || o->tier_memory || o->block))
        return ovl_error_set(err, OVL_USAGE, "%s: %s has no tier; give --strategy tier",
                             o->tier_ranks    ? "--tier-ranks"
                             : o->tier_memory ? "--tier-memory"
                                              : "--kv-block",
                             c->row->name);
    return 0;
}

static int check_preempt(const struct ovl_serve_options *o, const struct ovl_serve_choice *c, struct ovl_error *err)
{
    if (!o->preempt)
        return 0;
    if (o->kv_memory == 0)
        return ovl_error_set(err, OVL_USAGE, "--preempt: without a limit memory is never short; give --kv-memory, too");
    if (c->row == &ovl_serve_pd)
        return ovl_error_set(err, OVL_USAGE,
                             "--preempt: ranks of pd that write read no prompt again; give --strategy tp, tier or ep");
    if (strcmp(o->preempt, "swap") == 0 && c->row != &ovl_serve_tier)
        return ovl_error_set(err, OVL_USAGE,
                             "--preempt swap: %s has no tier; give --preempt recompute, or --strategy tier",
                             c->row->name);
    return 0;
}

static int check_compress(const struct ovl_serve_options *o, const struct ovl_serve_choice *c, struct ovl_error *err)
{
    if (!o->compress)
        return 0;
    if (o->tiny)
        return ovl_error_set(err, OVL_USAGE,
                             "--compress: --tiny answers to the last bit, and rounds nothing; leave one of them out");
    if (c->row != &ovl_serve_pd && c->row != &ovl_serve_tier)
        return ovl_error_set(err, OVL_USAGE, "--compress: %s sends no keys and values; give --strategy pd or tier",
                             c->row->name);
    if (strcmp(o->kv, "f16") != 0)
        return ovl_error_set(err, OVL_USAGE, "--compress: --kv %s has numbers of one byte already; give --kv f16",
                             o->kv);
    return 0;
}

int ovl_serve_choose(const struct ovl_serve_options *o, struct ovl_serve_choice *c, struct ovl_error *err)
{
    *c = (struct ovl_serve_choice){.row = ovl_serve_strategy_find(o->strategy, err),
                                   .packing = ovl_kv_packing_of(o->compress),
                                   .act = o->tiny ? &ovl_numbers[OVL_I64] : ovl_number_find(o->act, strlen(o->act))};
    if (!c->row || check_tiny(o, err) != 0 || check_strategy(o, c, err) != 0 || check_preempt(o, c, err) != 0 ||
        check_compress(o, c, err) != 0 || check_trace(o, err) != 0)
        return -1;
    if (o->shared && ovl_shared_parse(&c->shared, o->shared, err) != 0)
        return -1;
    return ovl_arrivals_parse(&c->rate, or_usual(o->arrival, OVL_SERVE_ARRIVAL), err) != 0 ||
                   ovl_lengths_parse(&c->prompt, "--prompt", or_usual(o->prompt, OVL_SERVE_PROMPT), 1, err) != 0 ||
                   ovl_lengths_parse(&c->output, "--output", or_usual(o->output, OVL_SERVE_OUTPUT), 0, err) != 0
               ? -1
               : 0;
}

int ovl_serve_choice_load(const struct ovl_serve_options *o, const struct ovl_serve_choice *c, struct ovl_served *model,
                          struct ovl_request_trace *trace, struct ovl_error *err)
{
    const int block = o->block ? (int)o->block : OVL_SERVE_BLOCK;
    const double ms = o->iteration_ms > 0 ? o->iteration_ms : OVL_SERVE_ITERATION_MS;
    *trace = (struct ovl_request_trace){.count = 0};
    if (o->tiny)
        ovl_lm_model(model);
    else if (ovl_served_load(model, o->model, err) != 0)
        return -1;
    if (!o->trace)
        ovl_trace_draw(trace, o->requests ? (size_t)o->requests : OVL_SERVE_REQUESTS, c->rate, &c->prompt, &c->output,
                       &c->shared, o->common.seed);
    else if (ovl_trace_read(trace, o->trace, ms, c->row == &ovl_serve_tier ? block : 0, err) != 0)
        return -1;
    trace->block = block;
    if (trace->count > 0)
        return 0;
    ovl_trace_free(trace);
    return ovl_error_set(err, OVL_USAGE, "--trace %s: it has no requests; give one that has 1 or more", o->trace);
}

struct ovl_serve_ask ovl_serve_choice_ask(const struct ovl_serve_options *o, const struct ovl_serve_choice *c,
                                          const struct ovl_served *model, const struct ovl_request_trace *trace,
                                          int ranks)
{
    struct ovl_moe moe = ovl_moe_default();
    moe.skew = o->gate_skew;
    ovl_moe_words(&moe, o->dispatch, o->combine, o->overlap, o->dispatch_per);
    if (o->tiny)
        moe.dispatch = moe.combine = (struct ovl_moe_type){c->act->name, (int)c->act->bytes};
    return (struct ovl_serve_ask){
        .moe = moe,
        .token_more = o->tiny ? OVL_LM_TOKEN_MORE : 0,
        .model = model,
        .trace = trace,
        .ranks = ranks,
        .nodes = o->dry_run_per_node > 0 ? (ranks - 1) / o->dry_run_per_node + 1 : 0,
        .continuous = strcmp(o->batching, "continuous") == 0,
        .slots = (int)o->slots,
        .kv_memory = (double)o->kv_memory,
        .chunk = (int)o->chunk,
        .preempt = !o->preempt                       ? OVL_PREEMPT_NEVER
                   : strcmp(o->preempt, "swap") == 0 ? OVL_PREEMPT_SWAP
                                                     : OVL_PREEMPT_RECOMPUTE,
        .kv_bytes = o->tiny                     ? sizeof(int32_t)
                    : strcmp(o->kv, "f16") == 0 ? 2
                                                : 1,
        .packed_bytes = c->packing ? ovl_kv_packed_bytes(c->packing) : 0,
        .act_bytes = (double)c->act->bytes,
        .balance = o->balance,
        .two = o->overlap && strcmp(o->overlap, "two") == 0,
        .prefill = (int)o->prefill,
        .messages = o->messages ? (int)o->messages : OVL_SERVE_MESSAGES,
        .tiers = (int)o->tier_ranks,
        .block = o->block ? (int)o->block : OVL_SERVE_BLOCK,
        .tier_memory = (double)o->tier_memory,
        .works = o->tiny,
    };
}

/* Requests of a file by what they are, so that another file is another point. */
static uint64_t key_of(const struct ovl_request_trace *t)
{
    uint64_t key = t->count;
    for (size_t r = 0; r < t->count; r++) {
        key = ovl_rng_mix(key ^ (uint64_t)t->list[r].arrival);
        key = ovl_rng_mix(key ^ ((uint64_t)t->list[r].prompt << 32 | (uint64_t)t->list[r].output));
    }
    for (size_t i = 0; t->ids && i < t->ids_at[t->count]; i++)
        key = ovl_rng_mix(key ^ t->ids[i]);
    return key;
}

void ovl_serve_requests_text(const struct ovl_serve_options *o, const struct ovl_request_trace *trace,
                             char text[OVL_SERVE_TEXT])
{
    if (o->trace)
        snprintf(text, OVL_SERVE_TEXT, "%zu of a file, %016" PRIx64, trace->count, key_of(trace));
    else
        ovl_serve_drawn_text((double)trace->count, or_usual(o->arrival, OVL_SERVE_ARRIVAL),
                             or_usual(o->prompt, OVL_SERVE_PROMPT), or_usual(o->output, OVL_SERVE_OUTPUT),
                             or_usual(o->shared, ""), (double)o->common.seed, text);
}

void ovl_serve_ranks_text(const struct ovl_serve_options *o, int ranks, char text[OVL_SERVE_TEXT])
{
    const struct ovl_serve_layout layout = {.strategy = o->strategy,
                                            .ranks = ranks,
                                            .readers = (double)o->prefill,
                                            .tiers = (double)o->tier_ranks,
                                            .block = (double)o->block,
                                            .tier_memory = (double)o->tier_memory,
                                            .messages = (double)o->messages,
                                            .balance = o->balance,
                                            .overlap = or_usual(o->overlap, ""),
                                            .skew = o->gate_skew,
                                            .dispatch = or_usual(o->dispatch, o->tiny ? o->act : "f8"),
                                            .combine = or_usual(o->combine, o->tiny ? o->act : "bf16"),
                                            .per = or_usual(o->dispatch_per, "rank"),
                                            .act = o->act,
                                            .kv = o->kv,
                                            .sent = or_usual(o->compress, "")};
    ovl_serve_layout_text(&layout, text);
}
