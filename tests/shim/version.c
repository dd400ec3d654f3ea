/* LD_PRELOADed into one process of a job: it says that it has another MPI library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

int MPI_Get_library_version(char *version, int *length)
{
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Another MPI 9.9\nof a test");
    return MPI_SUCCESS;
}
