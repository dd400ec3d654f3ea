/* What the options of ovl_serve choose. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_OPTIONS_H
#define OVL_APPS_SERVE_OPTIONS_H

#include "apps/serve/kv_packed.h"
#include "apps/serve/strategy/strategy.h"
#include "cli/serve_options.h"
#include "record/derived/serve_words.h"

struct ovl_serve_choice {
    const struct ovl_serve_strategy *row;
    const struct ovl_number *act;
    struct ovl_lengths prompt, output;
    double rate; /* of arrivals; 0: all at once */
    enum ovl_kv_packing packing;
    struct ovl_shared_texts shared;
};

/* Fills *c. -1 and OVL_USAGE. */
int ovl_serve_choose(const struct ovl_serve_options *o, struct ovl_serve_choice *c, struct ovl_error *err);

/* Reads the model, and draws or reads the trace. -1 with *err; then there is nothing to free. */
int ovl_serve_choice_load(const struct ovl_serve_options *o, const struct ovl_serve_choice *c, struct ovl_served *model,
                          struct ovl_request_trace *trace, struct ovl_error *err);

struct ovl_serve_ask ovl_serve_choice_ask(const struct ovl_serve_options *o, const struct ovl_serve_choice *c,
                                          const struct ovl_served *model, const struct ovl_request_trace *trace,
                                          int ranks);

/* In words: which requests these are. */
void ovl_serve_requests_text(const struct ovl_serve_options *o, const struct ovl_request_trace *trace,
                             char text[OVL_SERVE_TEXT]);
/* As ovl_serve_layout_text, of options. */
void ovl_serve_ranks_text(const struct ovl_serve_options *o, int ranks, char text[OVL_SERVE_TEXT]);

#endif
