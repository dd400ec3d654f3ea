/* What a collective must say of itself: one row, in a file of its own under coll/. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_EXCHANGE_COLLECTIVE_H
#define OVL_BENCH_EXCHANGE_COLLECTIVE_H

#include "bench/exchange/datatype.h"
#include "bench/exchange/neighbours.h"
#include "bench/exchange/pattern.h"
#include "offload/client/client.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_offload;

/* Where a rank's own data stand in the receive buffer when it operates in place. */
enum ovl_in_place {
    OVL_IN_PLACE_NEVER, /* MPI has no such form */
    OVL_IN_PLACE_WHOLE, /* all that it would send, from the start */
    OVL_IN_PLACE_PART,  /* its message, where that belongs in the result */
    OVL_IN_PLACE_KEPT,  /* nowhere: a root that scatters keeps its part in the send buffer */
};

enum { OVL_OTHER_REQUESTS = 3 };

/* One exchange: the buffers and arguments of one operation at one size. */
struct ovl_exchange {
    const struct ovl_collective *collective;
    MPI_Comm comm; /* of a neighbourhood: that of the grid, or of the graph */
    int rank, ranks, root;
    size_t size;       /* size_bytes of the cell */
    int count;         /* elements in `size` */
    MPI_Datatype type; /* of an element; where messages lie in blocks, a whole message is one */
    size_t element;    /* bytes of one */
    enum ovl_dtype dtype;
    enum ovl_redop redop; /* of reductions, as the next */
    MPI_Op op;
    struct ovl_pattern pattern; /* of the data by which it is validated */
    struct ovl_layout layout;
    bool derived;  /* `type` is one of its own, of a whole message */
    size_t extent; /* from one message in a buffer to the next: `size` where messages are in one piece */
    size_t send_bytes, recv_bytes; /* of data; buffers are larger where messages lie in blocks */
    void *send, *recv;
    bool in_place;      /* this rank's part in it is */
    const void *source; /* what calls are given: `send` and `recv`, or MPI_IN_PLACE */
    void *target;

    /* How many send to this rank, and it sends to: all ranks, or in a neighbourhood its neighbours. */
    int in, out;
    const struct ovl_neighbours *neighbours; /* NULL unless it is a neighbourhood: `grid`, or a graph's */
    struct ovl_neighbours grid;

    /* A value for each of these, zero unless `shape` fills them: counts and displacements in elements, places in bytes.
     */
    int *send_counts, *send_displs, *recv_counts, *recv_displs;
    MPI_Aint *send_places, *recv_places;
    MPI_Datatype *types; /* `type` for each */

    /* Of messages to single ranks: who is sent to and who received from, or MPI_PROC_NULL; `both`: the same the other
       way too, as a second message after the first in each buffer. `pairs` is the word of --pairs. */
    const char *pairs;
    int to, from;
    bool both;

    bool persistent; /* requests were made by `init`, and MPI_Start posts them */
    MPI_Request request, others[OVL_OTHER_REQUESTS];
    int other_count; /* requests beside the first; 0 of collectives */

    int handed; /* mode thread: who has the request, see mode.c; 0: the rank */

    /* dpu mode; NULL without workers. */
    struct ovl_offload *offload;
    struct ovl_coll_args call, back; /* `back`: the other way, where `both` */
    struct ovl_request ticket, back_ticket;
    bool by_host; /* nothing for the workers: no operation, or too small (--dpu-min) */
};

/* A part of the receive buffer and where its bytes come from. */
struct ovl_segment {
    size_t offset, bytes; /* in the receive buffer */
    int source;           /* rank whose send buffer it is; for reductions all ranks are added and this is unused */
    size_t source_offset; /* in that send buffer */
};

struct ovl_collective {
    const char *name;        /* of its row in the catalog */
    bool one_buffer;         /* send and receive are the same memory (bcast): `recv` holds it, the root's is filled */
    bool displaced;          /* has counts and displacements, which MPI counts in elements, as int */
    bool displaced_in_bytes; /* with `displaced`: in bytes, as int */
    bool rooted;             /* has a root: --root chooses it */
    bool neighbourhood;
    bool synchronises;            /* and moves no data: nobody ends it before all have begun */
    bool paired;                  /* sends to single ranks: --pairs chooses them */
    enum ovl_in_place in_place;   /* of an operation with a root: there; else at all ranks */
    enum ovl_operation operation; /* of the worker engine; zero: it has none such */

    /* From size, count and ranks: send_bytes and recv_bytes, and the counts and displacements if any. */
    void (*shape)(struct ovl_exchange *x);
    void (*post)(struct ovl_exchange *x); /* the non-blocking call, into x->request */
    void (*blocking)(struct ovl_exchange *x);
    void (*init)(struct ovl_exchange
                     *x);    /* the persistent form, into x->request (and others); only where `init_call` is not NULL */
    void (*init_call)(void); /* address of that MPI call; NULL where the MPI library lacks it */

    int (*segments)(const struct ovl_exchange *x); /* parts of this rank's receive buffer; 0: nothing to check */
    struct ovl_segment (*segment)(const struct ovl_exchange *x, int k);
};

/* What most rows need. Every rank sends each partner `size` bytes, and the counts and displacements to say so. */
void ovl_shape_all_to_all(struct ovl_exchange *x);
/* Every rank sends `size` bytes; each, or only the root if there is one, gets as much from each partner. */
void ovl_shape_gather(struct ovl_exchange *x);
/* The root sends each rank `size` bytes. */
void ovl_shape_scatter(struct ovl_exchange *x);
int ovl_segments_partners(const struct ovl_exchange *x); /* none at a rank that only serves a root */
struct ovl_segment ovl_segment_all_to_all(const struct ovl_exchange *x, int k);
struct ovl_segment ovl_segment_gather(const struct ovl_exchange *x, int k);
struct ovl_segment ovl_segment_scatter(const struct ovl_exchange *x, int k);
/* One part of recv_bytes, from the start of what the root sends, or of the sum. */
int ovl_segments_one(const struct ovl_exchange *x);
struct ovl_segment ovl_segment_one(const struct ovl_exchange *x, int k);

/* Of ranks that only compute, while others communicate (--group): does nothing. */
extern const struct ovl_collective ovl_collective_idle;

/* Each file NAME.c under coll/ defines the row ovl_coll_NAME by this. A driver, which links one of them, finds it as
   ovl_collective. */
#define OVL_COLLECTIVE(file)                                                                                           \
    extern const struct ovl_collective ovl_collective __attribute__((weak, alias("ovl_coll_" #file)));                 \
    const struct ovl_collective ovl_coll_##file

extern const struct ovl_collective ovl_collective;

/* Those of which applications make their messages. */
extern const struct ovl_collective ovl_coll_allreduce, ovl_coll_iallgather, ovl_coll_iallgatherv, ovl_coll_ialltoall,
    ovl_coll_ialltoallv, ovl_coll_ibcast, ovl_coll_ireduce_scatter, ovl_coll_p2p;

#endif
