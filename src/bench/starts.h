/* How the ranks of a cell started, and each rank's samples, as the record has them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_STARTS_H
#define OVL_BENCH_STARTS_H

#include "bench/loop.h"
#include "bench/provenance.h"
#include "record/cell.h"

/* At rank 0: the error of the clocks' model, the rank that was late most and its node, and with per_rank the samples of
   each rank. */
void ovl_starts_fill(struct ovl_cell *cell, const struct ovl_loop_result *result, int mode,
                     const struct ovl_provenance *provenance);

/* -1 and OVL_USAGE where a line of a record does not hold a cell with the samples of each rank. */
int ovl_starts_room(uint64_t blocks, int ranks, struct ovl_error *err);

#endif
