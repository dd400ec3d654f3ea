/* Clocks of other machines: each rank reads CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW as if it were on a machine of its
   own. */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists have a value per rank, as in OVL_CLOCK_PPM=0,2,20; what is missing is 0.
     OVL_CLOCK_OFFSET_MS   what the rank's clocks are ahead of the real ones, ms
     OVL_CLOCK_PPM         how much quicker they run, in millionths
     OVL_CLOCK_JITTER_US   one value for all ranks: each 10 ms the rate changes, so that a clock is off by as much more
                           or less at random; no straight line follows that
     OVL_CLOCK_BOOT        words, what boot_id reads at that rank: equal ones make clones that look like one machine
   Only reads are changed: sleeps, timers and what waits in the kernel keep the real time. */
#include "base/rng.h"
#include "tests/shim/this_rank.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 1 << 16, STEP_NS = 10000000 }; /* the walk begins again after eleven minutes */

static int (*real_clock)(clockid_t, struct timespec *);
static struct {
    double offset_ns, rate;
    int64_t base[2];   /* when this process began, by each clock */
    float walk[STEPS]; /* ns, where the walk is at each step */
    int walks;
    char boot[64];
} clocks;

static int64_t nanoseconds(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/* The rank's word of a list; "" where there is none. */
static void item(const char *name, int rank, char *word, size_t size)
{
    const char *at = getenv(name);
    for (int i = 0; at && i < rank; i++)
        at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    snprintf(word, size, "%.*s", at ? (int)strcspn(at, ",") : 0, at ? at : "");
}

static double number(const char *name, int rank)
{
    char word[32];
    item(name, rank, word, sizeof word);
    return atof(word);
}

static void walk(int rank, double jitter_ns)
{
    struct ovl_rng rng = ovl_rng_seeded((uint64_t)rank + 1);
    double at = 0;
    for (int i = 0; i < STEPS; i++, at += ovl_rng_below(&rng, 2) ? jitter_ns : -jitter_ns)
        clocks.walk[i] = (float)at;
    clocks.walks = jitter_ns > 0;
}

__attribute__((constructor)) static void begin(void)
{
    static const clockid_t ids[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW};
    int rank = shim_this_rank();
    if (!real_clock)
        *(void **)&real_clock = dlsym(RTLD_NEXT, "clock_gettime");
    if (rank < 0)
        return;
    for (int i = 0; i < 2; i++) {
        struct timespec t;
        real_clock(ids[i], &t);
        clocks.base[i] = nanoseconds(&t);
    }
    const char *jitter = getenv("OVL_CLOCK_JITTER_US");
    if (jitter && rank > 0)
        walk(rank, 1e3 * atof(jitter));
    item("OVL_CLOCK_BOOT", rank, clocks.boot, sizeof clocks.boot - 1);
    if (*clocks.boot)
        strcat(clocks.boot, "\n");
    clocks.rate = 1e-6 * number("OVL_CLOCK_PPM", rank);
    clocks.offset_ns = 1e6 * number("OVL_CLOCK_OFFSET_MS", rank);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!real_clock) /* before the libraries' constructors */
        *(void **)&real_clock = dlsym(RTLD_NEXT, "clock_gettime");
    int rc = real_clock(id, t);
    if (rc != 0 || (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW))
        return rc;
    int64_t now = nanoseconds(t), passed = now - clocks.base[id == CLOCK_MONOTONIC_RAW];
    double ahead = clocks.offset_ns + clocks.rate * (double)passed;
    if (clocks.walks) {
        size_t step = (size_t)(passed / STEP_NS) % (STEPS - 1);
        double part = (double)(passed % STEP_NS) / STEP_NS;
        ahead += (1 - part) * clocks.walk[step] + part * clocks.walk[step + 1];
    }
    now += llround(ahead);
    t->tv_sec = (time_t)(now / 1000000000);
    t->tv_nsec = (long)(now % 1000000000);
    return 0;
}

FILE *fopen(const char *path, const char *how)
{
    static FILE *(*real)(const char *, const char *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    if (*clocks.boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
        return fmemopen(clocks.boot, strlen(clocks.boot), "r");
    return real(path, how);
}
