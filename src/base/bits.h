/* Masks of more than 64 bits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_BITS_H
#define OVL_BASE_BITS_H

#include <stddef.h>
#include <stdint.h>

/* How many bits of the mask are set. */
static inline int ovl_bits_count(const uint64_t *mask, size_t words)
{
    int n = 0;
    for (size_t i = 0; i < words; i++)
        n += __builtin_popcountll(mask[i]);
    return n;
}

#endif
