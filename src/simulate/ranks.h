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
};

struct ovl_sim_rank {
    struct ovl_sim_step *step; /* as in the schedule: by first_round */
    uint32_t *pending;         /* steps of each round that have not ended */
    uint32_t *receiving;       /* the receiving steps, by peer and tag */
    uint32_t steps, rounds, receives;
    uint32_t begun, round;
    double ended; /* the operation; NaN: not yet */
};

struct ovl_sim_ranks {
    struct ovl_sim_rank *rank;
    int ranks, nodes, per_node, count; /* `count` of them are played: all, or those of the first node */
    bool folded;
    struct ovl_coll_shape shape; /* the job's; where nodes are folded with parts that are even */
    struct ovl_placement placement;
    size_t memory;
    double messages;
};

/* Schedules of all ranks that are played, as the job says. -1 as ovl_sim_run; the caller ends it by ovl_sim_ranks_free
   in any case. */
int ovl_sim_ranks_make(struct ovl_sim_ranks *ranks, const struct ovl_sim_job *job, struct ovl_error *err);
void ovl_sim_ranks_free(struct ovl_sim_ranks *ranks);

/* Whom a rank's message goes to, of those that are played, and the number by which that one knows the sender. */
int ovl_sim_receiver(const struct ovl_sim_ranks *ranks, int sender, int peer, int *known_as);
/* The sender, of those that are played, of what a rank receives from `peer`. */
int ovl_sim_sender(const struct ovl_sim_ranks *ranks, int peer);

/* The step by which a rank receives that message. There is one: schedules of an operation fit together. */
uint32_t ovl_sim_receiving(const struct ovl_sim_rank *rank, int peer, uint32_t tag);

#endif
