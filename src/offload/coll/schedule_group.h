/* Inside the schedules: ranks in an order, and the parts of algorithms that several operations share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_SCHEDULE_GROUP_H
#define OVL_OFFLOAD_COLL_SCHEDULE_GROUP_H

#include "offload/coll/schedule_builder.h"

/* Some of the ranks in an order. It allocates nothing: it looks into the team's placement. */
struct ovl_schedule_group {
    int members, position; /* position of this rank, or -1 */
    int first;             /* where in the order below member 0 stands; the order goes round */
    const int *order;      /* the ranks; NULL: 0, 1, 2, ... */
    const int *begin;      /* not NULL: only those of `order` that stand at these places */
    int root;              /* stands for whoever would be member 0; -1: nobody does */
};

/* Ranks by number, from `root`. */
struct ovl_schedule_group ovl_group_all(const struct ovl_coll_shape *shape, int root);
/* All ranks, those of a node next to each other, so that a ring crosses each node's link once. */
struct ovl_schedule_group ovl_group_ring(const struct ovl_coll_shape *shape);
/* The ranks of this rank's node; its leader first, which is the root where it is on the node (-1: there is none), else
   the lowest rank. */
struct ovl_schedule_group ovl_group_node(const struct ovl_coll_shape *shape, int root);
/* The leader of each node, in the order in which nodes appear, from the root's on. */
struct ovl_schedule_group ovl_group_leaders(const struct ovl_coll_shape *shape, int root);

/* The rank of member i, which may be below 0 or above the last one: the order goes round. */
int ovl_group_rank(const struct ovl_schedule_group *g, int i);

/* A part of a vector. */
struct ovl_part {
    size_t offset, bytes;
};

/* Binomial trees. After the first the sum over the group stands at member 0, in what is returned: `sum`, or `now` if
   there is one member; `now` may be `sum`. Receives need `sum` at all members with an even position. */
struct ovl_bufref ovl_build_tree_reduce(struct ovl_builder *b, const struct ovl_schedule_group *g,
                                        struct ovl_bufref now, struct ovl_bufref sum, size_t bytes, uint32_t tag);
void ovl_build_tree_bcast(struct ovl_builder *b, const struct ovl_schedule_group *g, struct ovl_bufref buffer,
                          size_t bytes, uint32_t tag);

/* Member 0 sends bytes to each other one. */
void ovl_build_fan_out(struct ovl_builder *b, const struct ovl_schedule_group *g, struct ovl_bufref from, size_t bytes,
                       uint32_t tag);

/* Rounds of a ring, after which this member's part of `input`, combined over the group, stands in `to`: memory apart
   from `input`, or the own part of it. parts[i] is member i's. Uses members - 1 tags. */
void ovl_build_ring_reduce(struct ovl_builder *b, const struct ovl_schedule_group *g, const struct ovl_part *parts,
                           struct ovl_bufref input, struct ovl_bufref to, uint32_t tag);

/* Rounds of a ring, after which all parts stand in `base`. In the first one the own part is taken from `own`. May be
   received from round `first_round` on. Uses members - 1 tags. */
void ovl_build_ring_gather(struct ovl_builder *b, const struct ovl_schedule_group *g, const struct ovl_part *parts,
                           struct ovl_bufref own, struct ovl_bufref base, int first_round, uint32_t tag);

/* Dissemination, for any number of members: in round k each sends 2^k parts to the member 2^k before it. Member i's
   part of `base` reaches from offset[i] to offset[i + 1], and stands there. Where the parts go round the end they go in
   two messages, so that none is copied. */
void ovl_build_dissemination(struct ovl_builder *b, const struct ovl_schedule_group *g, const size_t *offset,
                             struct ovl_bufref base, int first_round, uint32_t tag);

/* A power of two of a group's members, its core: the first 2 x surplus members fold in pairs, of which the even one is
   in the core. Core member i speaks for members first(i) to first(i + 1) - 1. */
struct ovl_core {
    const struct ovl_schedule_group *group;
    int power, surplus, position; /* position in the core, or -1 */
};

struct ovl_core ovl_core_of(const struct ovl_schedule_group *g);
int ovl_core_first(const struct ovl_core *c, int i);
int ovl_core_rank(const struct ovl_core *c, int i);

/* The odd one of a pair sends `now`, and the even one combines it into `sum`. Returns where the sum stands, `now` where
   none was made. */
struct ovl_bufref ovl_build_fold(struct ovl_builder *b, const struct ovl_core *c, struct ovl_bufref now,
                                 struct ovl_bufref sum, size_t bytes, uint32_t tag);

/* Recursive halving, after which core member i has the sum over the core of its part, from offset[i] to offset[i + 1],
   at that place of `sum`; `now` holds what it brings, and may be `sum`. */
void ovl_build_halving(struct ovl_builder *b, const struct ovl_core *c, const size_t *offset, struct ovl_bufref now,
                       struct ovl_bufref sum, uint32_t tag);

/* Recursive doubling, after which each core member has all parts of `base`, of which it has its own. May be received
   from round `first_round` on. */
void ovl_build_doubling(struct ovl_builder *b, const struct ovl_core *c, const size_t *offset, struct ovl_bufref base,
                        int first_round, uint32_t tag);

#endif
