/* Exchange of rows in the trailing matrix: what the pivots of a panel ask for, over a process column. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_ROW_SWAP_H
#define OVL_APPS_HPL_ROW_SWAP_H

#include "apps/hpl/system.h"

/* Takes the exchanges from the system's pivots of the panel, for the calls below. */
void ovl_hpl_row_swap_plan(struct ovl_hpl_system *s, struct ovl_hpl_panel *panel);

/* How rows travel in a process column: HPL's "long" and "binary-exchange". */
enum ovl_hpl_swap { OVL_HPL_SPREAD_AND_ROLL, OVL_HPL_BINARY_EXCHANGE };

/* Local columns begin .. end - 1, at most ovl_hpl_piece of them. With one process row all happens in place, and `u` is
   not used. With more it is collective in the process column: rows from the top go to their new owners, and the new top
   rows to all, who have them in `u`, whose leading dimension is the panel's width. */
void ovl_hpl_row_swap(struct ovl_hpl_system *s, const struct ovl_hpl_panel *panel, enum ovl_hpl_swap swap, int begin,
                      int end, double *u);

#endif
