/* Turns of a shared core. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_SCHED_SLICE_H
#define OVL_BASE_SCHED_SLICE_H

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From Linux 6.12 on (EEVDF, PREEMPT_SHORT) a process may ask for short turns, and comes on when it wakes rather than
   when the other's turn is over, some milliseconds later; its share of the core stays the same. Older kernels pass over
   it. sched_setattr(2) has no wrapper in the C library. */
static inline void ovl_sched_short_slice(void)
{
    enum { TURN_NS = 100000 };
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attr = {.size = sizeof attr, .policy = SCHED_OTHER, .nice = getpriority(PRIO_PROCESS, 0), .runtime = TURN_NS};
    syscall(SYS_sched_setattr, 0, &attr, 0);
}

#endif
