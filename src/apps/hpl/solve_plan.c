/* The plan of a solution. Chain: group 0 makes panel 0; group 1 + 2k gets panel k, group 2 + 2k makes panel k + 1, or
   solves where there is none. Bulk: group k is the update by panel k. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/solve_plan.h"

#include <math.h>
#include <string.h>

struct writer {
    const struct ovl_hpl_solve_plan *f;
    const struct ovl_hpl_shape *s;
    struct ovl_app_step *steps;
    int rank, count, panels;
    int row_at, column_at;
    size_t after; /* of what is added */
};

/* The checker's numbers of buffers: columns of a panel, then the right-hand side, and the panels' memory, far enough
   apart that a stretch of columns does not reach from one to the next. */
static int columns_of(int panel)
{
    return 1 + panel;
}

static int memory_of(const struct writer *w, int panel)
{
    return (w->panels + 2) * (1 + ovl_hpl_buffer(w->s, panel));
}

struct ovl_hpl_columns ovl_hpl_solve_plan_columns(const struct ovl_hpl_shape *s, int column_at,
                                                  const struct ovl_app_step *step)
{
    int end = ovl_hpl_panel_end(s, step->slot);
    struct ovl_hpl_columns c = {ovl_hpl_below(end, s->nb, column_at, s->columns),
                                ovl_hpl_below(s->n + 1, s->nb, column_at, s->columns)};
    if (step->what == OVL_HPL_DO_UPDATE) {
        c.to = c.from;
        c.from = ovl_hpl_below(step->slot * s->nb, s->nb, column_at, s->columns);
    }
    return c;
}

static struct ovl_app_step *add(struct writer *w, enum ovl_app_kind kind, enum ovl_hpl_what what, int panel)
{
    struct ovl_app_step *t = &w->steps[w->count++];
    *t = (struct ovl_app_step){.kind = kind, .what = what, .index = panel, .mark = -1, .after = w->after, .units = 1};
    return t;
}

/* All processes of a column have to come, and there is no telling which rows are exchanged: no bytes. Chain and bulk
   have a team each. */
static void add_column_sync(struct writer *w, enum ovl_app_lane lane, int panel)
{
    if (w->s->rows == 1)
        return;
    struct ovl_app_step *t = add(w, OVL_APP_SYNC, OVL_HPL_DO_SYNC, panel);
    t->team = w->s->rows + lane * w->s->columns + w->column_at;
    t->ranks = w->s->rows;
    t->root = ovl_space_member(&w->f->space, w->rank, OVL_SPACE_COLUMN, 0);
    t->needs = OVL_NEEDS_ALL;
}

static void add_update(struct writer *w, enum ovl_hpl_what what, int panel, int columns)
{
    const struct ovl_app_step of = {.what = what, .slot = columns};
    struct ovl_hpl_columns c = ovl_hpl_solve_plan_columns(w->s, w->column_at, &of);
    if (c.to == c.from)
        return;
    add_column_sync(w, what == OVL_HPL_DO_REST ? OVL_LANE_BULK : OVL_LANE_CHAIN, panel);
    struct ovl_app_step *t = add(w, OVL_APP_COMPUTE, what, panel);
    t->slot = columns;
    int strip = ovl_hpl_strip(w->s);
    t->units = (c.to - c.from + strip - 1) / strip;
    t->read = memory_of(w, panel);
    t->write = columns_of(columns + (what == OVL_HPL_DO_REST));
    if (what == OVL_HPL_DO_REST)
        t->buffers = columns_of(w->panels) - t->write + 1;
}

static int owner_of(const struct writer *w, int panel)
{
    return ovl_space_member(&w->f->space, w->rank, OVL_SPACE_ROW, panel % w->s->columns);
}

static bool owns(const struct writer *w, int panel)
{
    return panel % w->s->columns == w->column_at;
}

double ovl_hpl_solve_plan_bytes(const struct ovl_hpl_shape *s, int row_at, int panel)
{
    int end = ovl_hpl_panel_end(s, panel);
    int rows = ovl_hpl_below(s->n, s->nb, row_at, s->rows) - ovl_hpl_below(end, s->nb, row_at, s->rows);
    return sizeof(double) * (double)ovl_hpl_panel_doubles(end - panel * s->nb, rows);
}

double ovl_hpl_solve_plan_largest(const struct ovl_hpl_shape *s)
{
    double most = 0;
    for (int row = 0; row < s->rows; row++)
        most = fmax(most, ovl_hpl_solve_plan_bytes(s, row, 0));
    return most;
}

/* Bytes that come in for the first of the row's ranks on a node without the owner, and go out from the owner. */
static void set_bytes(const struct writer *w, struct ovl_app_step *t, int panel)
{
    const struct ovl_hpl_shape *s = w->s;
    int owner = owner_of(w, panel);
    double bytes = ovl_hpl_solve_plan_bytes(s, w->row_at, panel);
    const int *node = w->f->node;
    bool first = true, leaves = false;
    for (int i = 0; i < s->columns; i++) {
        int other = ovl_space_member(&w->f->space, w->rank, OVL_SPACE_ROW, i);
        first = first && (i >= w->column_at || node[other] != node[w->rank]);
        leaves = leaves || node[other] != node[owner];
    }
    t->in = first && node[owner] != node[w->rank] ? bytes : 0;
    t->out = w->rank == owner && leaves ? bytes : 0;
}

static void add_post(struct writer *w, int panel)
{
    if (w->s->columns == 1)
        return;
    struct ovl_app_step *t = add(w, OVL_APP_POST, OVL_HPL_DO_BCAST, panel);
    t->mark = panel;
    t->slot = ovl_hpl_buffer(w->s, panel);
    *(owns(w, panel) ? &t->read : &t->write) = memory_of(w, panel);
    t->team = w->row_at;
    t->ranks = w->s->columns;
    t->root = owner_of(w, panel);
    t->needs = OVL_NEEDS_ROOT;
    set_bytes(w, t, panel);
}

static void add_wait(struct writer *w, int panel)
{
    if (w->s->columns == 1)
        return;
    struct ovl_app_step *t = add(w, OVL_APP_WAIT, OVL_HPL_DO_BCAST, panel);
    t->mark = panel;
    t->slot = ovl_hpl_buffer(w->s, panel);
}

static void make_panel(struct writer *w, int panel)
{
    if (owns(w, panel)) {
        add_column_sync(w, OVL_LANE_CHAIN, panel);
        struct ovl_app_step *t = add(w, OVL_APP_COMPUTE, OVL_HPL_DO_FACTOR, panel);
        t->read = columns_of(panel);
        t->write = memory_of(w, panel);
    }
    add_post(w, panel);
}

/* Its owner has it already, and need not wait for those that get it before they have sent the next one; without
   look-ahead there is no memory for that one. */
static bool waits_later(const struct writer *w, int panel)
{
    return owns(w, panel) && w->s->depth > 0;
}

/* Panel k has come. The columns of the next one are meanwhile brought up to date as far as they can be. */
static void get_panel(struct writer *w, int k)
{
    for (int j = k + 1 > w->s->depth ? k + 1 - w->s->depth : 0; j < k && k + 1 < w->panels && owns(w, k + 1); j++)
        add_update(w, OVL_HPL_DO_UPDATE, j, k + 1);
    if (!waits_later(w, k))
        add_wait(w, k);
    if (k > 0 && waits_later(w, k - 1))
        add_wait(w, k - 1);
    add(w, OVL_APP_COMPUTE, OVL_HPL_DO_TAKE, k)->read = memory_of(w, k);
}

static void after_panel(struct writer *w, int k)
{
    if (k + 1 < w->panels) {
        if (w->s->depth > 0 && owns(w, k + 1))
            add_update(w, OVL_HPL_DO_UPDATE, k, k + 1);
        make_panel(w, k + 1);
        return;
    }
    w->after = (size_t)w->panels;
    if (waits_later(w, k))
        add_wait(w, k);
    add(w, OVL_APP_COMPUTE, OVL_HPL_DO_SOLVE, k);
}

static void write_chain(struct writer *w, size_t group)
{
    if (group == 0) {
        make_panel(w, 0);
        return;
    }
    int k = (int)(group - 1) / 2, depth = w->s->depth > 0 ? w->s->depth : 1;
    bool gets = group % 2;
    /* The memory of panel k + 1, and its columns, are free for the chain when the bulk is done with panel k - depth. */
    w->after = k + 1 > depth ? (size_t)(k + 1 - depth) : 0;
    if (w->s->depth == 0 && !gets)
        w->after = (size_t)k + 1;
    if (gets)
        get_panel(w, k);
    else
        after_panel(w, k);
}

static int write_group(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct ovl_hpl_solve_plan *f = of;
    int place[OVL_SPACE_LINES], panel = (int)group;
    ovl_space_place(&f->space, rank, place);
    struct writer w = {.f = f,
                       .s = &f->shape,
                       .steps = steps,
                       .rank = rank,
                       .panels = ovl_hpl_panels(&f->shape),
                       .row_at = place[OVL_SPACE_COLUMN],
                       .column_at = place[OVL_SPACE_ROW]};
    if (lane == OVL_LANE_CHAIN)
        write_chain(&w, group);
    else {
        int last = panel + w.s->depth;
        w.after = 2 + 2 * group;
        add_update(&w, OVL_HPL_DO_REST, panel, last < w.panels ? last : w.panels - 1);
    }
    return w.count;
}

struct ovl_app_plan ovl_hpl_solve_plan_make(const struct ovl_hpl_solve_plan *f)
{
    size_t panels = (size_t)ovl_hpl_panels(&f->shape);
    return (struct ovl_app_plan){.ranks = f->shape.rows * f->shape.columns,
                                 .slots = f->shape.depth + 1,
                                 .work_alone = true,
                                 .groups = {[OVL_LANE_CHAIN] = 2 * panels + 1, [OVL_LANE_BULK] = panels},
                                 .of = f,
                                 .group = write_group};
}
