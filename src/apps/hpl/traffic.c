/* A process gets a part of a panel from one that is so far behind it in the row, mostly the one before it, whoever the
   root is. So what a process gets from another is the sum of the panels of some process columns that stand beside each
   other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/traffic.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const double panels_most = 1e9, parts_most = 1.5e8;

static double *row_of(const struct ovl_hpl_traffic *t, int row)
{
    return t->before + (size_t)row * ((size_t)t->shape.columns + 1);
}

/* The bytes of each process column's panels at a row, and then their sums. */
static void add_row(struct ovl_hpl_traffic *t, int row)
{
    const struct ovl_hpl_shape *s = &t->shape;
    double *before = row_of(t, row);
    int panels = ovl_hpl_panels(s), below = ovl_hpl_below(s->n, s->nb, row, s->rows), at_row = 0, at_column = 0;
    for (int k = 0; k < panels; k++) {
        int width = ovl_hpl_panel_end(s, k) - k * s->nb;
        below -= at_row == row ? width : 0;
        before[at_column + 1] += sizeof(double) * (double)ovl_hpl_panel_doubles(width, below);
        at_row = at_row + 1 < s->rows ? at_row + 1 : 0;
        at_column = at_column + 1 < s->columns ? at_column + 1 : 0;
    }
    for (int c = 0; c < s->columns; c++)
        before[c + 1] += before[c];
}

bool ovl_hpl_traffic_open(struct ovl_hpl_traffic *t, const struct ovl_hpl_shape *shape, const struct ovl_space *space,
                          int per_node)
{
    *t = (struct ovl_hpl_traffic){.shape = *shape, .space = *space, .per_node = per_node};
    if ((double)ovl_hpl_panels(shape) * shape->rows > panels_most)
        return false;
    size_t rows = (size_t)shape->rows;
    t->before = ovl_check_alloc(calloc(rows * ((size_t)shape->columns + 1), sizeof *t->before));
    t->seen = ovl_check_alloc(malloc(rows * sizeof *t->seen));
    for (int row = 0; row < shape->rows; row++)
        add_row(t, row);
    return true;
}

void ovl_hpl_traffic_close(struct ovl_hpl_traffic *t)
{
    free(t->before);
    free(t->seen);
    free(t->stretches);
    *t = (struct ovl_hpl_traffic){.count = 0};
}

double ovl_hpl_traffic_all(const struct ovl_hpl_traffic *t)
{
    double most = 0;
    for (int row = 0; row < t->shape.rows; row++)
        most = fmax(most, row_of(t, row)[t->shape.columns]);
    return most;
}

/* What process `me` gets from the one that is so far behind: goes on a stretch of the process before it, which are
   those from `last` on, or begins one. */
static void add_share(struct ovl_hpl_traffic *t, size_t last, int me, int behind, double share)
{
    for (size_t i = last; i < t->count; i++) {
        struct ovl_hpl_stretch *s = &t->stretches[i];
        if (s->to == me && s->behind == behind) { /* another part of it */
            s->share += share;
            return;
        }
    }
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->stretches = ovl_check_alloc(realloc(t->stretches, t->room * sizeof *t->stretches));
    }
    t->stretches[t->count++] = (struct ovl_hpl_stretch){me, me, behind, share};
}

/* Those of a process that the process before it has, too, are joined with them. */
static void join(struct ovl_hpl_traffic *t, size_t before, size_t last)
{
    size_t kept = last;
    for (size_t i = last; i < t->count; i++) {
        struct ovl_hpl_stretch *s = &t->stretches[i];
        size_t k = before;
        while (k < last && !(t->stretches[k].to == s->from - 1 && t->stretches[k].behind == s->behind &&
                             t->stretches[k].share == s->share))
            k++;
        if (k < last)
            t->stretches[k].to = s->to;
        else
            t->stretches[kept++] = *s;
    }
    t->count = kept;
}

static void add_route(struct ovl_hpl_traffic *t, const struct ovl_hpl_scheme *scheme)
{
    int ranks = t->shape.columns, parts = scheme->parts(ranks);
    size_t long_one = 0; /* the few that are still going on stand from here on */
    t->count = 0;
    for (int me = 1; me < ranks; me++) {
        size_t last = t->count;
        for (int part = 0; part < parts; part++) {
            int from = scheme->route(me, ranks, part).from;
            if (from >= 0)
                add_share(t, last, me, me - from, 1);
        }
        for (size_t i = last; i < t->count; i++)
            t->stretches[i].share /= parts;
        join(t, long_one, last);
        while (long_one < t->count && t->stretches[long_one].to < me)
            long_one++;
    }
}

/* Bytes of the panels whose owners are `from` to `to` behind that column. */
static double owned(const struct ovl_hpl_traffic *t, int row, int column, int from, int to)
{
    const double *before = row_of(t, row);
    int q = t->shape.columns, low = column - to, high = column - from;
    if (low >= 0)
        return before[high + 1] - before[low];
    return high < 0 ? before[high + q + 1] - before[low + q] : before[high + 1] + before[q] - before[low + q];
}

/* By the route, to the ranks of a node. */
static double in_by_route(const void *of, int first, int end)
{
    const struct ovl_hpl_traffic *t = of;
    double in = 0;
    for (int r = first; r < end; r++) {
        int place[OVL_SPACE_LINES], q = t->shape.columns;
        ovl_space_place(&t->space, r, place);
        for (size_t i = 0; i < t->count; i++) {
            const struct ovl_hpl_stretch *s = &t->stretches[i];
            int from = ovl_space_member(&t->space, r, OVL_SPACE_ROW, (place[OVL_SPACE_ROW] - s->behind + q) % q);
            if (from < first || from >= end)
                in += s->share * owned(t, place[OVL_SPACE_COLUMN], place[OVL_SPACE_ROW], s->from, s->to);
        }
    }
    return in;
}

/* Once for each row that the node has ranks of: all panels but those that these own. */
static double in_at_least(const void *of, int first, int end)
{
    const struct ovl_hpl_traffic *t = of;
    double in = 0;
    for (int r = first; r < end; r++) {
        int place[OVL_SPACE_LINES];
        ovl_space_place(&t->space, r, place);
        int row = place[OVL_SPACE_COLUMN];
        in += t->seen[row] == first ? 0 : row_of(t, row)[t->shape.columns];
        in -= owned(t, row, place[OVL_SPACE_ROW], 0, 0);
        t->seen[row] = first;
    }
    return in > 0.5 ? in : 0; /* half a byte is rounding */
}

bool ovl_hpl_traffic_busiest(struct ovl_hpl_traffic *t, const struct ovl_hpl_scheme *scheme,
                             struct ovl_busiest *busiest)
{
    int ranks = t->shape.rows * t->shape.columns;
    if (scheme->parts && (double)t->shape.columns * scheme->parts(t->shape.columns) > parts_most)
        return false;
    for (int row = 0; row < t->shape.rows; row++)
        t->seen[row] = -1;
    if (scheme->parts)
        add_route(t, scheme);
    /* Of a route nodes are looked at until so many stretches were. */
    double each = scheme->parts ? (double)t->per_node * (double)(t->count + 1) : 1;
    *busiest = ovl_busiest_of(ranks, t->per_node, parts_most / each, scheme->parts ? in_by_route : in_at_least, t);
    return true;
}
