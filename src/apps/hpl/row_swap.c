/* The exchange of rows: spread and roll, and what it has in common with the exchange by halves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/row_swap.h"
#include "apps/hpl/binary_exchange.h"
#include "base/clock.h"

#include <string.h>

enum { SPREAD = 1, ROLL = 2 }; /* tags */
enum { MOST_SENDS = 32 };      /* of a spread, which halves the number of processes with each */

void ovl_hpl_row_swap_plan(struct ovl_hpl_system *s, struct ovl_hpl_panel *p)
{
    ovl_hpl_permutation_set(&p->permutation, p->first, p->width, s->pivots + p->first, s->shape.nb, s->grid->rows);
}

static double *column_of(const struct ovl_hpl_system *s, int column)
{
    return s->a + (size_t)column * (size_t)s->ld;
}

/* Takes elements `rows` of each column, one column after the other. */
static void gather(const struct ovl_hpl_system *s, const int *rows, int count, int begin, int end, double *out)
{
    for (int c = begin; c < end; c++, out += count) {
        const double *column = column_of(s, c);
        for (int i = 0; i < count; i++)
            out[i] = column[rows[i]];
    }
}

static void scatter(const struct ovl_hpl_system *s, const int *rows, int count, int begin, int end, const double *in)
{
    for (int c = begin; c < end; c++, in += count) {
        double *column = column_of(s, c);
        for (int i = 0; i < count; i++)
            column[rows[i]] = in[i];
    }
}

/* Top rows that go to rows of the same process. */
static void move_here(const struct ovl_hpl_system *s, int me, int begin, int end)
{
    const struct ovl_hpl_permutation *w = s->permutation;
    for (int c = begin; c < end; c++) {
        double *column = column_of(s, c);
        for (int m = w->moves_from[me]; m < w->moves_from[me + 1]; m++)
            column[w->into[m]] = column[w->from[m]];
    }
}

static void in_place(struct ovl_hpl_system *s, const struct ovl_hpl_panel *p, int begin, int end)
{
    const struct ovl_hpl_permutation *w = s->permutation;
    double *kept = s->best;
    for (int c = begin; c < end; c++) { /* with one process row the top is in order */
        double *column = column_of(s, c);
        gather(s, w->source, w->count, c, c + 1, kept);
        for (int m = 0; m < w->moves; m++)
            column[w->into[m]] = column[w->from[m]];
        memcpy(column + p->top, kept, (size_t)w->count * sizeof *kept);
    }
}

/* Rows from the top, in `mine`: each process that has those of several others passes half of them on at once. Returns
   how many messages it has begun. */
static int spread(struct ovl_hpl_system *s, int root, int columns, MPI_Request *sends)
{
    const struct ovl_hpl_permutation *w = s->permutation;
    int procs = s->grid->rows, me = (s->grid->row_at - root + procs) % procs, sent = 0;
    for (int begin = 0, end = procs; end - begin > 1;) { /* those that `begin` has the rows of */
        int middle = (begin + end + 1) / 2, first = ovl_hpl_permutation_moves(w, procs, root, middle);
        double *half = s->mine + (size_t)first * (size_t)columns;
        int doubles = (ovl_hpl_permutation_moves(w, procs, root, end) - first) * columns;
        if (me == begin && doubles > 0)
            MPI_Isend(half, doubles, MPI_DOUBLE, (root + middle) % procs, SPREAD, s->grid->column, &sends[sent++]);
        if (me == middle && doubles > 0)
            MPI_Recv(half, doubles, MPI_DOUBLE, (root + begin) % procs, SPREAD, s->grid->column, MPI_STATUS_IGNORE);
        if (me < middle)
            end = middle;
        else
            begin = middle;
    }
    return sent;
}

static void roll(struct ovl_hpl_system *s, int columns)
{
    const struct ovl_hpl_permutation *w = s->permutation;
    const struct ovl_hpl_grid *g = s->grid;
    int procs = g->rows, next = (g->row_at + 1) % procs, before = (g->row_at + procs - 1) % procs;
    for (int step = 0; step + 1 < procs; step++) {
        int out = (g->row_at + procs - step) % procs, in = (before + procs - step) % procs;
        MPI_Sendrecv(
            s->parts + (size_t)w->top_from[out] * (size_t)columns, (w->top_from[out + 1] - w->top_from[out]) * columns,
            MPI_DOUBLE, next, ROLL, s->parts + (size_t)w->top_from[in] * (size_t)columns,
            (w->top_from[in + 1] - w->top_from[in]) * columns, MPI_DOUBLE, before, ROLL, g->column, MPI_STATUS_IGNORE);
    }
}

static void reorder_rows(const struct ovl_hpl_system *s, int columns, double *u)
{
    const struct ovl_hpl_permutation *w = s->permutation;
    for (int p = 0; p < s->grid->rows; p++) {
        const double *in = s->parts + (size_t)w->top_from[p] * (size_t)columns;
        int rows = w->top_from[p + 1] - w->top_from[p];
        const int *to = w->top + w->top_from[p];
        for (int c = 0; c < columns; c++, in += rows)
            for (int i = 0; i < rows; i++)
                u[(size_t)c * (size_t)w->count + (size_t)to[i]] = in[i];
    }
}

/* The rows from the top that go to other processes. */
static void gather_top(const struct ovl_hpl_system *s, int root, int begin, int end)
{
    const struct ovl_hpl_permutation *w = s->permutation;
    double *next = s->mine;
    for (int i = 1; i < s->grid->rows; i++) {
        int to = (root + i) % s->grid->rows, rows = w->moves_from[to + 1] - w->moves_from[to];
        gather(s, w->from + w->moves_from[to], rows, begin, end, next);
        next += (size_t)rows * (size_t)(end - begin);
    }
}

void ovl_hpl_row_swap(struct ovl_hpl_system *s, const struct ovl_hpl_panel *p, enum ovl_hpl_swap swap, int begin,
                      int end, double *u)
{
    const struct ovl_hpl_permutation *w = s->permutation = &p->permutation;
    const struct ovl_hpl_grid *g = s->grid;
    if (g->rows == 1) {
        in_place(s, p, begin, end);
        return;
    }
    int me = g->row_at, root = p->row_owner, columns = end - begin, sent = 0;
    MPI_Request sends[MOST_SENDS];
    MPI_Status statuses[MOST_SENDS];
    if (me == root)
        gather_top(s, root, begin, end);
    gather(s, w->source + w->top_from[me], w->top_from[me + 1] - w->top_from[me], begin, end,
           s->parts + (size_t)w->top_from[me] * (size_t)columns);
    int64_t talks = ovl_clock_ns();
    if (swap == OVL_HPL_BINARY_EXCHANGE)
        ovl_hpl_binary_exchange(s, root, columns);
    else {
        sent = spread(s, root, columns, sends);
        roll(s, columns);
    }
    s->talked_ns += ovl_clock_ns() - talks;
    if (me == root)
        move_here(s, me, begin, end);
    else {
        int before = ovl_hpl_permutation_moves(w, g->rows, root, (me - root + g->rows) % g->rows);
        scatter(s, w->into + w->moves_from[me], w->moves_from[me + 1] - w->moves_from[me], begin, end,
                s->mine + (size_t)before * (size_t)columns);
    }
    reorder_rows(s, columns, u);
    talks = ovl_clock_ns();
    MPI_Waitall(sent, sends, statuses);
    s->talked_ns += ovl_clock_ns() - talks;
}
