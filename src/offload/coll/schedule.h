/* Schedules: what one rank's worker has to do for one operation, as data. Pure functions of the operation's shape. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_SCHEDULE_H
#define OVL_OFFLOAD_COLL_SCHEDULE_H

#include "offload/coll/operation.h"

#include <stdbool.h>
#include <stdint.h>

/* Sizes at which an algorithm gives way to another. All ranks of a job hold the same. */
struct ovl_tuning {
    size_t tree;   /* bcast: up to here binomial between nodes, above it a pipelined chain */
    size_t piece;  /* bcast: bytes of a piece in that chain */
    size_t direct; /* allgather, reduce-scatter, allreduce: up to here few rounds, above it rings */
};

extern const struct ovl_tuning ovl_tuning_default;

/* All that a schedule follows from. */
struct ovl_coll_shape {
    enum ovl_operation operation;
    int rank, ranks, root;
    size_t bytes;   /* alltoall: for each peer; allgather: of each rank; bcast, allreduce: of the whole */
    size_t element; /* bytes of one number or of what counts count */
    bool in_place;  /* what is sent stands in the receive buffer, where MPI says that it does */
    /* A number per rank, in elements. alltoallv: all four; reduce-scatter: recv_counts; else unused. */
    const int *send_counts, *send_displs, *recv_counts, *recv_displs;
    const int *node; /* node of each rank, any numbers: ranks of one node reach each other by copies */
    const struct ovl_tuning *tuning;
};

enum ovl_buffer { OVL_SEND_BUFFER, OVL_RECV_BUFFER, OVL_TEMPORARY };

struct ovl_bufref {
    enum ovl_buffer buffer;
    size_t offset;
};

static inline struct ovl_bufref ovl_bufref_at(struct ovl_bufref ref, size_t offset)
{
    return (struct ovl_bufref){ref.buffer, ref.offset + offset};
}

enum ovl_step_kind {
    OVL_STEP_SEND,   /* `from` to `peer` */
    OVL_STEP_RECV,   /* what `peer` sends, into `to` */
    OVL_STEP_REDUCE, /* what `peer` sends, combined with `from`, into `to` */
    OVL_STEP_COPY,   /* `from` to `to`, without a peer */
};

/* A message is told from others of its operation by sender, receiver and tag. Between two ranks both sides hold the
   same bytes and tag; bytes are 0 only where arriving is the message. */
struct ovl_step {
    enum ovl_step_kind kind;
    int round;       /* in which it must end: a round begins when all steps of the ones before have ended */
    int first_round; /* round from whose begin on it may run: earlier than `round` only for what is received */
    int peer;
    uint32_t tag;
    size_t bytes;
    struct ovl_bufref from, to;
};

struct ovl_schedule {
    size_t steps;
    int rounds;
    size_t temporary;      /* bytes of OVL_TEMPORARY */
    struct ovl_step *step; /* by first_round; of one round what is received first */
    uint32_t *in_round;    /* steps of each round */
};

/* NULL when there is no memory. The caller frees it by ovl_schedule_free. */
struct ovl_schedule *ovl_schedule_make(const struct ovl_coll_shape *shape);
void ovl_schedule_free(struct ovl_schedule *schedule);

/* Payload: the bytes that the operation leaves in this rank's receive buffer. What the proof of offload counts. */
size_t ovl_schedule_payload(const struct ovl_coll_shape *shape);

/* "ialltoall" */
const char *ovl_operation_name(enum ovl_operation operation);

#endif
