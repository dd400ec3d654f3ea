/* The options of ovl_serve; what they choose of its traces and strategies is in apps/serve/options.h. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_SERVE_OPTIONS_H
#define OVL_CLI_SERVE_OPTIONS_H

#include "cli/app_options.h"
#include "cli/network_options.h"

#define OVL_SERVE_KV      "f16"
#define OVL_SERVE_ACT     "bf16"
#define OVL_SERVED_USUAL  "llama-8b"
#define OVL_SERVE_ARRIVAL "all"
#define OVL_SERVE_PROMPT  "512"
#define OVL_SERVE_OUTPUT  "32"
enum { OVL_SERVE_REQUESTS = 16, OVL_SERVE_ITERATION_MS = 50 };

struct ovl_serve_options {
    struct ovl_app_options common; /* the first */
    int tiny;
    const char *model, *strategy, *trace, *arrival, *prompt, *output, *batching, *overlap, *kv, *act, *kernel,
        *slo_text, *dry_run_text, *shared, *dispatch, *combine, *dispatch_per, *preempt,
        *compress; /* NULL where they are not given: arrival, prompt, output, overlap, and from shared on
                    */
    uint64_t requests, slots, kv_memory, chunk, prefill, messages, tier_ranks, tier_memory, block; /* 0: not given */
    double iteration_ms, balance, scale_bytes, ratio, us, units, gate_skew;
    struct ovl_network_options network; /* of --plan */

    /* Of these texts. */
    double slo[2];                       /* seconds to the first token, and for each further one; 0: not asked for */
    int dry_run_ranks, dry_run_per_node; /* of --plan; 0: measure */
};

extern const struct ovl_option ovl_serve_option_rows[];

/* Fills *o, a struct ovl_serve_options, defaults first. -1 and OVL_USAGE with one line on what does not go. */
int ovl_serve_options_parse(int argc, char **argv, void *o, struct ovl_error *err);

/* What they give to measuring, in seconds. */
double ovl_serve_options_seconds(const void *o);

/* Cells of that mode in a whole record. */
size_t ovl_serve_options_cells(const void *options, const char *mode);

#endif
