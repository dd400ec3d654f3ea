/* A worker: it does the communication of its ranks, and nothing else. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_WORKER_WORKER_H
#define OVL_OFFLOAD_WORKER_WORKER_H

#include "offload/coll/schedule.h"
#include "offload/mem/path.h"
#include "offload/transport/transport.h"

/* What it does between two looks for work, as long as something is under way and for some milliseconds after it; then
   it sleeps until a rank rings, if ranks can (not through an endpoint). */
enum ovl_idle { OVL_IDLE_SPIN, OVL_IDLE_YIELD, OVL_IDLE_SLEEP };

/* A rank of the job, as far as workers must know it. */
struct ovl_rank_info {
    int worker, node;
};

/* What a worker has for transfers; the same at all workers of a job. */
struct ovl_worker_limits {
    size_t fragment; /* bytes of a staging buffer: a multiple of every number's */
    size_t eager;    /* longest eager message, up to OVL_EAGER_BYTES */
    int large;       /* staging buffers of `fragment` bytes, on each side */
    int small;       /* staging buffers of `eager` bytes, on each side */
    int requests;    /* fragments under way on each side, with or without a staging buffer */
    int tags;        /* messages that receive under a tag; the transport may have fewer */
};

/* With so many bytes of staging buffers. */
struct ovl_worker_limits ovl_worker_limits_of(size_t memory);

enum { OVL_WORKER_MEMORY = 16 << 20 }; /* the usual */

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
    const char *node; /* name of the node that its ranks are on */
    struct ovl_worker_limits limits;
    int bell;    /* that its ranks ring where it sleeps with its transport (mem/bell.h); 0: they have none */
    bool orphan; /* no launcher's process begot it, whose end would be the job's */
};

/* What a process does that becomes a worker: keeps its memory, and where it will sleep, wakes quickly. */
void ovl_worker_tune_process(enum ovl_idle idle);
/* Puts it into a session of its own, whose autogroup goes before all others (sched(7)): a worker that wants over a
   third of a core that it shares is else held back by up to a tick. False where that is not allowed, or there are no
   autogroups. */
bool ovl_worker_raise_process(void);

struct ovl_worker;

/* Bytes of eager messages that other workers may have on their way to one, or wait there. */
size_t ovl_worker_eager_bytes(int workers);

/* NULL with *err filled when there is no memory, or none that the path can use. */
struct ovl_worker *ovl_worker_open(const struct ovl_worker_config *config, struct ovl_error *err);
void ovl_worker_close(struct ovl_worker *w); /* NULL: nothing */

/* Before ovl_worker_run: a rank of its node. `own` where it does that rank's operations; of the others it only needs
   to reach the memory. `endpoint` where the command queue is a copy: then its own rank. `socket` leads to the rank, or
   is 0 where none does. */
int ovl_worker_serve(struct ovl_worker *w, struct ovl_cmdq *cmdq, struct ovl_ep *ep, int socket, bool own);

/* One turn, for who has a loop of his own. Returns whether anything moved. */
bool ovl_worker_progress(struct ovl_worker *w);

/* Works until all its ranks have left. -1 when it had to give up; the status page says why. */
int ovl_worker_run(struct ovl_worker *w);

/* Who ends the job after that, and prints why? Its ranks, which see the page; this worker, since it is cut off from a
   rank, or a rank of its own or the launcher's process has ended; another process, which has been told or has told this
   one. A carrier has no stderr and leaves all of it to the ranks. */
enum ovl_reporter { OVL_RANKS_REPORT, OVL_WORKER_REPORTS, OVL_OTHERS_REPORT };
enum ovl_reporter ovl_worker_reporter(const struct ovl_worker *w);

#endif
