/* sched_yield at first, then sleeps of 30 us. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library/poll.h"

#include <sched.h>
#include <time.h>

void ovl_poll_pause(int polls)
{
    enum { YIELDS = 50, SLEEP_NS = 30000 };
    if (polls < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
}

void ovl_poll_wait(MPI_Request *q)
{
    int ended = 0;
    for (int polls = 0; P->Test(q, &ended, MPI_STATUS_IGNORE) == MPI_SUCCESS && !ended; polls++)
        ovl_poll_pause(polls);
}
