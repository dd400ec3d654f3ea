/* What each rank has to do, in the few bytes that a simulation needs of its schedule. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SIMULATE_RANKS_H
#define OVL_SIMULATE_RANKS_H

#include "simulate/simulate.h"

enum { OVL_SIM_BEGUN = 1, OVL_SIM_ASKING = 2, OVL_SIM_HERE = 4 }; /* what is known of a receiving step */

struct ovl_sim_step {
    uint64_t bytes; /* of a step without a peer: all that it copies */
    int peer;
    uint32_t tag, round, first_round;
    uint32_t other; /* of a receiving one that was asked: the sender's step */
    uint8_t kind;   /* enum ovl_step_kind */
    uint8_t state;
    uint32_t times; /* messages that it stands for, one behind the other; 1 but of long rings */
};

struct ovl_sim_rank {
    struct ovl_sim_step *step; /* as in the schedule: by first_round */
    uint32_t *pending;         /* steps of each round that have not ended */
    uint32_t *receiving;       /* the receiving steps, by peer and tag */
    uint32_t steps, rounds, receives;
    uint32_t begun, round;
    bool posted;
    double ended; /* the operation; NaN: not yet */
};

struct ovl_sim_ranks {
    struct ovl_sim_rank *rank;
    int ranks, per_node, count; /* members; ranks of the job on a node; `count` members are played: all, or those of the
                                   first node */
    int first, stride;          /* of the job's ranks */
    bool folded, turned;        /* one node stands for all; their numbers differ in bits, and are not moved */
    bool tags_move;             /* between nodes tags are numbers of ranks, and move with these */
    struct ovl_coll_shape shape; /* the operation's; where nodes are folded with parts that are even */
    struct ovl_coll_shape then;  /* the second one's */
    struct ovl_tuning tuning;    /* of both */
    bool reversed;
    struct ovl_placement placement;
    size_t memory;
    double messages;
};

/* How nodes do the same: what one does is what the first does, moved by so many ranks, with tags that are numbers of
   ranks or without, or with bits of their numbers turned over. */
enum ovl_sim_alike { OVL_SIM_UNLIKE, OVL_SIM_MOVED, OVL_SIM_TAGS_MOVED, OVL_SIM_TURNED };

/* Schedules of all members; of the first node alone, which stands for all, where `alike` is how these are alike, as
   ovl_sim_ranks_guess has found. -1 as ovl_sim_play; the caller ends it by ovl_sim_ranks_free in any case. The shape's
   lists are lent till then. */
int ovl_sim_ranks_make(struct ovl_sim_ranks *ranks, const struct ovl_sim_operation *operation, int per_node,
                       enum ovl_sim_alike alike, struct ovl_error *err);
void ovl_sim_ranks_free(struct ovl_sim_ranks *ranks);

/* What would be played: steps of all members, if other nodes have as many as the last one, and, where `look`, how nodes
   are alike. -1 as above. */
int ovl_sim_ranks_guess(const struct ovl_sim_operation *operation, int per_node, bool look, double *steps,
                        enum ovl_sim_alike *alike, struct ovl_error *err);

/* The node of a member, by its number among all. */
static inline int ovl_sim_node(const struct ovl_sim_ranks *t, int member)
{
    return (t->first + member * t->stride) / t->per_node;
}

/* Whom a member's message goes to, of those that are played, and the number and the tag by which that one knows it. */
int ovl_sim_receiver(const struct ovl_sim_ranks *ranks, int sender, int peer, int *known_as, uint32_t *tag);
/* The sender, of those that are played, of what a member receives from `peer`. */
int ovl_sim_sender(const struct ovl_sim_ranks *ranks, int peer);

/* The step by which a member receives that message. There is one: schedules of an operation fit together. */
uint32_t ovl_sim_receiving(const struct ovl_sim_rank *rank, int peer, uint32_t tag);

#endif
