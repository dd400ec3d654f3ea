/* Looks at once, then after others had the core, then after a short sleep. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library/poll.h"

#include <sched.h>
#include <time.h>

void ovl_poll_pause(int looks)
{
    enum { YIELDS = 50, SLEEP_NS = 30000 };
    if (looks < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
}

void ovl_poll_wait(MPI_Request *q)
{
    int ended = 0;
    for (int looks = 0; P->Test(q, &ended, MPI_STATUS_IGNORE) == MPI_SUCCESS && !ended; looks++)
        ovl_poll_pause(looks);
}
