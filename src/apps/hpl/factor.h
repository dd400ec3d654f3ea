/* Factoring a panel: recursive, with partial pivoting over a process column. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_FACTOR_H
#define OVL_APPS_HPL_FACTOR_H

#include "apps/hpl/system.h"

/* Message and reduction of the search for pivots. -1 when there is no memory. */
int ovl_hpl_search_open(struct ovl_hpl_system *s);
void ovl_hpl_search_close(struct ovl_hpl_system *s);

/* Collective in the process column that owns the panel: L and U of its columns in place, and the panel's data for the
   other columns. One exchange a column finds the pivot and brings its row to all, and the row that it takes the place
   of to its owner. A column without a pivot is passed over, and its number noted. */
void ovl_hpl_factor(struct ovl_hpl_system *s, struct ovl_hpl_panel *panel);

#endif
