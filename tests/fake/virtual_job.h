/* A job of many ranks on virtual clocks: each rank runs the real measuring loop, in turn with the others. Nothing here
   takes real time, and the same seed gives the same cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_VIRTUAL_JOB_H
#define OVL_TESTS_FAKE_VIRTUAL_JOB_H

#include "bench/loop.h"

/* Times in ns. */
struct virtual_job {
    int ranks;
    double operation, fraction; /* of the operation, `fraction` progresses alone and the rest inside calls only */
    bool coupled;               /* it begins with the last post of all ranks; else with a rank's own */
    double unit;                /* length of a unit of work */
    double read;                /* of a clock */

    /* Ranks on machines of their own: rank r's clock is ahead by a number in -offset .. offset and quicker by one in
       -rate .. rate. Its model of rank 0's clock is wrong by a normal number, another one after each comparison. */
    double offset, rate;
    double model_error; /* standard deviation */

    /* With `barrier_apart` > 0 there is no start time: ranks leave a barrier at random within so much. Else rank 0
       announces one, by a binomial tree: to rank r in as many hops as r has bits set, each `hop` on average. It is set
       ahead by three times as much as the slowest announcement of the block before. */
    double barrier_apart, hop;

    /* The system's own work: in each sample each rank with this chance either begins `tick` late or is that much longer
       at what it does. */
    double tick_chance, tick;
    uint64_t seed;
};

/* Do coroutines work in this build and under this program? Not under the thread sanitizer, nor under valgrind. */
bool virtual_job_works(void);

/* Measures a cell by `loop`, whose stage, hooks, ranks and clock_read are set here. The result is rank 0's. -1 when
   there is no memory. */
int virtual_job_run(const struct virtual_job *job, const struct ovl_loop *loop, struct ovl_loop_result *result,
                    struct ovl_error *err);

#endif
