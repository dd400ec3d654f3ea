/* The calls that make communicators. Each gives the new one its team; what is made by others than these has none. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library/state.h"
#include "preload/op/team.h"

#define MAKE(name, params, args, parent)                                                                               \
    WRAP(name, params)                                                                                                 \
    {                                                                                                                  \
        uint64_t number = ovl_comm_team_next(parent);                                                                  \
        int rc = NEXT->name args;                                                                                      \
        if (number && rc == MPI_SUCCESS)                                                                               \
            ovl_comm_team_set(*made, number, MPI_COMM_NULL);                                                           \
        return rc;                                                                                                     \
    }

/* Of the same members as the old one. MPICH gives the handle of a communicator at once, and only its use must wait. */
#define COPY(name, params, args)                                                                                       \
    WRAP(name, params)                                                                                                 \
    {                                                                                                                  \
        uint64_t number = ovl_comm_team_next(comm);                                                                    \
        int rc = NEXT->name args;                                                                                      \
        if (number && rc == MPI_SUCCESS)                                                                               \
            ovl_comm_team_set(*made, number, comm);                                                                    \
        return rc;                                                                                                     \
    }

COPY(Comm_dup, (H comm, MPI_Comm *made), (comm, made))
COPY(Comm_dup_with_info, (H comm, H info, MPI_Comm *made), (comm, info, made))
COPY(Comm_idup, (H comm, MPI_Comm *made, MPI_Request *q), (comm, made, q))
COPY(Comm_idup_with_info, (H comm, H info, MPI_Comm *made, MPI_Request *q), (comm, info, made, q))
MAKE(Comm_create, (H comm, H group, MPI_Comm *made), (comm, group, made), comm)
MAKE(Comm_split, (H comm, int color, int key, MPI_Comm *made), (comm, color, key, made), comm)
MAKE(Comm_split_type, (H comm, int type, int key, H info, MPI_Comm *made), (comm, type, key, info, made), comm)
MAKE(Cart_create, (H comm, int n, const int *dims, const int *periods, int reorder, MPI_Comm *made),
     (comm, n, dims, periods, reorder, made), comm)
MAKE(Cart_sub, (H comm, const int *remain, MPI_Comm *made), (comm, remain, made), comm)
MAKE(Graph_create, (H comm, int n, const int *index, const int *edges, int reorder, MPI_Comm *made),
     (comm, n, index, edges, reorder, made), comm)
MAKE(Dist_graph_create,
     (H comm, int n, const int *sources, const int *degrees, const int *to, const int *weights, H info, int reorder,
      MPI_Comm *made),
     (comm, n, sources, degrees, to, weights, info, reorder, made), comm)
MAKE(Dist_graph_create_adjacent,
     (H comm, int in, const int *sources, const int *sw, int out, const int *to, const int *tw, H info, int reorder,
      MPI_Comm *made),
     (comm, in, sources, sw, out, to, tw, info, reorder, made), comm)

WRAP(Comm_create_group, (H comm, H group, int tag, MPI_Comm *made))
{
    uint64_t number = ovl_comm_team_next_of_group(comm, group, tag);
    int rc = NEXT->Comm_create_group(comm, group, tag, made);
    if (number && rc == MPI_SUCCESS)
        ovl_comm_team_set(*made, number, MPI_COMM_NULL);
    return rc;
}
