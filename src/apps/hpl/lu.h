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

struct ovl_hpl_times {
    double seconds[OVL_HPL_TIMES];
    int panels;
    double *bcast; /* [panels], of the caller: OVL_HPL_BCAST of each panel */
};

/* Collective: from [A b] as it was filled to x, which each process column then has its part of. With `apart` nothing
   overlaps: each broadcast starts together at all ranks and is waited for at once, which tells what it takes alone; the
   total is then of no use. */
void ovl_hpl_solve(struct ovl_hpl_system *s, struct ovl_hpl_bcast *b, bool apart, struct ovl_hpl_times *t);

#endif
