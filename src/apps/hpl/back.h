/* Back substitution, and the check of what comes out. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_BACK_H
#define OVL_APPS_HPL_BACK_H

#include "apps/hpl/system.h"
#include "record/derived/check_limit.h"

#include <stdbool.h>

/* Collective: x from U and the right-hand side, which the elimination carried along. Each process column has the parts
   of x that belong to its columns; the others stay 0 there. */
void ovl_hpl_back_substitute(struct ovl_hpl_system *s);

/* Collective: all of x at all ranks. */
void ovl_hpl_share_solution(struct ovl_hpl_system *s);

/* Collective, after that: max|Ax - b| / (eps (max row sum of |A| x max|x| + max|b|) n) with eps = 2^-53 (A. Petitet, R.
   C. Whaley, J. Dongarra, A. Cleary, HPL, 2.3), from entries that are made anew. A solution passes under 16; NaN where
   the numbers are not finite. */
double ovl_hpl_residual(struct ovl_hpl_system *s);

enum { OVL_HPL_RESIDUAL_LIMIT = OVL_CHECK_RESIDUAL_LIMIT };

#endif
