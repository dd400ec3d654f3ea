/* Outstanding operations. Each is an extended generalized request of MPICH, so that completion calls that the library
 * does not see, and arrays that mix it with the program's own requests, work as MPI says. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_REQUEST_H
#define OVL_PRELOAD_OP_REQUEST_H

#include "preload/library/state.h"
#include "preload/op/buffer.h"
#include "preload/op/team.h"

struct ovl_pending {
    _Atomic int uses; /* MPI's request, and who completes it */
    _Atomic int state;
    struct ovl_pending *next;           /* in the list of those that wait for a slot, or of those that workers have */
    struct ovl_pending *before, *after; /* of all that have not ended */
    MPI_Request handle;
    struct ovl_comm_team *team;
    struct ovl_coll_args args;
    struct ovl_request ticket;
    struct ovl_call_side send, recv;
    int *lists;
};

/* At the start, once. */
void ovl_pending_begin(void);

/* Takes over what `from` holds, and posts it or lets it wait for a slot. It waits
   for nobody but the carrier that takes the team, or has no room for a command. The request is the program's. */
void ovl_pending_post(const struct ovl_pending *from, MPI_Request *request);

/* Posts what waits for a slot, as far as there are any. To be called wherever the program calls in. */
void ovl_pending_drain(void);
static inline void ovl_pending_drain_waiting(void)
{
    if (__builtin_expect(atomic_load_explicit(&ovl_library.waiting, memory_order_relaxed) != 0, 0))
        ovl_pending_drain();
}

/* Completes the requests of all operations that have ended: for calls that do not ask the request itself. */
void ovl_pending_sweep(void);

/* Around a call of MPI that waits: requests that it polls may give the core away. */
void ovl_pending_wait_begins(void);
void ovl_pending_wait_ends(void);

/* Waits for what is outstanding, at the end of the program. Returns how many operations did not end within the time of
   the settings: some rank never posted its part. */
uint64_t ovl_pending_finish(void);

#endif
