/* The system of equations on this rank: the process grid, its part of [A b], and the memory that the solution needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_SYSTEM_H
#define OVL_APPS_HPL_SYSTEM_H

#include "apps/hpl/permutation.h"
#include "apps/hpl/shape.h"
#include "base/error.h"
#include "bench/app/lines.h"
#include "cli/hpl_options.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* P x Q processes. In dpu mode each row is a team, and panels lie where workers reach them. */
struct ovl_hpl_grid {
    MPI_Comm all;
    MPI_Comm row, column;  /* `row`: the Q processes of this row; `column`: the P processes of this column */
    int rank;              /* in `all` */
    int rows, columns;     /* P, Q */
    int row_at, column_at; /* this rank's place */
    struct ovl_space space;
    struct ovl_app_lines lines;
};

/* Collective. The grid of the shape, P * Q, has the size of `all`, whose ranks fill it row by row, or by columns. It
   stays the caller's, as `offload` does; that is NULL, or connected. -1 when the workers cannot have the team;
   ovl_hpl_grid_close is called all the same. */
int ovl_hpl_grid_open(struct ovl_hpl_grid *g, MPI_Comm all, const struct ovl_hpl_shape *shape,
                      struct ovl_offload *offload, struct ovl_error *err);
/* Collective. */
void ovl_hpl_grid_close(struct ovl_hpl_grid *g);

/* A factored panel as it travels along a row, one stretch of doubles: the number of the first column without a pivot
   or -1, the pivots, the triangle of the top rows (leading dimension `width`), and L below it. */
struct ovl_hpl_panel {
    int number, first, width;    /* columns first .. first + width - 1 */
    int row_owner, column_owner; /* process row and column of the diagonal block */
    int top;                     /* local row from which on this rank's rows are first or more */
    int below;                   /* local row from which on they are under the top rows */
    int rows;                    /* rows of L on this rank */
    double *data;
    size_t doubles; /* in use */
    double *singular, *pivots, *triangle, *lower;
    struct ovl_hpl_permutation permutation; /* what its pivots ask for, once it has been taken */
};

struct ovl_hpl_system {
    struct ovl_hpl_shape shape;
    struct ovl_hpl_grid *grid;
    uint64_t key, fills; /* of the random matrix, whose signs are others in each fill */
    enum ovl_hpl_spoil spoil;

    int panels;                  /* in the matrix */
    int mine_rows, mine_columns; /* local part of [A b], by columns */
    int ld;
    double *a;
    struct ovl_hpl_panel *panel; /* [depth + 1], used in turn */
    int *pivots;                 /* [n], of all panels so far; beyond them those of the solution before */
    int singular;                /* first column without a pivot, or -1 */
    bool lost;                   /* a panel came with a pivot that cannot be one: it did not come */
    double *x;                   /* [n] */
    double *sums;                /* [2 x local rows], used by back substitution and by the check */
    const struct ovl_hpl_permutation *permutation; /* of the panel whose rows are exchanged now */
    int64_t talked_ns;                             /* spent in messages within columns and rows, other than panels */

    double *u; /* the top rows of the trailing matrix; with one process row they stay in `a` */
    double *mine,
        *parts;   /* exchange of rows: `mine` has rows on their way from the top, `parts` those on their way to it */
    double *best; /* message of the search for a pivot */
    MPI_Datatype candidate; /* type of `best` */
    MPI_Op better;
};

/* Bytes that the rank with most needs. */
double ovl_hpl_memory(const struct ovl_hpl_shape *shape);

/* Collective, also where it fails. -1 when there is no memory at this rank, or for panels at any; ovl_hpl_close is
   called all the same. */
int ovl_hpl_open(struct ovl_hpl_system *s, const struct ovl_hpl_shape *shape, struct ovl_hpl_grid *grid, uint64_t key,
                 struct ovl_error *err);
void ovl_hpl_close(struct ovl_hpl_system *s);

/* Fills [A b] anew, and forgets x. */
void ovl_hpl_fill(struct ovl_hpl_system *s);
/* NaNs for all panels. */
void ovl_hpl_poison(struct ovl_hpl_system *s);

/* The entry of A, or for column n of b, as it was filled. */
double ovl_hpl_filled_entry(const struct ovl_hpl_system *s, int row, int column);

/* Collective, before anything is in the panels: the bytes whose time on the wire the broadcasts of a solution need at
   least when each begins after the one before has ended: of every panel those that come in over the busiest node's
   link, added up; `nodes` has the node of each rank. NaN on one node. */
double ovl_hpl_wire_bytes(struct ovl_hpl_system *s, const int *nodes);

/* Sets what follows from the panel's number; the data is the caller's. */
void ovl_hpl_panel_set(struct ovl_hpl_panel *panel, const struct ovl_hpl_system *s, int number);

/* Local columns of [A b] that lie before global column `column`. */
static inline int ovl_hpl_columns_before(const struct ovl_hpl_system *s, int column)
{
    return ovl_hpl_below(column, s->shape.nb, s->grid->column_at, s->grid->columns);
}

#endif
