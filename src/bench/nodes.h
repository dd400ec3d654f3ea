/* What has to come in over a node's link. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_NODES_H
#define OVL_BENCH_NODES_H

#include <mpi.h>

/* Collective: incoming[i] bytes have to reach this rank's node for its sake in step i. For each step the sum over the
   ranks of the node that gets most then, added up over the steps, which go one after the other. NaN where all ranks are
   on one node. `nodes` has a number for each rank. */
double ovl_nodes_busiest(MPI_Comm comm, const int *nodes, const double *incoming, int steps);

#endif
