/* May a measurement have given what is stored of a cell? */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_POSSIBLE_H
#define OVL_RECORD_DERIVED_POSSIBLE_H

#include "record/field.h"
#include "record/record.h"

/* May the stored value of that metric be one, beside the cell's other stored values? The samples need not be there. A
   time may not be under a quarter of a clock read. A derived value must follow from the stored medians that its formula
   takes; where some blocks lack one of these, from some medians between their least and largest samples. A percentile
   is made from the samples, whose median, least and largest are those that are stored. */
bool ovl_value_is_possible(const struct ovl_run *run, const struct ovl_cell *cell, const struct ovl_field *metric);

#endif
