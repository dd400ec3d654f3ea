/* An MPI that sends other data than it was given, of the same size and type, to prove that checks see it. */
/* SPDX-License-Identifier: BSD-3-Clause */
/* OVL_OTHER says which: "stale", what the call before it of that kind, communicator and size was given; "halves", its
   own with the two halves exchanged; "rank", what another one has: the last rank of a communicator gives what the first
   one does, and a message between two ranks is what went last to another rank. OVL_OTHER_CALLS=nonblocking, blocking or
   all (the default) says where. Calls of the harness itself are left alone, as in drop.c. At the end each rank says how
   many calls of its were given other bytes so. */
#include "tests/shim/collectives.h"
#include "tests/shim/in_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENT = 512, KEPT = 512, TAG = 7 };

static long changed; /* calls that were given other bytes than those of the program */

static bool is_set(const char *name, const char *word, bool unset)
{
    const char *text = getenv(name);
    return text ? strcmp(text, word) == 0 : unset;
}

/* Lent until so many more were. */
static char *lend(const void *data, size_t bytes)
{
    static char *lent[LENT];
    static unsigned next;
    char **at = &lent[next++ % LENT];
    free(*at);
    *at = malloc(bytes);
    if (!*at)
        abort();
    return memcpy(*at, data, bytes);
}

/* What was given last of that kind. */
struct kept {
    MPI_Comm comm;
    int kind, peer;
    size_t bytes;
    char *data;
};
static struct kept kept[KEPT];
static int kept_count;

static struct kept *kept_of(MPI_Comm comm, int kind, int peer, size_t bytes)
{
    int i = 0;
    while (i < kept_count &&
           (kept[i].comm != comm || kept[i].kind != kind || kept[i].peer != peer || kept[i].bytes != bytes))
        i++;
    if (i == KEPT)
        abort();
    if (i == kept_count)
        kept[kept_count++] = (struct kept){comm, kind, peer, bytes, NULL};
    return &kept[i];
}

static void keep(struct kept *k, const void *data)
{
    if (!k->data && !(k->data = malloc(k->bytes)))
        abort();
    memcpy(k->data, data, k->bytes);
}

static const char *stale(const void *data, size_t bytes, MPI_Comm comm, int kind, int peer)
{
    struct kept *k = kept_of(comm, kind, peer, bytes);
    char *other = lend(k->data ? k->data : data, bytes);
    keep(k, data);
    return other;
}

static const char *halves(const void *data, size_t bytes)
{
    size_t half = bytes >= 16 ? bytes / 16 * 8 : bytes / 2;
    char *other = lend(data, bytes);
    memcpy(other, (const char *)data + half, half);
    memcpy(other + half, data, half);
    return other;
}

/* Collective: messages of this file's own. */
static MPI_Comm own_of(MPI_Comm comm)
{
    static int key = MPI_KEYVAL_INVALID;
    MPI_Comm *own;
    int found;
    if (key == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    PMPI_Comm_get_attr(comm, key, &own, &found);
    if (!found) {
        own = malloc(sizeof *own);
        PMPI_Comm_dup(comm, own);
        PMPI_Comm_set_attr(comm, key, own);
    }
    return *own;
}

static const char *of_first(const void *data, size_t bytes, MPI_Comm comm)
{
    MPI_Comm own = own_of(comm);
    char *other = lend(data, bytes);
    int rank, ranks, came;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    if (ranks > 1 && rank == 0)
        PMPI_Send(data, (int)bytes, MPI_BYTE, ranks - 1, TAG, own);
    if (ranks > 1 && rank == ranks - 1) {
        MPI_Message message;
        MPI_Status status;
        PMPI_Mprobe(0, TAG, own, &message, &status);
        PMPI_Get_count(&status, MPI_BYTE, &came);
        char *all = malloc((size_t)came + 1);
        PMPI_Mrecv(all, came, MPI_BYTE, &message, &status);
        memcpy(other, all, (size_t)came < bytes ? (size_t)came : bytes);
        free(all);
    }
    return other;
}

static bool chosen(const char *calls, const void *send, size_t bytes)
{
    return bytes > 1 && in_pages(send) && is_set("OVL_OTHER_CALLS", calls, true);
}

static const void *count(const void *other, const void *send, size_t bytes)
{
    changed += memcmp(other, send, bytes) != 0;
    return other;
}

/* What goes to all, or to a root; `alone`: this rank alone sends. */
static const void *other(const char *calls, const void *send, size_t bytes, MPI_Comm comm, int kind, bool alone)
{
    bool is = chosen(calls, send, bytes);
    if (!alone && is_set("OVL_OTHER", "rank", false) && is_set("OVL_OTHER_CALLS", calls, true)) {
        const void *others = of_first(send, is ? bytes : 0, comm); /* whatever this rank sends itself */
        return is ? count(others, send, bytes) : send;
    }
    if (!is)
        return send;
    bool old = is_set("OVL_OTHER", "stale", false);
    return count(old ? stale(send, bytes, comm, kind, -1) : halves(send, bytes), send, bytes);
}

static const void *other_message(const char *calls, const void *send, size_t bytes, MPI_Comm comm, int peer)
{
    if (!chosen(calls, send, bytes))
        return send;
    if (is_set("OVL_OTHER", "stale", false))
        return count(stale(send, bytes, comm, 0, peer), send, bytes);
    if (is_set("OVL_OTHER", "halves", false))
        return count(halves(send, bytes), send, bytes);
    const char *found = NULL;
    keep(kept_of(comm, 0, peer, bytes), send);
    for (int i = 0; i < kept_count && !found; i++)
        if (kept[i].comm == comm && kept[i].kind == 0 && kept[i].bytes == bytes && kept[i].peer != peer)
            found = kept[i].data;
    return count(lend(found ? found : send, bytes), send, bytes);
}

int MPI_Finalize(void)
{
    if (changed > 0)
        fprintf(stderr, "other: %ld\n", changed);
    return PMPI_Finalize();
}

static size_t bytes_of(long n, MPI_Datatype type)
{
    MPI_Aint low, extent;
    PMPI_Type_get_extent(type, &low, &extent);
    return (size_t)n * (size_t)extent;
}

static int ranks_of(MPI_Comm comm)
{
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    return ranks;
}

static bool is_root(int root, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

static size_t bytes_of_many(const int *n, const int *d, MPI_Datatype type, int count)
{
    size_t most = 0;
    for (int i = 0; i < count; i++) {
        size_t end = bytes_of((long)d[i] + n[i], type);
        most = n[i] > 0 && end > most ? end : most;
    }
    return most;
}

static size_t bytes_of_types(const int *n, const int *d, const MPI_Aint *far, const MPI_Datatype *type, int count)
{
    size_t most = 0;
    for (int i = 0; i < count; i++) {
        size_t end = (d ? (size_t)d[i] : (size_t)far[i]) + bytes_of(n[i], type[i]);
        most = n[i] > 0 && end > most ? end : most;
    }
    return most;
}

static int sum_of(const int *n, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += n[i];
    return sum;
}

static int neighbours_of(MPI_Comm comm)
{
    int kind, in, out, weighted, dims;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &dims);
        return 2 * dims;
    }
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    return out;
}

/* A collective and its non-blocking form: it sends `bytes` of s, at each rank or where `alone` at one. */
#define COLLECTIVE(kind, blocking, nonblocking, parameters, arguments, bytes, alone)                                   \
    int MPI_##blocking(LIST parameters)                                                                                \
    {                                                                                                                  \
        s = other("blocking", s, bytes, c, kind, alone);                                                               \
        return PMPI_##blocking(LIST arguments);                                                                        \
    }                                                                                                                  \
    int MPI_##nonblocking(LIST parameters, MPI_Request *q)                                                             \
    {                                                                                                                  \
        s = other("nonblocking", s, bytes, c, kind, alone);                                                            \
        return PMPI_##nonblocking(LIST arguments, q);                                                                  \
    }

COLLECTIVE(1, Alltoall, Ialltoall, (ONE, INTO, MPI_Comm c), (s, n, t, r, rn, rt, c), bytes_of((long)n *ranks_of(c), t),
           false)
COLLECTIVE(2, Alltoallv, Ialltoallv, (MANY, INTO_MANY, MPI_Comm c), (s, n, d, t, r, rn, rd, rt, c),
           bytes_of_many(n, d, t, ranks_of(c)), false)
COLLECTIVE(3, Alltoallw, Ialltoallw,
           (const void *s, const int *n, const int *d, const MPI_Datatype *t, void *r, const int *rn, const int *rd,
            const MPI_Datatype *rt, MPI_Comm c),
           (s, n, d, t, r, rn, rd, rt, c), bytes_of_types(n, d, NULL, t, ranks_of(c)), false)
COLLECTIVE(4, Allreduce, Iallreduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, r, n, t, op, c), bytes_of(n, t), false)
COLLECTIVE(5, Allgather, Iallgather, (ONE, INTO, MPI_Comm c), (s, n, t, r, rn, rt, c), bytes_of(n, t), false)
COLLECTIVE(6, Allgatherv, Iallgatherv, (ONE, INTO_MANY, MPI_Comm c), (s, n, t, r, rn, rd, rt, c), bytes_of(n, t), false)
COLLECTIVE(7, Gather, Igather, (ONE, INTO, int root, MPI_Comm c), (s, n, t, r, rn, rt, root, c), bytes_of(n, t), false)
COLLECTIVE(8, Gatherv, Igatherv, (ONE, INTO_MANY, int root, MPI_Comm c), (s, n, t, r, rn, rd, rt, root, c),
           bytes_of(n, t), false)
COLLECTIVE(9, Scatter, Iscatter, (ONE, INTO, int root, MPI_Comm c), (s, n, t, r, rn, rt, root, c),
           is_root(root, c) ? bytes_of((long)n *ranks_of(c), t) : 0, true)
COLLECTIVE(10, Scatterv, Iscatterv, (MANY, INTO, int root, MPI_Comm c), (s, n, d, t, r, rn, rt, root, c),
           is_root(root, c) ? bytes_of_many(n, d, t, ranks_of(c)) : 0, true)
COLLECTIVE(11, Reduce, Ireduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c),
           (s, r, n, t, op, root, c), bytes_of(n, t), false)
COLLECTIVE(12, Reduce_scatter, Ireduce_scatter,
           (const void *s, void *r, const int *rn, MPI_Datatype t, MPI_Op op, MPI_Comm c), (s, r, rn, t, op, c),
           bytes_of(sum_of(rn, ranks_of(c)), t), false)
COLLECTIVE(13, Reduce_scatter_block, Ireduce_scatter_block,
           (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c), (s, r, n, t, op, c),
           bytes_of((long)n *ranks_of(c), t), false)
COLLECTIVE(14, Neighbor_allgather, Ineighbor_allgather, (ONE, INTO, MPI_Comm c), (s, n, t, r, rn, rt, c),
           bytes_of(n, t), false)
COLLECTIVE(15, Neighbor_allgatherv, Ineighbor_allgatherv, (ONE, INTO_MANY, MPI_Comm c), (s, n, t, r, rn, rd, rt, c),
           bytes_of(n, t), false)
COLLECTIVE(16, Neighbor_alltoall, Ineighbor_alltoall, (ONE, INTO, MPI_Comm c), (s, n, t, r, rn, rt, c),
           bytes_of((long)n *neighbours_of(c), t), false)
COLLECTIVE(17, Neighbor_alltoallv, Ineighbor_alltoallv, (MANY, INTO_MANY, MPI_Comm c), (s, n, d, t, r, rn, rd, rt, c),
           bytes_of_many(n, d, t, neighbours_of(c)), false)
COLLECTIVE(18, Neighbor_alltoallw, Ineighbor_alltoallw,
           (const void *s, const int *n, const MPI_Aint *d, const MPI_Datatype *t, void *r, const int *rn,
            const MPI_Aint *rd, const MPI_Datatype *rt, MPI_Comm c),
           (s, n, d, t, r, rn, rd, rt, c), bytes_of_types(n, NULL, d, t, neighbours_of(c)), false)

/* The root's own data stay as they are. */
static void *broadcast(const char *calls, void *data, size_t bytes, int root, MPI_Comm c)
{
    const void *given = data;
    return is_root(root, c) ? (void *)(uintptr_t)other(calls, given, bytes, c, 19, true) : data;
}

int MPI_Bcast(void *r, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return PMPI_Bcast(broadcast("blocking", r, bytes_of(n, t), root, c), n, t, root, c);
}

int MPI_Ibcast(void *r, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *q)
{
    return PMPI_Ibcast(broadcast("nonblocking", r, bytes_of(n, t), root, c), n, t, root, c, q);
}

int MPI_Send(const void *s, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
    return PMPI_Send(other_message("blocking", s, bytes_of(n, t), c, to), n, t, to, tag, c);
}

int MPI_Isend(const void *s, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *q)
{
    return PMPI_Isend(other_message("nonblocking", s, bytes_of(n, t), c, to), n, t, to, tag, c, q);
}

int MPI_Sendrecv(const void *s, int n, MPI_Datatype t, int to, int tag, void *r, int rn, MPI_Datatype rt, int from,
                 int rtag, MPI_Comm c, MPI_Status *status)
{
    return PMPI_Sendrecv(other_message("blocking", s, bytes_of(n, t), c, to), n, t, to, tag, r, rn, rt, from, rtag, c,
                         status);
}
