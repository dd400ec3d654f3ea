/* Messages of 4 MiB between neighbours, of which nothing is offloaded: large enough for MPI to have ranks of one node
 * read each other's memory. With the word `both` a collective goes with them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4 << 20 };

static char *out, *in;

static void exchange(int rank, int n)
{
    int to = (rank + 1) % n, from = (rank + n - 1) % n;
    memset(out, rank + 1, BYTES);
    memset(in, 0, BYTES);
    MPI_Sendrecv(out, BYTES, MPI_CHAR, to, 0, in, BYTES, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < BYTES; i++)
        if (in[i] != from + 1)
            MPI_Abort(MPI_COMM_WORLD, 4);
}

static void broadcast(int rank)
{
    MPI_Request q;
    memset(out, rank == 0 ? 7 : 0, BYTES);
    MPI_Ibcast(out, BYTES, MPI_CHAR, 0, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int i = 0; i < BYTES; i++)
        if (out[i] != 7)
            MPI_Abort(MPI_COMM_WORLD, 4);
}

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    out = malloc(BYTES);
    in = malloc(BYTES);
    if (!out || !in || n > 100)
        MPI_Abort(MPI_COMM_WORLD, 5);
    exchange(rank, n);
    if (argc > 1 && strcmp(argv[1], "both") == 0)
        broadcast(rank);
    exchange(rank, n);
    free(out);
    free(in);
    MPI_Finalize();
    if (rank == 0)
        puts("fine");
    return 0;
}
