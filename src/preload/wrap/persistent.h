/* Persistent collectives: the program holds a request of the program's MPI library, which names the operation; while
 * the workers do it, a request of theirs stands for it in every call that completes requests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_WRAP_PERSISTENT_H
#define OVL_PRELOAD_WRAP_PERSISTENT_H

#include "preload/op/collective.h"

#include <stdatomic.h>

/* Requests of this kind that the program holds. */
extern _Atomic int ovl_persistent_count;

/* After the host's library has made the request. */
void ovl_persistent_add(const struct ovl_call *c, MPI_Request request);

/* Around a call that completes some of `n` requests: puts those that stand for them into their places, and after it the
   program's own back. Returns what has to be given to the second; NULL where none is there. */
struct ovl_swap;
struct ovl_swap *ovl_persistent_swap(int n, MPI_Request *requests);
void ovl_persistent_swap_back(struct ovl_swap *swap, int n, MPI_Request *requests);

#endif
