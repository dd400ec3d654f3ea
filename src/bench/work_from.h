/* --work-from: a cell's work as it was in a record of host mode, so that two launches do the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_WORK_FROM_H
#define OVL_BENCH_WORK_FROM_H

#include "record/cell.h"

#include <stdint.h>

/* Units of the last host cell in `path` that has `like`'s benchmark, size, ranks, kernel and ratio. -1: OVL_USAGE when
   there is none, or what reading a record gives. */
int ovl_work_from(const char *path, const struct ovl_cell *like, uint64_t *units, struct ovl_error *err);

#endif
