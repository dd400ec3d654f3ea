/* The one main of all drivers; the collective is the one linked in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/standard_streams.h"
#include "bench/driver.h"
#include "bench/exchange/offload.h"

int main(int argc, char **argv)
{
    if (ovl_standard_streams_open() != 0)
        return OVL_ENVIRONMENT;
    const struct ovl_benchmark *benchmark = ovl_benchmark_find(ovl_collective.name);
    if (benchmark)
        ovl_offload_prepare(benchmark, argc, argv);
    MPI_Init(&argc, &argv);
    return ovl_engine_finalize(ovl_driver_run(&ovl_collective, argc, argv));
}
