/* The time of one operation on ranks that nobody has: a simulation of its schedules, message by message. No MPI, and
   nothing is measured.

   The model is LogGPS: A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, LogGP, SPAA 1995; F. Ino, N. Fujimoto,
   K. Hagihara, LogGPS: A Parallel Computational Model for Synchronization Analysis, PPoPP 2001; as T. Hoefler,
   T. Schneider, A. Lumsdaine simulate it, LogGOPSim, HPDC 2010. A message of k bytes costs a core `overhead` at each
   end, and passes the link of the sender's node and that of the receiver's, which each carry one message at a time,
   first come first served, in k x `byte` seconds, each direction by itself. Larger ones than `eager` ask the receiver
   first. Within a node there is no link. What works at messages, a rank in its calls or a worker at any time, does one
   thing at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SIMULATE_SIMULATE_H
#define OVL_SIMULATE_SIMULATE_H

#include "base/error.h"
#include "offload/coll/schedule.h"

struct ovl_sim_rates {
    double latency;  /* seconds from node to node */
    double byte;     /* seconds that a byte takes on a node's link */
    double overhead; /* seconds of a core for each message, at each end */
    double carry;    /* seconds of a core for each byte that it sends, receives, copies or combines; 0: adapters do */
    size_t eager;    /* bytes of the largest message that does not ask first */
};

/* Whether one node stands for all of them, where they all do the same at the same time: what goes out to node +m is
   then what comes in from node -m, and P ranks of P messages cost as much as one node of them. */
enum ovl_sim_fold {
    OVL_SIM_FOLD_LARGE, /* where there are many messages, and nodes are alike */
    OVL_SIM_FOLD_NEVER,
    OVL_SIM_FOLD_ALWAYS, /* OVL_USAGE where nodes are not alike */
};

struct ovl_sim_job {
    /* Of every rank: `rank` and `placement` are set here, `algorithm` is chosen, lists are alike at all. */
    struct ovl_coll_shape shape;
    int per_node; /* ranks of a node, in order; the last node may have fewer */
    struct ovl_sim_rates rates;
    enum ovl_sim_fold fold;
    int workers;    /* of a node, who move all messages of their ranks; 0: the ranks do, in their calls */
    double work;    /* seconds that each rank computes, from the post on; 0: it waits at once */
    uint64_t tests; /* calls of MPI_Test of a rank in between, evenly spread */
};

struct ovl_sim_result {
    double seconds;  /* till the last rank has both done its work and its part of the operation */
    double messages; /* of all ranks */
    bool folded;     /* one node stands for all */
    size_t memory;   /* bytes that it took */
};

/* The most messages and other steps that are played one by one; those of more cost too much memory. */
enum { OVL_SIM_STEPS_MOST = 24000000 };

/* Seconds grow with events x log of those under way. -1 with OVL_USAGE where it has too many messages, OVL_ENVIRONMENT
   without memory. */
int ovl_sim_run(const struct ovl_sim_job *job, struct ovl_sim_result *result, struct ovl_error *err);

#endif
