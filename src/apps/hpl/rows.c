/* Spread and roll: the exchange of rows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/rows.h"

#include <string.h>

enum { SPREAD = 1, ROLL = 2 }; /* tags */

void ovl_hpl_rows_plan(struct ovl_hpl_system *s, const struct ovl_hpl_panel *p)
{
    for (int i = 0; i < p->width; i++)
        s->pivots[p->first + i] = (int)p->pivots[i];
    ovl_hpl_swaps_set(&s->swaps, p->first, p->width, s->pivots + p->first, s->shape.nb, s->grid->rows);
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
    const struct ovl_hpl_swaps *w = &s->swaps;
    for (int c = begin; c < end; c++) {
        double *column = column_of(s, c);
        for (int m = w->moves_from[me]; m < w->moves_from[me + 1]; m++)
            column[w->into[m]] = column[w->from[m]];
    }
}

static void in_place(struct ovl_hpl_system *s, const struct ovl_hpl_panel *p, int begin, int end)
{
    const struct ovl_hpl_swaps *w = &s->swaps;
    double *kept = s->best;
    for (int c = begin; c < end; c++) { /* with one process row the top is in order */
        double *column = column_of(s, c);
        gather(s, w->source, w->count, c, c + 1, kept);
        for (int m = 0; m < w->moves; m++)
            column[w->into[m]] = column[w->from[m]];
        memcpy(column + p->top, kept, (size_t)w->count * sizeof *kept);
    }
}

/* From the top's owner to the rows that are overwritten; `mine` is what is sent or received. */
static int spread(struct ovl_hpl_system *s, int root, int begin, int end)
{
    const struct ovl_hpl_swaps *w = &s->swaps;
    const struct ovl_hpl_grid *g = s->grid;
    int sent = 0, columns = end - begin;
    double *next = s->mine;
    for (int to = 0; to < g->rows && g->row_at == root; to++) {
        int rows = w->moves_from[to + 1] - w->moves_from[to];
        if (to == root || rows == 0)
            continue;
        gather(s, w->from + w->moves_from[to], rows, begin, end, next);
        MPI_Isend(next, rows * columns, MPI_DOUBLE, to, SPREAD, g->column, &s->sends[sent++]);
        next += (size_t)rows * (size_t)columns;
    }
    return sent;
}

static void roll(struct ovl_hpl_system *s, int columns)
{
    const struct ovl_hpl_swaps *w = &s->swaps;
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

static void put_in_order(const struct ovl_hpl_system *s, int columns, double *u)
{
    const struct ovl_hpl_swaps *w = &s->swaps;
    for (int p = 0; p < s->grid->rows; p++) {
        const double *in = s->parts + (size_t)w->top_from[p] * (size_t)columns;
        int rows = w->top_from[p + 1] - w->top_from[p];
        const int *to = w->top + w->top_from[p];
        for (int c = 0; c < columns; c++, in += rows)
            for (int i = 0; i < rows; i++)
                u[(size_t)c * (size_t)w->count + (size_t)to[i]] = in[i];
    }
}

void ovl_hpl_rows_exchange(struct ovl_hpl_system *s, const struct ovl_hpl_panel *p, int begin, int end, double *u)
{
    const struct ovl_hpl_swaps *w = &s->swaps;
    const struct ovl_hpl_grid *g = s->grid;
    if (g->rows == 1) {
        in_place(s, p, begin, end);
        return;
    }
    int me = g->row_at, columns = end - begin, moves = w->moves_from[me + 1] - w->moves_from[me];
    int sent = spread(s, p->row_owner, begin, end);
    gather(s, w->source + w->top_from[me], w->top_from[me + 1] - w->top_from[me], begin, end,
           s->parts + (size_t)w->top_from[me] * (size_t)columns);
    if (me == p->row_owner)
        move_here(s, me, begin, end);
    else if (moves > 0) {
        MPI_Recv(s->mine, moves * columns, MPI_DOUBLE, p->row_owner, SPREAD, g->column, MPI_STATUS_IGNORE);
        scatter(s, w->into + w->moves_from[me], moves, begin, end, s->mine);
    }
    roll(s, columns);
    put_in_order(s, columns, u);
    MPI_Waitall(sent, s->sends, s->statuses);
}
