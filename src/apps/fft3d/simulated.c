/* A pair of transforms on ranks that nobody has, simulated. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/state.h"
#include "bench/app/simulated_plan.h"
#include "simulate/operation.h"

#include <math.h>
#include <stdio.h>

struct simulated {
    struct ovl_transform_plan plan;
    double points;  /* complex numbers that a rank transforms along a line's direction, of a variable */
    uint64_t lines; /* between two tests; 0: none */
};

/* Places of the directions in the order of a pass: x, y, z forwards. Lines along the first are made before the first
   transpose, along the last behind the second. 5 n log2 n operations a line of n (Frigo and Johnson, Proc. IEEE 93(2),
   2005). */
static double flops_along(const struct simulated *f, bool back, int place)
{
    return 5 * f->points * log2((double)f->plan.pencil.grid.n[back ? 2 - place : place]);
}

static double units_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct simulated *f = of;
    bool back;
    struct ovl_slab_exchange e = ovl_transform_plan_exchange(&f->plan, step->index, &back);
    (void)rank;
    switch (step->what) {
    case OVL_TRANSFORM_PRODUCE:
        if (back && e.turn == 1) /* rows are copied: lines along y are made as soon as the columns are in */
            return 0;
        return flops_along(f, back, f->plan.fused ? 0 : e.turn) / f->plan.chunks;
    case OVL_TRANSFORM_CONSUME:
        if (f->plan.fused)
            return flops_along(f, back, 2) / f->plan.chunks;
        if (!back)
            return e.turn == 1 ? flops_along(f, back, 2) / f->plan.chunks : 0;
        if (!ovl_transform_plan_carried(&f->plan.pencil, OVL_ROW)) /* both, while a plane is in the cache */
            return e.turn == 0 ? (flops_along(f, back, 1) + flops_along(f, back, 2)) / f->plan.chunks : 0;
        return flops_along(f, back, e.turn + 1) / f->plan.chunks;
    case OVL_TRANSFORM_PRODUCE_ALL:
        return flops_along(f, back, 0) + flops_along(f, back, 1);
    default: /* all slabs at once */
        return flops_along(f, back, 1) + flops_along(f, back, 2);
    }
}

static struct ovl_sim_operation operation_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct simulated *f = of;
    bool back;
    struct ovl_slab_exchange e = ovl_transform_plan_exchange(&f->plan, step->index, &back);
    enum ovl_transpose t = ovl_transform_plan_transpose(&e, back);
    struct ovl_pencil p;
    struct ovl_error impossible;
    ovl_pencil_make(&p, &f->plan.pencil.grid, f->plan.pencil.real, &f->plan.pencil.space, rank, &impossible);
    int members = p.space.members[t], first = ovl_space_member(&p.space, rank, t, 0);
    size_t slab = ovl_pencil_slab(&p, t, f->plan.chunks, e.chunk).count, number = 2 * sizeof(double);
    size_t most = ovl_pencil_largest(&p, t, slab);
    bool even = ovl_pencil_even(&p, t);
    return (struct ovl_sim_operation){.shape =
                                          ovl_sim_shape(even ? OVL_IALLTOALL : OVL_IALLTOALLV,
                                                        number * (most > 0 ? most : 1), sizeof(double), members, 0),
                                      .first = first,
                                      .stride = members > 1 ? ovl_space_member(&p.space, rank, t, 1) - first : 1};
}

/* With as many units as there are tests in a step. */
static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct simulated *f = of;
    int n = f->plan.pair.group(f->plan.pair.of, rank, lane, group, steps);
    for (int i = 0; i < n && f->lines > 0; i++) {
        double lines = f->points / (double)f->plan.pencil.grid.n[0] / f->plan.chunks / (double)f->lines;
        steps[i].units = steps[i].kind == OVL_APP_COMPUTE && lines > 1 ? (int)fmin(lines, 1e6) : steps[i].units;
    }
    return n;
}

static int open_plan(struct simulated *f, const struct ovl_fft3d *d, int chunks, int window, struct ovl_error *err)
{
    const struct ovl_grid *g = &d->pencil.grid;
    f->points = (double)(d->pencil.real ? d->pencil.half : g->n[0]) * (double)g->n[1] * (double)g->n[2] / d->job.ranks;
    f->lines = d->options.common.test_lines;
    return ovl_transform_plan_make(&f->plan, &d->pencil, (int)d->options.variables, chunks, window, NULL, err);
}

int ovl_fft3d_simulate(const struct ovl_fft3d *d, const char *grid, double link_bytes, struct ovl_error *err)
{
    const struct ovl_fft3d_options *o = &d->options;
    struct simulated f = {.lines = 0}, blocking = {.lines = 0}; /* which has one slab, and no window */
    char problem[160];
    const int *sides = d->pencil.space.members;
    int rc = open_plan(&f, d, o->chunks, (int)o->window, err);
    rc = open_plan(&blocking, d, 1, 0, err) == 0 ? rc : -1;
    struct ovl_app_plan plan = f.plan.pair;
    plan.of = &f;
    plan.group = group_of;
    snprintf(problem, sizeof problem, "grid %s, %s, %d variables in %d slabs, window %d, on %d x %d ranks", grid,
             o->transform, (int)o->variables, o->chunks, (int)o->window, sides[OVL_ROW], sides[OVL_COLUMN]);
    struct ovl_simulated_plan s = ovl_simulated_plan_of("ovl_fft3d", o->dry_run_text, d->job.ranks, o->dry_run_per_node,
                                                        "no test", &o->network, &o->common);
    ovl_simulated_plan_play(&s, &plan, &f);
    s.blocking = &blocking.plan.pair;
    s.blocking_of = &blocking;
    s.problem = problem;
    s.sample = "a pair of transforms of a variable";
    s.left_out = "packing; blocks are as large as the largest; dpu: workers do all exchanges";
    s.equal = (double)o->variables;
    s.alike = sides[OVL_ROW] == 1 || sides[OVL_COLUMN] == 1;
    s.units = units_of;
    s.operation = operation_of;
    s.link_bytes = link_bytes;
    if (rc == 0)
        rc = ovl_simulated_plan_print(&s, err);
    ovl_transform_plan_free(&f.plan);
    ovl_transform_plan_free(&blocking.plan);
    return rc;
}
