/* The random matrix: every entry follows from the seed, its own place and the number of the fill, so that any rank can
   make any entry. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_GENERATE_H
#define OVL_APPS_HPL_GENERATE_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

/* Number `at` of the splitmix64 sequence that starts from `key`, without those before it, as one in [-0.5, 0.5). */
static inline double ovl_hpl_random(uint64_t key, uint64_t at)
{
    return (double)(ovl_rng_mix(key + at * 0x9e3779b97f4a7c15) >> 11) * 0x1p-53 - 0.5;
}

/* Entry (row, column) of the matrix of order n; column n is the right-hand side. */
static inline double ovl_hpl_entry(uint64_t key, int n, int row, int column)
{
    return ovl_hpl_random(key, (uint64_t)column * (uint64_t)n + (uint64_t)row);
}

/* Has that entry the other sign in a fill of that number? Rows and columns change theirs where their numbers have an
   odd number of bits in common with it. With these signs D, D A D = (D L D) (D U D): pivots, magnitudes and the work
   are the same to the bit, but half of what panels, rows and solution have to bring is wrong for any other fill. */
static inline bool ovl_hpl_turned(uint64_t fill, int row, int column)
{
    return __builtin_parityll(fill & (uint64_t)(row ^ column));
}

#endif
