/* Whose units of work a cell takes from another record. One rule for --work-from and for who checks it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_UNITS_H
#define OVL_RECORD_DERIVED_UNITS_H

#include "record/record.h"

/* Units of the last host cell of a run that has `like`'s benchmark, size, datatype, ranks, kernel, ratio and
   compute_us, where the run makes the same operation of it as `own` (--op, --pairs and so on); 0 when there is none. */
double ovl_units_in(const struct ovl_run *run, const struct ovl_run *own, const struct ovl_cell *like);

#endif
