/* How much longer the host takes than its workers, with an interval. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_EFFICIENCY_H
#define OVL_RECORD_DERIVED_EFFICIENCY_H

#include "record/record.h"

/* offload_efficiency of a dpu cell by the samples of the host cell of the same blocks: T of that / T, with the interval
   over the blocks in which T of both counts (NaN below 6 of them). */
struct ovl_estimate ovl_cell_offload_efficiency(const struct ovl_cell *dpu, const struct ovl_samples *host);

#endif
