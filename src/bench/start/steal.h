/* Time lost to other guests, over all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_START_STEAL_H
#define OVL_BENCH_START_STEAL_H

#include "machine/steal.h"

#include <mpi.h>

/* Collective: ends the span that ovl_steal_begin began at each rank. At rank 0 the largest share of a rank's cores that
   was stolen, NaN where no rank knows. */
double ovl_steal_largest(const struct ovl_steal *s, MPI_Comm comm);

#endif
