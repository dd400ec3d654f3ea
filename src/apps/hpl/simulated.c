/* A solution on ranks that nobody has, simulated: panels travel as the mode itself broadcasts them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/solve_plan.h"
#include "apps/hpl/state.h"
#include "bench/app/dry_run.h"
#include "bench/app/simulated_plan.h"
#include "simulate/operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rows_below(const struct ovl_hpl_shape *s, int row_at, int column)
{
    return ovl_hpl_below(s->n, s->nb, row_at, s->rows) - ovl_hpl_below(column, s->nb, row_at, s->rows);
}

/* Operations of a step: of LU on m rows and w columns w^2 (m - w / 3); of an update of c columns w^2 c for the
   triangle, and 2 m w c for the rest. */
static double units_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct ovl_hpl_solve_plan *f = of;
    const struct ovl_hpl_shape *s = &f->shape;
    int place[OVL_SPACE_LINES], panel = step->index, end = ovl_hpl_panel_end(s, panel);
    double w = end - panel * s->nb, n = s->n;
    ovl_space_place(&f->space, rank, place);
    int row_at = place[OVL_SPACE_COLUMN];
    if (step->what == OVL_HPL_DO_FACTOR)
        return w * w * fmax(0, rows_below(s, row_at, panel * s->nb) - w / 3);
    if (step->what == OVL_HPL_DO_SOLVE)
        return n * n / f->shape.rows / f->shape.columns;
    if (step->what == OVL_HPL_DO_TAKE)
        return 0;
    struct ovl_hpl_columns c = ovl_hpl_solve_plan_columns(s, place[OVL_SPACE_ROW], step);
    return (w * w + 2 * w * rows_below(s, row_at, end)) * (c.to - c.from);
}

/* A broadcast along a row; of a column that all of it come. */
static struct ovl_sim_operation operation_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct ovl_hpl_solve_plan *f = of;
    int place[OVL_SPACE_LINES], root[OVL_SPACE_LINES];
    bool panel = step->what == OVL_HPL_DO_BCAST;
    int line = panel ? OVL_SPACE_ROW : OVL_SPACE_COLUMN, first = ovl_space_member(&f->space, rank, line, 0);
    ovl_space_place(&f->space, rank, place);
    ovl_space_place(&f->space, step->root, root);
    double bytes = panel ? ovl_hpl_solve_plan_bytes(&f->shape, place[OVL_SPACE_COLUMN], step->index) : 0;
    return (struct ovl_sim_operation){.shape =
                                          ovl_sim_shape(panel ? OVL_IBCAST : OVL_IBARRIER, (size_t)bytes,
                                                        sizeof(double), step->ranks, panel ? root[OVL_SPACE_ROW] : 0),
                                      .first = first,
                                      .stride = ovl_space_member(&f->space, rank, line, 1) - first};
}

int ovl_hpl_simulate(const struct ovl_hpl *h, const struct ovl_hpl_shape *shape, double link_bytes,
                     struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &h->options;
    char problem[128];
    int *node = ovl_dry_run_nodes(h->job.ranks, o->dry_run_per_node);
    struct ovl_hpl_solve_plan f = {*shape, h->grid.space, node};
    struct ovl_app_plan plan = ovl_hpl_solve_plan_make(&f);
    snprintf(problem, sizeof problem, "N %d, NB %d, look-ahead %d, on %d x %d ranks", shape->n, shape->nb, shape->depth,
             shape->rows, shape->columns);
    struct ovl_simulated_plan s = ovl_simulated_plan_of("ovl_hpl", o->dry_run_text, h->job.ranks, o->dry_run_per_node,
                                                        "tests between pieces of other work", &o->network, &o->common);
    ovl_simulated_plan_play(&s, &plan, &f);
    s.problem = problem;
    s.sample = "a solution";
    s.left_out = shape->rows > 1
                     ? "pivots and rows that columns of processes exchange: they meet in a barrier; --bcast: "
                       "panels go by MPI_Ibcast, or by workers"
                     : "--bcast: panels go by MPI_Ibcast, or by workers";
    s.host_polls = true;
    s.asked = h->job.offload.algorithm;
    s.units = units_of;
    s.operation = operation_of;
    s.link_bytes = link_bytes;
    int rc = ovl_simulated_plan_print(&s, err);
    free(node);
    return rc;
}
