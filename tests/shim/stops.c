/* Ranks that lose their core at random, each by itself: on average every OVL_STOP_EVERY_MS (exponential, seeded by the
   rank) a rank stands still for OVL_STOP_US. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/rng.h"
#include "tests/shim/real_clock.h"
#include "tests/shim/this_rank.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static timer_t timer;
static struct ovl_rng rng;
static double stop_ns, every_ns;

static void arm(void)
{
    double chance = ((double)(ovl_rng_next(&rng) >> 11) + 1) * 0x1p-53;
    int64_t ns = 1 + (int64_t)(-every_ns * log(chance));
    struct itimerspec next = {.it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};
    timer_settime(timer, 0, &next, NULL);
}

static void stop(int signal)
{
    (void)signal;
    for (int64_t until = ovl_clock_ns() + (int64_t)stop_ns; ovl_clock_ns() < until;)
        continue;
    arm();
}

__attribute__((constructor)) static void begin(void)
{
    const char *every = getenv("OVL_STOP_EVERY_MS"), *length = getenv("OVL_STOP_US");
    int rank = shim_this_rank();
    if (rank < 0 || !every || !length)
        return;
    every_ns = 1e6 * atof(every);
    stop_ns = 1e3 * atof(length);
    rng = ovl_rng_seeded((uint64_t)rank);
    ovl_clock_ns(); // The first call opens libc, which a handler must not: it may have stopped malloc.
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 1};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    sigaction(SIGRTMIN + 1, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        arm();
}
