/* Which ranks share a node. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/nodes.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int *ovl_nodes_of(MPI_Comm comm)
{
    MPI_Comm node;
    int rank, ranks, lowest;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    int *nodes = ovl_alloc((size_t)ranks, sizeof *nodes);
    MPI_Allgather(&lowest, 1, MPI_INT, nodes, 1, MPI_INT, comm);
    return nodes;
}

double ovl_nodes_busiest(MPI_Comm comm, const int *nodes, const double *incoming, int steps)
{
    MPI_Comm node;
    int rank, ranks, here;
    double *most = ovl_check_alloc(malloc(((size_t)steps + 1) * sizeof *most)), sum = 0;
    memcpy(most, incoming, (size_t)steps * sizeof *most);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_split(comm, nodes[rank], rank, &node);
    MPI_Comm_size(node, &here);
    MPI_Allreduce(MPI_IN_PLACE, most, steps, MPI_DOUBLE, MPI_SUM, node);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, most, steps, MPI_DOUBLE, MPI_MAX, comm);
    for (int i = 0; i < steps; i++)
        sum += most[i];
    free(most);
    return here == ranks ? NAN : sum;
}
