/* Who is who in a job: ranks that measure, workers, nodes, and which worker serves which rank. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_BOOT_JOB_MAP_H
#define OVL_OFFLOAD_BOOT_JOB_MAP_H

#include "base/error.h"
#include "machine/cpu_quota.h"
#include "machine/dpu_map.h"
#include "offload/coll/placement.h"

#include <stdbool.h>
#include <stdint.h>

enum { OVL_CPU_WORDS = 64 };

/* What each process of the job says of itself. */
struct ovl_proc_info {
    int32_t worker_program; /* started as ovl_worker */
    int32_t code, leave;    /* this process cannot go on, or need not: all leave with the largest code */
    int32_t workers;        /* asked for on each node; -1: by what was started */
    int32_t tuned;          /* set what workers want of the MPI library */
    int32_t pid;
    int32_t node;     /* any process of its MPI node, the same at all of them */
    uint64_t machine; /* equal where processes share memory and cores */
    uint64_t numbers; /* the same: where numbers of processes mean the same; 0: not known */
    char node_name[64];
    char rendezvous[32];          /* UCX_RNDV_THRESH here, or "" */
    uint64_t cpus[OVL_CPU_WORDS]; /* processors it may run on */
    struct ovl_cpu_quota quota;
    char architecture[16]; /* what it is compiled for, as uname -m says it */
    int32_t emulated;      /* it runs on a processor of another kind, as far as the kernel tells */
};

enum ovl_map { OVL_MAP_CYCLIC, OVL_MAP_BLOCK };

struct ovl_job_proc {
    bool worker;
    int number;        /* among the ranks, or among the workers */
    int node;          /* nodes in the order of their first process, from 0 */
    int worker_number; /* of a rank: number of its worker; of a worker: itself */
    int pid;
    uint64_t machine;             /* equal where processes share memory and cores */
    uint64_t numbers;             /* the same: where numbers of processes mean the same; 0: not known */
    int workers_here, cores_here; /* on its machine: workers, and processors that its processes may run on */
    bool oversubscribed;          /* more processes there than those, or than its quota of processor time has */
    bool remote;                  /* of a rank: its worker is on another machine; of a worker: some rank of its is */
    char architecture[16];
    bool emulated; /* by an emulator, or by one or the other where a machine has processes of two architectures */
    struct ovl_port_request port_request; /* what the dpu-map says; no device where it says nothing */
};

struct ovl_job_map {
    int processes, ranks, workers, nodes;
    bool oversubscribed;                    /* somewhere */
    bool emulated_ranks;                    /* some rank is emulated */
    int most_workers;                       /* on one node */
    bool remote;                            /* some rank's worker is on another machine */
    struct ovl_placement placement;         /* processes on nodes */
    struct ovl_job_proc *member;            /* by rank in MPI_COMM_WORLD */
    int *rank_at, *worker_at;               /* world ranks */
    int *worker_node;                       /* of each worker: the node that it serves, or -1 */
    uint64_t (*worker_cpus)[OVL_CPU_WORDS]; /* of each worker: processors that it may run on */
    char (*worker_name)[128];               /* "worker 2 (process 5) on node a" */
    char (*node_name)[64];
};

/* The last `workers` processes of each node become workers, unless some were started as ovl_worker, which then are the
   workers. With `dpus` (else NULL) the workers of a node's DPUs serve it; without, its own, or a node of workers only
   serves a node of ranks only, the first the first. -1 with OVL_ENVIRONMENT where a rank has no worker, OVL_USAGE where
   a node has no rank left. With `workers` 0 and no worker program the job map has no workers. */
int ovl_job_map_make(struct ovl_job_map *r, const struct ovl_proc_info *processes_info, int processes, enum ovl_map map,
                     const struct ovl_dpu_map *dpus, struct ovl_error *err);
void ovl_job_map_free(struct ovl_job_map *r);

#endif
