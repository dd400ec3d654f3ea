/* A non-blocking collective as the program called it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_COLLECTIVE_H
#define OVL_PRELOAD_OP_COLLECTIVE_H

#include "offload/coll/operation.h"
#include "preload/op/buffer.h"
#include "preload/op/team.h"

/* What an operation does not have stays zero. */
struct ovl_call {
    enum ovl_operation operation;
    const void *send;
    void *recv;
    int64_t send_count, recv_count;
    struct ovl_list send_counts, send_displs, recv_counts, recv_displs;
    H send_type, recv_type, op, comm;
    int root;
};

/* Posts it to the workers and fills *request: MPI_SUCCESS. -1: it is for the program's MPI library to do, and counted
 * so. */
int ovl_collective_post(const struct ovl_call *c, MPI_Request *request);
/* The same in a team that the caller holds, which may be NULL: the communicator is not looked at. */
int ovl_collective_post_in(struct ovl_comm_team *team, const struct ovl_call *c, MPI_Request *request);

/* Which of its datatypes mean anything at this rank: the others may be no datatypes at all. */
void ovl_collective_types(const struct ovl_call *c, bool *send, bool *recv);

#endif
