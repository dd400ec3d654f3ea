/* What the schedules of a large team cost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_SCHEDULE_COST_H
#define OVL_TESTS_SIM_SCHEDULE_COST_H

#include "offload/coll/algorithm.h"

/* Of the costliest of some ranks: the first, the last, those in the middle. */
struct schedule_cost {
    size_t steps, rounds, bytes; /* of the schedule itself */
    size_t temporary;            /* bytes of memory that the operation needs while it runs */
    size_t live;                 /* steps that may be under way at a time */
    double seconds;              /* of a core, to build it */
};

/* So many ranks, `each` of them on a node. `bytes` as the shape of the operation counts them; each rank's block where
   there are counts. */
struct schedule_cost schedule_cost(const struct ovl_algorithm *algorithm, int ranks, int each, size_t bytes);

#endif
