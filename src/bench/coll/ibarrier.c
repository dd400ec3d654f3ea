/* MPI_Ibarrier: synchronisation without data. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"
#include "bench/exchange/mpi4.h"

static void shape(struct ovl_exchange *x)
{
    (void)x;
}

static void post(struct ovl_exchange *x)
{
    MPI_Ibarrier(x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Barrier(x->comm);
}

static void init(struct ovl_exchange *x)
{
    MPI_Barrier_init(x->comm, MPI_INFO_NULL, &x->request);
}

OVL_COLLECTIVE(ibarrier) = {
    .name = "ibarrier",
    .operation = OVL_IBARRIER,
    .synchronises = true,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Barrier_init,
};
