/* Fortran's mpi_f08 in MPICH: calls with buffers come through C, all others go past this library. Here are those that
 * it must see: the begin and the end, the makers of communicators, and those that start, complete and ask requests,
 * since the one of a persistent collective is not the one that is active. Arguments are references; an error code may
 * be absent.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/pmpi/pmpi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* A status, or statuses, at these addresses are not wanted. The variables are MPI's own; MPICH 4.0 has them in its C
   library, 4.2 in its Fortran library, which other programs do not load. */
static bool is_unwanted(void *const *_Atomic *variable, const char *name, const void *status)
{
    if (!*variable)
        *variable = dlsym(RTLD_DEFAULT, name);
    return *variable && **variable == status;
}

static MPI_Status *status_of(MPI_Status *status)
{
    static void *const *_Atomic unwanted;
    return is_unwanted(&unwanted, "MPI_F08_STATUS_IGNORE", status) ? MPI_STATUS_IGNORE : status;
}

static MPI_Status *statuses_of(MPI_Status *statuses)
{
    static void *const *_Atomic unwanted;
    return is_unwanted(&unwanted, "MPI_F08_STATUSES_IGNORE", statuses) ? MPI_STATUSES_IGNORE : statuses;
}

/* Of MPI 4 and 4.1, which an earlier header does not declare. */
int ovl_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *q) __asm__("MPI_Comm_idup_with_info");
int ovl_ask_all(int n, const MPI_Request *q, int *flag, MPI_Status *statuses) __asm__("MPI_Request_get_status_all");
int ovl_ask_any(int n, MPI_Request *q, int *index, int *flag, MPI_Status *status) __asm__("MPI_Request_get_status_any");
int ovl_ask_some(int n, MPI_Request *q, int *done, int *indices,
                 MPI_Status *statuses) __asm__("MPI_Request_get_status_some");

typedef int any_call(int n, MPI_Request *q, int *index, int *flag, MPI_Status *status);
typedef int some_call(int n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses);

static int wait_any(int n, MPI_Request *q, int *index, int *flag, MPI_Status *status)
{
    (void)flag;
    return MPI_Waitany(n, q, index, status);
}

/* Fortran counts from 1, also where a request that is named has failed. */
static int any(any_call *call, int n, MPI_Request *q, int *index, int *flag, MPI_Status *status)
{
    *index = MPI_UNDEFINED;
    int rc = call(n, q, index, flag, status_of(status));
    *index += *index != MPI_UNDEFINED;
    return rc;
}

static int some(some_call *call, int n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses)
{
    *done = 0;
    int rc = call(n, q, done, indices, statuses_of(statuses));
    for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++)
        indices[i]++;
    return rc;
}

/* Open MPI has functions of the same names, whose handles are numbers of its own: those of handles are left to it.
   NULL: the program runs on MPICH. */
static void (*theirs(const char *name))(void)
{
    void (*function)(void) = NULL;
    (void)P; /* binds */
    void *found = ovl_pmpi_family == OVL_MPI_MPICH ? NULL : dlsym(RTLD_NEXT, name);
    memcpy(&function, &found, sizeof found);
    return function;
}

#define F08(name, params, call)                                                                                        \
    void mpi_##name##_f08_ params;                                                                                     \
    void mpi_##name##_f08_ params                                                                                      \
    {                                                                                                                  \
        int rc = call;                                                                                                 \
        if (error)                                                                                                     \
            *error = rc;                                                                                               \
    }

#define HANDLES(name, params, args, call)                                                                              \
    void mpi_##name##_f08_ params;                                                                                     \
    void mpi_##name##_f08_ params                                                                                      \
    {                                                                                                                  \
        void(*own) params = (void(*) params)theirs("mpi_" #name "_f08_");                                              \
        if (own) {                                                                                                     \
            own args;                                                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        int rc = call;                                                                                                 \
        if (error)                                                                                                     \
            *error = rc;                                                                                               \
    }

F08(init, (int *error), MPI_Init(NULL, NULL))
F08(init_thread, (const int *required, int *provided, int *error), MPI_Init_thread(NULL, NULL, *required, provided))
HANDLES(session_init, (const MPI_Info *info, const MPI_Errhandler *handler, MPI_Session *session, int *error),
        (info, handler, session, error), MPI_Session_init(*info, *handler, session))
F08(finalize, (int *error), MPI_Finalize())
HANDLES(comm_dup, (const MPI_Comm *comm, MPI_Comm *made, int *error), (comm, made, error), MPI_Comm_dup(*comm, made))
HANDLES(comm_idup, (const MPI_Comm *comm, MPI_Comm *made, MPI_Request *q, int *error), (comm, made, q, error),
        MPI_Comm_idup(*comm, made, q))
HANDLES(comm_create, (const MPI_Comm *comm, const MPI_Group *group, MPI_Comm *made, int *error),
        (comm, group, made, error), MPI_Comm_create(*comm, *group, made))
HANDLES(comm_create_group, (const MPI_Comm *comm, const MPI_Group *group, const int *tag, MPI_Comm *made, int *error),
        (comm, group, tag, made, error), MPI_Comm_create_group(*comm, *group, *tag, made))
HANDLES(comm_split, (const MPI_Comm *comm, const int *color, const int *key, MPI_Comm *made, int *error),
        (comm, color, key, made, error), MPI_Comm_split(*comm, *color, *key, made))
HANDLES(comm_split_type,
        (const MPI_Comm *comm, const int *type, const int *key, const MPI_Info *info, MPI_Comm *made, int *error),
        (comm, type, key, info, made, error), MPI_Comm_split_type(*comm, *type, *key, *info, made))
HANDLES(comm_dup_with_info, (const MPI_Comm *comm, const MPI_Info *info, MPI_Comm *made, int *error),
        (comm, info, made, error), MPI_Comm_dup_with_info(*comm, *info, made))
HANDLES(comm_idup_with_info, (const MPI_Comm *comm, const MPI_Info *info, MPI_Comm *made, MPI_Request *q, int *error),
        (comm, info, made, q, error), ovl_idup_with_info(*comm, *info, made, q))
HANDLES(cart_create,
        (const MPI_Comm *comm, const int *n, const int *dims, const int *periods, const int *reorder, MPI_Comm *made,
         int *error),
        (comm, n, dims, periods, reorder, made, error), MPI_Cart_create(*comm, *n, dims, periods, *reorder, made))
HANDLES(cart_sub, (const MPI_Comm *comm, const int *remain, MPI_Comm *made, int *error), (comm, remain, made, error),
        MPI_Cart_sub(*comm, remain, made))
HANDLES(graph_create,
        (const MPI_Comm *comm, const int *n, const int *index, const int *edges, const int *reorder, MPI_Comm *made,
         int *error),
        (comm, n, index, edges, reorder, made, error), MPI_Graph_create(*comm, *n, index, edges, *reorder, made))
HANDLES(ibarrier, (const MPI_Comm *comm, MPI_Request *q, int *error), (comm, q, error), MPI_Ibarrier(*comm, q))
HANDLES(barrier_init, (const MPI_Comm *comm, const MPI_Info *info, MPI_Request *q, int *error), (comm, info, q, error),
        MPI_Barrier_init(*comm, *info, q))
HANDLES(alloc_mem, (const MPI_Aint *bytes, const MPI_Info *info, void **base, int *error), (bytes, info, base, error),
        MPI_Alloc_mem(*bytes, *info, base))
HANDLES(request_get_status, (const MPI_Request *q, int *flag, MPI_Status *status, int *error), (q, flag, status, error),
        MPI_Request_get_status(*q, flag, status_of(status)))
HANDLES(request_free, (MPI_Request * q, int *error), (q, error), MPI_Request_free(q))
HANDLES(wait, (MPI_Request * q, MPI_Status *status, int *error), (q, status, error), MPI_Wait(q, status_of(status)))
HANDLES(start, (MPI_Request * q, int *error), (q, error), MPI_Start(q))
HANDLES(startall, (const int *n, MPI_Request *q, int *error), (n, q, error), MPI_Startall(*n, q))
HANDLES(test, (MPI_Request * q, int *flag, MPI_Status *status, int *error), (q, flag, status, error),
        MPI_Test(q, flag, status_of(status)))
HANDLES(waitall, (const int *n, MPI_Request *q, MPI_Status *statuses, int *error), (n, q, statuses, error),
        MPI_Waitall(*n, q, statuses_of(statuses)))
HANDLES(testall, (const int *n, MPI_Request *q, int *flag, MPI_Status *statuses, int *error),
        (n, q, flag, statuses, error), MPI_Testall(*n, q, flag, statuses_of(statuses)))
HANDLES(waitany, (const int *n, MPI_Request *q, int *index, MPI_Status *status, int *error),
        (n, q, index, status, error), any(wait_any, *n, q, index, NULL, status))
HANDLES(testany, (const int *n, MPI_Request *q, int *index, int *flag, MPI_Status *status, int *error),
        (n, q, index, flag, status, error), any(MPI_Testany, *n, q, index, flag, status))
HANDLES(waitsome, (const int *n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses, int *error),
        (n, q, done, indices, statuses, error), some(MPI_Waitsome, *n, q, done, indices, statuses))
HANDLES(testsome, (const int *n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses, int *error),
        (n, q, done, indices, statuses, error), some(MPI_Testsome, *n, q, done, indices, statuses))
HANDLES(request_get_status_all, (const int *n, MPI_Request *q, int *flag, MPI_Status *statuses, int *error),
        (n, q, flag, statuses, error), ovl_ask_all(*n, q, flag, statuses_of(statuses)))
HANDLES(request_get_status_any, (const int *n, MPI_Request *q, int *index, int *flag, MPI_Status *status, int *error),
        (n, q, index, flag, status, error), any(ovl_ask_any, *n, q, index, flag, status))
HANDLES(request_get_status_some,
        (const int *n, MPI_Request *q, int *done, int *indices, MPI_Status *statuses, int *error),
        (n, q, done, indices, statuses, error), some(ovl_ask_some, *n, q, done, indices, statuses))
