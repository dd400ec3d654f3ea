/* MPI_Isend and MPI_Irecv between single ranks, whom --pairs chooses: one or both directions, a ring, or neighbours. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"

#include <string.h>

/* Pairs are rank r and r + n/2, so that ranks in order of nodes pair across nodes; of an odd number the last is idle.
 */
static void shape(struct ovl_exchange *x)
{
    int half = x->ranks / 2, peer = x->rank < half       ? x->rank + half
                                    : x->rank < 2 * half ? x->rank - half
                                                         : MPI_PROC_NULL;
    bool one_way = strcmp(x->pairs, "one-way") == 0, two_way = strcmp(x->pairs, "two-way") == 0;
    x->to = x->from = peer;
    if (one_way && x->rank < half)
        x->from = MPI_PROC_NULL;
    else if (one_way)
        x->to = MPI_PROC_NULL;
    else if (!two_way) {
        x->to = (x->rank + 1) % x->ranks;
        x->from = (x->rank - 1 + x->ranks) % x->ranks;
    }
    x->both = strcmp(x->pairs, "neighbours") == 0;
    x->send_bytes = x->to == MPI_PROC_NULL ? 0 : x->size * (x->both ? 2 : 1);
    x->recv_bytes = x->from == MPI_PROC_NULL ? 0 : x->size * (x->both ? 2 : 1);
}

static int segments(const struct ovl_exchange *x)
{
    return x->recv_bytes == 0 ? 0 : x->both ? 2 : 1;
}

/* What is sent the one way comes from `from`, and what is sent back from `to`. */
static struct ovl_segment segment(const struct ovl_exchange *x, int k)
{
    size_t at = (size_t)k * x->size;
    return (struct ovl_segment){at, x->size, k == 0 ? x->from : x->to, at};
}

static void *second(void *buffer, const struct ovl_exchange *x)
{
    return (char *)buffer + x->extent;
}

static void post(struct ovl_exchange *x)
{
    MPI_Irecv(x->recv, x->count, x->type, x->from, 0, x->comm, &x->request);
    if (x->both)
        MPI_Irecv(second(x->recv, x), x->count, x->type, x->to, 1, x->comm, &x->others[1]);
    MPI_Isend(x->send, x->count, x->type, x->to, 0, x->comm, &x->others[0]);
    if (x->both)
        MPI_Isend(second(x->send, x), x->count, x->type, x->from, 1, x->comm, &x->others[2]);
    x->other_count = x->both ? 3 : 1;
}

static void blocking(struct ovl_exchange *x)
{
    MPI_Sendrecv(x->send, x->count, x->type, x->to, 0, x->recv, x->count, x->type, x->from, 0, x->comm,
                 MPI_STATUS_IGNORE);
    if (x->both)
        MPI_Sendrecv(second(x->send, x), x->count, x->type, x->from, 1, second(x->recv, x), x->count, x->type, x->to, 1,
                     x->comm, MPI_STATUS_IGNORE);
}

static void init(struct ovl_exchange *x)
{
    MPI_Recv_init(x->recv, x->count, x->type, x->from, 0, x->comm, &x->request);
    if (x->both)
        MPI_Recv_init(second(x->recv, x), x->count, x->type, x->to, 1, x->comm, &x->others[1]);
    MPI_Send_init(x->send, x->count, x->type, x->to, 0, x->comm, &x->others[0]);
    if (x->both)
        MPI_Send_init(second(x->send, x), x->count, x->type, x->from, 1, x->comm, &x->others[2]);
    x->other_count = x->both ? 3 : 1;
}

OVL_COLLECTIVE(p2p) = {
    .name = "p2p",
    .paired = true,
    .operation = OVL_ISENDRECV,
    .shape = shape,
    .post = post,
    .blocking = blocking,
    .init = init,
    .init_call = (void (*)(void))MPI_Send_init,
    .segments = segments,
    .segment = segment,
};
