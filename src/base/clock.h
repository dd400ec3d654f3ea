/* The clock: CLOCK_MONOTONIC in nanoseconds, the same for every process of a machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_CLOCK_H
#define OVL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t ovl_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Seconds since ovl_clock_ns() was `begin`. */
static inline double ovl_clock_since(int64_t begin)
{
    return 1e-9 * (double)(ovl_clock_ns() - begin);
}

/* CLOCK_MONOTONIC_RAW, which nothing slews: for clocks that are compared between machines. */
static inline int64_t ovl_clock_raw_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* CPU seconds of the calling thread and of the whole process. About 0.5 us each: keep them out of timed parts. */
double ovl_clock_thread_cpu(void);
double ovl_clock_process_cpu(void);

/* The time as "2026-01-31T23:59:59Z". */
void ovl_clock_utc(char text[32]);

/* Seconds since 1970 of such a text; NaN when it is no such time. */
double ovl_clock_utc_seconds(const char *text);

#endif
