/* The bounds of an application's plan, block by block. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/bounds.h"
#include "plan/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void make_own(struct ovl_app_bounder *b, const struct ovl_app_plan *plan)
{
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    size_t all = 0;
    for (int lane = 0; lane < OVL_LANES; lane++) {
        for (size_t g = 0; g < plan->groups[lane]; g++)
            b->count[lane] += (size_t)plan->group(plan->of, b->rank, (enum ovl_app_lane)lane, g, steps);
        all += b->count[lane];
    }
    b->seconds[OVL_LANE_CHAIN] = ovl_alloc(all, sizeof *b->seconds[0]);
    b->seconds[OVL_LANE_BULK] = b->seconds[OVL_LANE_CHAIN] + b->count[OVL_LANE_CHAIN];
}

/* At rank 0. A plan that is too long is left out. */
static int make_all(struct ovl_app_bounder *b, const struct ovl_app_plan *plan, struct ovl_error *err)
{
    bool apart;
    size_t own = b->count[OVL_LANE_CHAIN] + b->count[OVL_LANE_BULK];
    if ((own + 1) * (size_t)plan->ranks > OVL_APP_BOUNDS_MOST)
        return 0;
    if (ovl_app_steps_make(&b->steps, plan, 2 * OVL_APP_BOUNDS_MOST, err) != 0 ||
        ovl_app_check(&b->steps, &apart, err) != 0 || ovl_app_ops_match(&b->ops, &b->steps, err) != 0)
        return -1;
    b->least = ovl_alloc(b->steps.count, sizeof *b->least);
    b->counts = ovl_alloc((size_t)plan->ranks, sizeof *b->counts);
    b->places = ovl_alloc((size_t)plan->ranks, sizeof *b->places);
    for (int r = 0; r < plan->ranks; r++) {
        const struct ovl_app_list *chain = ovl_app_list(&b->steps, r, OVL_LANE_CHAIN);
        b->places[r] = (int)chain->first;
        b->counts[r] = (int)(chain->count + ovl_app_list(&b->steps, r, OVL_LANE_BULK)->count);
    }
    return 0;
}

int ovl_app_bounder_open(struct ovl_app_bounder *b, const struct ovl_app_plan *plan, MPI_Comm comm,
                         struct ovl_error *err)
{
    memset(b, 0, sizeof *b);
    b->comm = comm;
    MPI_Comm_rank(comm, &b->rank);
    make_own(b, plan);
    return b->rank == 0 ? make_all(b, plan, err) : 0;
}

void ovl_app_bounder_close(struct ovl_app_bounder *b)
{
    free(b->seconds[OVL_LANE_CHAIN]);
    ovl_app_ops_free(&b->ops);
    ovl_app_steps_free(&b->steps);
    free(b->least);
    free(b->counts);
    free(b->places);
    memset(b, 0, sizeof *b);
}

/* What the member that came last needed: the others waited for it. */
static void weigh(struct ovl_app_bounder *b, const struct ovl_app_op *op)
{
    double least = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < op->count; i++) {
            double *of = &b->least[ovl_app_list(&b->steps, op->members[i].rank, op->lane)->first + op->members[i].post];
            least = fmin(least, *of);
            *of = pass ? least : *of;
        }
}

void ovl_app_bounder_gather(struct ovl_app_bounder *b)
{
    int known = b->least != NULL, own = (int)(b->count[OVL_LANE_CHAIN] + b->count[OVL_LANE_BULK]);
    MPI_Bcast(&known, 1, MPI_INT, 0, b->comm);
    if (known)
        MPI_Gatherv(b->seconds[OVL_LANE_CHAIN], own, MPI_DOUBLE, b->least, b->counts, b->places, MPI_DOUBLE, 0,
                    b->comm);
    /* Other operations took no time in the work alone, and have 0. */
    for (size_t i = 0; i < b->ops.count && b->least; i++)
        if (b->ops.ops[i].kind == OVL_APP_SYNC)
            weigh(b, &b->ops.ops[i]);
}

struct ovl_app_bounds ovl_app_bounder_bounds(const struct ovl_app_bounder *b, const struct ovl_app_machine *m)
{
    struct ovl_app_bounds bounds = {NAN, NAN, NAN, NAN, NAN, NAN};
    struct ovl_error err;
    if (!b->least || ovl_app_bounds_of(&b->steps, &b->ops, m, b->least, &bounds, &err) != 0)
        bounds.bound = bounds.bound_here = NAN;
    return bounds;
}
