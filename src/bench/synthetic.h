/* An operation whose truth is known: f T of it progresses alone from its start, the rest only inside calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_SYNTHETIC_H
#define OVL_BENCH_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

struct ovl_synthetic {
    double total_ns, fraction;
    bool active;
    int64_t alone_until; /* clock, ns */
    int64_t inside;      /* ns still to be spent inside calls */
};

void ovl_synthetic_start(struct ovl_synthetic *s);
/* Gives the operation up to 1 us of the core, as a progress call that moves some bytes does. True when it is complete.
 */
bool ovl_synthetic_test(struct ovl_synthetic *s);
/* The part inside begins when the part alone is over. */
void ovl_synthetic_wait(struct ovl_synthetic *s);
/* The blocking twin: T, all of it in here. */
void ovl_synthetic_blocking(const struct ovl_synthetic *s);

/* From now on a signal handler takes share `theft` (0: none) of the calling thread's time from each start until the
   operation completes, as a progress thread on the same core would. */
void ovl_synthetic_steal(double theft);

#endif
