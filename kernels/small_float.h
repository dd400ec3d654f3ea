/* Numbers of two bytes and of one: IEEE 754's binary16, bfloat16 (the upper half of binary32), and E4M3 of the Open
   Compute Project's 8-bit floating point specification (2023). Conversions from single precision round to the nearest,
   ties to even. No branches, so that compilers make vectors of loops of a fixed length. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_KERNELS_SMALL_FLOAT_H
#define OVL_KERNELS_SMALL_FLOAT_H

#include "kernels/float_bits.h"

#include <stddef.h>

/* Rows of them: each number as by the functions below, in vectors where the processor has them. What is no number stays
   none, of any kind. `to` may not overlap `from`. */
void ovl_fp16_row_of(const float *from, size_t n, uint16_t *to);
void ovl_fp16_row_values(const uint16_t *from, size_t n, float *to);
void ovl_bf16_row_of(const float *from, size_t n, uint16_t *to);
void ovl_bf16_row_values(const uint16_t *from, size_t n, float *to);
void ovl_e4m3_row_of(const float *from, size_t n, uint8_t *to);
void ovl_e4m3_row_values(const uint8_t *from, size_t n, float *to);

/* The ways to do all that, which these functions choose between: loops in C, and vectors of AVX2 and F16C, which is
   NULL where the processor has none. */
struct ovl_small_rows {
    void (*fp16_row_of)(const float *from, size_t n, uint16_t *to);
    void (*fp16_row_values)(const uint16_t *from, size_t n, float *to);
    void (*bf16_row_of)(const float *from, size_t n, uint16_t *to);
    void (*bf16_row_values)(const uint16_t *from, size_t n, float *to);
    void (*e4m3_row_of)(const float *from, size_t n, uint8_t *to);
    void (*e4m3_row_values)(const uint8_t *from, size_t n, float *to);
};

extern const struct ovl_small_rows ovl_small_rows_plain;
const struct ovl_small_rows *ovl_small_rows_wide(void);

/* `yes` where size < limit, else `no`; both below 2^31. */
static inline uint32_t ovl_float_choose(uint32_t size, uint32_t limit, uint32_t yes, uint32_t no)
{
    uint32_t mask = (uint32_t) - ((int32_t)size < (int32_t)limit);
    return (yes & mask) | (no & ~mask);
}

/* Without the last `shift` bits. */
static inline uint32_t ovl_float_rounded(uint32_t bits, unsigned shift)
{
    return (bits + (UINT32_C(1) << (shift - 1)) - 1 + (bits >> shift & 1)) >> shift;
}

/* A size, less than `one`, in units of the last place of `one`: their sum rounds it. */
static inline uint32_t ovl_float_units(uint32_t size, float one)
{
    return ovl_float_bits(ovl_float_of(size) + one) - ovl_float_bits(one);
}

enum { OVL_FLOAT_INFINITE = 0x7f800000, OVL_FLOAT_EXPONENT = 1 << 23 };

/* Beyond 65504 it rounds to infinity, as the standard says. What is no number stays none. */
static inline uint16_t ovl_fp16_of(float value)
{
    uint32_t bits = ovl_float_bits(value), size = bits & 0x7fffffff;
    uint32_t normal = ovl_float_rounded(size - 112 * OVL_FLOAT_EXPONENT, 13);
    uint32_t half = ovl_float_choose(size, 113 * OVL_FLOAT_EXPONENT, ovl_float_units(size, 0.5f), normal);
    half = ovl_float_choose(size, 143 * OVL_FLOAT_EXPONENT, half, 0x7c00);
    half = ovl_float_choose(OVL_FLOAT_INFINITE, size, 0x7e00, half);
    return (uint16_t)(half | (bits >> 16 & 0x8000));
}

static inline float ovl_fp16_value(uint16_t half)
{
    uint32_t size = half & 0x7fff, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t up = ovl_float_choose(size, 0x7c00, 112 * OVL_FLOAT_EXPONENT, 224 * OVL_FLOAT_EXPONENT);
    uint32_t below = ovl_float_bits((float)(int32_t)size * 0x1p-24f);
    return ovl_float_of(ovl_float_choose(size, 0x400, below, (size << 13) + up) | sign);
}

static inline uint16_t ovl_bf16_of(float value)
{
    uint32_t bits = ovl_float_bits(value), size = bits & 0x7fffffff;
    uint32_t half = ovl_float_choose(OVL_FLOAT_INFINITE, size, size >> 16 | 0x40, ovl_float_rounded(size, 16));
    return (uint16_t)(half | (bits >> 16 & 0x8000));
}

static inline float ovl_bf16_value(uint16_t half)
{
    return ovl_float_of((uint32_t)half << 16);
}

/* E4M3 has no infinity: beyond 448 it stays 448, which the specification calls saturating. */
static inline uint8_t ovl_e4m3_of(float value)
{
    uint32_t bits = ovl_float_bits(value), size = bits & 0x7fffffff;
    uint32_t normal = ovl_float_rounded(size - 120 * OVL_FLOAT_EXPONENT, 20);
    uint32_t byte = ovl_float_choose(size, 121 * OVL_FLOAT_EXPONENT, ovl_float_units(size, 0x1p14f), normal);
    byte = ovl_float_choose(size, 136 * OVL_FLOAT_EXPONENT, byte, 0x7e); /* 512 */
    byte = ovl_float_choose(byte, 0x7e, byte, 0x7e);
    byte = ovl_float_choose(OVL_FLOAT_INFINITE, size, 0x7f, byte);
    return (uint8_t)(byte | (bits >> 24 & 0x80));
}

static inline float ovl_e4m3_value(uint8_t byte)
{
    uint32_t size = byte & 0x7f, sign = (uint32_t)(byte & 0x80) << 24;
    uint32_t normal = ovl_float_choose(size, 0x7f, (size << 20) + 120 * OVL_FLOAT_EXPONENT, 0x7fc00000);
    uint32_t below = ovl_float_bits((float)(int32_t)size * 0x1p-9f);
    return ovl_float_of(ovl_float_choose(size, 8, below, normal) | sign);
}

#endif
