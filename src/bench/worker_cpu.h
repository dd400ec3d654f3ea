/* The processor time of workers that run beside ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_WORKER_CPU_H
#define OVL_BENCH_WORKER_CPU_H

#include "offload/boot/job_map.h"

#include <mpi.h>
#include <stdbool.h>
#include <time.h>

/* Of this rank: the ranks of a machine look after its workers in turn. */
struct ovl_worker_cpu {
    bool known; /* some rank sees the clock of each worker; the same at all ranks */
    int count;  /* of workers that this rank looks after */
    clockid_t *clock;
};

/* Collective over the ranks of `comm`. Whose machine has no rank, or whose
   process has another number there (containers), is seen by nobody. ovl_worker_cpu_close frees it; of one that is all 0
   there is nothing to free. */
void ovl_worker_cpu_open(struct ovl_worker_cpu *w, MPI_Comm comm, const struct ovl_job_map *job_map);
void ovl_worker_cpu_close(struct ovl_worker_cpu *w);

/* Seconds that this rank's workers have burnt since they began; NaN where not all workers of the job are seen. Takes a
   system call for each of them. */
double ovl_worker_cpu(const struct ovl_worker_cpu *w);

#endif
