/* The calls that complete requests. MPI itself asks ours (request.c); here they only learn that they may sleep, and
 * what waits for a slot is posted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/request.h"

static bool busy(void)
{
    return __builtin_expect(atomic_load_explicit(&ovl_library.outstanding, memory_order_relaxed) != 0, 0);
}

#define WAITS(name, params, args)                                                                                      \
    WRAP(name, params)                                                                                                 \
    {                                                                                                                  \
        if (!busy())                                                                                                   \
            return P->name args;                                                                                       \
        ovl_pending_turn();                                                                                            \
        ovl_pending_wait_begins();                                                                                     \
        int rc = P->name args;                                                                                         \
        ovl_pending_wait_ends();                                                                                       \
        return rc;                                                                                                     \
    }

#define TESTS(name, params, args)                                                                                      \
    WRAP(name, params)                                                                                                 \
    {                                                                                                                  \
        ovl_pending_turn();                                                                                            \
        return P->name args;                                                                                           \
    }

WAITS(Wait, (MPI_Request * q, MPI_Status *status), (q, status))
WAITS(Waitall, (int n, MPI_Request *q, MPI_Status *statuses), (n, q, statuses))
WAITS(Waitany, (int n, MPI_Request *q, int *index, MPI_Status *status), (n, q, index, status))
WAITS(Waitsome, (int n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses), (n, q, done, indices, statuses))
TESTS(Test, (MPI_Request * q, int *flag, MPI_Status *status), (q, flag, status))
TESTS(Testall, (int n, MPI_Request *q, int *flag, MPI_Status *statuses), (n, q, flag, statuses))
TESTS(Testany, (int n, MPI_Request *q, int *index, int *flag, MPI_Status *status), (n, q, index, flag, status))
TESTS(Testsome, (int n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses), (n, q, done, indices, statuses))

/* MPICH 4.0 does not ask the request here. */
WRAP(Request_get_status, (H q, int *flag, MPI_Status *status))
{
    if (busy())
        ovl_pending_sweep();
    return P->Request_get_status((MPI_Request)q, flag, status);
}
