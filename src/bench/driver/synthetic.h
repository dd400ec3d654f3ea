/* An operation whose truth is known: f T of it progresses alone from its start, the rest only inside calls. One that is
   coupled starts when the last rank has posted it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_SYNTHETIC_H
#define OVL_BENCH_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

struct ovl_synthetic {
    double total_ns, fraction;
    double slice_ns; /* of the core that a test gives it at most; 0: 1 us */
    /* NULL, or couples the ranks: when the last of them posted this operation (clock, ns), INT64_MAX till it has. */
    int64_t (*last_post)(void);
    bool active;
    int64_t alone_until; /* clock, ns; INT64_MAX: not all ranks have posted it, as far as is known here */
    int64_t inside;      /* ns still to be spent inside calls */
};

void ovl_synthetic_start(struct ovl_synthetic *s);
/* Gives the operation up to a slice of the core, as a progress call that moves some bytes does. True when it is
   complete. */
bool ovl_synthetic_test(struct ovl_synthetic *s);
/* The part inside begins when the part alone is over. With f = 0 a coupled operation so ends T after the begin of the
   wait or after the last post, whichever is later: nothing is hidden, and where ranks start s apart s / (s + T) seems
   to be. */
void ovl_synthetic_wait(struct ovl_synthetic *s);
/* The blocking twin: T, all of it in here, from the last post on. */
void ovl_synthetic_blocking(const struct ovl_synthetic *s);

/* From now on a signal handler takes share `theft` (0: none) of the calling thread's time from each start until the
   operation completes, as a progress thread on the same core would. */
void ovl_synthetic_steal(double theft);

#endif
