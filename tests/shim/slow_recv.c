/* An MPI_Recv that comes back OVL_RECV_DELAY_US late at rank 0 of MPI_COMM_WORLD. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    const char *delay = getenv("OVL_RECV_DELAY_US");
    int rank, rc = PMPI_Recv(data, count, type, from, tag, comm, status);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && delay)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * atol(delay)}, NULL);
    return rc;
}
