/* The rank that lost most time stands for a node's quanta, but for their usual length, which is that of the slowest;
   the one whose reads cost most stands for its clocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/merge.h"

#include <math.h>

static void merge_quanta(struct ovl_node_quanta *into, const struct ovl_node_quanta *rank)
{
    double usual = fmax(into->usual, rank->usual); /* fmax passes over NaN */
    if (isnan(into->lost) || rank->lost > into->lost)
        *into = *rank;
    into->usual = usual;
}

static void merge_clock(struct ovl_node_clock *into, const struct ovl_node_clock *rank)
{
    if (isnan(into->read) || rank->read > into->read)
        *into = *rank;
}

static double sum(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

void ovl_noise_merge(struct ovl_node *into, const struct ovl_node *rank)
{
    merge_quanta(&into->quanta, &rank->quanta);
    merge_quanta(&into->brief, &rank->brief);
    merge_clock(&into->monotonic, &rank->monotonic);
    merge_clock(&into->raw, &rank->raw);
    into->backward = sum(into->backward, rank->backward);
    into->backward_between = sum(into->backward_between, rank->backward_between);
    into->steal = fmax(into->steal, rank->steal);
    into->late = fmax(into->late, rank->late);
    into->late_p99 = fmax(into->late_p99, rank->late_p99);
}

struct ovl_node_quanta ovl_noise_quanta(int rank, const struct ovl_detours *d)
{
    return (struct ovl_node_quanta){
        .rank = rank,
        .seconds = d->span,
        .quickest = d->quickest,
        .usual = d->usual,
        .above_quickest = d->above_quickest,
        .lost = d->lost,
        .per_second = d->per_second,
        .median = d->median,
        .p99 = d->p99,
        .longest = d->longest,
        .typical = d->typical,
        .period = d->period,
    };
}
