/* --work-from: a cell's work as it was in a record of host mode, so that two launches do the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_WORK_FROM_H
#define OVL_BENCH_WORK_FROM_H

#include "record/record.h"

#include <stdint.h>

/* The last units in `path` that ovl_units_in() finds; 0 when there are none. -1 when the record cannot be read, as
   ovl_record_read_brief(). */
int ovl_work_from(const char *path, const struct ovl_run *own, const struct ovl_cell *like, uint64_t *units,
                  struct ovl_error *err);

/* OVL_USAGE: the record has no such cell, and nothing else sets the work. Returns -1. */
int ovl_work_missing(const char *path, const struct ovl_cell *like, struct ovl_error *err);

#endif
