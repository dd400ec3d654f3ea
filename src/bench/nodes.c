/* Bytes over the links of nodes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/nodes.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
