/* May a measurement have given what is stored of a cell? */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_POSSIBLE_H
#define OVL_RECORD_DERIVED_POSSIBLE_H

#include "record/field.h"
#include "record/record.h"

/* May the stored value of that metric be one, beside the cell's other stored values (the samples need not be there)?
   Not so are times:   a median outside of the least and the largest sample, or under a quarter of a clock read; values:
   what does not follow from the medians of C, W, B, T and so on that it is made of, or, where blocks are without some
   of them, from no medians between their least and largest samples. Percentiles are made from the samples, and always
   may. */
bool ovl_value_is_possible(const struct ovl_run *run, const struct ovl_cell *cell, const struct ovl_field *metric);

#endif
