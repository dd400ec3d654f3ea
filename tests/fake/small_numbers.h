/* Numbers of one and two bytes by the definitions of their formats, slowly: what the quick conversions and the workers'
   sums are held against. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_SMALL_NUMBERS_H
#define OVL_TESTS_FAKE_SMALL_NUMBERS_H

#include "kernels/small_float.h"
#include "offload/coll/operation.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* A sign, an exponent with a bias, and a fraction. IEEE formats have infinity and many that are no number in the
   largest exponent, E4M3 has one of them there, with all bits set. */
static const struct small_format {
    const char *name;
    enum ovl_dtype dtype;
    int exponent, fraction, bias;
    bool ieee;
    double exact; /* whole numbers up to it have no error */
} small_formats[] = {{"binary16", OVL_FLOAT16, 5, 10, 15, true, 2048},
                     {"bfloat16", OVL_BFLOAT16, 8, 7, 127, true, 256},
                     {"E4M3", OVL_FLOAT8, 4, 3, 7, false, 16}};
enum { SMALL_FORMATS = sizeof small_formats / sizeof *small_formats };

static inline unsigned small_codes(const struct small_format *f)
{
    return 1u << (1 + f->exponent + f->fraction);
}

/* The codes from 0 up to this one are numbers, in order. */
static inline unsigned small_largest(const struct small_format *f)
{
    return f->ieee ? ((1u << f->exponent) - 1) * (1u << f->fraction) - 1 : small_codes(f) / 2 - 2;
}

/* As if there were numbers in the largest exponent, too. */
static inline double small_size(const struct small_format *f, unsigned code)
{
    unsigned exponent = code >> f->fraction, fraction = code & ((1u << f->fraction) - 1);
    return exponent == 0 ? ldexp(fraction, 1 - f->bias - f->fraction)
                         : ldexp(1 + ldexp(fraction, -f->fraction), (int)exponent - f->bias);
}

static inline double small_value(const struct small_format *f, unsigned code)
{
    unsigned size = code % (small_codes(f) / 2), most = small_largest(f);
    double x = size <= most ? small_size(f, size) : f->ieee && size == most + 1 ? INFINITY : NAN;
    return code >= small_codes(f) / 2 ? -x : x;
}

/* The code of the nearest number; of two that are as near the one whose last bit is 0. */
static inline unsigned small_nearest(const struct small_format *f, double x)
{
    unsigned sign = signbit(x) ? small_codes(f) / 2 : 0, low = 0, most = small_largest(f), high = most + 1;
    double size = fabs(x);
    while (high - low > 1) { /* low: no more than it; high: more */
        unsigned middle = (low + high) / 2;
        if (small_size(f, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    double half = (small_size(f, low) + small_size(f, low + 1)) / 2;
    unsigned code = size > half || (size == half && low % 2) ? low + 1 : low;
    return sign | (code > most && !f->ieee ? most : code);
}

static inline unsigned small_get(const struct small_format *f, const void *data, size_t i)
{
    return ovl_dtype_bytes(f->dtype) == 1 ? ((const uint8_t *)data)[i] : ((const uint16_t *)data)[i];
}

static inline void small_put(const struct small_format *f, void *data, size_t i, unsigned code)
{
    if (ovl_dtype_bytes(f->dtype) == 1)
        ((uint8_t *)data)[i] = (uint8_t)code;
    else
        ((uint16_t *)data)[i] = (uint16_t)code;
}

/* Whole numbers of a rank, whose sums over all ranks are exact in any order. */
static inline double small_whole(const struct small_format *f, int rank, int ranks, size_t i)
{
    int most = (int)f->exact / ranks;
    return most > 0 ? (double)(int)((i * 7 + (size_t)rank * 3 + 1) % (size_t)(most + 1)) : (double)(rank < f->exact);
}

static inline double small_whole_sum(const struct small_format *f, int ranks, size_t i)
{
    double sum = 0;
    for (int r = 0; r < ranks; r++)
        sum += small_whole(f, r, ranks, i);
    return sum;
}

#endif
