/* Gaps are drawn by the inverse of their distribution. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/drawn/faults.h"

#include <math.h>

static uint64_t draw_gap(struct ovl_faults *f)
{
    double u = ((double)(ovl_rng_next(&f->rng) >> 11) + 0.5) / 9007199254740992.0; /* 2^53: neither 0 nor 1 */
    return 1 + (uint64_t)floor(log(u) / log1p(-1 / f->mtbf));
}

uint64_t ovl_faults_seed(uint64_t seed, uint64_t epoch)
{
    return ovl_rng_mix(seed ^ ovl_rng_mix(epoch + 1));
}

void ovl_faults_start(struct ovl_faults *f, double mtbf, uint64_t seed)
{
    *f = (struct ovl_faults){.rng = ovl_rng_seeded(seed), .mtbf = mtbf};
    f->left = draw_gap(f);
}

bool ovl_faults_strike(struct ovl_faults *f, uint32_t ranks, uint32_t *victim)
{
    if (--f->left > 0)
        return false;
    f->left = draw_gap(f);
    *victim = ovl_rng_below(&f->rng, ranks);
    return true;
}

struct ovl_faults_count ovl_faults_replay(double mtbf, uint64_t seed, uint32_t ranks, uint64_t steps, uint64_t interval)
{
    struct ovl_faults_count n = {.played = 0};
    struct ovl_faults f;
    uint64_t last = 0;
    uint32_t victim;
    ovl_faults_start(&f, mtbf, seed);
    for (uint64_t done = 0; done < steps;) {
        n.played++;
        done++;
        if (ovl_faults_strike(&f, ranks, &victim)) {
            n.failures++;
            done = last;
        } else if (done % interval == 0) {
            n.checkpoints++;
            last = done;
        }
    }
    return n;
}

double ovl_faults_played(double mtbf, double interval)
{
    return mtbf * expm1(-interval * log1p(-1 / mtbf));
}

double ovl_faults_goodput(double mtbf, double interval, double cost, double restart)
{
    double played = ovl_faults_played(mtbf, interval);
    return interval / (played + cost + restart * played / mtbf);
}

static uint64_t whole(double steps)
{
    return steps >= 1 ? (uint64_t)llround(steps) : 1;
}

uint64_t ovl_faults_young(double mtbf, double cost)
{
    return whole(sqrt(2 * cost * mtbf));
}

uint64_t ovl_faults_daly(double mtbf, double cost)
{
    double x = cost / (2 * mtbf);
    return whole(x < 1 ? sqrt(2 * cost * mtbf) * (1 + sqrt(x) / 3 + x / 9) - cost : mtbf);
}
