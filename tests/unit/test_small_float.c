/* Numbers of two bytes and of one: conversions and sums against the definitions of the formats. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/rng.h"
#include "tests/fake/small_numbers.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

static unsigned code_of(const struct small_format *f, float x)
{
    return f->dtype == OVL_FLOAT16 ? ovl_fp16_of(x) : f->dtype == OVL_BFLOAT16 ? ovl_bf16_of(x) : ovl_e4m3_of(x);
}

static float value_of(const struct small_format *f, unsigned code)
{
    return f->dtype == OVL_FLOAT16    ? ovl_fp16_value((uint16_t)code)
           : f->dtype == OVL_BFLOAT16 ? ovl_bf16_value((uint16_t)code)
                                      : ovl_e4m3_value((uint8_t)code);
}

static void expect_nearest(const struct small_format *f, float x)
{
    ck_assert_msg(code_of(f, x) == small_nearest(f, (double)x), "%s: %a became %#x, not %#x", f->name, (double)x,
                  code_of(f, x), small_nearest(f, (double)x));
}

LOOP_TEST(every_code_is_its_number, 0, SMALL_FORMATS)
{
    const struct small_format *f = &small_formats[_i];
    for (unsigned c = 0; c < small_codes(f); c++) {
        double wanted = small_value(f, c);
        float x = value_of(f, c);
        ck_assert(isnan(wanted) ? isnan(x) : (double)x == wanted && !signbit(x) == !signbit(wanted));
        ck_assert(isnan(wanted) ? isnan(value_of(f, code_of(f, x))) : isinf(wanted) || code_of(f, x) == c);
    }
    ck_assert(ovl_fp16_of(INFINITY) == 0x7c00 && ovl_fp16_of(-INFINITY) == 0xfc00);
    ck_assert(ovl_bf16_of(INFINITY) == 0x7f80 && ovl_e4m3_of(-INFINITY) == 0xfe);
}

/* At each number, half way to the next one, and on both sides of that; and anywhere. */
LOOP_TEST(what_is_rounded_is_the_nearest, 0, SMALL_FORMATS)
{
    const struct small_format *f = &small_formats[_i];
    struct ovl_rng rng = ovl_rng_seeded((uint64_t)_i);
    for (unsigned c = 0; c <= small_largest(f); c++) {
        float half = (float)((small_size(f, c) + small_size(f, c + 1)) / 2);
        const float near[] = {half, nextafterf(half, 0), nextafterf(half, INFINITY)};
        for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
            expect_nearest(f, near[k]);
            expect_nearest(f, -near[k]);
        }
    }
    for (int turn = 0; turn < 300000; turn++) {
        float x = ovl_float_of((uint32_t)ovl_rng_next(&rng));
        if (!isnan(x))
            expect_nearest(f, x);
        expect_nearest(f, (float)ldexp((double)(ovl_rng_next(&rng) >> 40), (int)ovl_rng_below(&rng, 50) - 50));
    }
}

/* Rows have what single numbers have, wherever they begin and end. */
LOOP_TEST(rows_are_their_numbers, 0, SMALL_FORMATS)
{
    enum { N = 1000 };
    const struct small_format *f = &small_formats[_i];
    struct ovl_rng rng = ovl_rng_seeded((uint64_t)_i + 5);
    float from[N], back[N + 1];
    _Alignas(uint16_t) char to[2 * N + 1];
    for (int turn = 0; turn < rounds(300, 3000); turn++) {
        size_t n = ovl_rng_below(&rng, N);
        for (size_t i = 0; i < n; i++) /* of all sizes that the format has, beyond them, and no numbers */
            from[i] = turn % 2 ? ovl_float_of((uint32_t)ovl_rng_next(&rng))
                               : value_of(f, (unsigned)ovl_rng_below(&rng, small_codes(f)));
        to[n * ovl_dtype_bytes(f->dtype)] = 77;
        back[n] = 77;
        if (f->dtype == OVL_FLOAT8) {
            ovl_e4m3_row_of(from, n, (uint8_t *)to);
            ovl_e4m3_row_values((const uint8_t *)to, n, back);
        } else {
            (f->dtype == OVL_FLOAT16 ? ovl_fp16_row_of : ovl_bf16_row_of)(from, n, (uint16_t *)(void *)to);
            (f->dtype == OVL_FLOAT16 ? ovl_fp16_row_values : ovl_bf16_row_values)((const uint16_t *)(const void *)to, n,
                                                                                  back);
        }
        for (size_t i = 0; i < n; i++) {
            unsigned code = small_get(f, to, i);
            ck_assert(isnan(from[i]) ? isnan(value_of(f, code)) && isnan(back[i])
                                     : code == code_of(f, from[i]) && back[i] == value_of(f, code));
        }
        ck_assert(to[n * ovl_dtype_bytes(f->dtype)] == 77 && back[n] == 77);
    }
}

/* Each way of making rows alone, whatever this processor chooses. */
static void row_of(const struct ovl_small_rows *way, const struct small_format *f, const float *from, size_t n,
                   void *to)
{
    if (f->dtype == OVL_FLOAT8)
        way->e4m3_row_of(from, n, to);
    else
        (f->dtype == OVL_FLOAT16 ? way->fp16_row_of : way->bf16_row_of)(from, n, to);
}

static void row_values(const struct ovl_small_rows *way, const struct small_format *f, const void *from, size_t n,
                       float *to)
{
    if (f->dtype == OVL_FLOAT8)
        way->e4m3_row_values(from, n, to);
    else
        (f->dtype == OVL_FLOAT16 ? way->fp16_row_values : way->bf16_row_values)(from, n, to);
}

/* All codes are their numbers, in one row. What is written are numbers, those half way to the next one, and both
   neighbours of these: each becomes the nearest. */
static void check_way(const struct ovl_small_rows *way, const struct small_format *f)
{
    const size_t codes = small_codes(f), n = 4 * codes;
    uint16_t *to = ovl_check_alloc(calloc(n, sizeof *to));
    float *from = ovl_check_alloc(calloc(n, sizeof *from));
    for (unsigned c = 0; c < codes; c++)
        small_put(f, to, c, c);
    row_values(way, f, to, codes, from);
    for (unsigned c = 0; c < codes; c++) {
        double wanted = small_value(f, c);
        ck_assert(isnan(wanted) ? isnan(from[c]) : (double)from[c] == wanted && !signbit(from[c]) == !signbit(wanted));
    }
    for (unsigned c = 0; c < codes; c++) {
        unsigned size = c % (unsigned)(codes / 2);
        float half = (float)((small_size(f, size) + small_size(f, size + 1)) / 2) * (c == size ? 1 : -1);
        from[codes + 3 * c] = half;
        from[codes + 3 * c + 1] = nextafterf(half, 0);
        from[codes + 3 * c + 2] = nextafterf(half, c == size ? INFINITY : -INFINITY);
    }
    row_of(way, f, from, n, to);
    for (size_t i = 0; i < n; i++) {
        unsigned code = small_get(f, to, i);
        ck_assert_msg(isnan(from[i]) ? isnan(small_value(f, code)) : code == small_nearest(f, (double)from[i]),
                      "%s: %a of a row became %#x", f->name, (double)from[i], code);
    }
    free(from);
    free(to);
}

LOOP_TEST(all_numbers_by_plain_loops, 0, SMALL_FORMATS)
{
    check_way(&ovl_small_rows_plain, &small_formats[_i]);
}

LOOP_TEST(all_numbers_by_vectors, 0, SMALL_FORMATS)
{
    if (ovl_small_rows_wide()) /* else there are none here */
        check_way(ovl_small_rows_wide(), &small_formats[_i]);
}

/* A sum is the exact sum, rounded once, whatever its numbers and wherever it is put. */
LOOP_TEST(sums_are_rounded_once, 0, SMALL_FORMATS)
{
    enum { N = 1000 };
    const struct small_format *f = &small_formats[_i];
    size_t each = ovl_dtype_bytes(f->dtype);
    struct ovl_rng rng = ovl_rng_seeded((uint64_t)_i + 9);
    char a[2 * N], b[2 * N], to[2 * N], moved[2 * N + 2];
    ck_assert_uint_eq(each, (size_t)(1 + f->exponent + f->fraction) / 8);
    for (int turn = 0; turn < rounds(200, 2000); turn++) {
        size_t n = 1 + ovl_rng_below(&rng, N);
        for (size_t i = 0; i < n; i++) {
            small_put(f, a, i, ovl_rng_below(&rng, small_codes(f)));
            small_put(f, b, i, ovl_rng_below(&rng, small_codes(f)));
        }
        ovl_reduce_local(OVL_SUM, f->dtype, to, a, b, n * each);
        for (size_t i = 0; i < n; i++) {
            double sum = small_value(f, small_get(f, a, i)) + small_value(f, small_get(f, b, i));
            double got = small_value(f, small_get(f, to, i));
            ck_assert(isnan(sum) ? isnan(got) : small_get(f, to, i) == small_nearest(f, sum));
        }
        memcpy(moved + each, a, n * each);
        ovl_reduce_local(OVL_SUM, f->dtype, moved, moved + each, b, n * each); /* one number before `a` */
        ck_assert_mem_eq(moved, to, n * each);
        ovl_reduce_local(OVL_SUM, f->dtype, a, a, b, n * each);
        ck_assert_mem_eq(a, to, n * each);
    }
}

LOOP_TEST(other_combinations, 0, SMALL_FORMATS)
{
    const struct small_format *f = &small_formats[_i];
    for (unsigned x = 0; x < 200; x++)
        for (unsigned y = 0; y < 200; y++) {
            unsigned p = x * (small_codes(f) / 200), q = y * (small_codes(f) / 200);
            double a = small_value(f, p), b = small_value(f, q);
            if (isnan(a) || isnan(b))
                continue;
            char from[2], more[2], to[2];
            small_put(f, from, 0, p);
            small_put(f, more, 0, q);
            ovl_reduce_local(OVL_MAX, f->dtype, to, from, more, ovl_dtype_bytes(f->dtype));
            ck_assert_double_eq(small_value(f, small_get(f, to, 0)), a > b ? a : b);
            ovl_reduce_local(OVL_MIN, f->dtype, to, from, more, ovl_dtype_bytes(f->dtype));
            ck_assert_double_eq(small_value(f, small_get(f, to, 0)), a < b ? a : b);
            ovl_reduce_local(OVL_PROD, f->dtype, to, from, more, ovl_dtype_bytes(f->dtype));
            ck_assert(isnan(a * b) || isinf(a * b) || small_get(f, to, 0) == small_nearest(f, a * b));
        }
}
