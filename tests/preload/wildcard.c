/* A program that takes messages from anybody under any tag, from the first moment to the last: none is from a library.
   With an argument it only begins and ends MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 5, TAG = 7, ROOM = 4096, MORE = 3 };

static int wrong(const char *what)
{
    printf("wrong: %s\n", what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 4);
    return 4;
}

static void speak(int rank, int ranks)
{
    for (int to = 0; to < ranks; to++)
        if (to != rank)
            MPI_Send("12345", BYTES, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

/* Of what each other rank sends, one; what is received besides is none of the program's. */
static int listen(int senders)
{
    int count, ended, cancelled;
    char(*got)[ROOM] = malloc((size_t)(senders + MORE) * ROOM);
    MPI_Request *q = malloc((size_t)(senders + MORE) * sizeof *q);
    MPI_Status status;
    if (!got || !q)
        return wrong("no memory");
    for (int i = 0; i < senders + MORE; i++)
        MPI_Irecv(got[i], ROOM, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q[i]);
    for (int i = 0; i < senders; i++) {
        MPI_Wait(&q[i], &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        if (count != BYTES || status.MPI_TAG != TAG || memcmp(got[i], "12345", BYTES) != 0)
            return wrong("a message that the program did not send");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = senders; i < senders + MORE; i++) {
        MPI_Test(&q[i], &ended, MPI_STATUS_IGNORE);
        if (ended)
            return wrong("a message too many");
        MPI_Cancel(&q[i]);
        MPI_Wait(&q[i], &status);
        MPI_Test_cancelled(&status, &cancelled);
        if (!cancelled)
            return wrong("a message too many, late");
    }
    free(got);
    free(q);
    return 0;
}

int main(int argc, char **argv)
{
    int rank, ranks, rc = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 1) {
        speak(rank, ranks);
        rc = listen(ranks - 1);
    }
    MPI_Finalize();
    if (rc == 0 && rank == 0)
        puts("fine");
    return rc;
}
