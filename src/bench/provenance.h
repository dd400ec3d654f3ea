/* Where a run took place: everything in the `run` line that is not a measured value. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_PROVENANCE_H
#define OVL_BENCH_PROVENANCE_H

#include "base/error.h"
#include "bench/rank_hosts.h"
#include "machine/topology.h"
#include "offload/boot/job_map.h"

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>

struct ovl_provenance {
    struct ovl_topology topology; /* of this rank */
    int rank, ranks, nodes;
    int leader;         /* the lowest rank of this node */
    int cores_allowed;  /* processing units that the ranks of this machine may run on, together */
    int ranks_here;     /* ranks on this machine */
    int workers_here;   /* and workers, */
    int cores_together; /* and the processing units that all of these may run on */
    int waiting_here;   /* first rank of a machine: its ranks that find no unit of their own, wherever workers are */
    int sharing_here;   /* the same: and no core of their own; hardware threads of one core slow each other down */
    int running_here;   /* the same: ranks and workers that find one at the same time */
    int cores_here;     /* the same: cores of cores_allowed */
    uint64_t (*worker_masks)[OVL_TOPOLOGY_MASK_WORDS]; /* units of each worker of this machine */
    int cores_of_ranks;                                /* of all machines: units that ranks can have at once, */
    int cores_of_all;                                  /* and that ranks and workers can */
    bool bound;                                        /* this rank is; see machine/topology.h */
    bool oversubscribed; /* somewhere: more ranks and workers than processing units, or bound to the same ones */
    struct ovl_rank_hosts hosts; /* elsewhere than at rank 0 node_of alone */
    uint64_t clock_domain;       /* the same number where ranks do read one clock: bench/start/clock_domain.h */
    int clones;                  /* ranks that only seem to, as their machine is a clone of another */
};

/* Collective. `job map` tells of workers beside the ranks; NULL when there are none. One rank of each node asks hwloc,
   for all. ovl_provenance_free() frees it, also where this fails. */
int ovl_provenance_load(struct ovl_provenance *p, MPI_Comm comm, const struct ovl_job_map *job_map,
                        struct ovl_error *err);
void ovl_provenance_free(struct ovl_provenance *p);

/* At rank 0 the name of the node that `rank` is on; "" elsewhere, and of ranks that there are not. */
const char *ovl_provenance_node(const struct ovl_provenance *p, int rank);

/* Collective: the members ranks, nodes, mpi, hosts, rank_hosts, binding, environment,
   environment_differs and warnings of the `run` line at
   rank 0, NULL elsewhere. The caller owns it. */
json_t *ovl_provenance_json(const struct ovl_provenance *p, MPI_Comm comm);

/* "20260131T235959Z-0123456789abcdef" */
void ovl_provenance_run_id(char text[64]);

#endif
