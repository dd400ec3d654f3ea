/* Recursive by halves; one reduction for a column brings its pivot and both rows that change places. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/factor.h"
#include "apps/hpl/blas.h"
#include "apps/hpl/map.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NARROW = 8 }; /* columns at which the recursion ends */

/* What a rank offers as the pivot of a column; its row and the row at the diagonal follow, nb doubles each. */
struct candidate {
    double magnitude; /* -1: none; a NaN counts as the largest, so that all ranks choose the same */
    double row;       /* global */
    double diagonal;  /* 1: the row at the diagonal is here */
    double unused;
};

enum { CANDIDATE = sizeof(struct candidate) / sizeof(double) };

static double rank_of(double magnitude)
{
    return isnan(magnitude) ? INFINITY : magnitude;
}

/* MPI_User_function: the greater magnitude, of equal ones the lower row. */
static void choose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int bytes;
    MPI_Type_size(*type, &bytes);
    size_t nb = ((size_t)bytes / sizeof(double) - CANDIDATE) / 2;
    for (int i = 0; i < *length; i++) {
        double *from = (double *)((char *)in + (size_t)i * (size_t)bytes);
        double *to = (double *)((char *)inout + (size_t)i * (size_t)bytes);
        struct candidate a, b;
        memcpy(&a, from, sizeof a);
        memcpy(&b, to, sizeof b);
        double most = rank_of(a.magnitude), other = rank_of(b.magnitude);
        if (most > other || (most == other && a.row < b.row)) {
            memcpy(to + CANDIDATE, from + CANDIDATE, nb * sizeof(double));
            b.magnitude = a.magnitude;
            b.row = a.row;
        }
        if (a.diagonal > 0) {
            memcpy(to + CANDIDATE + nb, from + CANDIDATE + nb, nb * sizeof(double));
            b.diagonal = a.diagonal;
        }
        memcpy(to, &b, sizeof b);
    }
}

int ovl_hpl_search_open(struct ovl_hpl_system *s)
{
    int doubles = CANDIDATE + 2 * s->shape.nb;
    s->best = malloc((size_t)doubles * sizeof *s->best);
    MPI_Type_contiguous(doubles, MPI_DOUBLE, &s->candidate);
    MPI_Type_commit(&s->candidate);
    MPI_Op_create(choose, 1, &s->better);
    return s->best ? 0 : -1;
}

void ovl_hpl_search_close(struct ovl_hpl_system *s)
{
    MPI_Op_free(&s->better);
    MPI_Type_free(&s->candidate);
    free(s->best);
}

/* The panel's part of this rank while it is factored. */
struct work {
    struct ovl_hpl_system *s;
    struct ovl_hpl_panel *p;
    double *x; /* rows from the panel's first on */
    int ld, rows;
    bool diagonal; /* this rank has the top rows: column j's candidates start at row j, elsewhere at 0 */
};

static int active(const struct work *w, int column)
{
    return w->diagonal ? column : 0;
}

static double *at(const struct work *w, int row, int column)
{
    return w->x + (size_t)column * (size_t)w->ld + row;
}

static double *top(const struct work *w, int row, int column)
{
    return w->p->triangle + (size_t)column * (size_t)w->p->width + row;
}

static void gather_row(const struct work *w, int row, double *out)
{
    for (int c = 0; c < w->p->width; c++)
        out[c] = *at(w, row, c);
}

static void scatter_row(const struct work *w, int row, const double *in)
{
    for (int c = 0; c < w->p->width; c++)
        *at(w, row, c) = in[c];
}

/* Finds the pivot of a column that is up to date. Its row goes into the triangle, the row at the diagonal to where the
   pivot was. Returns the pivot. */
static double exchange(struct work *w, int column)
{
    struct ovl_hpl_system *s = w->s;
    const struct ovl_hpl_grid *g = s->grid;
    int nb = s->shape.nb, first = active(w, column), here = -1;
    struct candidate c = {.magnitude = -1, .row = s->shape.n, .diagonal = w->diagonal};
    double *row = s->best + CANDIDATE, *old = row + nb;
    if (first < w->rows) {
        here = first + ovl_hpl_largest(w->rows - first, at(w, first, column));
        c.magnitude = fabs(*at(w, here, column));
        c.row = ovl_hpl_global(w->p->top + here, nb, g->row_at, g->rows);
        gather_row(w, here, row);
    }
    if (w->diagonal)
        gather_row(w, column, old);
    if (g->rows > 1) {
        memcpy(s->best, &c, sizeof c);
        int64_t talks = ovl_clock_ns();
        MPI_Allreduce(MPI_IN_PLACE, s->best, 1, s->candidate, s->better, g->column);
        s->talked_ns += ovl_clock_ns() - talks;
        memcpy(&c, s->best, sizeof c);
    }
    int pivot = (int)c.row;
    w->p->pivots[column] = pivot;
    if (ovl_hpl_owner(pivot, nb, g->rows) == g->row_at)
        scatter_row(w, ovl_hpl_local(pivot, nb, g->rows) - w->p->top, old);
    for (int i = 0; i < w->p->width; i++)
        *top(w, column, i) = row[i];
    return row[column];
}

/* Columns begin .. end - 1 one after the other, each brought up to date when its turn comes. */
static void factor_narrow(struct work *w, int begin, int end)
{
    for (int j = begin; j < end; j++) {
        for (int i = begin + 1; i < j; i++)
            for (int t = begin; t < i; t++)
                *top(w, i, j) -= *top(w, i, t) * *top(w, t, j);
        int from = active(w, j);
        ovl_hpl_gemv(w->rows - from, j - begin, at(w, from, begin), w->ld, top(w, begin, j), at(w, from, j));
        double pivot = exchange(w, j);
        if (pivot == 0) {
            if (*w->p->singular < 0)
                *w->p->singular = w->p->first + j;
            continue;
        }
        double *column = at(w, 0, j), inverse = 1 / pivot;
        if (isfinite(inverse))
            for (int i = active(w, j + 1); i < w->rows; i++)
                column[i] *= inverse;
        else
            for (int i = active(w, j + 1); i < w->rows; i++)
                column[i] /= pivot;
    }
}

/* F. G. Gustavson, IBM Journal of Research and Development 41(6), 1997: halves, the right one updated in between. */
static void factor_columns(struct work *w, int begin, int end)
{
    if (end - begin <= NARROW) {
        factor_narrow(w, begin, end);
        return;
    }
    int half = (end - begin) / 2, blocks = half / NARROW * NARROW, middle = begin + (blocks ? blocks : half);
    factor_columns(w, begin, middle);
    ovl_hpl_solve_lower(middle - begin, end - middle, top(w, begin, begin), w->p->width, top(w, begin, middle),
                        w->p->width);
    int from = active(w, middle);
    ovl_hpl_gemm(w->rows - from, end - middle, middle - begin, at(w, from, begin), w->ld, top(w, begin, middle),
                 w->p->width, at(w, from, middle), w->ld);
    factor_columns(w, middle, end);
}

void ovl_hpl_factor(struct ovl_hpl_system *s, struct ovl_hpl_panel *p)
{
    int column = ovl_hpl_columns_before(s, p->first);
    struct work w = {
        .s = s,
        .p = p,
        .x = s->a + (size_t)column * (size_t)s->ld + p->top,
        .ld = s->ld,
        .rows = s->mine_rows - p->top,
        .diagonal = s->grid->row_at == p->row_owner,
    };
    *p->singular = -1;
    factor_columns(&w, 0, p->width);
    for (int c = 0; c < p->width; c++) {
        const double *from = at(&w, 0, c);
        if (w.diagonal)
            memcpy(at(&w, 0, c), top(&w, 0, c), (size_t)p->width * sizeof *from);
        memcpy(p->lower + (size_t)c * (size_t)p->rows, from + (p->below - p->top), (size_t)p->rows * sizeof *from);
    }
}
