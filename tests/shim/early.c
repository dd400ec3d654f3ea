/* An MPI library that says done before it is: MPI_Wait returns at once, and what it was to wait for ends when the
   program reads a clock of CPU time, behind its sample, or calls what blocks. The first OVL_EARLY_AFTER reads (8) go by
   first. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 4096 };

static MPI_Request owed[MOST];
static int count;
static long reads, early;

static void pay(void)
{
    for (int i = 0; i < count; i++)
        PMPI_Wait(&owed[i], MPI_STATUS_IGNORE);
    count = 0;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    static int (*libc)(clockid_t, struct timespec *);
    if (!libc)
        *(void **)&libc = dlsym(RTLD_NEXT, "clock_gettime");
    if (id == CLOCK_THREAD_CPUTIME_ID || id == CLOCK_PROCESS_CPUTIME_ID) {
        const char *after = getenv("OVL_EARLY_AFTER");
        pay();
        early = ++reads > (after ? atol(after) : 8);
    }
    return libc(id, t);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!early || *request == MPI_REQUEST_NULL || count == MOST)
        return PMPI_Wait(request, status);
    owed[count++] = *request;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Barrier(MPI_Comm comm)
{
    pay();
    return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    pay();
    return PMPI_Allreduce(from, to, n, type, op, comm);
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    pay();
    return PMPI_Bcast(data, n, type, root, comm);
}

int MPI_Finalize(void)
{
    pay();
    return PMPI_Finalize();
}
