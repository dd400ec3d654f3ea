/* What ranks bring to each operation and what must come of it: numbers that follow from rank and position. Whole
 * numbers whose sums are exact in every type, so that any order of adding gives the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_DEAL_H
#define OVL_TESTS_DEAL_H

#include "base/rng.h"
#include "offload/coll/operation.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct deal {
    enum ovl_operation operation;
    int ranks, root;
    size_t count; /* numbers (int32), as `bytes` of the operation's shape */
    bool in_place;
};

static inline int32_t deal_number(int rank, size_t i)
{
    return (int32_t)(ovl_rng_mix((uint64_t)rank * 1000003 + i) & 0xffffff);
}

/* Uneven counts, some of them zero: what rank `from` sends to rank `to`. In place MPI wants as much in return. */
static inline int deal_uneven(const struct deal *d, int from, int to)
{
    return (int)((size_t)(from * (d->in_place ? 3 : 5) + to * 3) % 4 * d->count / 2);
}

/* Of reduce-scatter: uneven too. */
static inline int deal_part(const struct deal *d, int rank)
{
    return (int)(d->count / (size_t)d->ranks) + (rank % 3 == 1 ? 2 : 0) - (rank % 3 == 2 && d->count > 40 ? 1 : 0);
}

/* Numbers in a buffer of a rank. */
static inline size_t deal_length(const struct deal *d, int rank, bool recv)
{
    size_t all = 0;
    switch (d->operation) {
    case OVL_IALLTOALL:
        return d->count * (size_t)d->ranks;
    case OVL_IALLTOALLV:
        for (int r = 0; r < d->ranks; r++)
            all += (size_t)(recv ? deal_uneven(d, r, rank) : deal_uneven(d, rank, r)) + 1;
        return all;
    case OVL_IBCAST:
        return recv ? d->count : 0;
    case OVL_IALLREDUCE:
        return d->count;
    case OVL_IALLGATHER:
        return recv ? d->count * (size_t)d->ranks : d->count;
    case OVL_IREDUCE_SCATTER:
        for (int r = 0; r < d->ranks; r++)
            all += (size_t)deal_part(d, r);
        return recv && !d->in_place ? (size_t)deal_part(d, rank) : all;
    default:
        return 0;
    }
}

/* `lists`: room for 4 x ranks: send counts and displacements, receive counts and displacements. Gaps of one. */
static inline void deal_counts(const struct deal *d, int rank, int *lists)
{
    int n = d->ranks, sent = 0, received = 0;
    for (int r = 0; r < n; r++) {
        lists[r] = deal_uneven(d, rank, r);
        lists[n + r] = sent;
        sent += lists[r] + 1;
        lists[2 * n + r] = d->operation == OVL_IREDUCE_SCATTER ? deal_part(d, r) : deal_uneven(d, r, rank);
        lists[3 * n + r] = received;
        received += lists[2 * n + r] + 1;
    }
}

/* Fills what the rank brings, and spoils the rest. */
static inline void deal_fill(const struct deal *d, int rank, const int *lists, int32_t *send, int32_t *recv)
{
    int32_t *to = d->in_place ? recv : send;
    int n = d->ranks;
    memset(recv, 0xee, deal_length(d, rank, true) * sizeof *recv);
    switch (d->operation) {
    case OVL_IALLTOALLV:
        for (int r = 0; r < n; r++) {
            int count = lists[(d->in_place ? 2 * n : 0) + r], displ = lists[(d->in_place ? 3 * n : n) + r];
            for (int i = 0; i < count; i++)
                to[displ + i] = deal_number(rank, (size_t)(r * 1000 + i));
        }
        break;
    case OVL_IBCAST:
        for (size_t i = 0; i < d->count && rank == d->root; i++)
            recv[i] = deal_number(rank, i);
        break;
    case OVL_IALLGATHER:
        for (size_t i = 0; i < d->count; i++)
            to[(d->in_place ? (size_t)rank * d->count : 0) + i] = deal_number(rank, i);
        break;
    default:
        for (size_t i = 0; i < deal_length(d, rank, false); i++)
            to[i] = deal_number(rank, i);
    }
}

static inline int32_t deal_sum(const struct deal *d, size_t i)
{
    uint32_t sum = 0;
    for (int r = 0; r < d->ranks; r++)
        sum += (uint32_t)deal_number(r, i);
    return (int32_t)sum;
}

/* Numbers of the receive buffer that are not what they should be; -1 in *first when there are none. */
static inline size_t deal_wrong(const struct deal *d, int rank, const int *lists, const int32_t *got, long *first)
{
    size_t n = (size_t)d->ranks, wrong = 0, before = 0, length = 0;
    *first = -1;
#define DEAL_EXPECT(index, value)                                                                                      \
    do {                                                                                                               \
        if (got[index] != (value) && wrong++ == 0)                                                                     \
            *first = (long)(index);                                                                                    \
    } while (0)
    switch (d->operation) {
    case OVL_IALLTOALL:
        for (size_t i = 0; i < n * d->count; i++)
            DEAL_EXPECT(i, deal_number((int)(i / d->count), (size_t)rank * d->count + i % d->count));
        break;
    case OVL_IALLTOALLV:
        for (size_t r = 0; r < n; r++) {
            size_t count = (size_t)lists[2 * n + r], displ = (size_t)lists[3 * n + r];
            for (size_t i = 0; i < count; i++)
                DEAL_EXPECT(displ + i, deal_number((int)r, (size_t)rank * 1000 + i));
            DEAL_EXPECT(displ + count, (int32_t)0xeeeeeeee); /* the gap */
        }
        break;
    case OVL_IBCAST:
        for (size_t i = 0; i < d->count; i++)
            DEAL_EXPECT(i, deal_number(d->root, i));
        break;
    case OVL_IALLREDUCE:
        for (size_t i = 0; i < d->count; i++)
            DEAL_EXPECT(i, deal_sum(d, i));
        break;
    case OVL_IALLGATHER:
        for (size_t i = 0; i < n * d->count; i++)
            DEAL_EXPECT(i, deal_number((int)(i / d->count), i % d->count));
        break;
    case OVL_IREDUCE_SCATTER:
        for (int r = 0; r < rank; r++)
            before += (size_t)deal_part(d, r);
        length = (size_t)deal_part(d, rank);
        for (size_t i = 0; i < length; i++)
            DEAL_EXPECT(i, deal_sum(d, before + i));
        break;
    default:
        break;
    }
#undef DEAL_EXPECT
    return wrong;
}

#endif
