/* Who exchanges with whom in a neighbourhood: a grid of ranks, or a graph whose edges a file has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_EXCHANGE_NEIGHBOURS_H
#define OVL_BENCH_EXCHANGE_NEIGHBOURS_H

#include "base/error.h"

#include <mpi.h>

/* Of one rank. MPI_PROC_NULL is beyond the edge of a grid. */
struct ovl_neighbours {
    int in, out; /* how many send to this rank, and how many it sends to */
    int *source; /* the rank of each that sends, in the order of the receive buffer */
    int *slot;   /* of each of these: the place of its message for this rank among all that it sends */
    int *target; /* the rank of each that is sent to, in the order of the send buffer */
};

/* Collective: a grid of so many dimensions as MPI_Dims_create makes it, without wrap-around: two neighbours in each.
 *made is its communicator, which the caller frees. */
void ovl_neighbours_grid(struct ovl_neighbours *n, MPI_Comm comm, int dimensions, MPI_Comm *made);

/* The edges of a text, a line "FROM,TO" for each (a space will do for the comma; # begins a comment), of which those of
   this rank are kept in their order. `name` stands before the line number in what is wrong: OVL_USAGE, with a text that
   names no edge, an edge twice, or ranks that are none of 0 to ranks - 1. */
int ovl_neighbours_parse(struct ovl_neighbours *n, const char *text, const char *name, int rank, int ranks,
                         struct ovl_error *err);

/* Collective: the communicator of that graph, by MPI_Dist_graph_create_adjacent. */
void ovl_neighbours_graph(const struct ovl_neighbours *n, MPI_Comm comm, MPI_Comm *made);

void ovl_neighbours_free(struct ovl_neighbours *n);

#endif
