/* One sample of each kind on one rank: where the clock is read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_SAMPLE_H
#define OVL_BENCH_SAMPLE_H

#include "bench/loop.h"

/* Seconds; start_late and announced are NaN where the clocks have nothing in common. The last five are set for
   OVL_TOTAL only. */
struct ovl_sample {
    double seconds, start_late, announced;
    double init, test, wait, inner;
    struct ovl_burnt burnt;
};

/* Takes one sample. T - W and C hold the same number of clock reads (T four, W two, C three, and T and W two more for
   each test call), so that an operation that hides nothing shows exactly nothing hidden; B holds as many as C. How late
   a rank began is judged by the clock read that ended its wait; the first timed read follows at once. */
struct ovl_sample ovl_sample_take(const struct ovl_loop *loop, enum ovl_quantity kind, int mode, uint64_t units);

#endif
