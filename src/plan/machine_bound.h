/* The preemptive one-machine bound: jobs that one core, or one direction of a link, has to do, each not before it is
   there, and with something behind it. J. R. Jackson's rule, always that job which has most behind it, is optimal where
   jobs may be interrupted (Horn, Naval Research Logistics Quarterly 21, 1974), so no order whatever ends earlier. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_MACHINE_BOUND_H
#define OVL_PLAN_MACHINE_BOUND_H

#include <stddef.h>

/* Times in one unit: when it is there, what it takes of the machine, what must follow before all is done. */
struct ovl_machine_job {
    double head, work, tail;
};

/* When the last tail ends, at the earliest; 0 without jobs. Puts the jobs in another order and spends their work: fill
   them again for another call. `heap` has room for n. */
double ovl_machine_bound(struct ovl_machine_job *jobs, size_t n, struct ovl_machine_job **heap);

#endif
