/* What is solved, on which process grid, and the sizes that follow. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_SHAPE_H
#define OVL_APPS_HPL_SHAPE_H

#include "apps/hpl/map.h"
#include "cli/hpl_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_hpl_shape {
    int n, nb, depth;  /* depth: panels of look-ahead */
    int rows, columns; /* P, Q */
    bool by_columns;   /* as the grid was opened */
    int mix_columns;   /* updates of up to so many local columns exchange their rows by halves; 0: none does */
};

static inline int ovl_hpl_panels(const struct ovl_hpl_shape *s)
{
    return (s->n + s->nb - 1) / s->nb;
}

/* The column behind those of a panel. */
static inline int ovl_hpl_panel_end(const struct ovl_hpl_shape *s, int panel)
{
    return panel + 1 < ovl_hpl_panels(s) ? (panel + 1) * s->nb : s->n;
}

/* A panel begins with so many doubles, then come the pivots, the triangle, and L under it. */
enum { OVL_HPL_PANEL_HEAD = 8 };

static inline size_t ovl_hpl_panel_doubles(int width, int rows)
{
    return OVL_HPL_PANEL_HEAD + (size_t)(width + 7) / 8 * 8 + (size_t)width * (size_t)(width + rows);
}

/* Columns whose rows are exchanged at once. More processes take more steps, so their pieces are wider. */
static inline int ovl_hpl_piece(const struct ovl_hpl_shape *s)
{
    int64_t wide = (int64_t)192 * s->rows, columns = ovl_hpl_below(s->n + 1, s->nb, 0, s->columns);
    return (int)(wide < columns ? wide : columns);
}

/* Columns of an update after which something else may be done: of one exchange of rows, or, where rows stay in their
   process, of a panel. */
static inline int ovl_hpl_strip(const struct ovl_hpl_shape *s)
{
    return s->rows > 1 ? ovl_hpl_piece(s) : s->nb;
}

#endif
