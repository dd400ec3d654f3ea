/* Combining numbers: one loop for each kind of number and each way. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/small_float.h"
#include "offload/coll/operation.h"

#include <stdint.h>
#include <string.h>

#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
/* No number (NaN) goes before all numbers, whichever side it stands on: ranks combine in different orders, and their
   results must be the same. Of two kinds of NaN, and of two zeros, either may be the result. */
#define LESSER(a, b)  ((b) < (a) || (b) != (b) ? (b) : (a))
#define GREATER(a, b) ((a) < (b) || (b) != (b) ? (b) : (a))

/* `wide` is where the arithmetic is done: unsigned for integers, whose overflow is then no error of the language. */
#define LOOP(name, type, wide, how)                                                                                    \
    static void name(void *to, const void *a, const void *b, size_t bytes)                                             \
    {                                                                                                                  \
        type *t = to;                                                                                                  \
        const type *x = a, *y = b;                                                                                     \
        for (size_t i = 0; i < bytes / sizeof(type); i++)                                                              \
            t[i] = (type)how((wide)x[i], (wide)y[i]);                                                                  \
    }

enum { AT_ONCE = 256 };

/* Numbers that have no arithmetic of their own, by rows of single precision. All of a row is read before it is written,
   which is what `to` may overlap. */
#define SMALL_LOOP(name, type, format, how)                                                                            \
    static void name(void *to, const void *a, const void *b, size_t bytes)                                             \
    {                                                                                                                  \
        type *t = to;                                                                                                  \
        const type *x = a, *y = b;                                                                                     \
        float p[AT_ONCE] = {0}, q[AT_ONCE] = {0};                                                                      \
        for (size_t i = 0, n = bytes / sizeof(type); i < n; i += AT_ONCE) {                                            \
            size_t some = n - i < AT_ONCE ? n - i : AT_ONCE;                                                           \
            ovl_##format##_row_values(x + i, some, p);                                                                 \
            ovl_##format##_row_values(y + i, some, q);                                                                 \
            for (size_t k = 0; k < AT_ONCE; k++)                                                                       \
                p[k] = how(p[k], q[k]);                                                                                \
            ovl_##format##_row_of(p, some, t + i);                                                                     \
        }                                                                                                              \
    }

#define SMALL_LOOPS(suffix, type, format)                                                                              \
    SMALL_LOOP(sum_##suffix, type, format, ADD)                                                                        \
    SMALL_LOOP(prod_##suffix, type, format, MULTIPLY)                                                                  \
    SMALL_LOOP(min_##suffix, type, format, LESSER)                                                                     \
    SMALL_LOOP(max_##suffix, type, format, GREATER)

#define LOOPS(suffix, type, wide)                                                                                      \
    LOOP(sum_##suffix, type, wide, ADD)                                                                                \
    LOOP(prod_##suffix, type, wide, MULTIPLY)                                                                          \
    LOOP(min_##suffix, type, type, LESSER)                                                                             \
    LOOP(max_##suffix, type, type, GREATER)

LOOPS(int8, int8_t, unsigned)
LOOPS(int16, int16_t, unsigned)
LOOPS(int32, int32_t, uint32_t)
LOOPS(int64, int64_t, uint64_t)
LOOPS(float, float, float)
LOOPS(double, double, double)
SMALL_LOOPS(bfloat16, uint16_t, bf16)
SMALL_LOOPS(float16, uint16_t, fp16)
SMALL_LOOPS(float8, uint8_t, e4m3)

#define ROW(suffix)                                                                                                    \
    {                                                                                                                  \
        [OVL_SUM] = sum_##suffix, [OVL_MIN] = min_##suffix, [OVL_MAX] = max_##suffix, [OVL_PROD] = prod_##suffix       \
    }

static void (*const loops[OVL_DTYPES][OVL_REDOPS])(void *, const void *, const void *, size_t) = {
    [OVL_INT8] = ROW(int8),         [OVL_INT16] = ROW(int16),     [OVL_INT32] = ROW(int32),
    [OVL_INT64] = ROW(int64),       [OVL_FLOAT] = ROW(float),     [OVL_DOUBLE] = ROW(double),
    [OVL_BFLOAT16] = ROW(bfloat16), [OVL_FLOAT16] = ROW(float16), [OVL_FLOAT8] = ROW(float8),
};

size_t ovl_dtype_bytes(enum ovl_dtype dtype)
{
    static const size_t bytes[OVL_DTYPES] = {
        [OVL_INT8] = 1,   [OVL_INT16] = 2,    [OVL_INT32] = 4,   [OVL_INT64] = 8, [OVL_FLOAT] = 4,
        [OVL_DOUBLE] = 8, [OVL_BFLOAT16] = 2, [OVL_FLOAT16] = 2, [OVL_FLOAT8] = 1};
    return bytes[dtype];
}

void ovl_reduce_local(enum ovl_redop redop, enum ovl_dtype dtype, void *to, const void *a, const void *b, size_t bytes)
{
    loops[dtype][redop](to, a, b, bytes);
}
