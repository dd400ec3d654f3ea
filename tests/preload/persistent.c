/* Persistent collectives started again and again, and completed by each of MPI's calls beside messages; every number is
 * checked. All of them are offloaded: MPICH 4.0.2 itself fails in MPI_Testall on its own persistent collectives. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 500, TIMES = 160, REQUESTS = 4 };

static MPI_Status *volatile no_statuses = MPI_STATUSES_IGNORE; /* else gcc sees an array of none */

static void must(bool right, const char *what, int time)
{
    if (right)
        return;
    fprintf(stderr, "persistent: %s, time %d\n", what, time);
    MPI_Abort(MPI_COMM_WORLD, 4);
}

/* The calls of MPI 4.1 that ask for several, of which the first `ended` are complete; they leave the requests as they
 * are. */
static void ask_for_several(MPI_Request *q, int ended, int time)
{
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    MPI_Status statuses[REQUESTS];
    int flag = 0, out = 0, index = -1, indices[REQUESTS];
    switch ((time / 8 + ended) % 3) {
    case 0:
        while (!flag)
            MPI_Request_get_status_all(REQUESTS, q, &flag, statuses);
        break;
    case 1:
        while (!flag)
            MPI_Request_get_status_any(REQUESTS, q, &index, &flag, statuses);
        must(index >= ended && index < 3, "MPI_Request_get_status_any found one that is not active", time);
        break;
    default:
        while (out == 0)
            MPI_Request_get_status_some(REQUESTS, q, &out, indices, statuses);
        must(out > 0 && out <= 3 - ended, "MPI_Request_get_status_some found other numbers than are active", time);
        for (int i = 0; i < out; i++)
            must(indices[i] >= ended && indices[i] < 3, "MPI_Request_get_status_some found one that is not", time);
    }
#else
    (void)q, (void)ended, (void)time;
#endif
}

/* Three of the requests are active; the fourth is null. */
static void complete(MPI_Request *q, int time)
{
    MPI_Status statuses[REQUESTS];
    int flag = 0, out = 0, got = 0, index, indices[REQUESTS];
    switch (time % 8) {
    case 0:
        MPI_Waitall(REQUESTS, q, no_statuses);
        break;
    case 1:
        while (!flag)
            MPI_Testall(REQUESTS, q, &flag, statuses);
        break;
    case 2:
        for (int i = 2; i >= 0; i--)
            MPI_Wait(&q[i], no_statuses);
        break;
    case 3:
        for (int i = 0; i < 3; i++)
            for (flag = 0; !flag;)
                MPI_Test(&q[i], &flag, no_statuses);
        break;
    case 4:
    case 5:
        for (; got < 3; got += out) {
            if (time % 8 == 4)
                MPI_Waitsome(REQUESTS, q, &out, indices, no_statuses);
            else
                MPI_Testsome(REQUESTS, q, &out, indices, statuses);
            must(out != MPI_UNDEFINED, "none is active, though some are", time);
        }
        break;
    case 6:
        for (int i = 0; i < 3; i++) {
            MPI_Waitany(REQUESTS, q, &index, no_statuses);
            must(index >= 0 && index < 3, "MPI_Waitany found none", time);
        }
        MPI_Waitany(REQUESTS, q, &index, no_statuses);
        must(index == MPI_UNDEFINED, "MPI_Waitany found one that is not active", time);
        break;
    default:
        for (int i = 0; i < 3; i++) {
            ask_for_several(q, i, time);
            for (flag = 0; !flag;)
                MPI_Request_get_status(q[i], &flag, no_statuses);
            MPI_Test(&q[i], &flag, no_statuses);
            must(flag, "MPI_Request_get_status said what MPI_Test denies", time);
        }
    }
}

/* What is not the root's is looked at by nobody: a datatype that has been freed. */
static void make_and_free(int rank)
{
    MPI_Datatype type, gone;
    MPI_Request q;
    int numbers[100];
    MPI_Type_contiguous(2, MPI_INT, &type);
    gone = type;
    MPI_Type_free(&type);
    MPI_Gather_init(&rank, 1, MPI_INT, numbers, 1, rank == 0 ? MPI_INT : gone, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
    MPI_Request_free(&q);
}

/* MPI 4.0 lets ranks start them in any order, where nothing is asserted; and a communicator may be freed before. */
static void start_in_any_order(int rank, int n)
{
    MPI_Comm comm;
    MPI_Request q[2];
    int first, last;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Bcast_init(&first, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &q[0]);
    MPI_Bcast_init(&last, 1, MPI_INT, n - 1, comm, MPI_INFO_NULL, &q[1]);
    MPI_Comm_free(&comm);
    for (int t = 0; t < TIMES; t++) {
        first = rank == 0 ? t : -1;
        last = rank == n - 1 ? 1000 + t : -1;
        MPI_Start(&q[(rank + t) % 2]);
        MPI_Start(&q[(rank + t + 1) % 2]);
        MPI_Waitall(2, q, no_statuses);
        must(first == t && last == 1000 + t, "started in another order, a number is wrong", t);
    }
    MPI_Request_free(&q[0]);
    MPI_Request_free(&q[1]);
}

int main(int argc, char **argv)
{
    int rank, n, x, sum, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int *send = malloc((size_t)n * COUNT * sizeof *send), *recv = malloc(2 * (size_t)n * COUNT * sizeof *recv);
    MPI_Datatype second;
    MPI_Request q[REQUESTS], names[REQUESTS], message[2];
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &second);
    MPI_Type_commit(&second);
    MPI_Alltoall_init(send, COUNT, MPI_INT, recv, COUNT, second, MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]);
    MPI_Type_free(&second);
    MPI_Allreduce_init(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &q[2]);
    q[3] = MPI_REQUEST_NULL;
    for (int i = 0; i < REQUESTS; i++)
        names[i] = q[i];
    for (int t = 0; t < TIMES; t++) {
        for (int i = 0; i < n * COUNT; i++)
            send[i] = rank * 100000 + i + t;
        x = rank + t;
        if (t % 2)
            MPI_Startall(3, q);
        for (int i = 0; i < 3 && t % 2 == 0; i++)
            MPI_Start(&q[i]);
        MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % n, 5, MPI_COMM_WORLD, &message[0]);
        MPI_Isend(&rank, 1, MPI_INT, (rank + n - 1) % n, 5, MPI_COMM_WORLD, &message[1]);
        complete(q, t);
        MPI_Waitall(2, message, no_statuses);
        for (int i = 0; i < REQUESTS; i++)
            must(q[i] == names[i], "a request has become another", t);
        must(in == (rank + 1) % n, "a message is wrong", t);
        must(sum == n * (n - 1) / 2 + n * t, "a sum is wrong", t);
        for (int i = 0; i < n * COUNT; i++)
            must(recv[2 * i] == i / COUNT * 100000 + rank * COUNT + i % COUNT + t, "a number is wrong", t);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&q[i]);
    make_and_free(rank);
    start_in_any_order(rank, n);
    MPI_Finalize();
    free(send);
    free(recv);
    if (rank == 0)
        puts("fine");
    return 0;
}
