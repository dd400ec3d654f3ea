/* The health of this process's clocks. Knows no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_NOISE_CLOCKS_H
#define OVL_APPS_NOISE_CLOCKS_H

#include "record/node.h"

#include <stdint.h>

/* Fills source, monotonic, raw and backward. Takes some 10 ms. */
void ovl_clocks_check(struct ovl_node *node);

/* Both clocks at about the same time, in ns: the tightest of some tries. */
struct ovl_clocks_pair {
    int64_t monotonic, raw;
};
struct ovl_clocks_pair ovl_clocks_both(void);

/* By how many ppm CLOCK_MONOTONIC runs faster than CLOCK_MONOTONIC_RAW. NaN in less than 0.1 s, which is too short to
   tell. */
double ovl_clocks_slew(struct ovl_clocks_pair from, struct ovl_clocks_pair to);

#endif
