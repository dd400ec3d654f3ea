/* Wrong programs: the ranks' counts do not match. MPI calls that an error, and no rank may get data that nobody sent.
 *
 *     unequal bcast A B           the root gives A bytes, the others B
 *     unequal reduce A B          rank 0 gives A bytes to an allreduce, the others B
 *     unequal gather A B          rank 0 gives A bytes to an allgather and expects as much, the others B
 *     unequal alltoallv A B       everybody sends A bytes to the others, and expects B
 *     unequal own A B             the same of its own block alone
 *     unequal alltoall A B        everybody sends A bytes to each, and expects B
 *     unequal calls A B           rank 0 calls bcast of A bytes, the others allgather of B
 *     unequal missing A B         rank 0 receives a bcast of A bytes, which its root does not call
 *
 * Bytes that came from behind a buffer are told, and are an end with 4. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENT = 1, SECRET = 2, UNTOUCHED = 3 };

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Request q = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc != 4 || n > 8)
        MPI_Abort(MPI_COMM_WORLD, 3);
    const char *what = argv[1];
    int a = (int)strtol(argv[2], NULL, 10), b = (int)strtol(argv[3], NULL, 10), mine = rank == 0 ? a : b;
    size_t most = (size_t)(a > b ? a : b), all = most * (size_t)n;
    char *out = malloc(2 * all), *in = malloc(2 * all);
    int sent[8], places[8], expected[8];
    memset(out, SECRET, 2 * all);
    memset(in, UNTOUCHED, 2 * all);
    for (int r = 0; r < n; r++) {
        sent[r] = strcmp(what, "own") == 0 && r != rank ? b : a;
        expected[r] = b;
        if (strcmp(what, "alltoallv") == 0 && r == rank)
            sent[r] = expected[r];
        places[r] = (int)most * r;
        memset(out + places[r], SENT, (size_t)sent[r]);
    }
    if (strcmp(what, "bcast") == 0) {
        memcpy(in, out, rank == 0 ? 2 * all : 0);
        MPI_Ibcast(in, mine, MPI_CHAR, 0, MPI_COMM_WORLD, &q);
    } else if (strcmp(what, "reduce") == 0)
        MPI_Iallreduce(out, in, mine / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &q);
    else if (strcmp(what, "gather") == 0)
        MPI_Iallgather(out, mine, MPI_CHAR, in, mine, MPI_CHAR, MPI_COMM_WORLD, &q);
    else if (strcmp(what, "alltoall") == 0)
        MPI_Ialltoall(out, a, MPI_CHAR, in, b, MPI_CHAR, MPI_COMM_WORLD, &q);
    else if (strcmp(what, "calls") == 0 && rank == 0)
        MPI_Ibcast(in, a, MPI_CHAR, 0, MPI_COMM_WORLD, &q);
    else if (strcmp(what, "calls") == 0)
        MPI_Iallgather(out, b, MPI_CHAR, in, b, MPI_CHAR, MPI_COMM_WORLD, &q);
    else if (strcmp(what, "missing") == 0 && rank == 0)
        MPI_Ibcast(in, a, MPI_CHAR, 1, MPI_COMM_WORLD, &q);
    else if (strcmp(what, "missing") != 0)
        MPI_Ialltoallv(out, sent, places, MPI_CHAR, in, expected, places, MPI_CHAR, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    size_t secret = 0;
    for (size_t i = 0; i < 2 * all && (rank > 0 || strcmp(what, "bcast") != 0); i++)
        secret += in[i] == SECRET;
    if (secret)
        printf("%zu bytes from behind a buffer arrived at rank %d\n", secret, rank);
    printf("rank %d goes on\n", rank);
    MPI_Finalize();
    free(out);
    free(in);
    return secret ? 4 : 0;
}
