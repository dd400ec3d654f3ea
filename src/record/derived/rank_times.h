/* What each rank of a cell exposed, from the samples of single ranks (--per-rank), and which ranks are the worst. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_RANK_TIMES_H
#define OVL_RECORD_DERIVED_RANK_TIMES_H

#include "record/record.h"

struct ovl_rank_time {
    double seconds;         /* median of the rank's own T over the blocks, less the median of its W; NaN: no samples */
    double ci_low, ci_high; /* T's interval by order statistics, less that median; NaN below 6 values */
    int node;               /* index into the run's hosts; -1: the run line does not tell */
};

/* Of all ranks, in order. The caller frees it. NULL where the cell has no rank_samples. */
struct ovl_rank_time *ovl_rank_times(const struct ovl_run *run, const struct ovl_cell *cell, size_t *ranks);

/* The least and the greatest over the ranks of their mean of a quantity over the blocks in which all `terms` (1 << q
   each) count, as OMB reduces them. False where the cell has no rank_samples of it, or no such block. */
bool ovl_rank_means(const struct ovl_cell *cell, unsigned terms, enum ovl_quantity q, double *least, double *greatest);

/* The ranks with the largest times, the largest first; up to `most`, and only those above the median over the ranks.
   Returns how many. */
size_t ovl_rank_times_worst(const struct ovl_rank_time *times, size_t ranks, size_t *worst, size_t most);

/* The median over the ranks; NaN when none has a time. */
double ovl_rank_times_median(const struct ovl_rank_time *times, size_t ranks);

/* The name of a node of the run; "" where there is none. Lent. */
const char *ovl_rank_node_name(const struct ovl_run *run, int node);

#endif
