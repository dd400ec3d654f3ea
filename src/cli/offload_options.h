/* Who progresses the communication: the options that drivers and proxies share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_OFFLOAD_OPTIONS_H
#define OVL_CLI_OFFLOAD_OPTIONS_H

#include "cli/options.h"

#include <stdbool.h>

struct ovl_offload_options {
    const char *modes; /* --mode, whose words are each program's own */
    const char *engine, *path, *worker_idle, *worker_priority, *worker_transport, *worker_map, *device, *dpu_map;
    uint64_t workers, dpu_min, worker_memory;
    double worker_slowdown, worker_timeout;
    int cold;
};

/* The rows of all but --mode, for a table of options of `struct type`, which has them in `member`. */
#define OVL_OFFLOAD_OPTION(type, at, name, argument, help, kind, low, high, choices)                                   \
    {                                                                                                                  \
        0, name, argument, help, kind, offsetof(struct type, at), low, high, choices, NULL                             \
    }
#define OVL_OFFLOAD_OPTION_ROWS(type, member)                                                                          \
    OVL_OFFLOAD_OPTION(type, member.workers, "workers", "W",                                                           \
                       "dpu mode: the last W ranks of each node work for the others; 0: only ovl_worker (default 1)",  \
                       OVL_OPTION_COUNT, 0, 1000, NULL),                                                               \
        OVL_OFFLOAD_OPTION(type, member.worker_idle, "worker-idle", "HOW",                                             \
                           "what workers do when idle: spin, yield, sleep, or auto by free cores (default auto)",      \
                           OVL_OPTION_WORD, 0, 0, "spin|yield|sleep|auto"),                                            \
        OVL_OFFLOAD_OPTION(type, member.worker_priority, "worker-priority", "HOW",                                     \
                           "of workers that sleep when idle, on the ranks' cores: usual, or high (default usual)",     \
                           OVL_OPTION_WORD, 0, 0, "usual|high"),                                                       \
        OVL_OFFLOAD_OPTION(type, member.worker_transport, "worker-transport", "T[:IF]",                                \
                           "how workers reach each other: mpi, or tcp, by interface IF (default mpi)",                 \
                           OVL_OPTION_TEXT, 0, 0, NULL),                                                               \
        OVL_OFFLOAD_OPTION(type, member.worker_map, "worker-map", "MAP",                                               \
                           "which worker serves a rank: cyclic or block (default cyclic)", OVL_OPTION_WORD, 0, 0,      \
                           "cyclic|block"),                                                                            \
        OVL_OFFLOAD_OPTION(type, member.worker_slowdown, "worker-slowdown", "F",                                       \
                           "each step of a worker takes F times as long, as on slower cores (default 1)",              \
                           OVL_OPTION_NUMBER, 1, 1000, NULL),                                                          \
        OVL_OFFLOAD_OPTION(type, member.worker_timeout, "worker-timeout", "S",                                         \
                           "seconds after which a worker that shows no life ends the job (default 30)",                \
                           OVL_OPTION_NUMBER, 0.1, 1e6, NULL),                                                         \
        OVL_OFFLOAD_OPTION(type, member.worker_memory, "worker-memory", "SIZE",                                        \
                           "memory of each worker for data on its way, at least 256K (default 16M)", OVL_OPTION_SIZE,  \
                           0, 0, NULL),                                                                                \
        OVL_OFFLOAD_OPTION(type, member.path, "path", "PATH",                                                          \
                           "how workers reach the ranks' memory: shm, cma, verbs or auto (default auto)",              \
                           OVL_OPTION_WORD, 0, 0, "shm|cma|verbs|auto"),                                               \
        OVL_OFFLOAD_OPTION(type, member.dpu_map, "dpu-map", "FILE",                                                    \
                           "which node is the DPU of which: lines `host dpu hostdev[:port] dpudev[:port] [gid]`",      \
                           OVL_OPTION_TEXT, 0, 0, NULL),                                                               \
        OVL_OFFLOAD_OPTION(type, member.device, "device", "D[,D]",                                                     \
                           "path verbs: adapter NAME[:PORT] of the ranks, and of the workers (default: the nearest)",  \
                           OVL_OPTION_TEXT, 0, 0, NULL),                                                               \
        OVL_OFFLOAD_OPTION(type, member.cold, "cold", NULL,                                                            \
                           "path verbs: register the buffers anew for each operation", OVL_OPTION_ON, 0, 0, NULL),     \
        OVL_OFFLOAD_OPTION(type, member.dpu_min, "dpu-min", "SIZE",                                                    \
                           "dpu mode: smaller messages go by the host's MPI (default 0)", OVL_OPTION_SIZE, -1, 0,      \
                           NULL),                                                                                      \
        OVL_OFFLOAD_OPTION(type, member.engine, "engine", "ENGINE",                                                    \
                           "who offloads in dpu mode: ovl's worker, or the mpi library (default worker)",              \
                           OVL_OPTION_WORD, 0, 0, "worker|mpi")

/* Their defaults, with --mode host. */
extern const struct ovl_offload_options ovl_offload_options_default;

/* What one option alone cannot show. -1 and OVL_USAGE. */
int ovl_offload_options_check(const struct ovl_offload_options *options, struct ovl_error *err);

/* Do these options want workers? */
bool ovl_offload_wanted(const struct ovl_offload_options *options);

#endif
