/* Draws of the bootstrap (n blocks of n, with replacement), and the medians of what was drawn. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_DRAWS_H
#define OVL_STATS_DRAWS_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

enum { OVL_DRAWS = 2000, OVL_DRAWS_AT_ONCE = 16 };

/* The present 16 of 2,000 draws: how often each block is in each of them, at [16 block + draw]. */
struct ovl_draws {
    uint32_t blocks;
    int before;         /* draws before these */
    const uint8_t *few; /* of up to 255 blocks; of the thread */
    uint32_t *many;     /* of more */
    struct ovl_rng rng;
};

/* Begins before the first 16 draws of so many blocks, 1 or more, from a seed, the same ones each time. Cells of the
   same blocks have one seed: a thread keeps what it drew last of few blocks (5 MB at most), and so draws of few blocks
   are good until it begins others. */
void ovl_draws_begin(struct ovl_draws *d, uint64_t seed, uint32_t blocks);

/* Takes the next 16; false, and *d has ended: there are no more. */
bool ovl_draws_next(struct ovl_draws *d);

/* The medians over each of the 16 draws of a value for each block: median[0], median[stride] and so on. `order` has the
   blocks by ascending value. */
void ovl_draws_medians(const struct ovl_draws *d, const double *value, const uint32_t *order, double *median,
                       size_t stride);

#endif
