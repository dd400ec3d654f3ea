/* How long a plan takes at least, whatever its runner, the operating system and the network do: from its steps and the
   seconds that each needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_BOUND_H
#define OVL_PLAN_BOUND_H

#include "plan/match.h"

/* Where the ranks are, and what joins their nodes. */
struct ovl_app_machine {
    int nodes;
    const int *node; /* [ranks], from 0 */
    double rate;     /* bytes a second of a node's link, each way; INFINITY where it is not known */
    double burst;    /* bytes that an idle link lets through at once, as an emulated one does; 0 */
    double carry;    /* seconds that a core needs to carry a byte in or out, where the ranks' own machine carries all
                        links' bytes, as that of an emulated cluster; NaN where it does not, or where that is not known */
    int cores;       /* of that machine, and where they have hardware threads, these */
};

/* Seconds. */
struct ovl_app_bounds {
    double core;  /* a rank's COMPUTE and SYNC steps, one after the other on its core */
    double path;  /* the longest path through all ranks' steps, with each operation's own bytes on the link */
    double link;  /* what the bytes through one direction of one node's link take, less what its burst lets through */
    double bound; /* the largest of these */
    double here;  /* all COMPUTE steps and the carrying of all bytes, by one core as quick as all of the machine's; NaN
                     without `carry` */
    double bound_here; /* the largest of all; NaN without `carry` */
};

/* `least` has the seconds that each step needs at least (of all steps, in the order of the lists): of COMPUTE its work;
   of WAIT and SYNC, at a member that gets something, the time from the last post of those that send to its end there.
   That is what the operation takes alone only where one member sends, as in a broadcast: where several do, the data of
   the early ones may be there when the last one posts, and only what holds for its own data may be given, or 0. Other
   numbers are not looked at.

   A byte comes in no earlier than the first post of a member on another node from which this rank needs something, and
   is there when the rank's WAIT has ended; it goes out no earlier than its own post, and is there when the first member
   on another node that needs it has ended. A rank alone on its core is taken for granted. -1 with *err filled as by
   ovl_app_play. */
int ovl_app_bounds_of(const struct ovl_app_steps *s, const struct ovl_app_ops *ops, const struct ovl_app_machine *m,
                      const double *least, struct ovl_app_bounds *out, struct ovl_error *err);

/* The COMPUTE steps of a rank, in seconds. */
double ovl_app_work(const struct ovl_app_steps *s, int rank, const double *least);

/* The larger of what has to come in over a node's link and what has to go out. */
double ovl_app_link_bytes(const struct ovl_app_steps *s, const int *node_of, int node);

/* What no plan for the same problem can go below: the work of a rank by the scheme that has least of it, the bytes of a
   node's link by the scheme that moves least. work[schemes][ranks] in seconds, link_bytes[schemes][nodes]. */
double ovl_app_any_bound(int schemes, int ranks, const double *work, const struct ovl_app_machine *m,
                         const double *link_bytes);

#endif
