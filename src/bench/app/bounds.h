/* The bounds of an application's plan, block by block: each rank's seconds of the work alone, brought to rank 0. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_BOUNDS_H
#define OVL_BENCH_APP_BOUNDS_H

#include "plan/bound.h"

#include <mpi.h>

/* One plan, whose work may be that of several schemes. */
struct ovl_app_bounder {
    MPI_Comm comm;
    int rank;
    double *seconds[OVL_LANES]; /* of the rank's own steps, for struct ovl_app_run */
    size_t count[OVL_LANES];

    /* At rank 0. */
    struct ovl_app_steps steps;
    struct ovl_app_ops ops;
    double *least;
    int *counts, *places; /* [ranks]: of all their steps */
};

enum { OVL_APP_BOUNDS_MOST = 500000 }; /* steps of all ranks; a longer plan has no bounds */

/* Collective over `comm`, the ranks of the plan. -1 and OVL_USAGE at rank 0 where the plan is none (ovl_app_check);
   then ovl_app_bounder_close all the same. */
int ovl_app_bounder_open(struct ovl_app_bounder *b, const struct ovl_app_plan *plan, MPI_Comm comm,
                         struct ovl_error *err);
void ovl_app_bounder_close(struct ovl_app_bounder *b);

/* Collective: brings the seconds of all ranks to rank 0. */
void ovl_app_bounder_gather(struct ovl_app_bounder *b);

/* At rank 0, after that: the bounds. NaN where the plan is too long. Operations weigh what their bytes
   take on the link, and nothing more: what they take alone is no bound (plan/bound.h). A SYNC that is part of the work,
   as that in front of a COMPUTE is, weighs the least that it took of any member there. */
struct ovl_app_bounds ovl_app_bounder_bounds(const struct ovl_app_bounder *b, const struct ovl_app_machine *m);

#endif
