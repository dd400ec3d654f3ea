/* The cost of a clock read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/clock_cost.h"
#include "base/clock.h"
#include "stats/stats.h"

double ovl_clock_read_cost(void)
{
    enum { ROUNDS = 101, READS = 100 };
    double cost[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin = ovl_clock_ns(), end = begin;
        for (int k = 0; k < READS; k++)
            end = ovl_clock_ns();
        cost[i] = (double)(end - begin) / READS;
    }
    return ovl_stats_median(cost, ROUNDS);
}
