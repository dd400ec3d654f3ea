/* The time of operations and plans on ranks that nobody has: their schedules are played, message by message. No MPI,
   and nothing is measured.

   The model is LogGPS: A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, LogGP, SPAA 1995; F. Ino, N. Fujimoto,
   K. Hagihara, LogGPS: A Parallel Computational Model for Synchronization Analysis, PPoPP 2001; as T. Hoefler,
   T. Schneider, A. Lumsdaine simulate it, LogGOPSim, HPDC 2010. A message of k bytes costs a core `overhead` at each
   end, and passes the link of the sender's node and that of the receiver's, which each carry one message at a time,
   first come first served, in k x `byte` seconds, each direction by itself. Larger ones than `eager` ask the receiver
   first. Within a node there is no link. Who moves messages, a rank in its calls, its thread or a worker at any time,
   does one thing at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SIMULATE_SIMULATE_H
#define OVL_SIMULATE_SIMULATE_H

#include "base/error.h"
#include "offload/coll/schedule.h"
#include "plan/play.h"

struct ovl_sim_rates {
    double latency;  /* seconds from node to node */
    double byte;     /* seconds that a byte takes on a node's link */
    double burst;    /* seconds of bytes that a link lets through at once after as long an idleness, as an emulated one
                        does (a token bucket) */
    double overhead; /* seconds of a core for each message, at each end */
    double carry;    /* seconds of a core for each byte that it sends or receives between nodes; 0: adapters do. Bytes
                        of a message are carried while others of it are on a link */
    double copy;     /* seconds of a core for each byte that it copies or combines in memory: a rank's own block, a
                        message within a node, a sum */
    size_t eager;    /* bytes of the largest message that does not ask first */
};

/* Whether one node stands for all of them, where they all do the same at the same time: what goes out to node +m is
   then what comes in from node -m, and P ranks of P messages cost as much as one node of them. Where each node's number
   has a bit turned over, as in recursive doubling, it is the same. */
enum ovl_sim_fold {
    OVL_SIM_FOLD_LARGE, /* where there are many messages, and nodes are alike */
    OVL_SIM_FOLD_NEVER,
    OVL_SIM_FOLD_ALWAYS, /* OVL_USAGE where nodes are not alike */
};

enum ovl_sim_mover {
    OVL_SIM_BY_CALLS,   /* the rank itself: at a post what begins, in waits and tests all that is there */
    OVL_SIM_BY_THREADS, /* one of each rank, at any time */
    OVL_SIM_BY_WORKERS, /* those of a node, at any time */
};

struct ovl_sim_machine {
    int per_node; /* ranks of a node, in order; the last node may have fewer */
    struct ovl_sim_rates rates;
    enum ovl_sim_mover mover;
    int workers; /* of a node; 1 or more where these move messages */
    bool shared; /* threads stand on their ranks' cores, and worker w of a node on that of its rank w: what they work
                    is taken from what that rank computes meanwhile */
    enum ovl_sim_fold fold;
    int ring_rounds; /* of a ring at most, which are played one by one; where there are more each stands for several,
                        and costs as many times as much. 0: OVL_SIM_RING_ROUNDS */
};

/* Enough to be within 2 % of all rounds: what is lost is a part of one of them. */
enum { OVL_SIM_RING_ROUNDS = 128 };

/* An operation of the ranks first, first + stride, ... */
struct ovl_sim_operation {
    struct ovl_coll_shape shape; /* of every member: `rank` and `placement` are set here, `algorithm` is chosen, lists
                                    are alike at all. A pair's message goes from member `from` to member `to` */
    int first, stride;
    struct ovl_coll_shape then; /* another operation of the same ranks, which they begin when they have done their part
                                   of the first; OVL_NO_OPERATION: none. It has no lists */
    bool own_op;                /* it sums by an MPI_Op of the program's own, which libraries treat otherwise */
    bool flat;                  /* its algorithms know no nodes */
    bool reversed;              /* rank 1 does what the schedule has for 100...0: of 2^n ranks */
    int ring_rounds;            /* set here, from the machine's */
};

/* What all ranks do. */
struct ovl_sim_program {
    const struct ovl_app_plan *plan; /* that ovl_app_check would accept */
    enum ovl_app_mask mask;          /* TOTAL, COMM or WORK */
    bool polls;                      /* do ranks test what is outstanding between the units of a computation? */
    bool alike;                      /* all ranks do the same, and each operation is of all of them */
    const void *of;                  /* for these: */
    double (*seconds)(const void *of, int rank, const struct ovl_app_step *compute);
    /* Of a POST or SYNC. The lists of the shape are freed here, by ovl_sim_shape_free. */
    struct ovl_sim_operation (*operation)(const void *of, int rank, const struct ovl_app_step *step);
};

struct ovl_sim_result {
    double seconds;  /* till the last rank has done all */
    double work;     /* seconds that the rank with most computes */
    double messages; /* of all ranks */
    bool folded;     /* one node stands for all */
    size_t memory;   /* bytes that it took at most */
};

/* The most messages and other steps of an operation that are played one by one; those of more cost too much memory. */
enum { OVL_SIM_STEPS_MOST = 24000000 };

/* All ranks begin at the same time. Takes seconds by events x log of those under way. -1 with OVL_USAGE where an
   operation has too many messages, OVL_ENVIRONMENT without memory. */
int ovl_sim_play(const struct ovl_sim_program *program, const struct ovl_sim_machine *machine,
                 struct ovl_sim_result *result, struct ovl_error *err);

/* A single operation, posted and waited for, with work in between. */
struct ovl_sim_job {
    struct ovl_sim_operation operation; /* of all ranks; its lists are the caller's */
    int per_node;
    struct ovl_sim_rates rates;
    enum ovl_sim_fold fold;
    int ring_rounds; /* as in struct ovl_sim_machine */
    int workers;     /* of a node, who move all messages of their ranks; 0: the ranks do, in their calls */
    bool threads;    /* of each rank, who do, in place of these */
    bool shared;     /* as in struct ovl_sim_machine */
    double work;     /* seconds that each rank computes, from the post on; 0: it waits at once */
    uint64_t tests;  /* calls of MPI_Test of a rank in between, evenly spread */
};

/* As ovl_sim_play. */
int ovl_sim_run(const struct ovl_sim_job *job, struct ovl_sim_result *result, struct ovl_error *err);

#endif
