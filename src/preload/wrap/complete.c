/* The calls that complete requests. MPI itself asks ours (request.c); here they only learn that they may sleep, and
 * what waits for a slot is posted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/request.h"
#include "preload/wrap/persistent.h"

#include <stdlib.h>
#include <string.h>

static bool busy(void)
{
    return __builtin_expect(atomic_load_explicit(&ovl_library.outstanding, memory_order_relaxed) != 0 ||
                                atomic_load_explicit(&ovl_persistent_count, memory_order_relaxed) != 0,
                            0);
}

/* `n` requests at `q`, of which some may stand for persistent ones. */
#define COMPLETES(name, params, args, n, waits)                                                                        \
    WRAP(name, params)                                                                                                 \
    {                                                                                                                  \
        if (!busy())                                                                                                   \
            return NEXT->name args;                                                                                    \
        struct ovl_swap *swap = atomic_load(&ovl_persistent_count) ? ovl_persistent_swap(n, q) : NULL;                 \
        ovl_pending_drain_waiting();                                                                                   \
        if (waits)                                                                                                     \
            ovl_pending_wait_begins();                                                                                 \
        int rc = NEXT->name args;                                                                                      \
        if (waits)                                                                                                     \
            ovl_pending_wait_ends();                                                                                   \
        if (swap)                                                                                                      \
            ovl_persistent_swap_back(swap, n, q);                                                                      \
        return rc;                                                                                                     \
    }

COMPLETES(Wait, (MPI_Request * q, MPI_Status *status), (q, status), 1, true)
COMPLETES(Waitall, (int n, MPI_Request *q, MPI_Status *statuses), (n, q, statuses), n, true)
COMPLETES(Waitany, (int n, MPI_Request *q, int *index, MPI_Status *status), (n, q, index, status), n, true)
COMPLETES(Waitsome, (int n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses),
          (n, q, done, indices, statuses), n, true)
COMPLETES(Test, (MPI_Request * q, int *flag, MPI_Status *status), (q, flag, status), 1, false)
COMPLETES(Testall, (int n, MPI_Request *q, int *flag, MPI_Status *statuses), (n, q, flag, statuses), n, false)
COMPLETES(Testany, (int n, MPI_Request *q, int *index, int *flag, MPI_Status *status), (n, q, index, flag, status), n,
          false)
COMPLETES(Testsome, (int n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses),
          (n, q, done, indices, statuses), n, false)

/* MPICH does not ask the request here. */
WRAP(Request_get_status, (H q, int *flag, MPI_Status *status))
{
    if (busy()) { /* and so of MPICH: a handle of another MPI does not fit into an int */
        MPI_Request request = (MPI_Request)q;
        if (atomic_load(&ovl_persistent_count))
            free(ovl_persistent_swap(1, &request)); /* it is not completed here */
        q = (H)request;
        ovl_pending_sweep();
    }
    return NEXT->Request_get_status(q, flag, status);
}

/* What stands for `n` requests, to be freed by the caller; NULL: `q` itself, as far as this library knows. */
static MPI_Request *stand_ins(int n, const MPI_Request *q)
{
    if (!busy())
        return NULL;
    ovl_pending_sweep();
    if (!atomic_load(&ovl_persistent_count) || n < 1 || !q)
        return NULL;
    MPI_Request *copy = ovl_library_check_alloc(malloc((size_t)n * sizeof *copy));
    memcpy(copy, q, (size_t)n * sizeof *copy);
    free(ovl_persistent_swap(n, copy));
    return copy;
}

/* MPI 4.1 has it for several, which stay as they are. A program that asks whether it is there finds it in this library:
   an older MPI has it not. */
#define ASKS(name, params, args)                                                                                       \
    WRAP(name, params)                                                                                                 \
    {                                                                                                                  \
        if (!NEXT->name)                                                                                               \
            return MPI_ERR_OTHER;                                                                                      \
        MPI_Request *copy = stand_ins(n, q);                                                                           \
        if (copy)                                                                                                      \
            q = copy;                                                                                                  \
        int rc = NEXT->name args;                                                                                      \
        free(copy);                                                                                                    \
        return rc;                                                                                                     \
    }

ASKS(Request_get_status_all, (int n, const MPI_Request *q, int *flag, MPI_Status *statuses), (n, q, flag, statuses))
ASKS(Request_get_status_any, (int n, const MPI_Request *q, int *index, int *flag, MPI_Status *status),
     (n, q, index, flag, status))
ASKS(Request_get_status_some, (int n, const MPI_Request *q, int *done, int *indices, MPI_Status *statuses),
     (n, q, done, indices, statuses))
