/* Two bytes a value: IEEE 754's binary16, and the upper half of binary32, both rounded to the nearest, ties to even. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/compress.h"
#include "kernels/float_bits.h"

#include <stdint.h>

/* x / 2^shift, to the nearest, ties to even. */
static uint32_t rounded(uint32_t x, unsigned shift)
{
    uint32_t half = UINT32_C(1) << (shift - 1), rest = x & (2 * half - 1), whole = x >> shift;
    return whole + (rest > half || (rest == half && whole & 1));
}

enum { BIAS = 127 - 15, INFINITE16 = 0x7c00, QUIET16 = 0x200 };

static uint16_t to_fp16(float value)
{
    uint32_t bits = ovl_float_bits(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (uint16_t)(sign | INFINITE16 | QUIET16);
    if (size >= (uint32_t)(BIAS + 31) << 23)
        return (uint16_t)(sign | INFINITE16);
    if (size >= (uint32_t)(BIAS + 1) << 23) /* may round up to infinity, whose bits are the next ones */
        return (uint16_t)(sign | rounded(size - ((uint32_t)BIAS << 23), 13));
    uint32_t exponent = size >> 23, shift = BIAS + 14 - exponent; /* below the normal numbers: units of 2^-24 */
    return (uint16_t)(sign | (exponent < BIAS - 10 ? 0 : rounded((size & 0x7fffff) | 0x800000, shift)));
}

static float from_fp16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, size = half & 0x7fff;
    if (size >= INFINITE16)
        return ovl_float_of(sign | 0x7f800000 | (size & 0x3ff) << 13);
    if (size < 0x400) { /* units of 2^-24 */
        float x = (float)size / 16777216;
        return sign ? -x : x;
    }
    return ovl_float_of(sign | ((size << 13) + ((uint32_t)BIAS << 23)));
}

static uint16_t to_bf16(float value)
{
    uint32_t bits = ovl_float_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)rounded(bits, 16);
}

static float from_bf16(uint16_t half)
{
    return ovl_float_of((uint32_t)half << 16);
}

static size_t most(size_t count)
{
    return 2 * count;
}

static size_t compress(const float *values, size_t count, unsigned char *to, uint16_t (*convert)(float))
{
    for (size_t i = 0; i < count; i++) {
        uint16_t half = convert(values[i]);
        to[2 * i] = (unsigned char)half;
        to[2 * i + 1] = (unsigned char)(half >> 8);
    }
    return 2 * count;
}

static int expand(const unsigned char *from, size_t bytes, float *values, size_t count, float (*convert)(uint16_t))
{
    if (bytes != 2 * count)
        return -1;
    for (size_t i = 0; i < count; i++)
        values[i] = convert((uint16_t)(from[2 * i] | from[2 * i + 1] << 8));
    return 0;
}

#define HALF(NAME, SUMMARY)                                                                                            \
    static size_t compress_##NAME(const float *values, size_t count, float bound, unsigned char *to)                   \
    {                                                                                                                  \
        (void)bound;                                                                                                   \
        return compress(values, count, to, to_##NAME);                                                                 \
    }                                                                                                                  \
    static int expand_##NAME(const unsigned char *from, size_t bytes, float *values, size_t count)                     \
    {                                                                                                                  \
        return expand(from, bytes, values, count, from_##NAME);                                                        \
    }                                                                                                                  \
    const struct ovl_compressor ovl_compressor_##NAME = {                                                              \
        .name = #NAME, .summary = SUMMARY, .most = most, .compress = compress_##NAME, .expand = expand_##NAME}

HALF(fp16, "IEEE binary16: off by 2^-11 of the value between 6e-5 and 65504, infinite beyond");
HALF(bf16, "the upper half of binary32: off by 2^-8 of the value at most");
