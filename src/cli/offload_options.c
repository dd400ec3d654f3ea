/* Who progresses the communication: defaults, and what does not go together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/offload_options.h"

#include <string.h>

const struct ovl_offload_options ovl_offload_options_default = {
    .modes = "host",
    .engine = "worker",
    .path = "auto",
    .worker_idle = "auto",
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

int ovl_offload_options_check(const struct ovl_offload_options *options, struct ovl_error *err)
{
    if (strcmp(options->engine, "mpi") == 0 && strstr(options->modes, "host") && strstr(options->modes, "dpu"))
        return ovl_error_set(err, OVL_USAGE,
                             "--engine mpi: the library either offloads or not; measure --mode host and --mode dpu in "
                             "two runs");
    const char *by = options->worker_transport;
    if (strcmp(by, "mpi") != 0 && strcmp(by, "tcp") != 0 && strncmp(by, "tcp:", 4) != 0)
        return ovl_error_set(err, OVL_USAGE, "--worker-transport %s: give mpi, tcp, or tcp:INTERFACE such as tcp:eth0",
                             by);
    if (options->worker_memory < least_memory || options->worker_memory > most_memory)
        return ovl_error_set(err, OVL_USAGE, "--worker-memory: give a size from 256K to 64G");
    return 0;
}

bool ovl_offload_wanted(const struct ovl_offload_options *options)
{
    return strstr(options->modes, "dpu") && strcmp(options->engine, "worker") == 0;
}
