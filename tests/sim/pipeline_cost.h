/* What a rank and a worker cost as the job grows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_PIPELINE_COST_H
#define OVL_TESTS_SIM_PIPELINE_COST_H

/* In bytes, beside message buffers; of a job of 128 ranks and 8 workers a node. */
struct cost {
    int ranks, workers;
    double rank_shared; /* command queues to the node's workers, and argument areas */
    double node_shared; /* of all its ranks, and status pages */
    double base;        /* a worker of 16 ranks with a team of all: pools, staging buffers, teams */
    double eager;       /* the most that eager messages may hold, in and out */
    double schedule;    /* one rank's, of an alltoall */
    double build_ms;
    double alltoall; /* all 16 ranks have posted one of 64 KiB a peer, and nobody else has */
};

struct cost cost_of(int ranks);

#endif
