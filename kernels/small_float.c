/* Rows of small numbers: in vectors, where the processor has them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/small_float.h"

enum { AT_ONCE = 64 }; /* a loop of a fixed length, which compilers make vectors of */

#define LOOP(name, from_type, to_type, to_of)                                                                          \
    static inline __attribute__((always_inline)) void plain_##name(const from_type *from, size_t n, to_type *to)       \
    {                                                                                                                  \
        to_type round[AT_ONCE];                                                                                        \
        size_t i = 0;                                                                                                  \
        for (; i + AT_ONCE <= n; i += AT_ONCE) {                                                                       \
            for (size_t k = 0; k < AT_ONCE; k++)                                                                       \
                round[k] = to_of(from[i + k]);                                                                         \
            memcpy(to + i, round, sizeof round);                                                                       \
        }                                                                                                              \
        for (; i < n; i++)                                                                                             \
            to[i] = to_of(from[i]);                                                                                    \
    }

LOOP(fp16_row_of, float, uint16_t, ovl_fp16_of)
LOOP(fp16_row_values, uint16_t, float, ovl_fp16_value)
LOOP(bf16_row_of, float, uint16_t, ovl_bf16_of)
LOOP(bf16_row_values, uint16_t, float, ovl_bf16_value)
LOOP(e4m3_row_of, float, uint8_t, ovl_e4m3_of)
LOOP(e4m3_row_values, uint8_t, float, ovl_e4m3_value)

/* A path's rows, as a table of them. */
#define ROWS(path)                                                                                                     \
    {                                                                                                                  \
        path##_fp16_row_of, path##_fp16_row_values, path##_bf16_row_of, path##_bf16_row_values, path##_e4m3_row_of,    \
            path##_e4m3_row_values                                                                                     \
    }

const struct ovl_small_rows ovl_small_rows_plain = ROWS(plain);

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

#define WIDE __attribute__((target("avx2,f16c")))

/* Asked once: the processor's answer takes long under a hypervisor. */
static int has_wide(void)
{
    static atomic_int known; /* 0: not yet, 1: no, 2: yes */
    int is = atomic_load_explicit(&known, memory_order_relaxed);
    unsigned a, b, c, d;
    if (is == 0) {
        is = __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) ? 2 : 1;
        atomic_store_explicit(&known, is, memory_order_relaxed);
    }
    return is == 2;
}

/* VCVTPS2PH and VCVTPH2PS of Intel's Software Developer's Manual, volume 2: rounded to the nearest, ties to even. */
static WIDE void wide_fp16_row_of(const float *from, size_t n, uint16_t *to)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((void *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    plain_fp16_row_of(from + i, n - i, to + i);
}

static WIDE void wide_fp16_row_values(const uint16_t *from, size_t n, float *to)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
    plain_fp16_row_values(from + i, n - i, to + i);
}

#define WIDER(name, from_type, to_type)                                                                                \
    static WIDE void wide_##name(const from_type *from, size_t n, to_type *to)                                         \
    {                                                                                                                  \
        plain_##name(from, n, to);                                                                                     \
    }

WIDER(bf16_row_of, float, uint16_t)
WIDER(bf16_row_values, uint16_t, float)
WIDER(e4m3_row_of, float, uint8_t)
WIDER(e4m3_row_values, uint8_t, float)

const struct ovl_small_rows *ovl_small_rows_wide(void)
{
    static const struct ovl_small_rows wide = ROWS(wide);
    return has_wide() ? &wide : NULL;
}
#else
const struct ovl_small_rows *ovl_small_rows_wide(void)
{
    return NULL;
}
#endif

#define ROW(name, from_type, to_type)                                                                                  \
    void ovl_##name(const from_type *from, size_t n, to_type *to)                                                      \
    {                                                                                                                  \
        const struct ovl_small_rows *wide = ovl_small_rows_wide();                                                     \
        (wide ? wide : &ovl_small_rows_plain)->name(from, n, to);                                                      \
    }

ROW(fp16_row_of, float, uint16_t)
ROW(fp16_row_values, uint16_t, float)
ROW(bf16_row_of, float, uint16_t)
ROW(bf16_row_values, uint16_t, float)
ROW(e4m3_row_of, float, uint8_t)
ROW(e4m3_row_values, uint8_t, float)
