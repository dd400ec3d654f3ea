/* One sample of each kind on one rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/sample.h"

#include <math.h>

/* The work in tests + 1 pieces with a pair of clock reads after each but the last. With `mode` >= 0 a test call stands
   between the two reads until the operation is complete. Returns the time between the reads of all pairs, in ns. */
static int64_t work(const struct ovl_loop *l, uint64_t units, int mode)
{
    const struct ovl_stage_ops *ops = l->ops;
    uint64_t pieces = l->tests + 1, piece = units / pieces, longer = units % pieces;
    int64_t between = 0;
    bool complete = mode < 0;
    for (uint64_t p = 0; p < pieces; p++) {
        ops->compute(l->stage, piece + (p < longer));
        if (p + 1 == pieces)
            break;
        int64_t begin = ops->now(l->stage);
        if (!complete)
            complete = ops->test(l->stage, mode);
        between += ops->now(l->stage) - begin;
    }
    return between;
}

static struct ovl_sample take_total(const struct ovl_loop *l, int mode, uint64_t units)
{
    const struct ovl_stage_ops *ops = l->ops;
    struct ovl_sample s = {0};

    int64_t t0 = ops->now(l->stage);
    ops->post(l->stage, mode);
    int64_t t1 = ops->now(l->stage);
    int64_t tests = work(l, units, mode);
    int64_t t2 = ops->now(l->stage);
    ops->wait(l->stage, mode);
    int64_t t3 = ops->now(l->stage);

    s.seconds = 1e-9 * (double)(t3 - t0);
    s.init = 1e-9 * (double)(t1 - t0);
    s.test = fmax(0, 1e-9 * (double)tests - (double)l->tests * l->clock_read);
    s.wait = 1e-9 * (double)(t3 - t2);
    /* W keeps the reads of its pairs, so give them back here: the two are compared. */
    s.inner = 1e-9 * (double)(t2 - t1 - tests) + (double)l->tests * l->clock_read;
    ops->cpu(l->stage, &s.burnt);
    return s;
}

/* A sample that the stage runs by itself. */
static struct ovl_sample take_whole(const struct ovl_loop *l, enum ovl_quantity kind, int mode)
{
    const struct ovl_stage_ops *ops = l->ops;
    struct ovl_parts parts = {0};
    int64_t begin = ops->now(l->stage);
    ops->run(l->stage, kind, mode, &parts);
    int64_t end = ops->now(l->stage);
    struct ovl_sample s = {.seconds = 1e-9 * (double)(end - begin)};
    if (kind == OVL_TOTAL) {
        s.init = parts.init;
        s.test = parts.test;
        s.wait = parts.wait;
        s.inner = parts.inner;
        ops->cpu(l->stage, &s.burnt);
    }
    return s;
}

/* An operation of a stream: seconds. */
static double take_stream(const struct ovl_loop *l, int mode)
{
    const struct ovl_stage_ops *ops = l->ops;
    int64_t begin = ops->now(l->stage);
    for (size_t i = 0; i < l->stream; i++) {
        ops->post(l->stage, mode);
        ops->wait(l->stage, mode);
    }
    return 1e-9 * (double)(ops->now(l->stage) - begin) / (double)l->stream;
}

/* W, C or B: seconds. */
static double take_alone(const struct ovl_loop *l, enum ovl_quantity kind, int mode, uint64_t units)
{
    const struct ovl_stage_ops *ops = l->ops;
    int64_t begin = ops->now(l->stage);
    if (kind == OVL_COMPUTE)
        work(l, units, -1);
    else if (kind == OVL_COMM) {
        ops->post(l->stage, mode);
        ops->now(l->stage);
        ops->wait(l->stage, mode);
    } else {
        ops->blocking(l->stage);
        ops->now(l->stage);
    }
    return 1e-9 * (double)(ops->now(l->stage) - begin);
}

struct ovl_sample ovl_sample_take(const struct ovl_loop *l, enum ovl_quantity kind, int mode, uint64_t units)
{
    const struct ovl_stage_ops *ops = l->ops;
    struct ovl_sample s = {0};
    struct ovl_start start = ops->start(l->stage, kind, kind == OVL_COMPUTE ? -1 : mode);

    if (ops->run)
        s = take_whole(l, kind, mode);
    else if (kind == OVL_TOTAL)
        s = take_total(l, mode, units);
    else if (kind == OVL_STREAM)
        s.seconds = take_stream(l, mode);
    else
        s.seconds = take_alone(l, kind, mode, units);
    s.start_late = start.agreed == OVL_LOOP_NO_START ? NAN : 1e-9 * (double)(start.left - start.agreed);
    s.announced = start.announced;
    return s;
}
