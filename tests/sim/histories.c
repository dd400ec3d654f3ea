/* Histories whose truth is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/histories.h"
#include "stats/change_points.h"

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

/* The change of the values x that is the true one, if any: that which is nearest to its place, among those in its
   direction. */
static const struct ovl_change_point *true_change(const struct history_truth *t, const double *x,
                                                  const struct ovl_change_point *found, size_t count)
{
    const struct ovl_change_point *best = NULL;
    size_t least = HISTORY_MOST_LAUNCHES;
    for (size_t i = 0; i < count; i++) {
        size_t from = i > 0 ? found[i - 1].at : 0, to = i + 1 < count ? found[i + 1].at : t->before + t->after;
        size_t far = found[i].at > t->before ? found[i].at - t->before : t->before - found[i].at;
        bool up = mean(x + found[i].at, to - found[i].at) > mean(x + from, found[i].at - from);
        if (up == (t->shift > 0) && far < least) {
            least = far;
            best = &found[i];
        }
    }
    return best;
}

static void fill(const struct history_truth *t, bool changes, struct ovl_rng *rng, double x[HISTORY_MOST_LAUNCHES])
{
    for (size_t i = 0; i < t->before + t->after; i++)
        x[i] = launch_value(rng, t->shape) + (changes && i >= t->before ? t->shift : 0);
    for (size_t k = 0; k < t->outliers; k++)
        x[(2 * k + 1) * t->before / (2 * t->outliers)] += HISTORY_OUTLIER;
}

/* Adds to *counts what is found of one point. */
static void judge_point(const struct history_truth *t, bool changes, struct ovl_rng *rng, struct history_counts *here)
{
    double x[HISTORY_MOST_LAUNCHES];
    struct ovl_change_point found[HISTORY_MOST_LAUNCHES / OVL_CHANGE_LEAST];
    fill(t, changes, rng, x);
    size_t n = t->before + t->after,
           count = ovl_change_points_find(x, n, OVL_CHANGE_ALPHA / (double)t->points, 1, found);
    for (size_t i = 0; i < count && changes; i++)
        here->found |= found[i].at + 1 >= t->before && found[i].at <= t->before + 1;
    here->false_alarm |= count > changes;
    const struct ovl_change_point *c = changes ? true_change(t, x, found, count) : NULL;
    if (c) {
        here->any = 1;
        here->fresh = c->last >= t->before;
        here->held = c->first <= t->before && c->last >= t->before;
        here->places = (long)(c->last - c->first + 1);
    }
}

struct history_counts histories_judge(const struct history_truth *truth, int histories, uint64_t seed)
{
    struct ovl_rng rng = ovl_rng_seeded(seed);
    struct history_counts counts = {0};
    for (int h = 0; h < histories; h++) {
        struct history_counts here = {0};
        for (size_t p = 0; p < truth->points; p++)
            judge_point(truth, p == 0 && truth->shift != 0, &rng, &here);
        counts.found += here.found;
        counts.false_alarm += here.false_alarm;
        counts.any += here.any;
        counts.fresh += here.fresh;
        counts.held += here.held;
        counts.places += here.places;
    }
    return counts;
}

/* Has one of n values a new change for the worse? */
static bool is_worse(const double *x, size_t n, double level, size_t since)
{
    struct ovl_change_point found[3 * HISTORY_MOST_LAUNCHES / OVL_CHANGE_LEAST];
    size_t count = ovl_change_points_find_since(x, n, since, level, 1, found);
    for (size_t i = 0; i < count; i++) {
        size_t from = i > 0 ? found[i - 1].at : 0, to = i + 1 < count ? found[i + 1].at : n;
        if (found[i].last >= since && mean(x + found[i].at, to - found[i].at) > mean(x + from, found[i].at - from))
            return true;
    }
    return false;
}

void histories_nights(const struct history_truth *t, size_t since, int histories, uint64_t seed,
                      int failed[HISTORY_MOST_NIGHTS])
{
    struct ovl_rng rng = ovl_rng_seeded(seed);
    for (size_t night = 0; night < t->after; night++)
        failed[night] = 0;
    for (int h = 0; h < histories; h++) {
        size_t first = t->after;
        for (size_t p = 0; p < t->points; p++) {
            double x[HISTORY_MOST_LAUNCHES];
            bool worse = false;
            fill(t, p == 0, &rng, x);
            for (size_t night = 0; night < first && !worse; night++) {
                worse = is_worse(x, t->before + night + 1, OVL_CHANGE_ALPHA / (double)t->points, since);
                first = worse ? night : first;
            }
        }
        for (size_t night = first; night < t->after; night++)
            failed[night]++;
    }
}
