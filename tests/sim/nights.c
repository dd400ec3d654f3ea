/* Nights of known truth. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/nights.h"
#include "stats/prediction.h"
#include "tests/fake/normal.h"
#include "tool/history/last.h"

#include <stdbool.h>

const char *const night_shape_names[NIGHT_SHAPES] = {"normal", "t3", "AR(1) 0.5", "mixture"};

static double student3(struct ovl_rng *rng)
{
    double squares = 0, x = normal(rng);
    for (int i = 0; i < 3; i++)
        squares += pow(normal(rng), 2);
    return x / sqrt(squares / 3) / sqrt(3);
}

static double mixed(struct ovl_rng *rng)
{
    double x = normal(rng);
    return (ovl_rng_below(rng, 20) == 0 ? 3 * x : x) / sqrt(0.95 + 0.05 * 9);
}

static void fill(double *x, size_t n, enum night_shape shape, struct ovl_rng *rng)
{
    const double like = 0.5;
    for (size_t i = 0; i < n; i++) {
        x[i] = shape == NIGHT_T3 ? student3(rng) : shape == NIGHT_MIXTURE ? mixed(rng) : normal(rng);
        if (shape == NIGHT_AR && i > 0)
            x[i] = like * x[i - 1] + sqrt(1 - like * like) * x[i];
    }
}

struct night_counts nights_judge(const struct night_truth *t, int nights, uint64_t seed)
{
    struct ovl_rng rng = ovl_rng_seeded(seed);
    struct night_counts all = {0, 0};
    double x[NIGHT_MOST_LAUNCHES + 1], p[NIGHT_MOST_CELLS];
    for (int night = 0; night < nights; night++) {
        bool alarm = false;
        for (size_t c = 0; c < t->cells; c++) {
            fill(x, t->before + 1, t->shape, &rng);
            p[c] = ovl_prediction_p(x, t->before, x[t->before] + (c == 0 ? t->shift : 0));
        }
        ovl_prediction_holm(p, t->cells);
        for (size_t c = t->shift > 0; c < t->cells; c++)
            alarm = alarm || p[c] < OVL_LAST_ALPHA;
        all.false_alarm += alarm;
        all.found += t->shift > 0 && p[0] < OVL_LAST_ALPHA;
    }
    return all;
}
