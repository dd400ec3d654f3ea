/* A stage on a virtual clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/virtual_stage.h"
#include "tests/fake/normal.h"

#include <string.h>

static int64_t v_now(void *stage)
{
    struct virtual_stage *v = stage;
    return v->now += v->read_ns;
}

/* The noise of the next sample. A block has four; `common` takes its z from the first of them. */
static double factor(struct virtual_noise *n, enum ovl_quantity sample, bool first)
{
    const double top_twentieth = 1.6448536269514722;
    double *z = &n->z[n->common ? 0 : sample], r = n->correlation;
    if (first || !n->common)
        *z = r * *z + sqrt(1 - r * r) * normal(&n->rng);
    if (n->shape == VIRTUAL_SKEWED)
        return 1 + n->sigma * expm1(*z);
    return 1 + n->sigma * (*z + (n->shape == VIRTUAL_OUTLIERS && *z > top_twentieth ? 20 : 0));
}

static struct ovl_start v_start(void *stage, enum ovl_quantity sample, int mode)
{
    struct virtual_stage *v = stage;
    struct ovl_start start = {.announced = 1e-6};
    v->now += 1000;
    start.agreed = v->no_common_clock ? OVL_LOOP_NO_START : v->now;
    v->starts++;
    if (v->late_every && v->starts % v->late_every == 0)
        v->now += v->late_ns;
    if (v->taken < (int)sizeof v->order - 1)
        v->order[v->taken++] = (char)((sample == OVL_STREAM ? 'S' : "CWBT"[sample]) + (mode > 0 ? 32 : 0));
    v->speed += v->drift;
    v->slower = v->speed;
    if (v->noise.sigma > 0)
        v->slower *= factor(&v->noise, sample, v->starts % 4 == 3); /* two pilots come before the first block */
    start.left = v->now;
    return start;
}

static void v_compute(void *stage, uint64_t units)
{
    struct virtual_stage *v = stage;
    v->now += llround((double)units * v->unit_ns * v->slower / (v->active ? 1 - v->theft : 1));
}

static void v_post(void *stage, int mode)
{
    struct virtual_stage *v = stage;
    double t = v->operation_ns[mode] * v->slower + (v->now - v->ended < 500 ? v->behind_ns : 0);
    v->active = true;
    v->alone_until = (double)v->now + v->fraction[mode] * t;
    v->inside = (1 - v->fraction[mode]) * t;
}

static bool v_test(void *stage, int mode)
{
    struct virtual_stage *v = stage;
    (void)mode;
    v->active = v->active && !((double)v->now >= v->alone_until && v->inside <= 0);
    return !v->active;
}

static void v_wait(void *stage, int mode)
{
    struct virtual_stage *v = stage;
    (void)mode;
    if (v->active)
        v->now = llround(fmax((double)v->now, v->alone_until) + v->inside);
    v->active = false;
    v->ended = v->now;
}

static void v_blocking(void *stage)
{
    struct virtual_stage *v = stage;
    v->now += llround(v->blocking_ns * v->slower);
}

static void v_cpu(void *stage, struct ovl_burnt *burnt)
{
    (void)stage;
    *burnt = (struct ovl_burnt){1e-6, 2e-6, 3e-6};
}

static void v_reduce(void *stage, double *largest, double *sum, size_t n)
{
    (void)stage, (void)largest, (void)sum, (void)n; /* one rank: both are there already */
}

static void v_share(void *stage, void *data, size_t bytes)
{
    (void)stage, (void)data, (void)bytes;
}

static void v_announced(void *stage, double seconds)
{
    (void)stage, (void)seconds;
}

static double v_renew(void *stage)
{
    struct virtual_stage *v = stage;
    v->renewals++;
    return v->residual;
}

static void v_gather(void *stage, const double *mine, double *all, size_t n)
{
    (void)stage;
    memcpy(all, mine, n * sizeof *all);
}

static uint64_t v_units(void *stage, double seconds)
{
    const struct virtual_stage *v = stage;
    double units = round(1e9 * seconds / v->believed_unit_ns);
    return units >= 100 ? (uint64_t)units : 0;
}

static int v_interrupted(void *stage)
{
    const struct virtual_stage *v = stage;
    return v->interrupt_at && v->taken >= v->interrupt_at ? v->interrupt : 0;
}

const struct ovl_stage_ops virtual_stage_ops = {
    .now = v_now,
    .start = v_start,
    .compute = v_compute,
    .post = v_post,
    .test = v_test,
    .wait = v_wait,
    .blocking = v_blocking,
    .cpu = v_cpu,
    .reduce = v_reduce,
    .share = v_share,
    .announced = v_announced,
    .renew = v_renew,
    .gather = v_gather,
    .units = v_units,
    .interrupted = v_interrupted,
};
