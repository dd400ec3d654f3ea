/* The requests that are served: when each arrives, how long its prompt is, how many tokens are written for it. Drawn
   from a seeded counter, or read from a file. Times are iterations, never wall time, so that all schemes do the same
   work. Pure but for the reading of a file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_TRACE_TRACE_H
#define OVL_APPS_SERVE_TRACE_TRACE_H

#include "base/error.h"

#include <stdint.h>

enum {
    OVL_TRACE_TOKENS_MOST = 1 << 20,       /* of a prompt, and of an output */
    OVL_TRACE_REQUESTS_MOST = 1 << 20,     /* of a trace */
    OVL_TRACE_ITERATIONS_MOST = 100000000, /* the last arrival */
};

struct ovl_served_request {
    int64_t arrival; /* the iteration */
    int prompt;      /* tokens, 1 or more */
    int output;      /* tokens, the first of which comes of reading the prompt; may be 0 */
};

struct ovl_request_trace {
    struct ovl_served_request *list; /* in order of arrival */
    size_t count;

    /* What prompts have in common. Of a file that names them: numbers of the blocks of request r, from ids[ids_at[r]]
       to the one before ids[ids_at[r + 1]]; else NULL. Of drawn ones: texts, one of which begins each prompt. */
    uint64_t *ids;
    size_t *ids_at; /* [count + 1] */
    int block;      /* tokens that each of ids stands for */
    struct ovl_shared_texts {
        int texts, tokens; /* of each; 0: none */
    } shared;
    uint64_t seed;
};

/* A whole number that is always the same, or one drawn for each request: by a geometric distribution of that mean, 1 or
   more, or a lognormal one of that median, whose logarithm has that deviation, rounded up. */
struct ovl_lengths {
    enum ovl_lengths_kind { OVL_LENGTHS_SAME, OVL_LENGTHS_GEOMETRIC, OVL_LENGTHS_LOGNORMAL } kind;
    double middle, deviation;
};

/* Of a text "n", "geometric:m" or "lognormal:m:s", the value of `option`. `least` is 0 or 1. -1 and OVL_USAGE. */
int ovl_lengths_parse(struct ovl_lengths *lengths, const char *option, const char *text, int least,
                      struct ovl_error *err);

/* Of "all", which is 0, or "poisson:R": R requests an iteration on average. -1 and OVL_USAGE. */
int ovl_arrivals_parse(double *rate, const char *text, struct ovl_error *err);

/* Of "N:TOKENS", N different texts of so many tokens. -1 and OVL_USAGE. */
int ovl_shared_parse(struct ovl_shared_texts *shared, const char *text, struct ovl_error *err);

/* So many requests; other ones for each seed, and those of a smaller number are the first of a larger one. The tokens
   of a shared text stand before those that are drawn. None is longer than OVL_TRACE_TOKENS_MOST. The caller frees it.
 */
void ovl_trace_draw(struct ovl_request_trace *t, size_t requests, double rate, const struct ovl_lengths *prompt,
                    const struct ovl_lengths *output, const struct ovl_shared_texts *shared, uint64_t seed);

/* A number for a block of so many tokens of a prompt: equal to that of another request's block at the same place where
   the trace says that the tokens are the same ones. Whether all before them are, too, says the chain of numbers. */
uint64_t ovl_trace_block(const struct ovl_request_trace *t, size_t request, int block, int tokens);
/* The same of a single token; of one that has nothing in common with others the request. */
uint64_t ovl_trace_token(const struct ovl_request_trace *t, size_t request, int place);

/* Reads a file: JSON Lines of Mooncake (Qin et al., FAST 2025), {"timestamp": ms, "input_length": n, "output_length":
   n, "hash_ids": [...]}, of which hash_ids may be left out, or, if its first line is that, the CSV of Azure's traces of
   LLM inference (Patel et al., ISCA 2024), TIMESTAMP,ContextTokens,GeneratedTokens. The first request arrives in
   iteration 0; `iteration_ms` is how long an iteration stands for. Each of hash_ids stands for `block` tokens; 0: for
   any number, and it is not looked at how many there are. Requests are put in order of arrival; equal ones keep that of
   the file. -1 with *err: OVL_ENVIRONMENT where it cannot be read, OVL_WRONG_DATA with line and column of
   what is damaged; then there is nothing to free. */
int ovl_trace_read(struct ovl_request_trace *t, const char *file, double iteration_ms, int block,
                   struct ovl_error *err);
/* The same of a text, which is changed; `name` begins the error. */
int ovl_trace_parse(struct ovl_request_trace *t, char *text, const char *name, double iteration_ms, int block,
                    struct ovl_error *err);

void ovl_trace_free(struct ovl_request_trace *t);

#endif
