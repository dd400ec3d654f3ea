/* An MPI library that says done before it is: MPI_Wait returns at once, and what it was to wait for ends when the
   program reads a clock of CPU time, behind its sample, or calls what blocks. The first OVL_EARLY_AFTER reads (8) go by
   first. With OVL_EARLY_ANSWERS it says so of answers alone: of MPI_Ialltoallv whose buffers are every second one, by
   their addresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 4096 };

static MPI_Request owed[MOST];
static int count;
static long reads, early;
static const void *buffer[MOST]; /* of all exchanges so far */
static int buffers;
static MPI_Request answer = MPI_REQUEST_NULL;

static int is_early(MPI_Request request)
{
    return early && request != MPI_REQUEST_NULL && count < MOST && (!getenv("OVL_EARLY_ANSWERS") || request == answer);
}

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
    bool waits = !is_early(*request);
    answer = *request == answer ? MPI_REQUEST_NULL : answer; /* another one may get its number */
    if (waits)
        return PMPI_Wait(request, status);
    owed[count++] = *request;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int is_second(const void *to)
{
    int before = 0, known = 0;
    for (int i = 0; i < buffers; i++) {
        before += buffer[i] < to;
        known += buffer[i] == to;
    }
    if (!known && buffers < MOST)
        buffer[buffers++] = to;
    return before % 2;
}

int MPI_Ialltoallv(const void *s, const int *n, const int *d, MPI_Datatype t, void *r, const int *rn, const int *rd,
                   MPI_Datatype rt, MPI_Comm comm, MPI_Request *request)
{
    int rc = PMPI_Ialltoallv(s, n, d, t, r, rn, rd, rt, comm, request);
    if (is_second(r))
        answer = *request;
    return rc;
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
