/* Requests drawn from a counter: each number of each request is a function of seed, request and which number it is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/trace/trace.h"
#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ARRIVAL, PROMPT, OUTPUT, ANGLE, NUMBERS }; /* which number of a request */

/* The number behind `at`, which ends the text or stands before a colon; where it ends. NULL: there is none. */
static const char *number(const char *at, double *out)
{
    char *end;
    if (at[strspn(at, "0123456789.")] != '\0' && at[strspn(at, "0123456789.")] != ':')
        return NULL;
    *out = strtod(at, &end);
    return end == at ? NULL : end;
}

int ovl_lengths_parse(struct ovl_lengths *l, const char *option, const char *text, int least, struct ovl_error *err)
{
    static const char geometric[] = "geometric:", lognormal[] = "lognormal:";
    const char *at = text;
    *l = (struct ovl_lengths){.kind = OVL_LENGTHS_SAME};
    if (strncmp(text, geometric, sizeof geometric - 1) == 0) {
        l->kind = OVL_LENGTHS_GEOMETRIC;
        at += sizeof geometric - 1;
    } else if (strncmp(text, lognormal, sizeof lognormal - 1) == 0) {
        l->kind = OVL_LENGTHS_LOGNORMAL;
        at += sizeof lognormal - 1;
    }
    at = number(at, &l->middle);
    if (at && l->kind == OVL_LENGTHS_LOGNORMAL)
        at = *at == ':' ? number(at + 1, &l->deviation) : NULL;
    if (!at || *at)
        return ovl_error_set(err, OVL_USAGE,
                             "%s %s: give a number of tokens, geometric:MEAN or lognormal:MEDIAN:DEVIATION", option,
                             text);
    bool same = l->kind == OVL_LENGTHS_SAME;
    int from = same ? least : 1;
    if (!(l->middle >= from && l->middle <= OVL_TRACE_TOKENS_MOST) || (same && l->middle != floor(l->middle)))
        return ovl_error_set(err, OVL_USAGE, "%s %s: give a %s of %d to %d tokens", option, text,
                             same                               ? "whole number"
                             : l->kind == OVL_LENGTHS_GEOMETRIC ? "mean"
                                                                : "median",
                             from, OVL_TRACE_TOKENS_MOST);
    if (l->deviation > 4)
        return ovl_error_set(err, OVL_USAGE, "%s %s: give a deviation of the logarithm of 4 at most", option, text);
    return 0;
}

int ovl_arrivals_parse(double *rate, const char *text, struct ovl_error *err)
{
    static const char poisson[] = "poisson:";
    const char *end;
    *rate = 0;
    if (strcmp(text, "all") == 0)
        return 0;
    end = strncmp(text, poisson, sizeof poisson - 1) == 0 ? number(text + sizeof poisson - 1, rate) : NULL;
    if (!end || *end || !(*rate >= 0.0001 && *rate <= 1e6))
        return ovl_error_set(err, OVL_USAGE,
                             "--arrival %s: give all, or poisson:R with R requests an iteration, 0.0001 to 1e6", text);
    return 0;
}

int ovl_shared_parse(struct ovl_shared_texts *s, const char *text, struct ovl_error *err)
{
    double texts = 0, tokens = 0;
    const char *at = number(text, &texts);
    at = at && *at == ':' ? number(at + 1, &tokens) : NULL;
    if (!at || *at || texts != floor(texts) || tokens != floor(tokens) || !(texts >= 1 && texts <= 1 << 20) ||
        !(tokens >= 1 && tokens < OVL_TRACE_TOKENS_MOST))
        return ovl_error_set(err, OVL_USAGE,
                             "--shared %s: give N:TOKENS, 1 to 1048576 texts of 1 to %d tokens, such as 4:1024", text,
                             OVL_TRACE_TOKENS_MOST - 1);
    *s = (struct ovl_shared_texts){.texts = (int)texts, .tokens = (int)tokens};
    return 0;
}

/* Above 0, below 1, with 52 bits. */
static double drawn(uint64_t seed, size_t request, int which)
{
    uint64_t key = ovl_rng_mix(seed ^ ovl_rng_mix(NUMBERS * (uint64_t)request + (uint64_t)which));
    return ((double)(key >> 12) + 0.5) * 0x1p-52;
}

static int length(const struct ovl_lengths *l, uint64_t seed, size_t request, int which)
{
    double u = drawn(seed, request, which), n = l->middle;
    if (l->kind == OVL_LENGTHS_GEOMETRIC)
        n = l->middle > 1 ? ceil(log(u) / log1p(-1 / l->middle)) : 1;
    else if (l->kind == OVL_LENGTHS_LOGNORMAL) { /* Box and Muller's method */
        double angle = 2 * M_PI * drawn(ovl_rng_mix(seed + (uint64_t)which), request, ANGLE);
        n = ceil(l->middle * exp(l->deviation * sqrt(-2 * log(u)) * cos(angle)));
    }
    return (int)fmin(fmax(n, l->kind == OVL_LENGTHS_SAME ? 0 : 1), OVL_TRACE_TOKENS_MOST);
}

void ovl_trace_draw(struct ovl_request_trace *t, size_t requests, double rate, const struct ovl_lengths *prompt,
                    const struct ovl_lengths *output, const struct ovl_shared_texts *shared, uint64_t seed)
{
    double at = 0;
    *t = (struct ovl_request_trace){.count = requests, .shared = *shared, .seed = seed};
    t->list = ovl_alloc(requests + 1, sizeof *t->list);
    for (size_t r = 0; r < requests; r++) {
        at += rate > 0 && r > 0 ? -log(drawn(seed, r, ARRIVAL)) / rate : 0;
        int own = length(prompt, seed, r, PROMPT), room = OVL_TRACE_TOKENS_MOST - shared->tokens;
        t->list[r] = (struct ovl_served_request){.arrival = (int64_t)fmin(at, OVL_TRACE_ITERATIONS_MOST),
                                                 .prompt = shared->tokens + (own < room ? own : room),
                                                 .output = length(output, seed, r, OUTPUT)};
    }
}

/* The text that begins a drawn prompt. */
static uint64_t text_of(const struct ovl_request_trace *t, size_t request)
{
    uint64_t other = ovl_rng_mix(t->seed + NUMBERS); /* than what lengths are drawn from */
    return (uint64_t)(drawn(other, request, PROMPT) * t->shared.texts);
}

uint64_t ovl_trace_block(const struct ovl_request_trace *t, size_t request, int block, int tokens)
{
    const uint64_t of_text = 1, of_file = 2, shared = (uint64_t)1 << 63; /* kinds, whose numbers never meet */
    size_t named = t->ids ? t->ids_at[request + 1] - t->ids_at[request] : 0;
    if ((size_t)block < named)
        return shared | ovl_rng_mix(ovl_rng_mix(of_file) ^ t->ids[t->ids_at[request] + (size_t)block]);
    if (((int64_t)block + 1) * tokens <= t->shared.tokens)
        return shared | ovl_rng_mix(ovl_rng_mix(of_text) ^ text_of(t, request));
    return (uint64_t)request;
}

uint64_t ovl_trace_token(const struct ovl_request_trace *t, size_t request, int place)
{
    return t->ids ? ovl_trace_block(t, request, place / t->block, t->block) : ovl_trace_block(t, request, place, 1);
}

void ovl_trace_free(struct ovl_request_trace *t)
{
    free(t->list);
    free(t->ids);
    free(t->ids_at);
    *t = (struct ovl_request_trace){.count = 0};
}
