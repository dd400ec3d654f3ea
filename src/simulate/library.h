/* How an MPI library does its nonblocking collectives: which algorithm at which size. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SIMULATE_LIBRARY_H
#define OVL_SIMULATE_LIBRARY_H

#include "offload/coll/algorithm.h"

/* MPICH's rules, with the defaults of its variables: mpir_coll_sched_auto.c of MPICH 4, and R. Thakur, R. Rabenseifner,
   W. Gropp, Int. J. High Performance Computing Applications 19(1), 2005. Of an operation's rows the first fits that
   holds for the size. */
struct ovl_library_rule {
    enum ovl_operation operation;
    size_t below;       /* holds for fewer bytes, as ovl_algorithm_measure counts them; 0: any number */
    int least;          /* holds from so many on: ranks, or nodes where the leaders of nodes do it */
    int below_number;   /* holds for fewer of them; 0: any number */
    bool power_of_two;  /* holds for 2^n of them */
    bool scarce;        /* holds where there are fewer elements than them, whatever the bytes */
    const char *name;   /* of a row of offload/coll/algorithm.c, which does the same */
    const char *in_its; /* what MPICH calls it */
};

/* A row without a name ends them. */
extern const struct ovl_library_rule ovl_library_mpich[];

/* The rule for that shape, whose `placement` need not be set, on nodes of so many ranks; NULL: there is none. */
const struct ovl_library_rule *ovl_library_rule_of(const struct ovl_coll_shape *shape, int per_node);

#endif
