/* The non-blocking and persistent collectives as the program calls them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/collective.h"
#include "preload/wrap/persistent.h"

#define NBC(i, init, of, params, args, ...)                                                                            \
    WRAP(F(i), (STRIP params, MPI_Request * q))                                                                        \
    {                                                                                                                  \
        struct ovl_call c = {.operation = of, .comm = comm, __VA_ARGS__};                                              \
        int rc = ovl_collective_post(&c, q);                                                                           \
        return rc >= 0 ? rc : NEXT->F(i)(STRIP args, q);                                                               \
    }                                                                                                                  \
    WRAP(F(init), (STRIP params, H info, MPI_Request * q))                                                             \
    {                                                                                                                  \
        struct ovl_call c = {.operation = of, .comm = comm, __VA_ARGS__};                                              \
        int rc = NEXT->F(init)(STRIP args, info, q);                                                                   \
        if (rc == MPI_SUCCESS)                                                                                         \
            ovl_persistent_add(&c, *q);                                                                                \
        return rc;                                                                                                     \
    }

#define N       int
#define D       int
#define F(name) name
#include "preload/pmpi/collectives.inc"
#undef N
#undef D
#undef F
#define N       MPI_Count
#define D       MPI_Aint
#define F(name) name##_c
#include "preload/pmpi/collectives.inc"

WRAP(Ibarrier, (H comm, MPI_Request *q))
{
    struct ovl_call c = {.operation = OVL_IBARRIER, .comm = comm};
    int rc = ovl_collective_post(&c, q);
    return rc >= 0 ? rc : NEXT->Ibarrier(comm, q);
}

WRAP(Barrier_init, (H comm, H info, MPI_Request *q))
{
    struct ovl_call c = {.operation = OVL_IBARRIER, .comm = comm};
    int rc = NEXT->Barrier_init(comm, info, q);
    if (rc == MPI_SUCCESS)
        ovl_persistent_add(&c, *q);
    return rc;
}
