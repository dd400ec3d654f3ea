/* Workers and ranks as threads of one process, which reach each other by a transport made of lists: for tests of the
 * engine without MPI, and for the race checker, which sees nothing across processes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_WORKERS_H
#define OVL_TESTS_FAKE_WORKERS_H

#include "offload/client/client.h"
#include "offload/worker/worker.h"

/* Memory that rank and worker have at the same address. */
extern const struct ovl_mem_path fake_path;

struct fake_plan {
    int ranks, workers;
    const int *node;          /* of each rank; workers are spread so that those of a node come together */
    const int *worker_number; /* worker of each rank */
    const struct ovl_mem_path *path;
    enum ovl_idle idle;
    double slowdown, timeout; /* 0: 1, and 20 s */
    size_t memory;            /* of each worker; 0: OVL_WORKER_MEMORY */
    struct ovl_tuning tuning;
    bool dead[16]; /* workers that never begin */
    bool tcp;      /* workers reach each other by TCP */
    bool late[16]; /* ranks that begin 100 ms late */
};

/* Ranks and workers on nodes. */
enum {
    ONE_ALONE,
    TWO_ON_ONE,
    FOUR_ON_TWO,
    TWO_NODES,
    TWO_NODES_OF_TWO,
    UNEVEN,
    TWO_WORKERS_EACH,
    FOUR_NODES,
    FAKE_LAYOUTS
};

/* The plan of one, with sleeping workers and limits so small that small messages are cut into pieces. */
struct fake_plan fake_plan_of(int layout, const struct ovl_mem_path *path);

/* What one rank does; runs in a thread of its own. Returns NULL, or what went wrong. */
typedef const char *(*fake_rank)(struct ovl_client_ctx *host, struct ovl_team *world, int rank, int ranks, void *of);

/* Runs all ranks and workers to their ends. Returns NULL or the first wrong thing. */
const char *fake_run(const struct fake_plan *plan, fake_rank rank, void *of);

/* The same within a test, which fails by it. */
void fake_expect_fine(const struct fake_plan *plan, fake_rank rank, void *of);

/* What went wrong, in words that last as long as the process. */
const char *fake_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* All ranks wait for each other. */
void fake_barrier(void);

#endif
