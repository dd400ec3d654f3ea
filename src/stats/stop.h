/* When to stop taking blocks: looks at growing intervals, never after each block (repeated looks bias the interval). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_STOP_H
#define OVL_STATS_STOP_H

#include "stats/overlap.h"

struct ovl_stop {
    size_t least, most; /* blocks */
    double percent;     /* wanted half-width: % of T's median, and points of the hidden fraction; 0: none is */
    double max_seconds; /* of one cell, warm-up included */
    size_t values;      /* of C and of T each, that percentiles need; 0: none is asked for */
};

enum { OVL_STOP_BLOCKS_AT_LEAST = 6 }; /* max_seconds ends nothing before: six blocks give the first exact interval */

/* Blocks at which to look after `blocks`: least, or values where that is more, then 1.5 times as many each time, and
   most at last. */
size_t ovl_stop_next_look(const struct ovl_stop *stop, size_t blocks);

/* What intervals rest on, at the least: blocks in which C, W and T all count. */
enum { OVL_STOP_BLOCKS_WANTED = 15 };

/* Are both half-widths as wanted, in enough blocks, and enough values there? A hidden fraction that has no value asks
 * for nothing more. */
bool ovl_stop_reached(const struct ovl_stop *stop, const struct ovl_samples *s, double least, uint64_t seed);

#endif
