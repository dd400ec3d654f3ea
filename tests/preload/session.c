/* A program whose MPI does not begin by MPI_Init alone, by its argument: `session` has collectives on a communicator of
 * a session, `quiet` has none, `both` calls MPI_Init besides, after the session has begun, and has the collectives on
 * MPI_COMM_WORLD; `unfinished` and `lingers` call MPI_Init, and end without MPI_Finalize; `thread` calls
 * MPI_Init_thread; `late` calls MPI_Init after a second; `again` becomes `thread` by exec; `forks` has a child that
 * ends before MPI_Init. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INTS = 80000 }; /* enough for workers by default */

static int exchange(MPI_Comm comm)
{
    int rank, ranks, wrong = 0;
    MPI_Request q;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *out = calloc((size_t)ranks * INTS, sizeof *out), *in = calloc((size_t)ranks * INTS, sizeof *in);
    for (int i = 0; out && i < ranks * INTS; i++)
        out[i] = rank * 1000 + i / INTS;
    MPI_Ialltoall(out, INTS, MPI_INT, in, INTS, MPI_INT, comm, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int i = 0; in && i < ranks * INTS; i++)
        wrong += in[i] != i / INTS * 1000 + rank;
    free(out);
    free(in);
    return wrong;
}

static int run_session(bool quiet)
{
    MPI_Session session;
    MPI_Group all;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "exchange", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    int wrong = quiet ? 0 : exchange(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return wrong;
}

static int run_init(int argc, char **argv, bool threads, bool both)
{
    int provided;
    MPI_Session session;
    if (both)
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    if (threads)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    int wrong = exchange(MPI_COMM_WORLD);
    if (strcmp(argv[1], "unfinished") == 0)
        exit(0);
    if (strcmp(argv[1], "lingers") == 0) { /* the first rank is the last to end so */
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        sleep(rank == 0 ? 2 : 0);
        exit(0);
    }
    if (both)
        MPI_Session_finalize(&session);
    MPI_Finalize();
    return wrong;
}

int main(int argc, char **argv)
{
    const char *how = argc == 2 ? argv[1] : "";
    if (strcmp(how, "again") == 0) {
        execl(argv[0], argv[0], "thread", (char *)NULL);
        return 9;
    }
    if (strcmp(how, "forks") == 0 && fork() == 0)
        exit(0);
    if (strcmp(how, "forks") == 0)
        wait(NULL);
    if (strcmp(how, "late") == 0)
        sleep(1);
    bool session = strcmp(how, "session") == 0, quiet = strcmp(how, "quiet") == 0;
    int wrong = session || quiet ? run_session(quiet)
                                 : run_init(argc, argv, strcmp(how, "thread") == 0, strcmp(how, "both") == 0);
    if (wrong)
        fprintf(stderr, "session: %d numbers are wrong\n", wrong);
    return wrong ? 4 : puts("fine") < 0;
}
