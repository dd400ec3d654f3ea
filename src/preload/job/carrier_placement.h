/* Placement of carriers: from the locations of all ranks each rank computes, with the same result, which nodes there
 * are, which rank of a node starts its carriers, and which carrier serves which rank. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_JOB_CARRIER_PLACEMENT_H
#define OVL_PRELOAD_JOB_CARRIER_PLACEMENT_H

#include "base/error.h"
#include "machine/cpu_quota.h"
#include "offload/worker/worker.h"

#include <sched.h>
#include <stdbool.h>

/* Where a rank is. Ranks with one number `node` share memory; emulated nodes may share a `machine`. */
struct ovl_rank_location {
    uint64_t node, machine;
    struct ovl_cpu_quota quota;
    int threads; /* that compute at it; below 2: one */
};

/* As rank `rank` sees it. Nodes are numbered by their lowest ranks, which start their carriers, and carriers by nodes.
 */
struct ovl_carrier_placement {
    int nodes, carriers;
    struct ovl_rank_info *peers;    /* of each rank its carrier and its node */
    int *starts;                    /* of each rank, how many carriers it starts */
    int node, first, node_carriers; /* of this rank: its node, and that node's first carrier and number of carriers */
    int machine_ranks, machine_threads, machine_carriers; /* ranks, their threads, and carriers */
    cpu_set_t node_cpus, machine_cpus; /* of ovl_carrier_placement_add_cpus, of the node and of the machine */
    bool over_quota; /* more threads and carriers than processors in the rank's quota, which its own carriers share */
};

/* `workers` a node, but not more than it has ranks; `node_ranks`: so many ranks of a node count as one; 0: all. */
void ovl_carrier_placement_make(struct ovl_carrier_placement *s, const struct ovl_rank_location *locations, int ranks,
                                int rank, int workers, int node_ranks);
/* Rank `other` of its machine may run on these processors: only who starts carriers asks. */
void ovl_carrier_placement_add_cpus(struct ovl_carrier_placement *s, int other, const cpu_set_t *cpus);
void ovl_carrier_placement_free(struct ovl_carrier_placement *s);

#endif
