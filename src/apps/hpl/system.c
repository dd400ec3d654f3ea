/* Process grid, memory with panels where workers reach them, and entries that any rank can make. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/system.h"
#include "apps/hpl/factor.h"
#include "apps/hpl/generate.h"
#include "apps/hpl/map.h"
#include "base/page_alloc.h"
#include "bench/app/message.h"
#include "bench/nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int ovl_hpl_grid_open(struct ovl_hpl_grid *g, MPI_Comm all, const struct ovl_hpl_shape *shape,
                      struct ovl_offload *offload, struct ovl_error *err)
{
    static const bool workers[OVL_SPACE_LINES] = {[OVL_SPACE_ROW] = true};
    int place[OVL_SPACE_LINES];
    *g = (struct ovl_hpl_grid){.all = all, .rows = shape->rows, .columns = shape->columns};
    g->space = (struct ovl_space){{[OVL_SPACE_ROW] = g->columns, [OVL_SPACE_COLUMN] = g->rows}, shape->by_columns};
    MPI_Comm_rank(all, &g->rank);
    ovl_space_place(&g->space, g->rank, place);
    g->column_at = place[OVL_SPACE_ROW];
    g->row_at = place[OVL_SPACE_COLUMN];
    int rc = ovl_app_lines_open(&g->lines, all, &g->space, offload, workers, err);
    g->row = g->lines.comm[OVL_SPACE_ROW];
    g->column = g->lines.comm[OVL_SPACE_COLUMN];
    return rc;
}

void ovl_hpl_grid_close(struct ovl_hpl_grid *g)
{
    ovl_app_lines_close(&g->lines);
}

/* Columns start in different sets of the caches: an odd number of lines apart. */
static int leading(int rows)
{
    int lines = (rows + 7) / 8;
    return 8 * (lines | 1);
}

static size_t piece_doubles(const struct ovl_hpl_shape *s)
{
    return s->rows > 1 ? (size_t)s->nb * (size_t)ovl_hpl_piece(s) : 0;
}

double ovl_hpl_memory(const struct ovl_hpl_shape *s)
{
    double rows = ovl_hpl_below(s->n, s->nb, 0, s->rows), columns = ovl_hpl_below(s->n + 1, s->nb, 0, s->columns);
    double doubles = (rows + 16) * columns + (s->depth + 1) * (double)ovl_hpl_panel_doubles(s->nb, (int)rows) +
                     2 * (double)piece_doubles(s) + (s->rows > 1 ? s->nb * columns : 0) + 6.0 * s->n;
    return sizeof(double) * doubles;
}

static int lack(const struct ovl_hpl_system *s, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %.0f MB a rank; give a smaller --order",
                         1e-6 * ovl_hpl_memory(&s->shape));
}

/* Collective. Panels travel: workers must reach them. */
static int obtain_panels(struct ovl_hpl_system *s, struct ovl_error *err)
{
    size_t doubles = ovl_hpl_panel_doubles(s->shape.nb, s->mine_rows);
    int rc = 0;
    for (int p = 0; p <= s->shape.depth; p++) {
        void *memory = NULL;
        if (rc == 0)
            rc = ovl_app_memory(s->grid->lines.offload, &memory, doubles * sizeof(double), err);
        s->panel[p].data = memory;
    }
    return rc;
}

int ovl_hpl_open(struct ovl_hpl_system *s, const struct ovl_hpl_shape *shape, struct ovl_hpl_grid *grid, uint64_t key,
                 struct ovl_error *err)
{
    int n = shape->n, nb = shape->nb;
    *s = (struct ovl_hpl_system){.shape = *shape, .grid = grid, .key = key, .singular = -1};
    s->panels = ovl_hpl_panels(shape);
    s->mine_rows = ovl_hpl_below(n, nb, grid->row_at, grid->rows);
    s->mine_columns = ovl_hpl_below(n + 1, nb, grid->column_at, grid->columns);
    s->ld = leading(s->mine_rows);
    s->a = ovl_huge_pages((size_t)s->ld * (size_t)s->mine_columns * sizeof(double));
    bool got = s->a;
    s->panel = ovl_check_alloc(calloc((size_t)shape->depth + 1, sizeof *s->panel));
    for (int p = 0; p <= shape->depth; p++)
        got = ovl_hpl_permutation_make(&s->panel[p].permutation, nb, grid->rows) == 0 && got;
    s->pivots = malloc((size_t)n * sizeof *s->pivots);
    s->x = malloc((size_t)n * sizeof *s->x);
    s->sums = malloc(2 * ((size_t)s->mine_rows + 1) * sizeof *s->sums);
    got = got && s->pivots && s->x && s->sums;
    for (int i = 0; i < n && got; i++)
        s->pivots[i] = i;
    if (grid->rows > 1) {
        s->u = ovl_huge_pages((size_t)nb * (size_t)s->mine_columns * sizeof(double));
        s->mine = ovl_huge_pages(piece_doubles(shape) * sizeof(double));
        s->parts = ovl_huge_pages(piece_doubles(shape) * sizeof(double));
        got = got && s->u && s->mine && s->parts;
    }
    got = ovl_hpl_search_open(s) == 0 && got;
    int rc = obtain_panels(s, err);
    return got ? rc : lack(s, err);
}

void ovl_hpl_close(struct ovl_hpl_system *s)
{
    ovl_hpl_search_close(s);
    free(s->a);
    for (int p = 0; p <= s->shape.depth; p++) {
        ovl_app_memory_free(s->grid->lines.offload, s->panel[p].data);
        ovl_hpl_permutation_free(&s->panel[p].permutation);
    }
    free(s->panel);
    free(s->pivots);
    free(s->x);
    free(s->sums);
    free(s->u);
    free(s->mine);
    free(s->parts);
}

double ovl_hpl_filled_entry(const struct ovl_hpl_system *s, int row, int column)
{
    int middle = s->shape.n / 2;
    if (s->spoil == OVL_HPL_SPOIL_SINGULAR && column == middle)
        return 0;
    if (s->spoil == OVL_HPL_SPOIL_NAN && column == middle && row == middle)
        return NAN;
    double entry = ovl_hpl_entry(s->key, s->shape.n, row, column);
    return ovl_hpl_turned(s->fills, row, column) ? -entry : entry;
}

void ovl_hpl_fill(struct ovl_hpl_system *s)
{
    const struct ovl_hpl_grid *g = s->grid;
    s->fills++;
    for (int c = 0; c < s->mine_columns; c++) {
        int column = ovl_hpl_global(c, s->shape.nb, g->column_at, g->columns);
        double *at = s->a + (size_t)c * (size_t)s->ld;
        for (int r = 0; r < s->mine_rows; r++)
            at[r] = ovl_hpl_filled_entry(s, ovl_hpl_global(r, s->shape.nb, g->row_at, g->rows), column);
    }
    memset(s->x, 0, (size_t)s->shape.n * sizeof *s->x);
    s->singular = -1;
    s->lost = false;
}

void ovl_hpl_poison(struct ovl_hpl_system *s)
{
    size_t bytes = ovl_hpl_panel_doubles(s->shape.nb, s->mine_rows) * sizeof(double);
    for (int p = 0; p <= s->shape.depth; p++)
        memset(s->panel[p].data, 0xff, bytes);
}

void ovl_hpl_panel_set(struct ovl_hpl_panel *p, const struct ovl_hpl_system *s, int number)
{
    const struct ovl_hpl_grid *g = s->grid;
    int nb = s->shape.nb, first = number * nb, after = ovl_hpl_panel_end(&s->shape, number);
    p->number = number;
    p->first = first;
    p->width = after - first;
    p->row_owner = number % g->rows;
    p->column_owner = number % g->columns;
    p->top = ovl_hpl_below(first, nb, g->row_at, g->rows);
    p->below = ovl_hpl_below(after, nb, g->row_at, g->rows);
    p->rows = s->mine_rows - p->below;
    p->singular = p->data;
    p->pivots = p->data + OVL_HPL_PANEL_HEAD;
    p->triangle = p->pivots + (p->width + 7) / 8 * 8;
    p->lower = p->triangle + (size_t)p->width * (size_t)p->width;
    p->doubles = ovl_hpl_panel_doubles(p->width, p->rows);
}

double ovl_hpl_wire_bytes(struct ovl_hpl_system *s, const int *nodes)
{
    const struct ovl_hpl_grid *g = s->grid;
    bool first = true; /* the ranks of the row on this node have one of them to get a panel for all */
    double *incoming = ovl_check_alloc(calloc((size_t)s->panels, sizeof *incoming));
    for (int i = 0; i < g->column_at; i++)
        first = first && nodes[ovl_space_member(&g->space, g->rank, OVL_SPACE_ROW, i)] != nodes[g->rank];
    for (int k = 0; k < s->panels && first; k++) {
        ovl_hpl_panel_set(&s->panel[0], s, k);
        int owner = ovl_space_member(&g->space, g->rank, OVL_SPACE_ROW, s->panel[0].column_owner);
        if (nodes[owner] != nodes[g->rank])
            incoming[k] = (double)s->panel[0].doubles * sizeof(double);
    }
    double bytes = ovl_nodes_busiest(g->all, nodes, incoming, s->panels);
    free(incoming);
    return bytes;
}
