/* How an MPI library does its nonblocking collectives: which algorithm at which size. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SIMULATE_LIBRARY_H
#define OVL_SIMULATE_LIBRARY_H

#include "offload/coll/algorithm.h"
#include "simulate/simulate.h"

/* Of an operation's rows the first fits that holds for the size.

   - mpich: maint/tuning/coll/mpir/generic.json of MPICH 4.0 to 4.3; R. Thakur, R. Rabenseifner, W. Gropp, Int. J. High
     Performance Computing Applications 19(1), 2005. Broadcasts and reductions to a root are between the leaders of
   nodes
   - openmpi: ompi/mca/coll/libnbc of Open MPI 4.1 and 5, with its defaults (coll_libnbc_ibcast_skip_dt_decision is
   true); T. Hoefler, A. Lumsdaine, W. Rehm, Implementation and Performance Analysis of Non-Blocking Collective
   Operations for MPI, SC 2007. Knows no nodes */
struct ovl_library_rule {
    enum ovl_operation operation;
    size_t below;          /* holds for fewer bytes, as ovl_algorithm_measure counts them; 0: any number */
    int least;             /* holds from so many on: ranks, or nodes where the leaders of nodes do it */
    int below_number;      /* holds for fewer of them; 0: any number */
    bool power_of_two;     /* holds for 2^n of them */
    bool scarce;           /* holds where there are fewer elements than them, whatever the bytes */
    bool plenty;           /* holds where there are as many elements as the largest 2^n within them, or more */
    bool own_op;           /* holds for sums by an MPI_Op of the program's own alone */
    const char *name;      /* of a row of offload/coll/algorithm.c, which does the same, */
    const char *in_its;    /* what the library calls it */
    enum ovl_operation by; /* or of a row of this operation, which sends the same messages; OVL_NO_OPERATION: its own */
    enum ovl_operation then; /* and then this one, by `name`, too, or by `then_name` */
    const char *then_name;
    bool flat;     /* it knows no nodes */
    bool reversed; /* nor does this one, which takes ranks in another order than ours: with the bits of their numbers
                      from behind, so that halving begins with the nearest, and what is sent down a tree with the
                      nearest child. Where their number is no power of two a halving is played between the leaders of
                      nodes, who have as much to send over a node's link, and a tree in our order, which has less */
};

struct ovl_mpi_library {
    const char *name, *title;
    const struct ovl_library_rule *rules; /* a row without a name ends them */
};

/* A row without a name ends them; the first is the usual one. The names are the words of --library. */
extern const struct ovl_mpi_library ovl_libraries[];
const struct ovl_mpi_library *ovl_library_find(const char *name);

/* The rule for that shape, whose `placement` need not be set, on nodes of so many ranks; `own_op`: it sums by an
   MPI_Op of the program's own. NULL: there is none. */
const struct ovl_library_rule *ovl_library_rule_of(const struct ovl_mpi_library *library,
                                                   const struct ovl_coll_shape *shape, int per_node, bool own_op);

/* Settles how the operation is done, whose shape, with its lists, and members are set. The rule; NULL: there is none.
 */
const struct ovl_library_rule *ovl_library_choose(const struct ovl_mpi_library *library, int per_node,
                                                  struct ovl_sim_operation *operation);

#endif
