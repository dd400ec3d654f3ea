/* Two bytes a value: IEEE 754's binary16, and the upper half of binary32, both rounded to the nearest, ties to even. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/compress.h"
#include "kernels/small_float.h"

#include <stdint.h>

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
        return compress(values, count, to, ovl_##NAME##_of);                                                           \
    }                                                                                                                  \
    static int expand_##NAME(const unsigned char *from, size_t bytes, float *values, size_t count)                     \
    {                                                                                                                  \
        return expand(from, bytes, values, count, ovl_##NAME##_value);                                                 \
    }                                                                                                                  \
    const struct ovl_compressor ovl_compressor_##NAME = {                                                              \
        .name = #NAME, .summary = SUMMARY, .most = most, .compress = compress_##NAME, .expand = expand_##NAME}

HALF(fp16, "IEEE binary16: off by 2^-11 of the value between 6e-5 and 65504, infinite beyond");
HALF(bf16, "the upper half of binary32: off by 2^-8 of the value at most");
