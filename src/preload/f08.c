/* Fortran's mpi_f08 in MPICH: calls with buffers come through C, all others go past this library. Here are those that
 * it must see: the begin and the end, the makers of communicators, and the one that MPICH would not ask a request in.
 * What completes requests is served by the requests themselves. Arguments are references; an error code may be absent.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/pmpi.h"

#include <stddef.h>

/* Where this address stands, a status is not wanted. It is in MPICH's Fortran library, which only such programs have.
 */
#pragma weak MPIR_F08_MPI_STATUS_IGNORE_OBJ

static MPI_Status *status_of(MPI_Status *status)
{
    return (void *)status == (void *)&MPIR_F08_MPI_STATUS_IGNORE_OBJ ? MPI_STATUS_IGNORE : status;
}

#define F08(name, params, call)                                                                                        \
    void mpi_##name##_f08_ params;                                                                                     \
    void mpi_##name##_f08_ params                                                                                      \
    {                                                                                                                  \
        int rc = call;                                                                                                 \
        if (error)                                                                                                     \
            *error = rc;                                                                                               \
    }

F08(init, (int *error), MPI_Init(NULL, NULL))
F08(init_thread, (const int *required, int *provided, int *error), MPI_Init_thread(NULL, NULL, *required, provided))
F08(finalize, (int *error), MPI_Finalize())
F08(comm_dup, (const MPI_Comm *comm, MPI_Comm *made, int *error), MPI_Comm_dup(*comm, made))
F08(comm_idup, (const MPI_Comm *comm, MPI_Comm *made, MPI_Request *q, int *error), MPI_Comm_idup(*comm, made, q))
F08(comm_create, (const MPI_Comm *comm, const MPI_Group *group, MPI_Comm *made, int *error),
    MPI_Comm_create(*comm, *group, made))
F08(comm_create_group, (const MPI_Comm *comm, const MPI_Group *group, const int *tag, MPI_Comm *made, int *error),
    MPI_Comm_create_group(*comm, *group, *tag, made))
F08(comm_split, (const MPI_Comm *comm, const int *color, const int *key, MPI_Comm *made, int *error),
    MPI_Comm_split(*comm, *color, *key, made))
F08(comm_split_type,
    (const MPI_Comm *comm, const int *type, const int *key, const MPI_Info *info, MPI_Comm *made, int *error),
    MPI_Comm_split_type(*comm, *type, *key, *info, made))
F08(ibarrier, (const MPI_Comm *comm, MPI_Request *q, int *error), MPI_Ibarrier(*comm, q))
F08(request_get_status, (const MPI_Request *q, int *flag, MPI_Status *status, int *error),
    MPI_Request_get_status(*q, flag, status_of(status)))
F08(wait, (MPI_Request * q, MPI_Status *status, int *error), MPI_Wait(q, status_of(status)))
