/* MPI_Isend or MPI_Irecv. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/pair.h"

static void post(struct ovl_exchange *x)
{
    if (x->from != MPI_PROC_NULL)
        MPI_Irecv(x->recv, x->count, x->type, x->from, 0, x->comm, &x->request);
    else
        MPI_Isend(x->send, x->count, x->type, x->to, 0, x->comm, &x->request);
}

static void blocking(struct ovl_exchange *x)
{
    if (x->from != MPI_PROC_NULL)
        MPI_Recv(x->recv, x->count, x->type, x->from, 0, x->comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(x->send, x->count, x->type, x->to, 0, x->comm);
}

const struct ovl_collective ovl_app_pair = {
    .name = "isendrecv", .operation = OVL_ISENDRECV, .post = post, .blocking = blocking};
