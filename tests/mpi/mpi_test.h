/* A few lines for MPI tests: every rank expects, rank 0 prints one line per test, and all leave with the same status.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_MPI_TEST_H
#define OVL_TESTS_MPI_TEST_H

#include <mpi.h>
#include <stdio.h>

static int mpi_test_wrong, mpi_test_failed;

/* Counts, and says where, on the rank where it is not so. */
#define EXPECT(condition)                                                                                              \
    do                                                                                                                 \
        if (!(condition)) {                                                                                            \
            mpi_test_wrong++;                                                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
        }                                                                                                              \
    while (0)

/* Collective: ends a test. */
static inline void mpi_test_end(const char *name)
{
    int rank, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&mpi_test_wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("not ok %s: %d wrong\n", name, all);
    else if (rank == 0)
        printf("ok %s\n", name);
    fflush(stdout);
    mpi_test_failed += all;
    mpi_test_wrong = 0;
}

/* Collective: the last call of main. */
static inline int mpi_test_finish(void)
{
    MPI_Finalize();
    return mpi_test_failed ? 1 : 0;
}

#endif
