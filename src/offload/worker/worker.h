/* A worker: it does the communication of its ranks, and nothing else. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_WORKER_WORKER_H
#define OVL_OFFLOAD_WORKER_WORKER_H

#include "offload/coll/schedule.h"
#include "offload/mem/path.h"
#include "offload/worker/transport.h"

/* What it does when there is nothing to do. */
enum ovl_idle { OVL_IDLE_SPIN, OVL_IDLE_YIELD, OVL_IDLE_SLEEP };

/* A rank of the job, as far as workers must know it. */
struct ovl_rank_info {
    int worker, node;
};

struct ovl_worker_config {
    int index, workers; /* this one, and how many there are */
    const struct ovl_transport *transport;
    const struct ovl_mem_path *path;   /* its map and unmap are used */
    const struct ovl_rank_info *peers; /* of all ranks of the job */
    int ranks;
    struct ovl_worker_status *status;
    enum ovl_idle idle;
    double slowdown; /* at least 1: each step takes so many times as long */
    double timeout;  /* seconds after which another worker that does not answer is called silent */
    struct ovl_tuning tuning;
};

struct ovl_worker;

/* NULL with *err filled when there is no memory, or none that the path can use. */
struct ovl_worker *ovl_worker_open(const struct ovl_worker_config *plan, struct ovl_error *err);
void ovl_worker_close(struct ovl_worker *w); /* NULL: nothing */

/* Before ovl_worker_run: a rank of its node. `own` where it does that rank's operations; of the others it only needs
   to reach the memory. `endpoint` where the command queue is a copy: then its own rank. */
int ovl_worker_serve(struct ovl_worker *w, struct ovl_cmdq *cmdq, struct ovl_ep *ep, bool own);

/* Works until all its ranks have left. -1 when it had to give up; the status page says why, and the ranks end the job,
   unless the worker is cut off from one of them. */
int ovl_worker_run(struct ovl_worker *w);
bool ovl_worker_cut_off(const struct ovl_worker *w);

#endif
