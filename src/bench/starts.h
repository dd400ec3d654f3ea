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

#endif
