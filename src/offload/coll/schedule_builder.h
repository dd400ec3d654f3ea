/* Inside the schedules: adding steps to one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_SCHEDULE_BUILDER_H
#define OVL_OFFLOAD_COLL_SCHEDULE_BUILDER_H

#include "offload/coll/schedule.h"

enum { OVL_BUILD_LISTS = 4 };

struct ovl_builder {
    const struct ovl_coll_shape *shape;
    struct ovl_schedule *schedule;
    size_t room;
    bool failed; /* there was no memory */
    int round;   /* to which steps are added */
    size_t *list[OVL_BUILD_LISTS];
    int lists;
};

/* A phase of an algorithm has tags of its own, counted from ovl_tag(phase). */
static inline uint32_t ovl_tag(unsigned phase)
{
    return (uint32_t)phase << 24;
}

/* Messages without bytes are left out, but for ovl_build_signal. `first_round` is clipped to the present round; from
   then on `to` may be written, and for a reduction `from` be read. */
void ovl_build_send(struct ovl_builder *b, int peer, uint32_t tag, struct ovl_bufref from, size_t bytes);
void ovl_build_recv(struct ovl_builder *b, int first_round, int peer, uint32_t tag, struct ovl_bufref to, size_t bytes);
void ovl_build_reduce(struct ovl_builder *b, int first_round, int peer, uint32_t tag, struct ovl_bufref from,
                      struct ovl_bufref to, size_t bytes);
void ovl_build_copy(struct ovl_builder *b, struct ovl_bufref from, struct ovl_bufref to, size_t bytes);
/* Blocks of `bytes` each from `from` to `to` in the temporary memory; strides are counted in blocks. */
void ovl_build_strided(struct ovl_builder *b, size_t from, int from_stride, size_t to, int to_stride, size_t bytes,
                       int blocks);
/* Any step, of the present round. */
void ovl_build_step(struct ovl_builder *b, struct ovl_step step);
/* An empty message to one rank and from another. */
void ovl_build_signal(struct ovl_builder *b, int to, int from, uint32_t tag);

/* After the last step: puts them in order. -1 when there is no memory. */
int ovl_build_finish(struct ovl_builder *b);

/* Takes bytes of the temporary memory, aligned for any number. */
struct ovl_bufref ovl_build_temporary(struct ovl_builder *b, size_t bytes);

/* A zeroed list of n numbers that lasts as long as the builder; NULL, and the builder has failed, when there is no
   memory. */
size_t *ovl_build_list(struct ovl_builder *b, int n);

/* The buffer that holds what this rank brings. */
static inline struct ovl_bufref ovl_build_input(const struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    bool in_place = s->in_place && (!ovl_operations[s->operation].rooted || s->rank == s->root);
    return (struct ovl_bufref){in_place ? OVL_RECV_BUFFER : OVL_SEND_BUFFER, 0};
}

/* The schedule of each algorithm. */
void ovl_build_alltoall_bruck(struct ovl_builder *b);
void ovl_build_alltoall_pairwise(struct ovl_builder *b);
void ovl_build_alltoall_one_by_one(struct ovl_builder *b);
void ovl_build_alltoallv_pairwise(struct ovl_builder *b);
void ovl_build_bcast_binomial(struct ovl_builder *b);
void ovl_build_bcast_chain(struct ovl_builder *b);
void ovl_build_bcast_chain_modified(struct ovl_builder *b);
void ovl_build_bcast_two_chains(struct ovl_builder *b);
void ovl_build_bcast_two_chains_modified(struct ovl_builder *b);
void ovl_build_bcast_scatter_allgather(struct ovl_builder *b);
void ovl_build_bcast_scatter_ring(struct ovl_builder *b);
void ovl_build_allreduce_doubling(struct ovl_builder *b);
void ovl_build_allreduce_rabenseifner(struct ovl_builder *b);
void ovl_build_allreduce_ring(struct ovl_builder *b);
void ovl_build_allreduce_szx(struct ovl_builder *b);
void ovl_build_reduce_binomial(struct ovl_builder *b);
void ovl_build_reduce_rabenseifner(struct ovl_builder *b);
void ovl_build_allgather_doubling(struct ovl_builder *b);
void ovl_build_allgather_bruck(struct ovl_builder *b);
void ovl_build_allgather_hierarchical(struct ovl_builder *b);
void ovl_build_allgather_ring(struct ovl_builder *b);
void ovl_build_reduce_scatter_halving(struct ovl_builder *b);
void ovl_build_reduce_scatter_pairwise(struct ovl_builder *b);
void ovl_build_reduce_scatter_ring(struct ovl_builder *b);
void ovl_build_gather_binomial(struct ovl_builder *b);
void ovl_build_gather_linear(struct ovl_builder *b);
void ovl_build_scatter_binomial(struct ovl_builder *b);
void ovl_build_scatter_linear(struct ovl_builder *b);
void ovl_build_barrier(struct ovl_builder *b);
void ovl_build_pair(struct ovl_builder *b);

#endif
