/* The solution of the system: right-looking LU with look-ahead, and back substitution; timed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_LU_H
#define OVL_APPS_HPL_LU_H

#include "apps/hpl/bcast.h"
#include "apps/hpl/system.h"

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

/* The same, a value per panel. */
enum ovl_hpl_panel_time {
    OVL_HPL_PANEL_BCAST,  /* as OVL_HPL_BCAST */
    OVL_HPL_PANEL_FACTOR, /* 0 where the panel is not factored */
    OVL_HPL_PANEL_FIRST,  /* what of its update the next factorisation waits for: the next panel's columns; all, without
                             look-ahead */
    OVL_HPL_PANEL_TIMES
};

struct ovl_hpl_times {
    double seconds[OVL_HPL_TIMES];
    int panels;
    double *panel; /* [OVL_HPL_PANEL_TIMES x panels], of the caller */
};

/* Collective: from [A b] as it was filled to x, which each process column then has its part of. With `apart` nothing
   overlaps: each broadcast starts together at all ranks and is waited for at once, which tells what it takes alone; the
   total is then of no use. */
void ovl_hpl_solve(struct ovl_hpl_system *s, struct ovl_hpl_bcast *b, bool apart, struct ovl_hpl_times *t);

/* The longest time that no schedule with this look-ahead can beat, from times apart, each the largest over ranks
   (`panel`) or this run's slowest rank's work: max(computation, chain). The chain is factor -> broadcast -> first part
   of the update, panel by panel, and back substitution at its end. */
struct ovl_hpl_bound {
    double compute, chain, bound;
};
struct ovl_hpl_bound ovl_hpl_bound_of(const struct ovl_hpl_times *largest, double compute);

#endif
