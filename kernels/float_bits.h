/* The bits of an IEEE binary32 number, and back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_KERNELS_FLOAT_BITS_H
#define OVL_KERNELS_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t ovl_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float ovl_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
