/* What ranks bring to each operation and what must come of it: numbers that follow from rank and position. Whole
 * numbers whose sums are exact in every type, so that any order of adding gives the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_DEAL_H
#define OVL_TESTS_FAKE_DEAL_H

#include "base/rng.h"
#include "offload/client/client.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct deal {
    enum ovl_operation operation;
    int ranks, root; /* of a pair, `root` is how many ranks ahead the message goes */
    size_t count;    /* numbers (int32) of what `bytes` of the operation's shape counts where that is even */
    bool in_place;
    const struct ovl_algorithm *algorithm; /* NULL: the table chooses */
};

enum { DEAL_BOUND = 50 }; /* of the error of a number that is compressed */

static inline int32_t deal_number(int rank, size_t i)
{
    return (int32_t)(ovl_rng_mix((uint64_t)rank * 1000003 + i) & 0xffffff);
}

static inline bool deal_in_place(const struct deal *d, int rank)
{
    return d->in_place && (!ovl_operations[d->operation].rooted || rank == d->root);
}

/* Uneven counts, some of them zero: what rank `from` sends to rank `to`. In place MPI wants as much in return. */
static inline int deal_uneven(const struct deal *d, int from, int to)
{
    return (int)((size_t)(from * (d->in_place ? 3 : 5) + to * 3) % 4 * d->count / 2);
}

/* Of the v-forms of gather, scatter and allgather: a rank's block. */
static inline int deal_block(const struct deal *d, int rank)
{
    return (int)((size_t)(rank * 3 + 1) % 4 * d->count / 2);
}

/* Of reduce-scatter: uneven too. */
static inline int deal_part(const struct deal *d, int rank)
{
    return (int)(d->count / (size_t)d->ranks) + (rank % 3 == 1 ? 2 : 0) - (rank % 3 == 2 && d->count > 40 ? 1 : 0);
}

/* Of a pair: a message goes `root` ranks ahead; round the end only where the count is even. */
static inline int deal_to(const struct deal *d, int rank)
{
    return d->count % 2 && rank + d->root >= d->ranks ? -1 : (rank + d->root) % d->ranks;
}

static inline int deal_from(const struct deal *d, int rank)
{
    return d->count % 2 && rank < d->root ? -1 : (rank - d->root + d->ranks) % d->ranks;
}

/* Numbers in a rank's message of a pair: by itself in place, since both are as long there. */
static inline size_t deal_message(const struct deal *d, int rank)
{
    return rank < 0 ? 0 : d->in_place ? d->count : d->count + (size_t)rank % 3;
}

/* Blocks of allgatherv with gaps, and in reverse order at every second rank: no rank knows the others' places. */
static inline int deal_gap(const struct deal *d)
{
    return d->operation == OVL_IALLTOALLV || d->count % 2 ? 1 : 0;
}

static inline size_t deal_sum_of_blocks(const struct deal *d)
{
    size_t all = 0;
    for (int r = 0; r < d->ranks; r++)
        all += (size_t)deal_block(d, r) + (size_t)deal_gap(d);
    return all;
}

/* Numbers in a buffer of a rank. */
static inline size_t deal_length(const struct deal *d, int rank, bool recv)
{
    size_t all = 0, n = (size_t)d->ranks;
    bool root = rank == d->root;
    switch (d->operation) {
    case OVL_IALLTOALL:
        return d->count * n;
    case OVL_IALLTOALLV:
        for (int r = 0; r < d->ranks; r++)
            all += (size_t)(recv ? deal_uneven(d, r, rank) : deal_uneven(d, rank, r)) + 1;
        return all;
    case OVL_IBCAST:
        return recv ? d->count : 0;
    case OVL_IALLREDUCE:
    case OVL_IALLREDUCE_SZX:
        return d->count;
    case OVL_IREDUCE:
        return recv && !root ? 0 : d->count;
    case OVL_IALLGATHER:
        return recv ? d->count * n : d->count;
    case OVL_IALLGATHERV:
        return recv ? deal_sum_of_blocks(d) : (size_t)deal_block(d, rank);
    case OVL_IREDUCE_SCATTER:
        for (int r = 0; r < d->ranks; r++)
            all += (size_t)deal_part(d, r);
        return recv && !d->in_place ? (size_t)deal_part(d, rank) : all;
    case OVL_IREDUCE_SCATTER_BLOCK:
        return recv && !d->in_place ? d->count : d->count * n;
    case OVL_IGATHER:
        return !recv ? d->count : root ? d->count * n : 0;
    case OVL_IGATHERV:
        return !recv ? (size_t)deal_block(d, rank) : root ? deal_sum_of_blocks(d) : 0;
    case OVL_ISCATTER:
        return recv ? d->count : root ? d->count * n : 0;
    case OVL_ISCATTERV:
        return recv ? (size_t)deal_block(d, rank) : root ? deal_sum_of_blocks(d) : 0;
    case OVL_ISENDRECV:
        return recv ? deal_message(d, deal_in_place(d, rank) ? rank : deal_from(d, rank)) : deal_message(d, rank);
    default:
        return 0;
    }
}

/* Displacements of blocks, from the last one on where `backwards`. */
static inline void deal_displs(const struct deal *d, const int *counts, int *displs, bool backwards)
{
    int at = 0;
    for (int i = 0; i < d->ranks; i++) {
        int r = backwards ? d->ranks - 1 - i : i;
        displs[r] = at;
        at += counts[r] + deal_gap(d);
    }
}

/* `lists`: room for 4 x ranks: send counts and displacements, receive counts and displacements. */
static inline void deal_counts(const struct deal *d, int rank, int *lists)
{
    int n = d->ranks;
    for (int r = 0; r < n; r++) {
        bool matrix = d->operation == OVL_IALLTOALLV;
        lists[r] = matrix ? deal_uneven(d, rank, r) : deal_block(d, r);
        lists[2 * n + r] = matrix                                ? deal_uneven(d, r, rank)
                           : d->operation == OVL_IREDUCE_SCATTER ? deal_part(d, r)
                                                                 : deal_block(d, r);
    }
    deal_displs(d, lists, lists + n, false);
    deal_displs(d, lists + 2 * n, lists + 3 * n, d->operation == OVL_IALLGATHERV && d->count % 2 && rank % 2);
}

/* What `bytes` of the operation's shape says at that rank, in numbers. */
static inline size_t deal_shape_count(const struct deal *d, int rank)
{
    switch (d->operation) {
    case OVL_IALLGATHERV:
    case OVL_IGATHERV:
    case OVL_ISCATTERV:
        return (size_t)deal_block(d, rank);
    case OVL_ISENDRECV:
        return deal_message(d, rank);
    default:
        return d->count;
    }
}

/* Numbers that the operation leaves in the rank's receive buffer. */
static inline size_t deal_payload(const struct deal *d, int rank)
{
    size_t gaps = (size_t)(d->ranks * deal_gap(d)), length = deal_length(d, rank, true);
    switch (d->operation) {
    case OVL_IALLTOALLV:
    case OVL_IALLGATHERV:
        return length - gaps;
    case OVL_IGATHERV:
        return rank == d->root ? length - gaps : 0;
    case OVL_ISCATTER:
    case OVL_ISCATTERV:
        return deal_in_place(d, rank) ? 0 : length;
    case OVL_IREDUCE_SCATTER:
        return (size_t)deal_part(d, rank);
    case OVL_IREDUCE_SCATTER_BLOCK:
        return d->count;
    case OVL_ISENDRECV:
        return deal_message(d, deal_from(d, rank));
    default:
        return length;
    }
}

/* What to post; the team and the buffers are still to be named. */
static inline struct ovl_coll_args deal_args(const struct deal *d, int rank, const int *lists)
{
    int n = d->ranks;
    unsigned taken = ovl_operations[d->operation].lists;
    if (ovl_operations[d->operation].rooted && rank != d->root)
        taken = 0;
    return (struct ovl_coll_args){
        .operation = d->operation,
        .algorithm = d->algorithm,
        .bytes = 4 * deal_shape_count(d, rank),
        .recv_bytes = 4 * deal_message(d, deal_from(d, rank)),
        .payload = 4 * deal_payload(d, rank),
        .in_place = d->in_place,
        .root = d->root,
        .to = deal_to(d, rank),
        .from = deal_from(d, rank),
        .dtype = d->operation == OVL_IALLREDUCE_SZX ? OVL_FLOAT : OVL_INT32,
        .bound = DEAL_BOUND,
        .send_counts = taken & OVL_SEND_COUNTS ? lists : NULL,
        .send_displs = taken & OVL_SEND_DISPLS ? lists + n : NULL,
        .recv_counts = taken & OVL_RECV_COUNTS ? lists + 2 * n : NULL,
        .recv_displs = taken & OVL_RECV_DISPLS ? lists + 3 * n : NULL,
    };
}

static inline void deal_put(int32_t *to, int rank, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = deal_number(rank, first + i);
}

/* What is compressed is of single precision, which holds all these numbers. */
static inline void deal_put_floats(int32_t *to, int rank, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float x = (float)deal_number(rank, i);
        memcpy(&to[i], &x, sizeof x);
    }
}

/* Fills what the rank brings, and spoils the rest. */
static inline void deal_fill(const struct deal *d, int rank, const int *lists, int32_t *send, int32_t *recv)
{
    bool in_place = deal_in_place(d, rank);
    int32_t *to = in_place ? recv : send;
    int n = d->ranks;
    memset(recv, 0xee, deal_length(d, rank, true) * sizeof *recv);
    switch (d->operation) {
    case OVL_IALLTOALLV:
        for (int r = 0; r < n; r++)
            deal_put(to + lists[(in_place ? 3 * n : n) + r], rank, (size_t)r * 1000,
                     (size_t)lists[(in_place ? 2 * n : 0) + r]);
        break;
    case OVL_IBCAST:
        if (rank == d->root)
            deal_put(recv, rank, 0, d->count);
        break;
    case OVL_IALLGATHER:
    case OVL_IGATHER:
        deal_put(to + (in_place ? (size_t)rank * d->count : 0), rank, 0, d->count);
        break;
    case OVL_IALLGATHERV:
    case OVL_IGATHERV:
        deal_put(to + (in_place ? lists[3 * n + rank] : 0), rank, 0, (size_t)deal_block(d, rank));
        break;
    case OVL_ISCATTER:
        if (rank == d->root)
            deal_put(send, rank, 0, d->count * (size_t)n);
        break;
    case OVL_ISCATTERV:
        for (int r = 0; r < n && rank == d->root; r++)
            deal_put(send + lists[n + r], rank, (size_t)r * 1000, (size_t)lists[r]);
        break;
    case OVL_IALLREDUCE_SZX:
        deal_put_floats(to, rank, d->count);
        break;
    default:
        deal_put(to, rank, 0, deal_length(d, rank, false));
    }
}

static inline int32_t deal_sum(const struct deal *d, size_t i)
{
    uint32_t sum = 0;
    for (int r = 0; r < d->ranks; r++)
        sum += (uint32_t)deal_number(r, i);
    return (int32_t)sum;
}

/* Numbers of the receive buffer that are not what they should be, and the first of them. */
struct deal_look {
    const int32_t *got;
    size_t wrong;
    long first;
};

static inline void deal_expect(struct deal_look *l, size_t index, int32_t value)
{
    if (l->got[index] != value && l->wrong++ == 0)
        l->first = (long)index;
}

static inline void deal_expect_from(struct deal_look *l, size_t at, int rank, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        deal_expect(l, at + i, deal_number(rank, first + i));
}

static inline void deal_expect_sum(struct deal_look *l, const struct deal *d, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        deal_expect(l, i, deal_sum(d, first + i));
}

/* As near to the sum as rounding, once for each rank and once of the sum, lets it be. */
static inline void deal_expect_near(struct deal_look *l, const struct deal *d)
{
    for (size_t i = 0; i < d->count; i++) {
        float got;
        double off = 0, most = (d->ranks + 1) * (DEAL_BOUND + 32);
        memcpy(&got, &l->got[i], sizeof got);
        for (int r = 0; r < d->ranks; r++)
            off -= deal_number(r, i);
        off += (double)got;
        if (!(off <= most && -off <= most) && l->wrong++ == 0)
            l->first = (long)i;
    }
}

static inline void deal_expect_spoilt(struct deal_look *l, size_t at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        deal_expect(l, at + i, (int32_t)0xeeeeeeee);
}

/* Numbers of the receive buffer that are not what they should be; -1 in *first when there are none. */
static inline size_t deal_wrong(const struct deal *d, int rank, const int *lists, const int32_t *got, long *first)
{
    size_t n = (size_t)d->ranks, before = 0;
    struct deal_look l = {got, 0, -1};
    bool root = rank == d->root, in_place = deal_in_place(d, rank);
    switch (d->operation) {
    case OVL_IALLTOALL:
        for (size_t r = 0; r < n; r++)
            deal_expect_from(&l, r * d->count, (int)r, (size_t)rank * d->count, d->count);
        break;
    case OVL_IALLTOALLV:
    case OVL_IALLGATHERV:
    case OVL_IGATHERV:
        for (size_t r = 0; r < n && (root || d->operation != OVL_IGATHERV); r++) {
            size_t count = (size_t)lists[2 * n + r], displ = (size_t)lists[3 * n + r];
            deal_expect_from(&l, displ, (int)r, d->operation == OVL_IALLTOALLV ? (size_t)rank * 1000 : 0, count);
            deal_expect_spoilt(&l, displ + count, (size_t)deal_gap(d));
        }
        break;
    case OVL_IBCAST:
        deal_expect_from(&l, 0, d->root, 0, d->count);
        break;
    case OVL_IALLREDUCE:
        deal_expect_sum(&l, d, 0, d->count);
        break;
    case OVL_IALLREDUCE_SZX:
        deal_expect_near(&l, d);
        break;
    case OVL_IREDUCE:
        deal_expect_sum(&l, d, 0, root ? d->count : 0);
        break;
    case OVL_IALLGATHER:
    case OVL_IGATHER:
        for (size_t r = 0; r < n && (root || d->operation != OVL_IGATHER); r++)
            deal_expect_from(&l, r * d->count, (int)r, 0, d->count);
        break;
    case OVL_IREDUCE_SCATTER:
        for (int r = 0; r < rank; r++)
            before += (size_t)deal_part(d, r);
        deal_expect_sum(&l, d, before, (size_t)deal_part(d, rank));
        break;
    case OVL_IREDUCE_SCATTER_BLOCK:
        deal_expect_sum(&l, d, (size_t)rank * d->count, d->count);
        break;
    case OVL_ISCATTER:
    case OVL_ISCATTERV:
        before = d->operation == OVL_ISCATTER ? (size_t)rank * d->count : (size_t)rank * 1000;
        if (in_place)
            deal_expect_spoilt(&l, 0, deal_length(d, rank, true));
        else
            deal_expect_from(&l, 0, d->root, before, deal_length(d, rank, true));
        break;
    case OVL_ISENDRECV:
        deal_expect_from(&l, 0, deal_from(d, rank), 0, deal_message(d, deal_from(d, rank)));
        break;
    default:
        break;
    }
    *first = l.first;
    return l.wrong;
}

#endif
