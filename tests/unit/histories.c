/* Histories whose truth is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/histories.h"
#include "stats/change_points.h"

/* Adds to *counts what is found of one point. */
static int judge_point(const struct history_truth *t, bool changes, struct ovl_rng *rng, struct history_counts *here)
{
    double x[HISTORY_MOST_LAUNCHES];
    size_t found[HISTORY_MOST_LAUNCHES / OVL_CHANGE_LEAST], n = t->before + t->after, count;
    for (size_t i = 0; i < n; i++)
        x[i] = launch_value(rng, t->shape) + (changes && i >= t->before ? t->shift : 0);
    if (ovl_change_points_find(x, n, OVL_CHANGE_ALPHA / (double)t->points, 1, found, &count) != 0)
        return -1;
    for (size_t i = 0; i < count && changes; i++)
        here->found |= found[i] + 1 >= t->before && found[i] <= t->before + 1;
    here->false_alarm |= count > changes;
    return 0;
}

int histories_judge(const struct history_truth *truth, int histories, uint64_t seed, struct history_counts *counts)
{
    struct ovl_rng rng = ovl_rng_seeded(seed);
    *counts = (struct history_counts){0};
    for (int h = 0; h < histories; h++) {
        struct history_counts here = {0};
        for (size_t p = 0; p < truth->points; p++)
            if (judge_point(truth, p == 0 && truth->shift != 0, &rng, &here) != 0)
                return -1;
        counts->found += here.found;
        counts->false_alarm += here.false_alarm;
    }
    return 0;
}
