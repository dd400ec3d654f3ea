/* MPI_Ibarrier: synchronisation without data. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/collective.h"

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

const struct ovl_collective ovl_collective = {
    .name = "ibarrier",
    .shape = shape,
    .post = post,
    .blocking = blocking,
};
