/* Time lost to other guests, over all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/start/steal.h"

#include <math.h>

double ovl_steal_largest(const struct ovl_steal *s, MPI_Comm comm)
{
    double mine = ovl_steal_end(s), unknown = -1, largest = unknown;
    if (isnan(mine))
        mine = unknown;
    MPI_Reduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    return largest < 0 ? NAN : largest;
}
