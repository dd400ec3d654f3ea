/* A single operation of all ranks in LogGP's terms, for the suites of the simulation: a = 2 o + L is what a message
 * costs without its bytes, n b what n bytes take on a link. What is expected stands in the literature, and is no
 * function of ovl. Costs of algorithms: R. Thakur, R. Rabenseifner, W. Gropp, Int. J. High Performance Computing
 * Applications 19(1), 2005; of messages: A. Alexandrov and others, LogGP, SPAA 1995. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_UNIT_SIMULATED_H
#define OVL_TESTS_UNIT_SIMULATED_H

#include "offload/coll/algorithm.h"
#include "simulate/operation.h"
#include "simulate/simulate.h"
#include "tests/unit/test.h"

#include <math.h>

static const double L = 2e-6, O = 3e-7, G = 4e-11; /* 200 Gbit/s */
static const double a = 2.6e-6;                    /* 2 O + L */

static inline struct ovl_sim_job job_of(enum ovl_operation operation, const char *algorithm, size_t bytes, int ranks,
                                        int per_node)
{
    struct ovl_sim_job job = {.operation = {.shape = ovl_sim_shape(operation, bytes, 4, ranks, 0), .stride = 1},
                              .per_node = per_node,
                              .rates = {.latency = L, .byte = G, .overhead = O, .eager = SIZE_MAX},
                              .fold = OVL_SIM_FOLD_NEVER};
    job.operation.shape.algorithm = ovl_algorithm_find(operation, algorithm);
    ck_assert_msg(job.operation.shape.algorithm != NULL, "%s", algorithm);
    return job;
}

static inline struct ovl_sim_result run_of(struct ovl_sim_job *job)
{
    struct ovl_sim_result result;
    ck_assert_msg(ovl_sim_run(job, &result, &err) == 0, "%s", err.text);
    return result;
}

static inline double seconds(enum ovl_operation operation, const char *algorithm, size_t bytes, int ranks)
{
    struct ovl_sim_job job = job_of(operation, algorithm, bytes, ranks, 1);
    double t = run_of(&job).seconds;
    ovl_sim_shape_free(&job.operation.shape);
    return t;
}

#define NEAR(is, should)                                                                                               \
    ck_assert_msg(fabs((is) - (should)) <= 1e-9 * (should), "%s: %.9g, not %.9g", #is, (is), (double)(should))

static inline int log2_of(int n)
{
    int log = 0;
    while (1 << log < n)
        log++;
    return log;
}

#endif
