/* An MPI that drops what benchmarks post: calls complete at once and no data move, to prove that checks see it. */
/* SPDX-License-Identifier: BSD-3-Clause */
/* OVL_DROP says which: "nonblocking" calls, with the starts of persistent ones, "blocking" ones, or "all". With
   OVL_DROP_AFTER=N the first N of a communicator, or of a pair of its ranks, still go through, so that what comes after
   finds their data; with OVL_DROP_EVERY=N one of N of the others is dropped. With OVL_DROP_OTHERS collectives into the
   first receive buffer that was seen go through. With OVL_DROP_COPY an all-to-all that is dropped copies what is sent,
   as it lies, to where it comes: what goes there and back is right then. With OVL_DROP_PART=repeat, step or scale 8
   bytes of a message between two ranks travel, the first that are not 0, and the rest is made of them: they are
   repeated, or what the receiver itself sent last of that size is moved by words, or stretched as double-precision
   numbers, so that it has them; of an allreduce the first number is summed. Calls of the harness itself go through: its
   buffers are variables and small arrays, while messages lie in whole pages. A barrier has no buffer: all are dropped
   but those of MPI_COMM_WORLD. All ranks decide alike. */
#include "tests/shim/collectives.h"
#include "tests/shim/in_pages.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = 512 };

/* Calls on a communicator so far. A message between two ranks is the same number of its kind at both. */
struct calls {
    long collectives;
    struct {
        int sends, peer, tag;
        long messages;
    } pair[PAIRS];
    int pairs;
};

static struct calls *calls_of(MPI_Comm comm)
{
    static int key = MPI_KEYVAL_INVALID;
    struct calls *calls;
    int found;
    if (key == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    PMPI_Comm_get_attr(comm, key, &calls, &found);
    if (!found && !(calls = calloc(1, sizeof *calls)))
        abort();
    if (!found)
        PMPI_Comm_set_attr(comm, key, calls);
    return calls;
}

static long *messages_of(struct calls *calls, int sends, int peer, int tag)
{
    int i = 0;
    while (i < calls->pairs &&
           (calls->pair[i].sends != sends || calls->pair[i].peer != peer || calls->pair[i].tag != tag))
        i++;
    if (i == PAIRS)
        abort();
    if (i == calls->pairs) {
        calls->pair[i].sends = sends;
        calls->pair[i].peer = peer;
        calls->pair[i].tag = tag;
        calls->pairs++;
    }
    return &calls->pair[i].messages;
}

static bool chosen(const char *kind)
{
    const char *drop = getenv("OVL_DROP");
    return drop && (strcmp(drop, kind) == 0 || strcmp(drop, "all") == 0);
}

static bool gone_through(long *count)
{
    const char *after = getenv("OVL_DROP_AFTER"), *every = getenv("OVL_DROP_EVERY");
    long past = (*count)++ - (after ? atol(after) : 0);
    return past < 0 || (every && past % atol(every) != 0);
}

/* May a collective into that buffer be dropped? */
static bool is_open(const void *recv)
{
    static const void *first;
    if (!first && in_pages(recv))
        first = recv;
    return !getenv("OVL_DROP_OTHERS") || (recv && recv != first);
}

static bool drops(const char *kind, MPI_Comm comm, const void *send, const void *recv)
{
    return chosen(kind) && (in_pages(send) || in_pages(recv)) && is_open(recv) &&
           !gone_through(&calls_of(comm)->collectives);
}

static bool drops_all_to_all(const char *kind, MPI_Comm comm, const void *send, void *recv, int count,
                             MPI_Datatype type)
{
    int ranks, bytes;
    if (!drops(kind, comm, send, recv))
        return false;
    PMPI_Comm_size(comm, &ranks);
    PMPI_Type_size(type, &bytes);
    if (getenv("OVL_DROP_COPY"))
        memmove(recv, send, (size_t)ranks * (size_t)count * (size_t)bytes);
    return true;
}

static bool drops_message(const char *kind, MPI_Comm comm, const void *data, int sends, int peer, int tag)
{
    return chosen(kind) && in_pages(data) && !gone_through(messages_of(calls_of(comm), sends, peer, tag));
}

/* Of a message the first 8 bytes that are not 0, and where these are. */
struct first {
    uint64_t at;
    char bytes[8];
};

/* A message of which a part is under way, and where the whole should come. */
static struct part {
    MPI_Request request; /* MPI_REQUEST_NULL: free */
    struct first first;
    char *to;
    size_t bytes;
} parts[PAIRS];
static const char *sent; /* the last message of this rank */
static size_t sent_bytes;

static size_t bytes_of(int n, MPI_Datatype type)
{
    int bytes;
    PMPI_Type_size(type, &bytes);
    return (size_t)n * (size_t)bytes;
}

static bool goes_in_part(int n, MPI_Datatype type)
{
    return getenv("OVL_DROP_PART") && bytes_of(n, type) > sizeof parts->first.bytes;
}

static void fill(const struct first *f, char *to, size_t bytes)
{
    const char *how = getenv("OVL_DROP_PART"), *own = sent && sent_bytes == bytes ? sent : NULL;
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint32_t word[2], one[2], from[2];
        double x, number, mine;
        memcpy(word, own ? own + at : f->bytes, 8);
        memcpy(one, f->bytes, 8);
        memcpy(from, own ? own + f->at : f->bytes, 8);
        memcpy(&x, word, 8);
        memcpy(&number, one, 8);
        memcpy(&mine, from, 8);
        x *= number / mine;
        for (int k = 0; k < 2; k++)
            word[k] += one[k] - from[k];
        memcpy(to + at, strcmp(how, "scale") == 0 ? (void *)&x : strcmp(how, "step") == 0 ? (void *)word : one, 8);
    }
}

static void arrived(MPI_Request request)
{
    for (int i = 0; i < PAIRS && request != MPI_REQUEST_NULL; i++)
        if (parts[i].request == request) {
            fill(&parts[i].first, parts[i].to, parts[i].bytes);
            parts[i].request = MPI_REQUEST_NULL;
        }
}

static int receive_part(void *to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    static bool begun;
    for (int i = 0; i < PAIRS && !begun; i++)
        parts[i].request = MPI_REQUEST_NULL;
    begun = true;
    int i = 0;
    while (parts[i].request != MPI_REQUEST_NULL)
        if (++i == PAIRS)
            abort();
    int rc = PMPI_Irecv(&parts[i].first, sizeof parts->first, MPI_BYTE, from, tag, comm, request);
    parts[i].request = *request;
    parts[i].to = to;
    parts[i].bytes = bytes_of(n, type);
    return rc;
}

/* Lent until so many more were sent. */
static const struct first *part_of(const void *from, int n, MPI_Datatype type)
{
    static struct first kept[PAIRS];
    static size_t count;
    struct first *f = &kept[count++ % PAIRS];
    const char *data = sent = from;
    size_t bytes = sent_bytes = bytes_of(n, type);
    f->at = 0;
    for (uint64_t word = 0; word == 0 && f->at + 16 <= bytes; f->at += word == 0 ? 8 : 0)
        memcpy(&word, data + f->at, 8);
    memcpy(f->bytes, data + f->at, 8);
    return f;
}

int MPI_Wait(MPI_Request *q, MPI_Status *status)
{
    MPI_Request request = *q;
    int rc = PMPI_Wait(q, status);
    arrived(request);
    return rc;
}

int MPI_Test(MPI_Request *q, int *flag, MPI_Status *status)
{
    MPI_Request request = *q;
    int rc = PMPI_Test(q, flag, status);
    if (*flag)
        arrived(request);
    return rc;
}

static int complete(MPI_Comm comm, MPI_Request *request)
{
    return PMPI_Irecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request);
}

/* A collective and its non-blocking form, on the communicator c. */
#define COLLECTIVE(blocking, nonblocking, parameters, arguments, send, recv)                                           \
    int MPI_##blocking(LIST parameters)                                                                                \
    {                                                                                                                  \
        return drops("blocking", c, send, recv) ? MPI_SUCCESS : PMPI_##blocking(LIST arguments);                       \
    }                                                                                                                  \
    int MPI_##nonblocking(LIST parameters, MPI_Request *q)                                                             \
    {                                                                                                                  \
        return drops("nonblocking", c, send, recv) ? complete(c, q) : PMPI_##nonblocking(LIST arguments, q);           \
    }

int MPI_Alltoall(ONE, INTO, MPI_Comm c)
{
    return drops_all_to_all("blocking", c, s, r, n, t) ? MPI_SUCCESS : PMPI_Alltoall(s, n, t, r, rn, rt, c);
}

int MPI_Ialltoall(ONE, INTO, MPI_Comm c, MPI_Request *q)
{
    return drops_all_to_all("nonblocking", c, s, r, n, t) ? complete(c, q) : PMPI_Ialltoall(s, n, t, r, rn, rt, c, q);
}

int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    if (!drops("blocking", c, s, r))
        return PMPI_Allreduce(s, r, n, t, op, c);
    return goes_in_part(n, t) ? PMPI_Allreduce(s, r, 1, t, op, c) : MPI_SUCCESS;
}

int MPI_Iallreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request *q)
{
    if (!drops("nonblocking", c, s, r))
        return PMPI_Iallreduce(s, r, n, t, op, c, q);
    return goes_in_part(n, t) ? PMPI_Iallreduce(s, r, 1, t, op, c, q) : complete(c, q);
}

COLLECTIVE(Bcast, Ibcast, (void *s, int n, MPI_Datatype t, int root, MPI_Comm c), (s, n, t, root, c), s, NULL)
COLLECTIVE(Alltoallv, Ialltoallv, (MANY, INTO_MANY, MPI_Comm c), (s, n, d, t, r, rn, rd, rt, c), s, r)
COLLECTIVE(Alltoallw, Ialltoallw,
           (const void *s, const int *n, const int *d, const MPI_Datatype *t, void *r, const int *rn, const int *rd,
            const MPI_Datatype *rt, MPI_Comm c),
           (s, n, d, t, r, rn, rd, rt, c), s, r)
COLLECTIVE(Allgather, Iallgather, (ONE, INTO, MPI_Comm c), (s, n, t, r, rn, rt, c), s, r)
COLLECTIVE(Allgatherv, Iallgatherv, (ONE, INTO_MANY, MPI_Comm c), (s, n, t, r, rn, rd, rt, c), s, r)
COLLECTIVE(Gather, Igather, (ONE, INTO, int root, MPI_Comm c), (s, n, t, r, rn, rt, root, c), s, r)
COLLECTIVE(Gatherv, Igatherv, (ONE, INTO_MANY, int root, MPI_Comm c), (s, n, t, r, rn, rd, rt, root, c), s, r)
COLLECTIVE(Scatter, Iscatter, (ONE, INTO, int root, MPI_Comm c), (s, n, t, r, rn, rt, root, c), s, r)
COLLECTIVE(Scatterv, Iscatterv, (MANY, INTO, int root, MPI_Comm c), (s, n, d, t, r, rn, rt, root, c), s, r)
COLLECTIVE(Reduce, Ireduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c),
           (s, r, n, t, op, root, c), s, r)
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *s, void *r, const int *rn, MPI_Datatype t, MPI_Op op, MPI_Comm c), (s, r, rn, t, op, c), s, r)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c), (s, r, n, t, op, c), s, r)
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, (ONE, INTO, MPI_Comm c), (s, n, t, r, rn, rt, c), s, r)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, (ONE, INTO_MANY, MPI_Comm c), (s, n, t, r, rn, rd, rt, c), s, r)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, (ONE, INTO, MPI_Comm c), (s, n, t, r, rn, rt, c), s, r)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, (MANY, INTO_MANY, MPI_Comm c), (s, n, d, t, r, rn, rd, rt, c), s, r)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           (const void *s, const int *n, const MPI_Aint *d, const MPI_Datatype *t, void *r, const int *rn,
            const MPI_Aint *rd, const MPI_Datatype *rt, MPI_Comm c),
           (s, n, d, t, r, rn, rd, rt, c), s, r)

int MPI_Barrier(MPI_Comm c)
{
    bool drop = chosen("blocking") && c != MPI_COMM_WORLD && !gone_through(&calls_of(c)->collectives);
    return drop ? MPI_SUCCESS : PMPI_Barrier(c);
}

int MPI_Ibarrier(MPI_Comm c, MPI_Request *q)
{
    bool drop = chosen("nonblocking") && c != MPI_COMM_WORLD && !gone_through(&calls_of(c)->collectives);
    return drop ? complete(c, q) : PMPI_Ibarrier(c, q);
}

int MPI_Send(const void *s, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
    if (!drops_message("blocking", c, s, 1, to, tag))
        return PMPI_Send(s, n, t, to, tag, c);
    if (!goes_in_part(n, t))
        return MPI_SUCCESS;
    return PMPI_Send(part_of(s, n, t), sizeof(struct first), MPI_BYTE, to, tag, c);
}

int MPI_Recv(void *r, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *status)
{
    struct first first;
    if (!drops_message("blocking", c, r, 0, from, tag))
        return PMPI_Recv(r, n, t, from, tag, c, status);
    if (!goes_in_part(n, t))
        return MPI_SUCCESS;
    int rc = PMPI_Recv(&first, sizeof first, MPI_BYTE, from, tag, c, status);
    fill(&first, r, bytes_of(n, t));
    return rc;
}

int MPI_Sendrecv(const void *s, int n, MPI_Datatype t, int to, int tag, void *r, int rn, MPI_Datatype rt, int from,
                 int rtag, MPI_Comm c, MPI_Status *status)
{
    return drops("blocking", c, s, r) ? MPI_SUCCESS : PMPI_Sendrecv(s, n, t, to, tag, r, rn, rt, from, rtag, c, status);
}

int MPI_Isend(const void *s, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *q)
{
    if (!drops_message("nonblocking", c, s, 1, to, tag))
        return PMPI_Isend(s, n, t, to, tag, c, q);
    if (!goes_in_part(n, t))
        return complete(c, q);
    return PMPI_Isend(part_of(s, n, t), sizeof(struct first), MPI_BYTE, to, tag, c, q);
}

int MPI_Irecv(void *r, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *q)
{
    if (!drops_message("nonblocking", c, r, 0, from, tag))
        return PMPI_Irecv(r, n, t, from, tag, c, q);
    return goes_in_part(n, t) ? receive_part(r, n, t, from, tag, c, q) : complete(c, q);
}

/* Another request takes the place of a persistent one that would move data. MPICH 4.0.2 waits for ever for the end of a
   persistent collective that was not started. */
static void start(MPI_Request *q)
{
    if (chosen("nonblocking")) {
        PMPI_Request_free(q);
        PMPI_Recv_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, q);
    }
    PMPI_Start(q);
}

int MPI_Start(MPI_Request *q)
{
    start(q);
    return MPI_SUCCESS;
}

int MPI_Startall(int n, MPI_Request *q)
{
    for (int i = 0; i < n; i++)
        start(&q[i]);
    return MPI_SUCCESS;
}
