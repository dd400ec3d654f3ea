/* FFTW's own parallel transform of real numbers, there and back, for comparison with ovl_fft3d: `make compare-fftw`. */
/* SPDX-License-Identifier: BSD-3-Clause */
/* fftw_mpi NX NY NZ PAIRS: prints the median, least and most of the slowest rank's time for a pair, in ms. Transposed
   output, which saves a transpose in each direction, as ovl_fft3d leaves its spectrum transposed; FFTW_MEASURE. */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    enum { MOST = 1000 };
    static double took[MOST];
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    int pairs = argc == 5 ? atoi(argv[4]) : 0, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (pairs < 1 || pairs > MOST) {
        if (rank == 0)
            fprintf(stderr, "usage: fftw_mpi NX NY NZ PAIRS, at most %d pairs\n", MOST);
        MPI_Finalize();
        return 3;
    }
    /* FFTW divides the slowest axis; x is the one without gaps, as in ovl_fft3d. */
    ptrdiff_t nx = atol(argv[1]), ny = atol(argv[2]), nz = atol(argv[3]), mine, first, mine_after, first_after;
    ptrdiff_t room =
        fftw_mpi_local_size_3d_transposed(nz, ny, nx / 2 + 1, MPI_COMM_WORLD, &mine, &first, &mine_after, &first_after);
    double *u = fftw_alloc_real(2 * (size_t)room);
    fftw_complex *w = fftw_alloc_complex((size_t)room);
    fftw_plan there = fftw_mpi_plan_dft_r2c_3d(nz, ny, nx, u, w, MPI_COMM_WORLD,
                                               FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT | FFTW_DESTROY_INPUT);
    fftw_plan back = fftw_mpi_plan_dft_c2r_3d(nz, ny, nx, w, u, MPI_COMM_WORLD,
                                              FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN | FFTW_DESTROY_INPUT);
    for (int i = 0; i <= pairs; i++) { /* the first warms up */
        for (ptrdiff_t at = 0; at < 2 * room; at++)
            u[at] = (double)(at * 7919 % 1000) / 1000 - 0.5;
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        fftw_execute(there);
        fftw_execute(back);
        double mine_took = MPI_Wtime() - begin, slowest;
        MPI_Reduce(&mine_took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (i > 0)
            took[i - 1] = 1e3 * slowest;
    }
    if (rank == 0) {
        qsort(took, (size_t)pairs, sizeof *took, by_value);
        printf("%ldx%ldx%ld fftw-mpi ms: median %.2f least %.2f most %.2f (%s)\n", (long)nx, (long)ny, (long)nz,
               took[pairs / 2], took[0], took[pairs - 1], fftw_version);
    }
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(u);
    fftw_free(w);
    MPI_Finalize();
    return 0;
}
