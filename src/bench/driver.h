/* A driver from options to exit code: what every ovl_<collective> does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_DRIVER_H
#define OVL_BENCH_DRIVER_H

#include "bench/exchange/collective.h"

/* Between MPI_Init and MPI_Finalize. Returns the same exit code at all ranks; rank 0 has printed why when it is not 0.
 */
int ovl_driver_run(const struct ovl_collective *collective, int argc, char **argv);

#endif
