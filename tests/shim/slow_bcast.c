/* An MPI_Bcast that comes back OVL_BCAST_DELAY_US (1000 unless told) late at all ranks but its root. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "tests/shim/real_clock.h"

#include <mpi.h>
#include <stdlib.h>

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const char *delay = getenv("OVL_BCAST_DELAY_US");
    int rank, rc = PMPI_Bcast(data, count, type, root, comm);
    PMPI_Comm_rank(comm, &rank);
    if (rank != root)
        for (int64_t until = ovl_clock_ns() + (int64_t)(1e3 * (delay ? atof(delay) : 1000)); ovl_clock_ns() < until;)
            continue;
    return rc;
}
