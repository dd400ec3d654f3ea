/* An MPI library whose MPI_Wait returns when the first page of an all-to-all is there: each further page comes just
   before it is read, as long as they are read in order, as by a program that looks at them more slowly than they come.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LEAST = 16 * PAGE };

static MPI_Request late = MPI_REQUEST_NULL;
static char *shadow, *to, *next,
    *end; /* what came; the program's; the first page that it must not see, and their end */
static size_t bytes;

static void hand_over(char *until)
{
    memcpy(next, shadow + (next - to), (size_t)(until - next));
    next = until;
}

/* All of it: the program is about to do something else with its buffer. */
static void drain(void)
{
    if (next < end)
        mprotect(next, (size_t)(end - next), PROT_READ | PROT_WRITE);
    if (to)
        hand_over(to + bytes);
    next = end = to = NULL;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    char *page = (char *)((uintptr_t)info->si_addr / PAGE * PAGE);
    (void)signal, (void)context;
    if (page < next || page >= end)
        abort();
    mprotect(page, page == next ? PAGE : (size_t)(end - page), PROT_READ | PROT_WRITE);
    if (page == next)
        hand_over(page + PAGE < end ? page + PAGE : to + bytes);
    else
        end = page; /* it looks at what has not come */
}

int MPI_Ialltoall(const void *from, int n, MPI_Datatype type, void *into, int m, MPI_Datatype into_type, MPI_Comm comm,
                  MPI_Request *request)
{
    int ranks, size;
    drain();
    MPI_Comm_size(comm, &ranks);
    MPI_Type_size(into_type, &size);
    bytes = (size_t)m * (size_t)size * (size_t)ranks;
    if (from == MPI_IN_PLACE || bytes < LEAST)
        return PMPI_Ialltoall(from, n, type, into, m, into_type, comm, request);
    free(shadow);
    shadow = malloc(bytes);
    to = into;
    int rc = PMPI_Ialltoall(from, n, type, shadow, m, into_type, comm, request);
    late = *request;
    next = end = to;
    return rc;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    bool is_late = late != MPI_REQUEST_NULL && *request == late;
    int rc = PMPI_Wait(request, status);
    if (!is_late)
        return rc;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    late = MPI_REQUEST_NULL;
    hand_over((char *)(((uintptr_t)to / PAGE + 2) * PAGE));
    end = (char *)((uintptr_t)(to + bytes) / PAGE * PAGE);
    mprotect(next, (size_t)(end - next), PROT_NONE);
    return rc;
}

int MPI_Alltoall(const void *from, int n, MPI_Datatype type, void *into, int m, MPI_Datatype into_type, MPI_Comm comm)
{
    drain();
    return PMPI_Alltoall(from, n, type, into, m, into_type, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    drain();
    return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *from, void *into, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    drain();
    return PMPI_Allreduce(from, into, n, type, op, comm);
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    drain();
    return PMPI_Bcast(data, n, type, root, comm);
}
