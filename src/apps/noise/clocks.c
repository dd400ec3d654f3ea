/* Reads in a row show a clock's step, what a read costs, and whether it goes backwards or needs the kernel. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/clocks.h"
#include "base/clock.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 101, READS = 200 };

static int64_t ns(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return ns(t);
}

static int64_t call_kernel(clockid_t id)
{
    long t[2]; /* the kernel's own time, whatever time_t is */
    return syscall(SYS_clock_gettime, id, t) == 0 ? ns((struct timespec){t[0], t[1]}) : 0;
}

/* Seconds that a read takes: the median of rounds of many. */
static double cost_of(int64_t (*read)(clockid_t), clockid_t id)
{
    double cost[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin = ovl_clock_ns();
        for (int k = 0; k < READS; k++)
            read(id);
        cost[i] = ovl_clock_since(begin) / READS;
    }
    return ovl_stats_median(cost, ROUNDS);
}

/* Adds the steps backwards to *backward. */
static void measure_clock(clockid_t id, struct ovl_node_clock *clock, double *backward)
{
    int64_t before = read_clock(id), least = INT64_MAX;
    for (int i = 0; i < ROUNDS * READS; i++) {
        int64_t now = read_clock(id);
        *backward += now < before;
        if (now > before && now - before < least)
            least = now - before;
        before = now;
    }
    clock->step = least < INT64_MAX ? 1e-9 * (double)least : NAN;
    clock->read = cost_of(read_clock, id);
    clock->system_call = clock->read >= 0.5 * cost_of(call_kernel, id);
}

void ovl_clocks_check(struct ovl_node *node)
{
    FILE *in = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (!in || !fgets(node->source, sizeof node->source, in))
        node->source[0] = '\0';
    if (in)
        fclose(in);
    node->source[strcspn(node->source, "\n")] = '\0';
    node->backward = 0;
    measure_clock(CLOCK_MONOTONIC, &node->monotonic, &node->backward);
    measure_clock(CLOCK_MONOTONIC_RAW, &node->raw, &node->backward);
}

struct ovl_clocks_pair ovl_clocks_both(void)
{
    struct ovl_clocks_pair both = {0, 0};
    int64_t tightest = INT64_MAX;
    for (int i = 0; i < 50; i++) {
        int64_t before = ovl_clock_raw_ns(), middle = ovl_clock_ns(), after = ovl_clock_raw_ns();
        if (after - before < tightest) {
            tightest = after - before;
            both = (struct ovl_clocks_pair){middle, before + (after - before) / 2};
        }
    }
    return both;
}

double ovl_clocks_slew(struct ovl_clocks_pair from, struct ovl_clocks_pair to)
{
    double monotonic = (double)(to.monotonic - from.monotonic), raw = (double)(to.raw - from.raw);
    return raw >= 1e8 ? 1e6 * (monotonic - raw) / raw : NAN;
}
