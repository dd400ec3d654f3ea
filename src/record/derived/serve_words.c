/* Words, which a cell's options are held against. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/serve_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ovl_serve_drawn_text(double requests, const char *arrival, const char *prompt, const char *output,
                          const char *shared, double seed, char text[OVL_SERVE_TEXT])
{
    snprintf(text, OVL_SERVE_TEXT, "%.0f, %.32s, %.32s in, %.32s out%s%.20s%s, seed %.0f", requests, arrival, prompt,
             output, *shared ? ", " : "", shared, *shared ? " shared" : "", seed);
}

void ovl_serve_batching_text(const char *batching, double slots, double chunk, double memory, char text[OVL_SERVE_TEXT])
{
    char chunks[48] = "", bytes[48] = "";
    if (chunk > 0)
        snprintf(chunks, sizeof chunks, ", chunks of %.0f", chunk);
    if (memory > 0)
        snprintf(bytes, sizeof bytes, ", %.0f bytes", memory);
    snprintf(text, OVL_SERVE_TEXT, "%.16s, %.0f at once%s%s", batching, slots, chunks, bytes);
}

void ovl_serve_layout_text(const struct ovl_serve_layout *l, char text[OVL_SERVE_TEXT])
{
    double half = floor(l->ranks / 2), readers = l->readers > 0 ? l->readers : half;
    double tiers = l->tiers > 0 ? l->tiers : half;
    char memory[48] = "", kv[40];
    snprintf(kv, sizeof kv, "%.8s%s%.8s", l->kv, *l->sent ? " sent as " : "", l->sent);
    if (l->tier_memory > 0)
        snprintf(memory, sizeof memory, " in %.0f bytes", l->tier_memory);
    if (strcmp(l->strategy, "tier") == 0)
        snprintf(text, OVL_SERVE_TEXT, "%.0f+%.0f, blocks of %.0f%s, kv %s, balance %g", l->ranks - tiers, tiers,
                 l->block > 0 ? l->block : OVL_SERVE_BLOCK, memory, kv, l->balance);
    else if (strcmp(l->strategy, "ep") == 0)
        snprintf(text, OVL_SERVE_TEXT, "%.0f, overlap %.8s, skew %.9g, %.8s and %.8s a%s %.8s, kv %.8s, balance %g",
                 l->ranks, *l->overlap ? l->overlap : "none", l->skew, l->dispatch, l->combine,
                 *l->per == 'e' ? "n" : "", l->per, l->kv, l->balance);
    else if (strcmp(l->strategy, "tp") == 0)
        snprintf(text, OVL_SERVE_TEXT, "%.0f, overlap %.8s, sums of %.8s, kv %.8s, balance %g", l->ranks,
                 *l->overlap ? l->overlap : "none", l->act, l->kv, l->balance);
    else
        snprintf(text, OVL_SERVE_TEXT, "%.0f+%.0f, %.0f messages, kv %s, balance %g", readers, l->ranks - readers,
                 l->messages > 0 ? l->messages : OVL_SERVE_MESSAGES, kv, l->balance);
}
