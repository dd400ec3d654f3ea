/* Values of a cell by their rows in the table of fields, and how they are shown. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_SHOW_H
#define OVL_RECORD_DERIVED_SHOW_H

#include "record/field.h"

/* How it is shown in a table of collectives, or of applications. */
const struct ovl_show *ovl_field_show(const struct ovl_field *f, bool of_proxy);

/* How values of any metric are shown beside each other: seconds in us with two decimals, others as they are with four.
   Its head is the unit with a space before it, or "". */
struct ovl_show ovl_show_of_unit(const struct ovl_field *f);

/* How changes of a metric are shown: 1.043 times, or +0.043 more. */
struct ovl_show ovl_show_of_change(const struct ovl_field *f);

/* Its value in a cell, as it is stored, with its interval: the median of a summary; no interval where there is none.
   NaN where it has none, or is no number; of a percentile that is none to claim, too (derived/percentile.h). */
struct ovl_estimate ovl_field_estimate(const struct ovl_field *f, const struct ovl_cell *cell);

/* A number as it is shown; "-" where there is none. */
void ovl_show_text(char text[32], const struct ovl_show *s, double x);
void ovl_show_interval(char text[64], const struct ovl_show *s, const struct ovl_estimate *e); /* "1.0..2.0" */

#endif
