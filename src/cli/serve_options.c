/* What traces and strategies make of these stands with them, in apps/serve/options.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/serve_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct ovl_serve_options, member)

const struct ovl_option ovl_serve_option_rows[] = {
    {0, "model", "NAME", "a model of share/ovl/served, or a file (default " OVL_SERVED_USUAL ")", OVL_OPTION_TEXT,
     AT(model), 0, 0, NULL, NULL},
    {0, "tiny", NULL,
     "a small network that really answers, in place of a model: its tokens are held against a serial program's",
     OVL_OPTION_ON, AT(tiny), 0, 0, NULL, NULL},
    {0, "strategy", "NAME",
     "tp, every block split over all ranks, pd, ranks that read prompts and others that write, tier, ranks that serve "
     "and others that keep, or ep, experts over ranks (default pd)",
     OVL_OPTION_TEXT, AT(strategy), 0, 0, NULL, NULL},
    {0, "requests", "N", "draw so many requests (default 16)", OVL_OPTION_COUNT, AT(requests), 1, 1 << 20, NULL, NULL},
    {0, "arrival", "HOW", "all at once, or poisson:R with R requests an iteration (default all)", OVL_OPTION_TEXT,
     AT(arrival), 0, 0, NULL, NULL},
    {0, "prompt", "DIST", "tokens of a prompt: n, geometric:MEAN or lognormal:MEDIAN:DEVIATION (default 512)",
     OVL_OPTION_TEXT, AT(prompt), 0, 0, NULL, NULL},
    {0, "output", "DIST", "tokens that are written, in the same way; may be 0 (default 32)", OVL_OPTION_TEXT,
     AT(output), 0, 0, NULL, NULL},
    {0, "shared", "N:TOKENS", "begin each prompt with one of N texts of so many tokens, in front of those of --prompt",
     OVL_OPTION_TEXT, AT(shared), 0, 0, NULL, NULL},
    {0, "trace", "FILE", "read the requests: JSON Lines as Mooncake's, or CSV as Azure's", OVL_OPTION_TEXT, AT(trace),
     0, 0, NULL, NULL},
    {0, "iteration-ms", "T", "of --trace: how long an iteration stands for (default 50)", OVL_OPTION_NUMBER,
     AT(iteration_ms), 1e-3, 1e9, NULL, NULL},
    {0, "batching", "HOW",
     "static, a batch when the one before has ended, or continuous, whenever there is a slot (default continuous)",
     OVL_OPTION_WORD, AT(batching), 0, 0, "static|continuous", NULL},
    {0, "max-batch", "N", "requests at once: at all ranks of tp, at each rank of others that writes (default 8)",
     OVL_OPTION_COUNT, AT(slots), 1, 65536, NULL, NULL},
    {0, "kv-memory", "SIZE", "memory of a rank for keys and values (default: as much as --max-batch requests need)",
     OVL_OPTION_SIZE, AT(kv_memory), 0, 0, NULL, NULL},
    {0, "preempt", "HOW",
     "where that is short the youngest request gives up its slot: recompute, and is read again, or, of tier, swap, and "
     "its keys and values go to the tier and come back (default: it waits for memory for all that it will need)",
     OVL_OPTION_WORD, AT(preempt), 0, 0, "recompute|swap", NULL},
    {0, "chunk", "TOKENS",
     "prompt tokens of an iteration at most; of pd those that an iteration of the trace's time stands for (default: "
     "whole prompts)",
     OVL_OPTION_COUNT, AT(chunk), 1, 1 << 20, NULL, NULL},
    {0, "kv", "TYPE", "numbers of keys and values: f16, f8 or i8 (default f16)", OVL_OPTION_WORD, AT(kv), 0, 0,
     "f16|f8|i8", NULL},
    {0, "compress", "TYPE",
     "of pd and tier: numbers of keys and values on their way: i8, 64 of them by a scale, or f8 (default: as they are)",
     OVL_OPTION_WORD, AT(compress), 0, 0, "i8|f8", NULL},
    {0, "act", "TYPE", "of tp: numbers that are summed up: bf16 or f32 (default bf16)", OVL_OPTION_WORD, AT(act), 0, 0,
     "bf16|f32", NULL},
    {0, "balance", "TOKENS",
     "an iteration of fewer tokens takes as long as one of so many, as the weights are read meanwhile (default 256)",
     OVL_OPTION_NUMBER, AT(balance), 1, 1e6, NULL, NULL},
    {0, "overlap", "HOW",
     "of tp and ep: what is done while a sum or tokens travel: none, nothing; two, the other half of the batch; of ep "
     "shared, the expert that all tokens go to (default none)",
     OVL_OPTION_WORD, AT(overlap), 0, 0, "none|shared|two", NULL},
    {0, "gate-skew", "Z", "of ep: the n-th most popular expert has a weight of 1/n^Z (default 0: all are alike)",
     OVL_OPTION_NUMBER, AT(gate_skew), 0, 10, NULL, NULL},
    {0, "dispatch", "TYPE", "of ep: numbers of tokens on the way to experts: f8, bf16 or f32 (default f8)",
     OVL_OPTION_WORD, AT(dispatch), 0, 0, "f8|bf16|f32", NULL},
    {0, "combine", "TYPE", "of ep: numbers on the way back: bf16 or f32 (default bf16)", OVL_OPTION_WORD, AT(combine),
     0, 0, "bf16|f32", NULL},
    {0, "dispatch-per", "WHAT",
     "of ep: a token travels once for each rank with some of its experts, or once for each expert (default rank)",
     OVL_OPTION_WORD, AT(dispatch_per), 0, 0, "rank|expert", NULL},
    {0, "prefill", "P", "of pd: ranks that read prompts (default: half of them)", OVL_OPTION_COUNT, AT(prefill), 1, 1e6,
     NULL, NULL},
    {0, "kv-messages", "N",
     "of pd: messages for the keys and values of a request, each as soon as its blocks are computed, at most 64 "
     "(default 8)",
     OVL_OPTION_COUNT, AT(messages), 1, 64, NULL, NULL},
    {0, "tier-ranks", "N", "of tier: ranks that keep, the last ones (default: half of them)", OVL_OPTION_COUNT,
     AT(tier_ranks), 1, 1e6, NULL, NULL},
    {0, "tier-memory", "SIZE", "of tier: memory of such a rank for keys and values (default: as much as is needed)",
     OVL_OPTION_SIZE, AT(tier_memory), 0, 0, NULL, NULL},
    {0, "kv-block", "TOKENS",
     "of tier: tokens whose keys and values are kept and sent together; what hash_ids stand for (default 512)",
     OVL_OPTION_COUNT, AT(block), 1, 1 << 20, NULL, NULL},
    {0, "slo", "TTFT:TPOT", "count requests with so many ms at most to the first token, and for each further one",
     OVL_OPTION_TEXT, AT(slo_text), 0, 0, NULL, NULL},
    {0, "scale-bytes", "F", "make all messages F times smaller (default 1)", OVL_OPTION_NUMBER, AT(scale_bytes), 1, 1e9,
     NULL, NULL},
    {0, "compute", "KERNEL", "what computes: " OVL_KERNEL_HELP, OVL_OPTION_WORD, AT(kernel), 0, 0, OVL_KERNEL_WORDS,
     NULL},
    {0, "compute-ratio", "R", "work of the trace, in multiples of the host's communication time (default 1)",
     OVL_OPTION_NUMBER, AT(ratio), 0, 1000, NULL, NULL},
    {0, "compute-us", "T", "work of the trace in microseconds at the rank with most, in place of that",
     OVL_OPTION_NUMBER, AT(us), 1, 1e9, NULL, NULL},
    {0, "compute-units", "N",
     "work of the trace in units of the kernel at rank 0, as compute.units of a record has them, in place of that: "
     "launches with as many do the same",
     OVL_OPTION_NUMBER, AT(units), 100, 1e15, NULL, NULL},
    {0, "flops", "N",
     "work of the trace, two floating-point operations a multiply-add, at so many a second of a rank, such as 60e9; of "
     "--plan, too",
     OVL_OPTION_NUMBER, AT(network.flops), 1, 1e18, NULL, NULL},
    {0, "mode", "LIST", "schemes: blocking, host, host-t, thread, dpu, with commas (default blocking,host)",
     OVL_OPTION_WORDS, AT(common.offload.modes), 0, 0, "blocking|host|host-t|thread|dpu", NULL},
    {'t', "tests", "N",
     "test what is in flight N times in each piece of work, in host-t if --mode has that; 0: never (default 0)",
     OVL_OPTION_COUNT, AT(common.test_lines), 0, 1e6, NULL, NULL},
    {0, "plan", "RANKS[:N]",
     "measure nothing: print memory and messages of the trace on so many ranks, N on a node; with a network simulate "
     "it",
     OVL_OPTION_TEXT, AT(dry_run_text), 0, 0, NULL, NULL},
    OVL_OPTION_ROWS(ovl_serve_options, network, ovl_network_option_rows),
    OVL_OPTION_ROWS(ovl_serve_options, common.offload, ovl_offload_option_rows),
    OVL_OPTION_ROWS(ovl_serve_options, common, ovl_app_loop_option_rows),
    OVL_OPTION_ROWS(ovl_serve_options, common, ovl_app_option_rows),
    {.name = NULL}};

/* Two numbers of ms, with a colon between. */
static int parse_slo(struct ovl_serve_options *o, struct ovl_error *err)
{
    const char *at = o->slo_text, *end;
    for (int i = 0; i < 2 && at; i++) {
        double ms;
        bool ends = ovl_options_number(at, &ms, &end) == 0 && *end == (i == 0 ? ':' : '\0') && ms > 0 && ms <= 1e9;
        if (!ends)
            return ovl_error_set(err, OVL_USAGE,
                                 "--slo %s: give ms to the first token and for each further one, such as 200:50",
                                 o->slo_text);
        o->slo[i] = 1e-3 * ms;
        at = end + 1;
    }
    return 0;
}

static const char *or_usual(const char *text, const char *usual)
{
    return text ? text : usual;
}

/* What --tiny has of its own. */
static int settle(struct ovl_serve_options *o, struct ovl_error *err)
{
    const char *given = o->model      ? "--model"
                        : o->kv       ? "--kv"
                        : o->act      ? "--act"
                        : o->dispatch ? "--dispatch"
                        : o->combine  ? "--combine"
                                      : NULL;
    if (o->tiny && given)
        return ovl_error_set(err, OVL_USAGE, "%s: --tiny has its own; leave one of them out", given);
    if (o->act && strcmp(o->strategy, "tp") != 0)
        return ovl_error_set(err, OVL_USAGE, "--act: %s sums nothing up; give --strategy tp", o->strategy);
    o->model = or_usual(o->model, OVL_SERVED_USUAL);
    o->kv = or_usual(o->kv, o->tiny ? "i32" : OVL_SERVE_KV);
    o->act = or_usual(o->act, o->tiny ? "i64" : OVL_SERVE_ACT);
    return 0;
}

int ovl_serve_options_parse(int argc, char **argv, void *options, struct ovl_error *err)
{
    struct ovl_serve_options *o = options;
    *o = (struct ovl_serve_options){
        .common = ovl_app_options_default("blocking,host"),
        .strategy = "pd",
        .batching = "continuous",
        .slots = 8,
        .balance = 256,
        .kernel = "fma",
        .scale_bytes = 1,
        .ratio = NAN,
        .us = NAN,
        .units = NAN,
        .network = ovl_network_options_default,
    };
    if (ovl_app_options_parse(ovl_serve_option_rows, argc, argv, o, &o->common, err) != 0)
        return -1;
    if (o->common.help || o->common.version)
        return 0;
    if (settle(o, err) != 0)
        return -1;
    struct ovl_network_options network = o->network;
    network.flops = NAN; /* of a run that measures, too */
    if (ovl_network_misplaced(&network, o->dry_run_text, err) != 0)
        return -1;
    const struct ovl_work_way ways[] = {{o->us > 0, "--compute-us"},
                                        {o->units > 0, "--compute-units"},
                                        {!isnan(o->network.flops), "--flops"},
                                        {!isnan(o->ratio), "--compute-ratio"}};
    if (ovl_work_said_once(ways, sizeof ways / sizeof *ways, o->dry_run_text, err) != 0)
        return -1;
    o->ratio = isnan(o->ratio) ? 1 : o->ratio;
    return parse_slo(o, err) == 0 ? ovl_app_plan_parse(o->dry_run_text, &o->dry_run_ranks, &o->dry_run_per_node, err)
                                  : -1;
}

double ovl_serve_options_seconds(const void *options)
{
    return ((const struct ovl_serve_options *)options)->common.max_time;
}

size_t ovl_serve_options_cells(const void *options, const char *mode)
{
    return ovl_app_options_schemes(&((const struct ovl_serve_options *)options)->common, mode);
}
