/* What a collective must say of itself: one row, in a file of its own under coll/. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_COLLECTIVE_H
#define OVL_BENCH_COLLECTIVE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* One exchange: the buffers and arguments of one operation at one size. */
struct ovl_exchange {
    const struct ovl_collective *collective;
    MPI_Comm comm;
    int rank, ranks, root;
    size_t size;       /* size_bytes of the cell */
    int count;         /* elements in `size` */
    MPI_Datatype type; /* MPI_CHAR, or the numbers that are added */
    size_t element;    /* bytes of one */
    size_t send_bytes, recv_bytes;
    void *send, *recv;
    int *send_counts, *send_displs, *recv_counts,
        *recv_displs; /* `ranks` each, in elements; zero unless `shape` fills them */
    MPI_Request request;
};

/* A part of the receive buffer and where its bytes come from. */
struct ovl_segment {
    size_t offset, bytes; /* in the receive buffer */
    int source;           /* rank whose send buffer it is; for reductions all ranks are added and this is unused */
    size_t source_offset; /* in that send buffer */
};

struct ovl_collective {
    const char *name; /* of its row in the catalog */
    bool one_buffer;  /* send and receive are the same memory (bcast): `recv` holds it, the root's is filled */
    bool displaced;   /* has counts and displacements, which are int in MPI */

    /* From size, count and ranks: send_bytes and recv_bytes, and the counts and displacements if any. */
    void (*shape)(struct ovl_exchange *x);
    void (*post)(struct ovl_exchange *x); /* the non-blocking call, into x->request */
    void (*blocking)(struct ovl_exchange *x);

    int (*segments)(const struct ovl_exchange *x); /* parts of this rank's receive buffer; 0: nothing to check */
    struct ovl_segment (*segment)(const struct ovl_exchange *x, int k);
};

/* The collective of this program: each file under coll/ defines it. */
extern const struct ovl_collective ovl_collective;

#endif
