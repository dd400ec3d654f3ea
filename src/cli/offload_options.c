/* Who progresses the communication: defaults, and what does not go together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/offload_options.h"

#include <string.h>

const struct ovl_offload_options ovl_offload_options_default = {
    .modes = "host",
    .engine = "worker",
    .path = "auto",
    .worker_idle = "auto",
    .worker_map = "cyclic",
    .workers = 1,
    .worker_slowdown = 1,
    .worker_timeout = 30,
};

int ovl_offload_options_check(const struct ovl_offload_options *options, struct ovl_error *err)
{
    if (strcmp(options->engine, "mpi") == 0 && strchr(options->modes, ','))
        return ovl_error_set(err, OVL_USAGE,
                             "--engine mpi: the library either offloads or not; measure --mode host and --mode dpu in "
                             "two runs");
    return 0;
}

bool ovl_offload_wanted(const struct ovl_offload_options *options)
{
    return strstr(options->modes, "dpu") && strcmp(options->engine, "worker") == 0;
}
