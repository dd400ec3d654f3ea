/* Who progresses the communication: defaults, and what does not go together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/offload_options.h"

#include <string.h>

#define AT(member) offsetof(struct ovl_offload_options, member)

const struct ovl_option ovl_offload_option_rows[] = {
    {0, "workers", "W", "dpu mode: the last W ranks of each node work for the others; 0: only ovl_worker (default 1)",
     OVL_OPTION_COUNT, AT(workers), 0, 1000, NULL, NULL},
    {0, "worker-idle", "HOW", "what workers do when idle: spin, yield, sleep, or auto by free cores (default auto)",
     OVL_OPTION_WORD, AT(worker_idle), 0, 0, "spin|yield|sleep|auto", NULL},
    {0, "worker-priority", "HOW",
     "of workers that sleep when idle, on the ranks' cores: usual, or high (default usual)", OVL_OPTION_WORD,
     AT(worker_priority), 0, 0, "usual|high", NULL},
    {0, "worker-transport", "T[:IF]", "how workers reach each other: mpi, or tcp, by interface IF (default mpi)",
     OVL_OPTION_TEXT, AT(worker_transport), 0, 0, NULL, NULL},
    {0, "worker-map", "MAP", "which worker serves a rank: cyclic or block (default cyclic)", OVL_OPTION_WORD,
     AT(worker_map), 0, 0, "cyclic|block", NULL},
    {0, "worker-slowdown", "F", "each step of a worker takes F times as long, as on slower cores (default 1)",
     OVL_OPTION_NUMBER, AT(worker_slowdown), 1, 1000, NULL, NULL},
    {0, "worker-timeout", "S", "seconds after which a worker that shows no life ends the job (default 30)",
     OVL_OPTION_NUMBER, AT(worker_timeout), 0.1, 1e6, NULL, NULL},
    {0, "worker-memory", "SIZE", "memory of each worker for data on its way, at least 256K (default 16M)",
     OVL_OPTION_SIZE, AT(worker_memory), 0, 0, NULL, NULL},
    {0, "path", "PATH", "how workers reach the ranks' memory: shm, cma, verbs or auto (default auto)", OVL_OPTION_WORD,
     AT(path), 0, 0, "shm|cma|verbs|auto", NULL},
    {0, "dpu-map", "FILE", "which node is the DPU of which: lines `host dpu hostdev[:port] dpudev[:port] [gid]`",
     OVL_OPTION_TEXT, AT(dpu_map), 0, 0, NULL, NULL},
    {0, "device", "D[,D]", "path verbs: adapter NAME[:PORT] of the ranks, and of the workers (default: the nearest)",
     OVL_OPTION_TEXT, AT(device), 0, 0, NULL, NULL},
    {0, "cold", NULL, "path verbs: register the buffers anew for each operation", OVL_OPTION_ON, AT(cold), 0, 0, NULL,
     NULL},
    {0, "registrations", "N", "path verbs: a rank keeps the N buffers registered that it used last; 0: all (default 0)",
     OVL_OPTION_COUNT, AT(registrations), 0, 65535, NULL, NULL},
    {0, "dpu-min", "SIZE", "dpu mode: smaller messages go by the host's MPI (default 0)", OVL_OPTION_SIZE, AT(dpu_min),
     -1, 0, NULL, NULL},
    {0, "thread-idle", "HOW",
     "mode thread: what a progress thread does between tests: spin, yield, sleep, or auto by free cores (default auto)",
     OVL_OPTION_WORD, AT(thread_idle), 0, 0, "spin|yield|sleep|auto", NULL},
    {0, "thread-cpu", "WHERE",
     "mode thread: where it may run: rank, next (the processor behind the rank's), or a LIST such as 2,5-7 in turn "
     "(default rank)",
     OVL_OPTION_TEXT, AT(thread_cpu), 0, 0, NULL, NULL},
    {0, "engine", "ENGINE", "who offloads in dpu mode: ovl's worker, or the mpi library (default worker)",
     OVL_OPTION_WORD, AT(engine), 0, 0, "worker|mpi", NULL},
    {.name = NULL},
};

const struct ovl_offload_options ovl_offload_options_default = {
    .modes = "host",
    .engine = "worker",
    .path = "auto",
    .worker_idle = "auto",
    .thread_idle = "auto",
    .thread_cpu = "rank",
    .worker_priority = "usual",
    .worker_transport = "mpi",
    .worker_map = "cyclic",
    .workers = 1,
    .worker_slowdown = 1,
    .worker_timeout = 30,
    .worker_memory = 16 << 20,
};

/* Room for a few of the smallest fragments and eager messages each way; and no more than any worker could fill. */
static const uint64_t least_memory = 256 << 10, most_memory = (uint64_t)64 << 30;

/* Digits in commas, or with one hyphen. */
static bool lists_processors(const char *text)
{
    size_t n = strlen(text);
    return n > 0 && strspn(text, "0123456789,-") == n && strchr(",-", text[0]) == NULL &&
           strchr(",-", text[n - 1]) == NULL;
}

int ovl_offload_options_check(const struct ovl_offload_options *options, struct ovl_error *err)
{
    bool host = strstr(options->modes, "host") || strstr(options->modes, "thread");
    if (strcmp(options->engine, "mpi") == 0 && host && strstr(options->modes, "dpu"))
        return ovl_error_set(err, OVL_USAGE,
                             "--engine mpi: the library either offloads or not; measure --mode %s and --mode dpu in "
                             "two runs",
                             strstr(options->modes, "host") ? "host" : "thread");
    if (options->cold && options->registrations)
        return ovl_error_set(err, OVL_USAGE, "--cold keeps no buffer registered; leave out --registrations");
    const char *by = options->worker_transport;
    if (strcmp(by, "mpi") != 0 && strcmp(by, "tcp") != 0 && strncmp(by, "tcp:", 4) != 0)
        return ovl_error_set(err, OVL_USAGE, "--worker-transport %s: give mpi, tcp, or tcp:INTERFACE such as tcp:eth0",
                             by);
    const char *place = options->thread_cpu;
    if (strcmp(place, "rank") != 0 && strcmp(place, "next") != 0 && !lists_processors(place))
        return ovl_error_set(err, OVL_USAGE,
                             "--thread-cpu %s: give rank, next, or processors of this machine such as 2,5-7", place);
    if (options->worker_memory < least_memory || options->worker_memory > most_memory)
        return ovl_error_set(err, OVL_USAGE, "--worker-memory: give a size from 256K to 64G");
    return 0;
}

bool ovl_thread_wanted(const struct ovl_offload_options *options)
{
    return strstr(options->modes, "thread") != NULL;
}

bool ovl_offload_wanted(const struct ovl_offload_options *options)
{
    return strstr(options->modes, "dpu") && strcmp(options->engine, "worker") == 0;
}
