/* The solution as a plan (plan/plan.h): what each rank computes, sends and waits for. No MPI.

   The chain makes one panel after the other: it waits for panel k, brings the columns of panel k + 1 up to date, and
   factors and posts that. The bulk applies panel k to all further columns. With a look-ahead of D the chain may be D
   panels ahead of the bulk, whose memory they have; the columns of the D panels behind a panel are therefore left to
   the chain. So the runner takes up the chain as soon as a panel has come, in the middle of the update by an earlier
   one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_SOLVE_PLAN_H
#define OVL_APPS_HPL_SOLVE_PLAN_H

#include "apps/hpl/shape.h"
#include "plan/plan.h"
#include "plan/space.h"

/* `what` of a step; `index` is the panel that it is of. */
enum ovl_hpl_what {
    OVL_HPL_DO_FACTOR, /* the panel */
    OVL_HPL_DO_TAKE,   /* its pivots, when it has come */
    OVL_HPL_DO_UPDATE, /* applies it to the columns of panel `slot` */
    OVL_HPL_DO_REST,   /* applies it to all columns behind those of panel `slot` */
    OVL_HPL_DO_SOLVE,  /* back substitution */
    OVL_HPL_DO_BCAST,
    OVL_HPL_DO_SYNC, /* of a process column: what the computation behind it does on the way, search for pivots or
                        exchange of rows */
};

/* `mark` of broadcasts is their panel, and their slot that of the panel's memory. */
struct ovl_hpl_solve_plan {
    struct ovl_hpl_shape shape;
    struct ovl_space space;
    const int *node; /* [P x Q], of each rank */
};

/* The plan of it, which must stay where it is. */
struct ovl_app_plan ovl_hpl_solve_plan_make(const struct ovl_hpl_solve_plan *plan);

/* The memory of a panel: 0 .. depth. */
static inline int ovl_hpl_buffer(const struct ovl_hpl_shape *s, int panel)
{
    return panel % (s->depth + 1);
}

/* Bytes of a panel at a process of that row. */
double ovl_hpl_solve_plan_bytes(const struct ovl_hpl_shape *s, int row_at, int panel);

/* Of the largest: the first one, at the row of processes that has most of it. */
double ovl_hpl_solve_plan_largest(const struct ovl_hpl_shape *s);

/* Local columns from .. to - 1 that an update is of, at processes of that column. */
struct ovl_hpl_columns {
    int from, to;
};
struct ovl_hpl_columns ovl_hpl_solve_plan_columns(const struct ovl_hpl_shape *s, int column_at,
                                                  const struct ovl_app_step *step);

#endif
