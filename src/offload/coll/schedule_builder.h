/* Inside the schedules: adding steps, and the parts that operations share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_SCHEDULE_BUILDER_H
#define OVL_OFFLOAD_COLL_SCHEDULE_BUILDER_H

#include "offload/coll/schedule.h"

struct ovl_builder {
    const struct ovl_coll_shape *shape;
    struct ovl_schedule *schedule;
    size_t room;
    bool failed; /* there was no memory */
    int round;   /* to which steps are added */
};

/* Messages without bytes are left out, but for ovl_build_signal. `since` is clipped to the present round; from then on
   `to` may be written, and for a reduction `from` be read. */
void ovl_build_send(struct ovl_builder *b, int peer, uint32_t tag, struct ovl_bufref from, size_t bytes);
void ovl_build_recv(struct ovl_builder *b, int first_round, int peer, uint32_t tag, struct ovl_bufref to, size_t bytes);
void ovl_build_reduce(struct ovl_builder *b, int first_round, int peer, uint32_t tag, struct ovl_bufref from,
                      struct ovl_bufref to, size_t bytes);
void ovl_build_copy(struct ovl_builder *b, struct ovl_bufref from, struct ovl_bufref to, size_t bytes);
/* An empty message to one rank and from another. */
void ovl_build_signal(struct ovl_builder *b, int to, int from, uint32_t tag);

/* After the last step: puts them in order. -1 when there is no memory. */
int ovl_build_finish(struct ovl_builder *b);

/* Takes bytes of the temporary memory, aligned for any number. */
struct ovl_bufref ovl_build_temporary(struct ovl_builder *b, size_t bytes);

/* The buffer that holds what this rank brings. */
static inline struct ovl_bufref ovl_build_input(const struct ovl_builder *b)
{
    return (struct ovl_bufref){b->shape->in_place ? OVL_RECV_BUFFER : OVL_SEND_BUFFER, 0};
}

/* Some of the ranks in an order, with this one among them. */
struct ovl_ring {
    int members, position;
    int *member; /* ranks; the caller frees it. NULL when there is no memory */
};

/* All ranks, those of a node next to each other, so that a ring crosses each node's link once. */
struct ovl_ring ovl_ring_of_ranks(const struct ovl_coll_shape *shape);

/* One rank of each node, by the order in which nodes appear: the root for its node (and first) when root >= 0, else the
   lowest. `position` is -1 at a rank that leads nothing; *leader is who leads its node. */
struct ovl_ring ovl_ring_of_leaders(const struct ovl_coll_shape *shape, int root, int *leader);

/* A part of the vector for each member of a circle. */
struct ovl_part {
    size_t offset, bytes;
};

/* Rounds of a ring, after which this member's part of `input`, combined over the circle, stands in `to`: memory apart
   from `input`, or the own part of it. Uses members - 1 tags from `tag`. */
void ovl_build_ring_reduce(struct ovl_builder *b, const struct ovl_ring *c, const struct ovl_part *parts,
                           struct ovl_bufref input, struct ovl_bufref to, uint32_t tag);

/* Rounds of a ring, after which all parts stand in the receive buffer. In the first one the own part is taken from
   `own`. May be received from round `since` on. Uses members - 1 tags from `tag`. */
void ovl_build_ring_gather(struct ovl_builder *b, const struct ovl_ring *c, const struct ovl_part *parts,
                           struct ovl_bufref own, int first_round, uint32_t tag);

/* The schedule of each operation. */
void ovl_build_alltoall(struct ovl_builder *b);
void ovl_build_alltoallv(struct ovl_builder *b);
void ovl_build_barrier(struct ovl_builder *b);
void ovl_build_allgather(struct ovl_builder *b);
void ovl_build_bcast(struct ovl_builder *b);
void ovl_build_allreduce(struct ovl_builder *b);
void ovl_build_reduce_scatter(struct ovl_builder *b);

#endif
