/* Blocks of x are found from the last panel to the first; the residual makes the matrix anew, entry by entry. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/back.h"
#include "apps/hpl/blas.h"
#include "apps/hpl/map.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

void ovl_hpl_back_substitute(struct ovl_hpl_system *s)
{
    const struct ovl_hpl_grid *g = s->grid;
    int n = s->shape.n, nb = s->shape.nb, width = n - (s->panels - 1) * nb;
    double *part = s->best, *block = part + nb;
    memset(s->sums, 0, (size_t)s->mine_rows * sizeof *s->sums);
    if (g->column_at == ovl_hpl_owner(n, nb, g->columns))
        memcpy(s->sums, s->a + (size_t)ovl_hpl_local(n, nb, g->columns) * (size_t)s->ld,
               (size_t)s->mine_rows * sizeof *s->sums);
    for (int k = s->panels - 1; k >= 0; k--, width = nb) {
        int row_owner = k % g->rows, column_owner = k % g->columns;
        int top = ovl_hpl_below(k * nb, nb, g->row_at, g->rows), column = ovl_hpl_columns_before(s, k * nb);
        const double *u = s->a + (size_t)column * (size_t)s->ld;
        if (g->row_at == row_owner) {
            memcpy(part, s->sums + top, (size_t)width * sizeof *part);
            int64_t talks = ovl_clock_ns();
            MPI_Reduce(part, block, width, MPI_DOUBLE, MPI_SUM, column_owner, g->row);
            s->talked_ns += ovl_clock_ns() - talks;
        }
        if (g->column_at != column_owner)
            continue;
        if (g->row_at == row_owner)
            ovl_hpl_solve_upper(width, u + top, s->ld, block);
        int64_t talks = ovl_clock_ns();
        MPI_Bcast(block, width, MPI_DOUBLE, row_owner, g->column);
        s->talked_ns += ovl_clock_ns() - talks;
        memcpy(s->x + (size_t)k * (size_t)nb, block, (size_t)width * sizeof *block);
        ovl_hpl_gemv(top, width, u, s->ld, block, s->sums);
    }
}

void ovl_hpl_share_solution(struct ovl_hpl_system *s)
{
    MPI_Allreduce(MPI_IN_PLACE, s->x, s->shape.n, MPI_DOUBLE, MPI_SUM, s->grid->row);
}

/* MPI_MAX may pass over a NaN; an infinity stands for it. */
static double magnitude(double x)
{
    return isnan(x) ? INFINITY : fabs(x);
}

double ovl_hpl_residual(struct ovl_hpl_system *s)
{
    const struct ovl_hpl_grid *g = s->grid;
    int n = s->shape.n, nb = s->shape.nb, rows = s->mine_rows;
    double *sums = s->sums, *sizes = sums + rows, largest[4] = {0};
    memset(sums, 0, 2 * (size_t)rows * sizeof *sums);
    for (int c = 0; c < s->mine_columns; c++) {
        int column = ovl_hpl_global(c, nb, g->column_at, g->columns);
        double x = column < n ? s->x[column] : -1;
        for (int r = 0; r < rows; r++) {
            double given = ovl_hpl_filled_entry(s, ovl_hpl_global(r, nb, g->row_at, g->rows), column);
            sums[r] += given * x;
            if (column < n)
                sizes[r] += fabs(given);
            else
                largest[2] = fmax(largest[2], magnitude(given));
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2 * rows, MPI_DOUBLE, MPI_SUM, g->row);
    for (int r = 0; r < rows; r++) {
        largest[0] = fmax(largest[0], magnitude(sums[r]));
        largest[1] = fmax(largest[1], magnitude(sizes[r]));
    }
    for (int i = 0; i < n; i++)
        largest[3] = fmax(largest[3], magnitude(s->x[i]));
    MPI_Allreduce(MPI_IN_PLACE, largest, 4, MPI_DOUBLE, MPI_MAX, g->all);
    return largest[0] / (0x1p-53 * (largest[1] * largest[3] + largest[2]) * n);
}
