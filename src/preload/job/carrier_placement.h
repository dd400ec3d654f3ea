/* Who sits where: from what each rank says of its place all ranks find, alike and without another word, which nodes
 * there are, which rank of each starts carriers, and who serves whom. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_JOB_CARRIER_PLACEMENT_H
#define OVL_PRELOAD_JOB_CARRIER_PLACEMENT_H

#include "base/error.h"
#include "machine/cpu_quota.h"
#include "offload/worker/worker.h"

#include <sched.h>
#include <stdbool.h>

/* Of a rank. Equal numbers, equal nodes (memory is shared); equal machines, which nodes that are emulated share. */
struct ovl_rank_location {
    uint64_t node, machine;
    cpu_set_t cpus; /* on which it may run */
    struct ovl_cpu_quota quota;
};

/* As rank `rank` sees it. Nodes are numbered by their lowest ranks, which start their carriers, and carriers by nodes.
 */
struct ovl_carrier_placement {
    int nodes, carriers;
    struct ovl_rank_info *peers;    /* of each rank its carrier and its node */
    int *starts;                    /* of each rank, how many carriers it starts */
    int node, first, node_carriers; /* the rank's node, its first carrier, and how many it has */
    int machine_ranks, machine_carriers;
    cpu_set_t node_cpus, machine_cpus; /* that ranks of them may run on */
    bool over_quota; /* more ranks and carriers than processors in the rank's quota, which its own carriers share */
};

/* `workers` a node, but not more than it has ranks; `node_ranks`: so many ranks of a node count as one; 0: all. */
void ovl_carrier_placement_make(struct ovl_carrier_placement *s, const struct ovl_rank_location *locations, int ranks,
                                int rank, int workers, int node_ranks);
void ovl_carrier_placement_free(struct ovl_carrier_placement *s);

#endif
