/* Draws without replacement: a number below the weights that are left is moved past those that are gone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/moe/gate.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

/* All weights together are under 2^32, so that a draw is a product of 64 bits. */
enum { FIRST_WEIGHT = 1 << 19 };

static uint64_t counter(uint64_t a, uint64_t b)
{
    return ovl_rng_mix(a ^ ovl_rng_mix(b));
}

/* Fisher and Yates: every order is as likely. */
static void shuffle(int *list, int n, uint64_t key)
{
    for (int i = n - 1; i > 0; i--) {
        int other = (int)((counter(key, (uint64_t)i) >> 32) * (uint64_t)(i + 1) >> 32), kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
}

void ovl_moe_gate_open(struct ovl_moe_gate *g, const struct ovl_moe *moe, int block)
{
    size_t n = (size_t)moe->experts;
    *g = (struct ovl_moe_gate){.experts = moe->experts,
                               .top = moe->top,
                               .expert = ovl_check_alloc(calloc(n, sizeof *g->expert)),
                               .weight = ovl_check_alloc(calloc(n, sizeof *g->weight)),
                               .before = ovl_check_alloc(calloc(n + 1, sizeof *g->before))};
    for (int i = 0; i < g->experts; i++) {
        double weight = round(FIRST_WEIGHT * pow(i + 1, -moe->skew));
        g->expert[i] = i;
        g->weight[i] = weight > 1 ? (uint64_t)weight : 1;
        g->before[i + 1] = g->before[i] + g->weight[i];
    }
    shuffle(g->expert, g->experts, (uint64_t)block);
}

void ovl_moe_gate_close(struct ovl_moe_gate *g)
{
    free(g->expert);
    free(g->weight);
    free(g->before);
    *g = (struct ovl_moe_gate){.experts = 0};
}

/* Whose weights reach over `at`. */
static int at_weight(const struct ovl_moe_gate *g, uint64_t at)
{
    int low = 0, high = g->experts - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (g->before[middle + 1] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void ovl_moe_gate_choose(const struct ovl_moe_gate *g, int block, int part, int member, int token, int *chosen)
{
    uint64_t key = counter((uint64_t)block << 8 | (uint64_t)part, (uint64_t)member << 32 | (uint64_t)token);
    uint64_t left = g->before[g->experts];
    int gone[OVL_MOE_TOP_MOST]; /* places by popularity, in their order */
    for (int k = 0; k < g->top; k++) {
        uint64_t at = (counter(key, (uint64_t)k) >> 32) * left >> 32;
        int i = 0;
        for (; i < k && at >= g->before[gone[i]]; i++)
            at += g->weight[gone[i]];
        int place = at_weight(g, at);
        for (int j = k; j > i; j--)
            gone[j] = gone[j - 1];
        gone[i] = place;
        left -= g->weight[place];
        chosen[k] = g->expert[place];
    }
}
