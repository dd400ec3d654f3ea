/* An MPI_Ialltoall whose truth is known: f T(m) of it progresses alone from the post, the rest only inside MPI calls.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* link: src/bench/synthetic.c */
/* T(m) = OVL_SYNTHETIC_BASE_US + m bytes x OVL_SYNTHETIC_NS_PER_BYTE; f is OVL_SYNTHETIC_FRACTION. The blocking twin
   takes T(m). With OVL_SYNTHETIC_THEFT = s share s of the core is stolen from the post until the wait returns. No data
   move: run with --no-validation. */
#include "bench/synthetic.h"

#include <mpi.h>
#include <stdlib.h>

static double base_ns, ns_per_byte;
static struct ovl_synthetic operation;

static double setting(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

int MPI_Init(int *argc, char ***argv)
{
    operation.fraction = setting("OVL_SYNTHETIC_FRACTION", 1);
    base_ns = 1e3 * setting("OVL_SYNTHETIC_BASE_US", 5);
    ns_per_byte = setting("OVL_SYNTHETIC_NS_PER_BYTE", 20);
    ovl_synthetic_steal(setting("OVL_SYNTHETIC_THEFT", 0));
    return PMPI_Init(argc, argv);
}

static double duration(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return base_ns + ns_per_byte * (double)count * size;
}

int MPI_Ialltoall(const void *send, int count, MPI_Datatype type, void *recv, int recv_count, MPI_Datatype recv_type,
                  MPI_Comm comm, MPI_Request *request)
{
    (void)send, (void)recv, (void)recv_count, (void)recv_type, (void)comm;
    operation.total_ns = duration(count, type);
    *request = MPI_REQUEST_NULL;
    ovl_synthetic_start(&operation);
    return MPI_SUCCESS;
}

int MPI_Alltoall(const void *send, int count, MPI_Datatype type, void *recv, int recv_count, MPI_Datatype recv_type,
                 MPI_Comm comm)
{
    (void)send, (void)recv, (void)recv_count, (void)recv_type, (void)comm;
    operation.total_ns = duration(count, type);
    ovl_synthetic_blocking(&operation);
    return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!operation.active)
        return PMPI_Wait(request, status);
    ovl_synthetic_wait(&operation);
    return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *complete, MPI_Status *status)
{
    if (!operation.active)
        return PMPI_Test(request, complete, status);
    *complete = ovl_synthetic_test(&operation);
    return MPI_SUCCESS;
}
