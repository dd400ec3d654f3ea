/* A thread that completes requests while its rank computes. It knows requests as a hook and a pointer, and no MPI.

   A request has one owner. From ovl_progress_hand on that is the thread, which calls the hook again and again until it
   says true; then the request is done, which a flag says. Till then the rank can have it back: it asks, and the thread
   answers after the call under way. So no request is ever in two hands, and none is completed twice: an MPI_Test that
   completes a request frees it, and whoever called MPI_Wait on it meanwhile would be wrong.

   The thread sleeps (futex) while nothing is in its hands, and wakes when something is handed to it. All calls but the
   hook are of one thread, the rank's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_THREAD_PROGRESS_THREAD_H
#define OVL_BENCH_THREAD_PROGRESS_THREAD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OVL_PROGRESS_MOST = 1024,       /* requests in its hands at once; more stay with the rank */
    OVL_PROGRESS_LOOKS_NS = 100000, /* it spins so long after its last request, before it sleeps */
    OVL_PROGRESS_SLEEPS_NS = 50000, /* with OVL_PROGRESS_SLEEP, between two rounds; the kernel adds about as much */
    OVL_PROGRESS_MASK_WORDS = 64,   /* 4096 processors */
    OVL_PROGRESS_NONE = -1,         /* a ticket: the request is the rank's */
};

/* What it does between two rounds of tests that completed nothing. */
enum ovl_progress_idle { OVL_PROGRESS_SPIN, OVL_PROGRESS_YIELD, OVL_PROGRESS_SLEEP };

struct ovl_progress;

/* Starts the thread, which takes no signals, on the processors of `mask` or, with NULL, on the rank's. `yields`: the
   rank gives its core away while it waits for the thread, which may need it. NULL and OVL_ENVIRONMENT where there is
   no thread to be had, or it may not run there. */
struct ovl_progress *ovl_progress_begin(enum ovl_progress_idle idle, bool yields, const uint64_t *mask,
                                        struct ovl_error *err);
/* Nothing is in its hands. Ends the thread. NULL: nothing. */
void ovl_progress_end(struct ovl_progress *p);

/* Hands a request over: `test(of)` until that is true. Returns its ticket, or OVL_PROGRESS_NONE where the thread has
   no more room. */
int ovl_progress_hand(struct ovl_progress *p, bool (*test)(void *of), void *of);
/* Has the thread completed it? Asks no more than a flag. */
bool ovl_progress_done(struct ovl_progress *p, int ticket);
/* Each ends the ticket. The first waits until the thread has completed the request; the second has it back, and
   returns whether the thread has completed it before. */
void ovl_progress_wait(struct ovl_progress *p, int ticket);
bool ovl_progress_take_back(struct ovl_progress *p, int ticket);

/* Returns when it sleeps. False, at once, where a ticket has not ended: it has something to do, and will not sleep. */
bool ovl_progress_rest(struct ovl_progress *p);

/* The thread's number, and the CPU seconds that it has burnt. */
int ovl_progress_id(const struct ovl_progress *p);
double ovl_progress_cpu(const struct ovl_progress *p);

#endif
