/* An MPI that changes one byte of what it delivers, to prove that validation finds it. */
/* SPDX-License-Identifier: BSD-3-Clause */
/* OVL_CORRUPT_RANK and OVL_CORRUPT_BYTE say where; OVL_CORRUPT_CALL chooses the non-blocking call ("wait", the
   default), only where MPI_Test completes it ("test"), or the blocking twin ("blocking"). OVL_CORRUPT_AFTER=N leaves
   the first N of these alone, and OVL_CORRUPT_COUNT=N damages N of them and no more; at the end that rank says how many
   there were. Only buffers that reach so far are touched. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was posted and not waited for: programs wait for the oldest first. */
enum { PENDING = 64 };
static struct {
    void *data;
    long bytes;
} pending[PENDING];
static unsigned first, next;

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static int chosen(const char *kind)
{
    const char *call = getenv("OVL_CORRUPT_CALL");
    return strcmp(call ? call : "wait", kind) == 0;
}

static long seen;

static void spoil(void *data, long bytes)
{
    int rank;
    long at = setting("OVL_CORRUPT_BYTE"), past = seen - setting("OVL_CORRUPT_AFTER");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != setting("OVL_CORRUPT_RANK") || at >= bytes)
        return;
    seen++;
    if (past >= 0 && (!getenv("OVL_CORRUPT_COUNT") || past < setting("OVL_CORRUPT_COUNT")))
        ((unsigned char *)data)[at] ^= 0x10;
}

int MPI_Finalize(void)
{
    if (getenv("OVL_CORRUPT_COUNT") && seen > 0)
        fprintf(stderr, "corrupt: %ld\n", seen);
    return PMPI_Finalize();
}

static long bytes_of(long count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return count * size;
}

static long ranks_of(MPI_Comm comm)
{
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    return ranks;
}

/* 0 at ranks that receive nothing. */
static long at_root(int root, MPI_Comm comm, long bytes)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == root ? bytes : 0;
}

static int posted(int rc, void *data, long bytes)
{
    pending[next % PENDING].data = data;
    pending[next++ % PENDING].bytes = bytes;
    return rc;
}

static int delivered(int rc, void *data, long bytes)
{
    if (chosen("blocking"))
        spoil(data, bytes);
    return rc;
}

/* The oldest has ended. */
static void ended(int tested)
{
    if (first != next && (chosen("wait") || (tested && chosen("test"))))
        spoil(pending[first % PENDING].data, pending[first % PENDING].bytes);
    first += first != next;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int tested = *request == MPI_REQUEST_NULL; /* and ended there */
    int rc = PMPI_Wait(request, status);
    if (!tested)
        ended(0);
    return rc;
}

int MPI_Test(MPI_Request *request, int *complete, MPI_Status *status)
{
    int tested = *request == MPI_REQUEST_NULL;
    int rc = PMPI_Test(request, complete, status);
    if (*complete && !tested)
        ended(1);
    return rc;
}

int MPI_Ialltoall(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Ialltoall(s, n, t, r, rn, rt, c, q), r, bytes_of(rn, rt) * ranks_of(c));
}

int MPI_Alltoall(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm c)
{
    return delivered(PMPI_Alltoall(s, n, t, r, rn, rt, c), r, bytes_of(rn, rt) * ranks_of(c));
}

int MPI_Ialltoallv(const void *s, const int *n, const int *d, MPI_Datatype t, void *r, const int *rn, const int *rd,
                   MPI_Datatype rt, MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Ialltoallv(s, n, d, t, r, rn, rd, rt, c, q), r, bytes_of(rn[0], rt) * ranks_of(c));
}

int MPI_Ibcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Ibcast(b, n, t, root, c, q), b, bytes_of(n, t));
}

int MPI_Iallreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Iallreduce(s, r, n, t, op, c, q), r, bytes_of(n, t));
}

/* Programs agree by it, on other types. */
int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    return delivered(PMPI_Allreduce(s, r, n, t, op, c), r, t == MPI_FLOAT ? bytes_of(n, t) : 0);
}

int MPI_Iallgather(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Iallgather(s, n, t, r, rn, rt, c, q), r, bytes_of(rn, rt) * ranks_of(c));
}

int MPI_Ireduce_scatter(const void *s, void *r, const int *rn, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request *q)
{
    int rank;
    PMPI_Comm_rank(c, &rank);
    return posted(PMPI_Ireduce_scatter(s, r, rn, t, op, c, q), r, bytes_of(rn[rank], t));
}

int MPI_Ialltoallw(const void *s, const int *n, const int *d, const MPI_Datatype *t, void *r, const int *rn,
                   const int *rd, const MPI_Datatype *rt, MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Ialltoallw(s, n, d, t, r, rn, rd, rt, c, q), r, bytes_of(rn[0], rt[0]) * ranks_of(c));
}

int MPI_Iallgatherv(const void *s, int n, MPI_Datatype t, void *r, const int *rn, const int *rd, MPI_Datatype rt,
                    MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Iallgatherv(s, n, t, r, rn, rd, rt, c, q), r, bytes_of(rn[0], rt) * ranks_of(c));
}

int MPI_Igather(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm c,
                MPI_Request *q)
{
    return posted(PMPI_Igather(s, n, t, r, rn, rt, root, c, q), r, at_root(root, c, bytes_of(rn, rt) * ranks_of(c)));
}

int MPI_Igatherv(const void *s, int n, MPI_Datatype t, void *r, const int *rn, const int *rd, MPI_Datatype rt, int root,
                 MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Igatherv(s, n, t, r, rn, rd, rt, root, c, q), r,
                  at_root(root, c, bytes_of(rn[0], rt) * ranks_of(c)));
}

int MPI_Iscatter(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm c,
                 MPI_Request *q)
{
    return posted(PMPI_Iscatter(s, n, t, r, rn, rt, root, c, q), r, bytes_of(rn, rt));
}

int MPI_Iscatterv(const void *s, const int *n, const int *d, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root,
                  MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Iscatterv(s, n, d, t, r, rn, rt, root, c, q), r, bytes_of(rn, rt));
}

int MPI_Ireduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Ireduce(s, r, n, t, op, root, c, q), r, at_root(root, c, bytes_of(n, t)));
}

int MPI_Ireduce_scatter_block(const void *s, void *r, int rn, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request *q)
{
    return posted(PMPI_Ireduce_scatter_block(s, r, rn, t, op, c, q), r, bytes_of(rn, t));
}

/* A pair's receive; its send comes after it and has a request of its own. */
int MPI_Irecv(void *r, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *q)
{
    int rc = PMPI_Irecv(r, n, t, from, tag, c, q);
    return first != next ? rc : posted(rc, r, bytes_of(n, t)); /* of several the first, whose end is waited for first */
}

int MPI_Sendrecv(const void *s, int sn, MPI_Datatype st, int to, int stag, void *r, int n, MPI_Datatype t, int from,
                 int tag, MPI_Comm c, MPI_Status *status)
{
    return delivered(PMPI_Sendrecv(s, sn, st, to, stag, r, n, t, from, tag, c, status), r, bytes_of(n, t));
}

/* Of a neighbourhood only what comes from its first neighbour that is there. */
static int posted_near(int rc, MPI_Comm c, void *r, long bytes)
{
    enum { MOST = 2 };
    int sides[MOST], wrap[MOST], here[MOST], below, above;
    PMPI_Cart_get(c, MOST, sides, wrap, here);
    for (int d = 0; d < MOST; d++) {
        PMPI_Cart_shift(c, d, 1, &below, &above);
        if (below != MPI_PROC_NULL)
            return posted(rc, (char *)r + 2 * d * bytes, bytes);
        if (above != MPI_PROC_NULL)
            return posted(rc, (char *)r + (2 * d + 1) * bytes, bytes);
    }
    return rc;
}

int MPI_Ineighbor_allgather(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm c,
                            MPI_Request *q)
{
    return posted_near(PMPI_Ineighbor_allgather(s, n, t, r, rn, rt, c, q), c, r, bytes_of(rn, rt));
}

int MPI_Ineighbor_allgatherv(const void *s, int n, MPI_Datatype t, void *r, const int *rn, const int *rd,
                             MPI_Datatype rt, MPI_Comm c, MPI_Request *q)
{
    return posted_near(PMPI_Ineighbor_allgatherv(s, n, t, r, rn, rd, rt, c, q), c, r, bytes_of(rn[0], rt));
}

int MPI_Ineighbor_alltoall(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm c,
                           MPI_Request *q)
{
    return posted_near(PMPI_Ineighbor_alltoall(s, n, t, r, rn, rt, c, q), c, r, bytes_of(rn, rt));
}

int MPI_Ineighbor_alltoallv(const void *s, const int *n, const int *d, MPI_Datatype t, void *r, const int *rn,
                            const int *rd, MPI_Datatype rt, MPI_Comm c, MPI_Request *q)
{
    return posted_near(PMPI_Ineighbor_alltoallv(s, n, d, t, r, rn, rd, rt, c, q), c, r, bytes_of(rn[0], rt));
}

int MPI_Ineighbor_alltoallw(const void *s, const int *n, const MPI_Aint *d, const MPI_Datatype *t, void *r,
                            const int *rn, const MPI_Aint *rd, const MPI_Datatype *rt, MPI_Comm c, MPI_Request *q)
{
    return posted_near(PMPI_Ineighbor_alltoallw(s, n, d, t, r, rn, rd, rt, c, q), c, r, bytes_of(rn[0], rt[0]));
}
