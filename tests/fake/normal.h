/* Numbers of the normal distribution, by Box and Muller. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_NORMAL_H
#define OVL_TESTS_FAKE_NORMAL_H

#include "base/rng.h"

#include <math.h>

static inline double normal(struct ovl_rng *rng)
{
    double u = ((double)(ovl_rng_next(rng) >> 11) + 1) * 0x1p-53, v = (double)(ovl_rng_next(rng) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

#endif
