/* What several charts say of a cell: columns as gnuplot reads them, and what its mark means. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_COLUMN_H
#define OVL_TOOL_CHART_COLUMN_H

#include "table/table.h"
#include "tool/chart/data.h"

#include <stdio.h>

/* The size that begins a line, or NaN. */
void ovl_chart_put_first(FILE *out, double size);

/* A tab and the value; NaN, which gnuplot passes over, where there is none. */
void ovl_chart_put(FILE *out, double value);

/* A number of a curve; NAN where there is none. */
double ovl_chart_number_at(const json_t *array, size_t i);

/* The same of a value and its interval, which is the value itself where there is none. */
void ovl_chart_put_estimate(FILE *out, struct ovl_estimate e, double factor);

/* A change in percent. */
double ovl_chart_change(double before, double now);

/* A name in quotes, at most so many bytes of it; what gnuplot would read as something else is a question mark. */
void ovl_chart_put_name(FILE *out, const char *name, int most);

/* Why its values are no measurement: ovl_run_no_claim, or `odd`; NULL: they are one. */
const char *ovl_chart_no_claim(const struct ovl_point *p);

/* A status as the drawings know it: 0, 1 for ci_not_reached, 2 where the point carries no claim (ovl_chart_no_claim).
 */
int ovl_chart_status(const struct ovl_point *p);

/* What the crosses in these panels are: "invalid", "unshaped" (an emulated wire did not hold the cell to its rate),
   "wrong" or "cut short", all that there are with "or" between them; "" where there are none. Good until the next
   call. */
const char *ovl_chart_crosses(const struct ovl_chart_data *figure, size_t first, size_t last);

/* How many points with a claim have each mark: "3 few, 1 noisy", or "". */
void ovl_chart_marks(const struct ovl_chart_data *figure, char text[OVL_STATUS_TEXT]);

/* "64K, DPU, fma, no claim": a cell by its size, its series and what its panel says. */
void ovl_chart_name_cell(char label[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, const struct ovl_point *p);

#endif
