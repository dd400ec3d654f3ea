/* What is legal and seldom done, each of it on the workers: data to send and to receive in one array, memory that is
 * freed in MPI_Finalize, an error that the program wants to hear
 * of, and operations on more communicators than a worker has slots. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { APART = 100 }; /* what is received begins so far behind what is sent */

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "corners: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 4);
}

/* Rank r gives r numbers, so that rank 0 has nothing to send. */
static void gather_in_one_array(int rank, int n, bool all)
{
    int data[2 * APART] = {0}, *counts = malloc(2 * (size_t)n * sizeof *counts), *displs = counts + n, total = 0;
    MPI_Request q;
    for (int r = 0; r < n; r++) {
        counts[r] = all ? r : 1;
        displs[r] = APART + total;
        total += counts[r];
    }
    for (int i = 0; i < counts[rank]; i++)
        data[i] = 10 * rank + i;
    if (all)
        MPI_Iallgatherv(data, counts[rank], MPI_INT, data, counts, displs, MPI_INT, MPI_COMM_WORLD, &q);
    else
        MPI_Igatherv(data, 1, MPI_INT, data, counts, displs, MPI_INT, 0, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int r = 0; r < n && (all || rank == 0); r++)
        for (int i = 0; i < counts[r]; i++)
            must(data[displs[r] + i] == 10 * r + i,
                 all ? "a number of allgatherv is wrong" : "one of gatherv is wrong");
    free(counts);
}

/* Rank r gets 1 + r numbers of the root's. */
static void scatter_in_one_array(int rank, int n)
{
    int data[2 * APART] = {0}, *counts = malloc(2 * (size_t)n * sizeof *counts), *displs = counts + n, root = n - 1;
    MPI_Request q;
    for (int r = 0, total = 0; r < n; total += counts[r++]) {
        counts[r] = 1 + r;
        displs[r] = APART + total;
        for (int i = 0; i < counts[r] && rank == root; i++)
            data[displs[r] + i] = 10 * r + i;
    }
    MPI_Iscatterv(data, counts, displs, MPI_INT, data, counts[rank], MPI_INT, root, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int i = 0; i < counts[rank]; i++)
        must(data[i] == 10 * rank + i, "a number of scatterv is wrong");
    free(counts);
}

/* Rank 0 has its own number at one place among both, which MPICH lets pass where the counts are two arrays. */
static void all_to_all_in_one_array(int rank, int n)
{
    int data[2 * APART] = {0}, *lists = calloc(4 * (size_t)n, sizeof *lists);
    int *sent = lists, *from = sent + n, *got = from + n, *to = got + n;
    MPI_Request q;
    for (int r = 0; r < n; r++) {
        sent[r] = got[r] = 1;
        from[r] = r;
        to[r] = r == 0 ? 0 : APART + r;
        data[r] = 10 * rank + r;
    }
    if (rank != 0)
        to[0] = APART;
    MPI_Ialltoallv(data, sent, from, MPI_INT, data, got, to, MPI_INT, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int r = 0; r < n; r++)
        must(data[to[r]] == 10 * r + rank, "a number of alltoallv is wrong");
    free(lists);
}

/* The root's data lie at addresses, which only it knows. */
static void gather_to_addresses(int rank, int n)
{
#if MPI_VERSION >= 4
    int mine[2] = {10 * rank, 10 * rank + 1}, *data = calloc(4 * (size_t)n, sizeof *data);
    MPI_Count *counts = calloc((size_t)n, sizeof *counts);
    MPI_Aint *displs = calloc((size_t)n, sizeof *displs);
    MPI_Request q;
    for (int r = 0; r < n; r++) {
        counts[r] = 2 * sizeof *mine;
        MPI_Get_address(data + 4 * r, displs + r);
    }
    MPI_Igatherv_c(mine, 2 * sizeof *mine, MPI_BYTE, rank == 0 ? MPI_BOTTOM : data, counts, displs, MPI_BYTE, 0,
                   MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int r = 0; r < n && rank == 0; r++)
        must(data[4 * r] == 10 * r && data[4 * r + 1] == 10 * r + 1 && data[4 * r + 2] == 0,
             "one at an address is wrong");
    free(data);
    free(counts);
    free(displs);
#else
    (void)rank, (void)n;
#endif
}

static int free_memory(MPI_Comm comm, int keyval, void *memory, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    must(((char *)memory)[0] == 5, "memory is another in MPI_Finalize");
    return MPI_Free_mem(memory);
}

static void hang_memory_on_self(void)
{
    int keyval;
    void *memory;
    MPI_Alloc_mem(10000, MPI_INFO_NULL, &memory);
    memset(memory, 5, 10000);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_memory, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, memory);
}

static void hear_of_errors(void)
{
    MPI_Comm comm, made, all[] = {MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    all[2] = comm;
    for (int i = 0; i < 3; i++)
        MPI_Comm_set_errhandler(all[i], MPI_ERRORS_RETURN);
    must(MPI_Comm_create_group(comm, MPI_GROUP_NULL, 1, &made) != MPI_SUCCESS, "no group made a communicator");
    int to[4 * APART], class = MPI_SUCCESS;
    MPI_Request q = MPI_REQUEST_NULL;
    MPI_Error_class(MPI_Iallgather(NULL, APART / 10, MPI_INT, to, APART / 10, MPI_INT, comm, &q), &class);
    must(class == MPI_ERR_BUFFER, "data at NULL were sent");
    for (int i = 0; i < 3; i++)
        MPI_Comm_set_errhandler(all[i], MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

/* Far more operations under way than a worker has slots for, which ranks post in opposite orders. */
static void on_many_communicators(int rank)
{
    enum { COMMS = 600 };
    static MPI_Comm comm[COMMS];
    static MPI_Request q[COMMS];
    static MPI_Status statuses[COMMS];
    static int in[COMMS], sum[COMMS];
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < COMMS; i++) {
        int c = rank % 2 ? COMMS - 1 - i : i;
        in[c] = rank == 0 ? c : 1;
        MPI_Iallreduce(&in[c], &sum[c], 1, MPI_INT, MPI_MAX, comm[c], &q[c]);
    }
    MPI_Waitall(COMMS, q, statuses);
    for (int c = 0; c < COMMS; c++) {
        must(sum[c] == (c > 1 ? c : 1), "a number of many reductions is wrong");
        MPI_Comm_free(&comm[c]);
    }
}

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    must(n < 10, "give fewer than 10 ranks");
    gather_in_one_array(rank, n, true);
    gather_in_one_array(rank, n, false);
    scatter_in_one_array(rank, n);
    all_to_all_in_one_array(rank, n);
    gather_to_addresses(rank, n);
    hear_of_errors();
    on_many_communicators(rank);
    hang_memory_on_self();
    MPI_Finalize();
    if (rank == 0)
        puts("fine");
    return 0;
}
