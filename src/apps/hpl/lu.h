/* The solution of the system by one way of broadcasting: plays its plan (solve_plan.h). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_LU_H
#define OVL_APPS_HPL_LU_H

#include "apps/hpl/bcast.h"
#include "apps/hpl/solve_plan.h"
#include "apps/hpl/system.h"
#include "plan/run.h"

/* Seconds on this rank. */
enum ovl_hpl_time {
    OVL_HPL_TOTAL,
    OVL_HPL_FACTOR, /* panels, with the search for pivots in the process column */
    OVL_HPL_BCAST,  /* spent in the calls of the broadcast, so exposed; waiting for a panel that is late counts too */
    OVL_HPL_SWAP,   /* exchange of rows */
    OVL_HPL_UPDATE, /* triangular solves and matrix products */
    OVL_HPL_SOLVE,  /* back substitution */
    OVL_HPL_TIMES
};

struct ovl_hpl_times {
    double seconds[OVL_HPL_TIMES];
    int panels;
    double *bcast; /* [panels]: OVL_HPL_BCAST of each panel */
    double *came;  /* [panels]: from the begin until the panel was here; 0 at its owner. The last one: the total */
};

struct ovl_hpl_lu {
    struct ovl_hpl_system *system;
    struct ovl_hpl_solve_plan solve_plan; /* has the look-ahead */
    struct ovl_app_plan plan, blocking;
    struct ovl_app_run run;
    struct ovl_hpl_bcast *bcast; /* [depth + 1]: of each panel's memory */
    struct ovl_hpl_times times;  /* of the last run */
    int64_t begin;
};

/* Collective over the ranks of the system, which stays the caller's, as `node`, the number of each rank's node, does.
   The look-ahead may be less than that of the system. With `blocking` a panel is waited for where it is posted. -1 when
   there is no memory; ovl_hpl_lu_close is called all the same. */
struct ovl_hpl_way {
    const struct ovl_hpl_scheme *scheme;
    const struct ovl_mode *mode;
    int depth;
    bool blocking;
};
int ovl_hpl_lu_open(struct ovl_hpl_lu *lu, struct ovl_hpl_system *system, const struct ovl_hpl_way *way,
                    const int *node, struct ovl_error *err);
void ovl_hpl_lu_close(struct ovl_hpl_lu *lu);

/* Collective. OVL_MASK_TOTAL, and OVL_MASK_APART: from [A b] as it was filled to x, which each process column then has
   its part of. OVL_MASK_WORK: the same computation on numbers of no meaning, since panels do not come: the pivots are
   those of the last solution, so rows move as they did in that. OVL_MASK_COMM: the broadcasts. */
void ovl_hpl_lu_play(struct ovl_hpl_lu *lu, enum ovl_app_mask mask);

#endif
