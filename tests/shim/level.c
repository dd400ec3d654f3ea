/* LD_PRELOADed: an MPI that lets one thread of a process call it at a time, whatever is asked for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return PMPI_Init_thread(argc, argv, required > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : required, provided);
}
