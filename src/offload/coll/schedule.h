/* Schedules: what one rank's worker has to do for one operation, as data. Pure functions of the operation's shape. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_SCHEDULE_H
#define OVL_OFFLOAD_COLL_SCHEDULE_H

#include "offload/coll/operation.h"
#include "offload/coll/placement.h"

#include <stdint.h>

struct ovl_algorithm;

/* Limits of the algorithms that send many messages. All ranks of a job hold the same. */
struct ovl_tuning {
    size_t piece; /* bytes of a piece of a pipelined message; more where there would be more than `pieces` */
    int pieces;
    int window; /* peers with which messages are exchanged at a time, and rounds by which receives run ahead; from 2 */
    int ring_rounds; /* of a ring, at most, whose messages then stand for those of several rounds: for a simulation,
                        which moves no data. 0: all */
};

extern const struct ovl_tuning ovl_tuning_default;

/* All that a schedule follows from. */
struct ovl_coll_shape {
    enum ovl_operation operation;
    const struct ovl_algorithm *algorithm; /* the one asked for; NULL: the table chooses */
    int rank, ranks, root;
    int to, from; /* pair: the rank that is sent to, and the one received from; -1: nobody */
    /* alltoall, reduce_scatter_block: for each peer; gather, allgather: of each rank; v-forms of them: of this rank;
       scatter: to each rank, scatterv: to this one; bcast, reduce, allreduce: of the whole; pair: sent. */
    size_t bytes;
    size_t recv_bytes; /* pair: received */
    size_t element;    /* bytes of one number or of what counts count */
    float bound;       /* allreduce_szx: how far a number that is compressed may be off */
    bool in_place;     /* what is sent stands in the receive buffer, where MPI says that it does */
    /* A number per rank, in elements; those that the row of the operation names, at its root if it has one. */
    const int *send_counts, *send_displs, *recv_counts, *recv_displs;
    const struct ovl_placement *placement; /* ranks of one node reach each other by copies */
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
    OVL_STEP_SEND,    /* `from` to `peer` */
    OVL_STEP_RECV,    /* what `peer` sends, into `to` */
    OVL_STEP_REDUCE,  /* what `peer` sends, combined with `from`, into `to` */
    OVL_STEP_COPY,    /* `from` to `to`, without a peer */
    OVL_STEP_STRIDED, /* many blocks within the temporary memory, by ovl_step_strided, without a peer */
    /* Computation on the temporary memory, by ovl_step_packed (packed.h), without a peer; after a round with one the
       worker looks at other things first. `bytes` are those of numbers of single precision. What is packed is a stream
       of bytes, in which each step goes on where the one before has ended. */
    OVL_STEP_PACK,      /* numbers at `from`, to the end of the stream `to` */
    OVL_STEP_PACK_SUMS, /* the same of numbers of double precision, which are rounded to single precision */
    OVL_STEP_ADD,       /* the next numbers of the stream `from`, to those of double precision at `to` */
    OVL_STEP_EXPAND,    /* the next numbers of the stream `from`, to `to` */
};

/* A message is told from others of its operation by sender, receiver and tag. Between two ranks both sides hold the
   same bytes and tag; bytes are 0 only where arriving is the message. */
struct ovl_step {
    enum ovl_step_kind kind;
    int round;       /* in which it must end: a round begins when all steps of the ones before have ended */
    int first_round; /* round from whose begin on it may run: earlier than `round` only for messages */
    int peer;
    uint32_t tag;
    uint32_t blocks; /* of STRIDED; `bytes` are those of one block, the strides are counted in blocks. Of a message that
                        stands for several, by ring_rounds: of so many */
    size_t bytes;
    struct ovl_bufref from, to;
    int32_t from_stride, to_stride;
    bool sized;   /* a message that is a stream: as long as that is when the step begins, `bytes` at most */
    bool rewinds; /* of packed numbers: the stream's begin */
    bool clears;  /* ADD: `to` is zeroed before */
};

struct ovl_schedule {
    size_t steps;
    int rounds;
    size_t temporary;      /* bytes of OVL_TEMPORARY */
    float bound;           /* of what is packed */
    struct ovl_step *step; /* by first_round; of one round what is received first */
    uint32_t *in_round;    /* steps of each round */
};

/* NULL when there is no memory. The caller frees it by ovl_schedule_free. */
struct ovl_schedule *ovl_schedule_make(const struct ovl_coll_shape *shape);
void ovl_schedule_free(struct ovl_schedule *schedule);

/* Runs a step of the kind STRIDED. */
void ovl_step_strided(const struct ovl_step *step, char *temporary);

/* The same for two shapes of one rank and team only if their schedules are the same: a hash of all that they follow
   from, the counts too. */
uint64_t ovl_schedule_key(const struct ovl_coll_shape *shape);

/* Payload: the bytes that the operation leaves in this rank's receive buffer. What the proof of offload counts. */
size_t ovl_schedule_payload(const struct ovl_coll_shape *shape);

#endif
