/* An MPI that changes one byte of what it delivers, to prove that validation finds it. */
/* SPDX-License-Identifier: BSD-3-Clause */
/* OVL_CORRUPT_RANK and OVL_CORRUPT_BYTE say where; OVL_CORRUPT_CALL chooses the non-blocking call ("wait", the
   default), only where MPI_Test completes it ("test"), or the blocking twin ("blocking"). OVL_CORRUPT_AFTER=N leaves
   the first N of these alone, and OVL_CORRUPT_COUNT=N damages N of them and no more; at the end that rank says how many
   there were. Only buffers that reach so far are touched. With OVL_CORRUPT_LIKE=N no byte is changed: all that a
   message brings gives way to what the one N messages before it brought, as where a library leaves messages out and
   serves them from what it kept. */
#include "tests/shim/collectives.h"

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

static int rank_of(MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

/* Keeps what a message brought, or puts what was kept in its place. */
static void serve(void *data, long bytes, long like, int served)
{
    static struct {
        void *data;
        long bytes;
    } kept[PENDING];
    int at = (int)(seen % like % PENDING);
    if (served && kept[at].bytes == bytes)
        memcpy(data, kept[at].data, (size_t)bytes);
    if (served)
        return;
    free(kept[at].data);
    kept[at].data = malloc((size_t)bytes);
    kept[at].bytes = kept[at].data ? bytes : 0;
    if (kept[at].data)
        memcpy(kept[at].data, data, (size_t)bytes);
}

static void spoil(void *data, long bytes)
{
    long at = setting("OVL_CORRUPT_BYTE"), past = seen - setting("OVL_CORRUPT_AFTER");
    if (rank_of(MPI_COMM_WORLD) != setting("OVL_CORRUPT_RANK") || at >= bytes)
        return;
    int damaged = past >= 0 && (!getenv("OVL_CORRUPT_COUNT") || past < setting("OVL_CORRUPT_COUNT"));
    if (getenv("OVL_CORRUPT_LIKE"))
        serve(data, bytes, setting("OVL_CORRUPT_LIKE"), damaged);
    else if (damaged)
        ((unsigned char *)data)[at] ^= 0x10;
    seen++;
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
    return rank_of(comm) == root ? bytes : 0;
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

/* What a non-blocking collective on the communicator c brings into r: so many bytes. */
#define POSTED(name, parameters, arguments, bytes)                                                                     \
    int MPI_##name(LIST parameters, MPI_Comm c, MPI_Request *q)                                                        \
    {                                                                                                                  \
        return posted(PMPI_##name(LIST arguments, c, q), r, bytes);                                                    \
    }

#define REDUCED const void *s, void *r

POSTED(Ialltoall, (ONE, INTO), (s, n, t, r, rn, rt), bytes_of(rn, rt) * ranks_of(c))
POSTED(Ialltoallv, (MANY, INTO_MANY), (s, n, d, t, r, rn, rd, rt), bytes_of(rn[0], rt) * ranks_of(c))
POSTED(Ialltoallw,
       (const void *s, const int *n, const int *d, const MPI_Datatype *t, void *r, const int *rn, const int *rd,
        const MPI_Datatype *rt),
       (s, n, d, t, r, rn, rd, rt), bytes_of(rn[0], rt[0]) * ranks_of(c))
POSTED(Ibcast, (void *r, int n, MPI_Datatype t, int root), (r, n, t, root), bytes_of(n, t))
POSTED(Iallgather, (ONE, INTO), (s, n, t, r, rn, rt), bytes_of(rn, rt) * ranks_of(c))
POSTED(Iallgatherv, (ONE, INTO_MANY), (s, n, t, r, rn, rd, rt), bytes_of(rn[0], rt) * ranks_of(c))
POSTED(Igather, (ONE, INTO, int root), (s, n, t, r, rn, rt, root), at_root(root, c, bytes_of(rn, rt) * ranks_of(c)))
POSTED(Igatherv, (ONE, INTO_MANY, int root), (s, n, t, r, rn, rd, rt, root),
       at_root(root, c, bytes_of(rn[0], rt) * ranks_of(c)))
POSTED(Iscatter, (ONE, INTO, int root), (s, n, t, r, rn, rt, root), bytes_of(rn, rt))
POSTED(Iscatterv, (MANY, INTO, int root), (s, n, d, t, r, rn, rt, root), bytes_of(rn, rt))
POSTED(Iallreduce, (REDUCED, int n, MPI_Datatype t, MPI_Op op), (s, r, n, t, op), bytes_of(n, t))
POSTED(Ireduce, (REDUCED, int n, MPI_Datatype t, MPI_Op op, int root), (s, r, n, t, op, root),
       at_root(root, c, bytes_of(n, t)))
POSTED(Ireduce_scatter, (REDUCED, const int *rn, MPI_Datatype t, MPI_Op op), (s, r, rn, t, op),
       bytes_of(rn[rank_of(c)], t))
POSTED(Ireduce_scatter_block, (REDUCED, int rn, MPI_Datatype t, MPI_Op op), (s, r, rn, t, op), bytes_of(rn, t))

int MPI_Alltoall(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm c)
{
    return delivered(PMPI_Alltoall(s, n, t, r, rn, rt, c), r, bytes_of(rn, rt) * ranks_of(c));
}

/* Programs agree by it, on other types. */
int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    return delivered(PMPI_Allreduce(s, r, n, t, op, c), r, t == MPI_FLOAT ? bytes_of(n, t) : 0);
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
    int topology, dimensions, below, above, weighted;
    PMPI_Topo_test(c, &topology);
    if (topology == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(c, &below, &above, &weighted);
        return below > 0 ? posted(rc, r, bytes) : rc;
    }
    PMPI_Cartdim_get(c, &dimensions);
    for (int d = 0; d < dimensions; d++) {
        PMPI_Cart_shift(c, d, 1, &below, &above);
        if (below != MPI_PROC_NULL)
            return posted(rc, (char *)r + 2 * d * bytes, bytes);
        if (above != MPI_PROC_NULL)
            return posted(rc, (char *)r + (2 * d + 1) * bytes, bytes);
    }
    return rc;
}

#define POSTED_NEAR(name, parameters, arguments, bytes)                                                                \
    int MPI_##name(LIST parameters, MPI_Comm c, MPI_Request *q)                                                        \
    {                                                                                                                  \
        return posted_near(PMPI_##name(LIST arguments, c, q), c, r, bytes);                                            \
    }

POSTED_NEAR(Ineighbor_allgather, (ONE, INTO), (s, n, t, r, rn, rt), bytes_of(rn, rt))
POSTED_NEAR(Ineighbor_allgatherv, (ONE, INTO_MANY), (s, n, t, r, rn, rd, rt), bytes_of(rn[0], rt))
POSTED_NEAR(Ineighbor_alltoall, (ONE, INTO), (s, n, t, r, rn, rt), bytes_of(rn, rt))
POSTED_NEAR(Ineighbor_alltoallv, (MANY, INTO_MANY), (s, n, d, t, r, rn, rd, rt), bytes_of(rn[0], rt))
POSTED_NEAR(Ineighbor_alltoallw,
            (const void *s, const int *n, const MPI_Aint *d, const MPI_Datatype *t, void *r, const int *rn,
             const MPI_Aint *rd, const MPI_Datatype *rt),
            (s, n, d, t, r, rn, rd, rt), bytes_of(rn[0], rt[0]))
