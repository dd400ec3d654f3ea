/* How far off an application's answer may be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_CHECK_LIMIT_H
#define OVL_RECORD_DERIVED_CHECK_LIMIT_H

#include "record/cell.h"

enum { OVL_CHECK_RESIDUAL_LIMIT = 16 }; /* of a linear system, scaled as HPL does */

/* Of a transform of so many points, as a part of its size: 16 eps log2 N (the error grows as eps log N: Gentleman and
   Sande 1966; Schatzman, SIAM J. Sci. Comput. 17, 1996). */
double ovl_check_limit_of_transform(double points);

/* Of a relaxation of a cube in so many steps: what is rounded off fades less quickly than the data, as the slowest of
   all waves, which is even in z. */
double ovl_check_limit_of_steps(double side, double steps);

/* The one that follows from a cell's problem; NaN of other programs than ovl's applications. */
double ovl_cell_check_limit(const struct ovl_cell *cell);

#endif
