/* An operation whose truth is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver/synthetic.h"
#include "base/clock.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PERIOD_NS = 2000000 };

static double share;
static bool thief_made;
static timer_t thief;

static void spin_until(int64_t when)
{
    while (ovl_clock_ns() < when)
        continue;
}

static void steal(int signal)
{
    (void)signal;
    spin_until(ovl_clock_ns() + (int64_t)(share * PERIOD_NS));
}

void ovl_synthetic_steal(double theft)
{
    share = theft;
    if (theft <= 0 || thief_made)
        return;
    struct sigaction action = {.sa_handler = steal, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    sigaction(SIGRTMIN, &action, NULL);
    thief_made = timer_create(CLOCK_MONOTONIC, &event, &thief) == 0;
}

/* Of each period the program has the first part and the thief the rest. */
static void set_thief(bool on)
{
    struct itimerspec every = {{0, on ? PERIOD_NS : 0}, {0, on ? (long)((1 - share) * PERIOD_NS) : 0}};
    if (thief_made && share > 0)
        timer_settime(thief, 0, &every, NULL);
}

/* Asks about the other ranks till the last of them has posted it. */
static int64_t alone_until(struct ovl_synthetic *s)
{
    if (s->alone_until == INT64_MAX) {
        int64_t begin = s->last_post();
        if (begin < INT64_MAX)
            s->alone_until = begin + (int64_t)(s->fraction * s->total_ns);
    }
    return s->alone_until;
}

void ovl_synthetic_start(struct ovl_synthetic *s)
{
    s->active = true;
    s->alone_until = s->last_post ? INT64_MAX : ovl_clock_ns() + (int64_t)(s->fraction * s->total_ns);
    s->inside = (int64_t)((1 - s->fraction) * s->total_ns);
    set_thief(true);
}

static void complete(struct ovl_synthetic *s)
{
    s->active = false;
    set_thief(false);
}

bool ovl_synthetic_test(struct ovl_synthetic *s)
{
    if (!s->active)
        return true;
    int64_t alone = alone_until(s), now = ovl_clock_ns(), slice = s->slice_ns > 0 ? (int64_t)s->slice_ns : 1000;
    int64_t given = now < alone ? 0 : s->inside < slice ? s->inside : slice;
    spin_until(now + given);
    s->inside -= given;
    if (now >= alone && s->inside <= 0)
        complete(s);
    return !s->active;
}

void ovl_synthetic_wait(struct ovl_synthetic *s)
{
    if (!s->active)
        return;
    int64_t now = ovl_clock_ns(), alone;
    while ((alone = alone_until(s)) == INT64_MAX)
        continue;
    spin_until((now > alone ? now : alone) + s->inside);
    complete(s);
}

void ovl_synthetic_blocking(const struct ovl_synthetic *s)
{
    int64_t begin = ovl_clock_ns(), last;
    while (s->last_post && (last = s->last_post()) > begin)
        if (last < INT64_MAX)
            begin = last;
    spin_until(begin + (int64_t)s->total_ns);
}
