/* What the files of the simulation share: who moves messages, and what is under way. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SIMULATE_STATE_H
#define OVL_SIMULATE_STATE_H

#include "simulate/event.h"
#include "simulate/ranks.h"
#include "simulate/simulate.h"

/* Who works at messages: a rank in its calls, its thread, or a worker. */
struct ovl_sim_actor {
    double busy;     /* until then: the time of what it has looked at last, or when it will have done its work */
    double worked;   /* it has had nothing to do since then, and has been in a call */
    double until;    /* a rank computes until then, and looks at nothing */
    int core;        /* the rank whose computation its work delays, or -1 */
    int first, last; /* what waits for its next call, in `waiting`; -1: nothing */
};

struct ovl_sim_waiting {
    struct ovl_sim_event event;
    int next;
};

/* An operation that some have posted and not all have waited for. */
struct ovl_sim_op {
    struct ovl_sim_ranks members;
    int team, left;          /* members that have not waited for it */
    size_t place;            /* its number among the team's */
    struct ovl_sim_op *next; /* of the team */
};

/* A rank, as it goes through its plan. */
struct ovl_sim_player {
    struct ovl_sim_lane {
        struct ovl_app_step *steps; /* of the present group */
        int count, room, at, unit;
        size_t group;
    } lane[OVL_LANES];
    struct ovl_sim_op **slot;
    struct ovl_sim_op *sync, *waits_for;
    bool synced; /* the SYNC that stands next is posted, in `sync` */
    struct ovl_sim_turn {
        int team;
        size_t posted;
    } * teams;
    int team_count, outstanding;
    double now; /* free from then on; of a rank that moves its messages that is in its actor */
    double until, stolen, work;
    enum { OVL_SIM_RUNS, OVL_SIM_COMPUTES, OVL_SIM_WAITS, OVL_SIM_DONE } state;
    enum ovl_app_lane computes;
    int to; /* units */
};

struct ovl_sim_play {
    const struct ovl_sim_program *program;
    const struct ovl_sim_machine *machine;
    int ranks, count, nodes; /* `count` ranks and `nodes` nodes are played */
    bool folded;
    struct ovl_sim_events events;
    struct ovl_sim_actor *actor;
    double *out, *in; /* each node's link is free from then on */
    struct ovl_sim_waiting *waiting;
    size_t waits, waits_room;
    int unused; /* of `waiting` */
    struct ovl_sim_player *player;
    struct ovl_sim_guess {
        uint64_t key; /* of the operation's schedule */
        double steps;
        enum ovl_sim_alike alike;
    } * guess; /* of operations that were looked at: a plan has many, of few kinds */
    size_t guesses;
    struct ovl_sim_op **team; /* [teams]: what of it is under way */
    int teams;
    size_t memory, memory_most; /* of schedules */
    double messages;
};

/* fold.c. Looks at the operations of rank 0, which are those of all where these are alike, and sets p->folded. -1 as
   ovl_sim_play. */
int ovl_sim_choose_fold(struct ovl_sim_play *p, struct ovl_error *err);
/* What was found of that operation, or, where `look`, is found now. NULL as ovl_sim_play. */
const struct ovl_sim_guess *ovl_sim_guess(struct ovl_sim_play *p, const struct ovl_sim_operation *operation, bool look,
                                          struct ovl_error *err);

struct ovl_sim_actor *ovl_sim_actor_of(const struct ovl_sim_play *p, int rank);

/* The rank of the job that a played member is. */
static inline int ovl_sim_member_rank(const struct ovl_sim_op *op, int member)
{
    return op->members.first + member * op->members.stride;
}

/* messages.c. A member has posted: begins what may begin, not before `now`. */
void ovl_sim_begin(struct ovl_sim_play *p, struct ovl_sim_op *op, int member, double now);
/* An event other than OVL_SIM_GO_ON. */
void ovl_sim_happen(struct ovl_sim_play *p, const struct ovl_sim_event *event);
/* The rank is in a call at that time: looks at all that has waited for one. */
void ovl_sim_call(struct ovl_sim_play *p, int rank, double now);

/* player.c. Seconds till which a rank is busy: those of its actor where it moves its messages. */
double *ovl_sim_clock(struct ovl_sim_play *p, int rank);
/* The steps of a lane's present group. */
void ovl_sim_load(struct ovl_sim_play *p, int rank, enum ovl_app_lane lane);
/* Goes on until it computes, waits or has done all; from OVL_SIM_GO_ON on. -1 as ovl_sim_play. */
int ovl_sim_advance(struct ovl_sim_play *p, int rank, struct ovl_error *err);
int ovl_sim_go_on(struct ovl_sim_play *p, int rank, double now, struct ovl_error *err);
void ovl_sim_op_free(struct ovl_sim_play *p, struct ovl_sim_op *op);

#endif
