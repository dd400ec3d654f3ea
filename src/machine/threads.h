/* Threads of this process: how long each of them wanted a core, and how long the calling one had to wait for its own.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_THREADS_H
#define OVL_MACHINE_THREADS_H

#include "machine/machine.h"

#include <stddef.h>

enum { OVL_THREADS_MOST = 512 }; /* of more the rest is not looked at */

/* Sums since a thread began, in seconds. */
struct ovl_threads {
    double waited;   /* the calling one: it could run, and had no core; NaN where the kernel does not tell */
    double switches; /* the same: how often the kernel took its core (ru_nivcsw of getrusage(2)) */
    size_t count;    /* of the others */
    int id[OVL_THREADS_MOST];
    double ran[OVL_THREADS_MOST];
    double wanted[OVL_THREADS_MOST]; /* it ran, or waited for a core */
};

/* From /proc/self/task/N/schedstat: nanoseconds on a core, and in a run queue (Documentation/scheduler/sched-stats.rst
   of the kernel), since a thread that shares a core with what measures has it for half of the time only. `self` is the
   calling thread's number, `root` "" or a tree that holds the files of another process. */
void ovl_threads_read(struct ovl_threads *t, const char *root, int self);

/* How many of the others wanted a core for at least half of the `seconds` between two readings, as threads do that
   poll: those of an MPI library that progress messages, or of OpenMP that wait for work; and ran for a twentieth, which
   one that wakes up now and then does not, however long it waits on a crowded machine, unless it wanted nine tenths: it
   never slept, and others had its core. Adds the processors that they may run on to `mask`. */
size_t ovl_threads_busy(const struct ovl_threads *from, const struct ovl_threads *to, double seconds,
                        uint64_t mask[OVL_MACHINE_MASK_WORDS]);

#endif
