/* One cell that stands for several launches of the same point in a chart. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_LAUNCHES_H
#define OVL_TOOL_CHART_LAUNCHES_H

#include "record/cell.h"

enum { OVL_CHART_LAUNCHES = 6 }; /* fewer have no 95 % interval by order statistics */

/* Puts the medians over n launches, all of which carry a claim, with their exact intervals over launches, into a copy
   of the first one; false, and *joined is not touched, when they are too few. What the copy points to (samples,
   problem, curve) is the first one's and stays its own. Its units are NaN where the launches did different work; its
   block group is another cell's where both are over the same ones. */
bool ovl_chart_launches_join(struct ovl_cell *joined, const struct ovl_cell *const *cells, size_t n);

/* The median over n cells of the seconds that their plans bound them by; NaN where one has none. */
double ovl_chart_launches_bound(const struct ovl_cell *const *cells, size_t n);

#endif
