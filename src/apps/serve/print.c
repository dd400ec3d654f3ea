/* --plan: what a trace needs on so many ranks, which needs no other ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "apps/serve/strategy/course.h"
#include "bench/app/dry_run.h"
#include "bench/app/message.h"
#include "machine/memory.h"

#include <stdio.h>

static double comes_in(const void *of, int first, int end)
{
    const struct ovl_serve_plan *p = of;
    return p->strategy->comes_in(&p->ask, first, end) / p->scale_bytes;
}

static void print_head(const struct ovl_serve *s)
{
    const struct ovl_serve_ask *ask = &s->plan.ask;
    const struct ovl_serve_options *o = &s->options;
    double read = 0, written = 0;
    char requests[OVL_SERVE_TEXT], batching[OVL_SERVE_TEXT], layout[OVL_SERVE_TEXT];
    for (size_t r = 0; r < s->trace.count; r++) {
        read += s->trace.list[r].prompt;
        written += s->trace.list[r].output;
    }
    ovl_serve_requests_text(&s->options, &s->trace, requests);
    ovl_serve_batching_text(o->batching, (double)o->slots, (double)o->chunk, (double)o->kv_memory, batching);
    ovl_serve_ranks_text(o, ask->ranks, layout);
    printf("%s, %s %s, on %d ranks, %d a node\n", s->model.name, s->options.strategy, layout, ask->ranks,
           s->options.dry_run_per_node < ask->ranks ? s->options.dry_run_per_node : ask->ranks);
    printf("  requests  %s: %.0f tokens to read, %.0f to write\n", requests, read, written);
    printf("  batching  %s\n", batching);
}

/* Adds what a rank tells to what all tell. */
static void add_tiered(struct ovl_serve_tiered *all, const struct ovl_serve_tiered *one)
{
    all->blocks += one->blocks;
    all->found += one->found;
    all->kept += one->kept;
    all->gave_way += one->gave_way;
    all->most = one->most > all->most ? one->most : all->most;
}

/* What is told of a rank. */
struct told {
    int rank, iterations, places;
    double kv_tokens, tokens;
    struct ovl_serve_totals totals;
    struct ovl_serve_tiered tiered; /* of all ranks */
};

static void print_memory(const struct ovl_serve *s, const struct told *most)
{
    const struct ovl_serve_plan *p = &s->plan;
    double token = p->strategy->token_bytes(&p->ask);
    char weights[32], one[32], all[32], here[32];
    ovl_memory_text(p->strategy->weights(&p->ask), weights);
    ovl_memory_text(token, one);
    ovl_memory_text(token * most->kv_tokens, all);
    ovl_memory_text(ovl_serve_messages_bytes(p, &most->totals, most->places), here);
    printf("  model     %.0f parameters, %.0f of them for a token: %s a rank in numbers of 2 bytes\n",
           s->model.parameters, s->model.active, weights);
    printf("  memory    keys and values: %s a token, at most %.0f tokens at a time: %s; messages here: %s\n", one,
           most->kv_tokens, all, here);
}

static void print_operations(const struct ovl_serve *s, const struct told *e)
{
    char all[32], largest[32];
    ovl_memory_text(e->totals.bytes / s->plan.scale_bytes, all);
    ovl_memory_text(e->totals.largest / s->plan.scale_bytes, largest);
    printf("  rank %-4d %d iterations of %.0f tokens in all; %.0f %s of %s in all, the largest %s\n", e->rank,
           e->iterations, e->tokens, e->totals.posts,
           s->plan.strategy->pairs             ? "messages"
           : s->plan.strategy == &ovl_serve_ep ? "exchanges of tokens"
                                               : "allreduces",
           all, largest);
}

/* Of ranks that do different things those that write; of these the one with most keys and values. */
static int look(struct ovl_serve *s, struct told *most, struct ovl_error *err)
{
    const struct ovl_serve_plan *p = &s->plan;
    int first = p->strategy->telling(&p->ask), end = p->strategy->alike ? first + 1 : p->ask.ranks;
    struct ovl_serve_tiered tiered = {.most = 0};
    *most = (struct told){.kv_tokens = -1};
    for (int rank = first; rank < end; rank++) {
        struct ovl_serve_events e;
        ovl_serve_events_open(&e, s->trace.count, true);
        int rc = p->strategy->build(&p->ask, rank, &e, err);
        if (rc == 0 && (double)e.kv_most > most->kv_tokens)
            *most = (struct told){.rank = rank,
                                  .iterations = e.iterations,
                                  .places = e.places,
                                  .kv_tokens = (double)e.kv_most,
                                  .tokens = (double)e.tokens,
                                  .totals = e.totals};
        add_tiered(&tiered, &e.tiered);
        ovl_serve_events_close(&e);
        if (rc != 0)
            return -1;
    }
    most->tiered = tiered;
    return 0;
}

static void print_tier(const struct ovl_serve *s, const struct ovl_serve_tiered *t)
{
    const struct ovl_serve_ask *ask = &s->plan.ask;
    double block = ovl_serve_block_bytes(ask);
    char one[32], most[32];
    ovl_memory_text(block, one);
    ovl_memory_text(block * t->most, most);
    printf(
        "  tier      blocks of %d tokens, %s each: %.0f of %.0f that prompts begin with come back, %.0f go, %.0f give "
        "way; at most %.0f at a rank: %s\n",
        ask->block, one, t->found, t->blocks, t->kept, t->gave_way, t->most, most);
}

static void print_experts(const struct ovl_serve *s, const struct told *most)
{
    const struct ovl_served_mixture *x = &s->model.mixture;
    printf("  experts   %d a block, %d at a rank, %d for a token%s; the rank with most work in a block has %.2f times "
           "the mean\n",
           x->experts, x->experts / s->plan.ask.ranks, x->top, x->shared ? ", beside those that all have" : "",
           most->totals.imbalance / most->totals.routed);
}

/* What a run would refuse by --mem-limit; with tp all ranks need the same. */
static int check_limit(struct ovl_serve *s, struct ovl_error *err)
{
    const double limit = (double)s->job.options->mem_limit;
    struct ovl_app_need most = {.bytes = 0}, one = {.bytes = 0};
    double macs;
    int ranks = limit == 0 ? 0 : s->plan.strategy == &ovl_serve_tp ? 1 : s->plan.ask.ranks;
    for (int rank = 0; rank < ranks; rank++) {
        if (ovl_serve_need(s, rank, &one, &macs, err) != 0)
            return -1;
        most = one.bytes > most.bytes ? one : most;
    }
    return ovl_app_fits(&s->job, &most, limit, err);
}

static int print_plan(struct ovl_serve *s, struct ovl_error *err)
{
    const struct ovl_serve_plan *p = &s->plan;
    struct told most;
    char link[OVL_DRY_RUN_TEXT];
    if (look(s, &most, err) != 0 || check_limit(s, err) != 0)
        return -1;
    struct ovl_busiest busiest = ovl_busiest_of(p->ask.ranks, s->options.dry_run_per_node, p->ask.ranks, comes_in, p);
    if (ovl_network_given(&s->options.network))
        return ovl_serve_simulate(s, busiest.in, err);
    print_head(s);
    print_memory(s, &most);
    print_operations(s, &most);
    if (p->strategy == &ovl_serve_tier)
        print_tier(s, &most.tiered);
    if (p->strategy == &ovl_serve_ep)
        print_experts(s, &most);
    ovl_dry_run_link(&busiest, false, "trace", link);
    printf("  link      %s\n", link);
    return 0;
}

int ovl_serve_print(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    const struct ovl_serve_options *o = &s->options;
    if (!o->dry_run_ranks || o->common.help || o->common.version)
        return 0;
    if (ovl_serve_choice_load(o, &s->choice, &s->model, &s->trace, err) != 0)
        return -1;
    s->plan = (struct ovl_serve_plan){
        .ask = ovl_serve_choice_ask(o, &s->choice, &s->model, &s->trace, o->dry_run_ranks),
        .strategy = s->choice.row,
        .scale_bytes = o->scale_bytes,
    };
    int rc = print_plan(s, err);
    ovl_trace_free(&s->trace);
    return rc == 0 ? 1 : -1;
}
