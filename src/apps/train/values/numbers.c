/* The table of numbers. Sums are those of the workers, so that host and workers agree in each bit of two numbers' sum.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/values/numbers.h"
#include "kernels/small_float.h"

#include <stdio.h>
#include <string.h>

#define NUMBER(name, type, dtype, convert_row, values_row)                                                             \
    static void convert_##name(const float *values, size_t n, void *to)                                                \
    {                                                                                                                  \
        type *t = to;                                                                                                  \
        convert_row(values, n, t);                                                                                     \
    }                                                                                                                  \
    static void values_##name(const void *from, size_t n, float *to)                                                   \
    {                                                                                                                  \
        const type *f = from;                                                                                          \
        values_row(f, n, to);                                                                                          \
    }                                                                                                                  \
    static void sum_##name(void *to, const void *more, size_t n)                                                       \
    {                                                                                                                  \
        ovl_reduce_local(OVL_SUM, dtype, to, to, more, n * sizeof(type));                                              \
    }

#define SAME(from, n, to) memcpy(to, from, (n) * sizeof *(to))
#define EACH(from, n, to, of)                                                                                          \
    for (size_t i = 0; i < (n); i++)                                                                                   \
    (to)[i] = of((from)[i])
/* Not rounded, but cut off, as nothing here has fractions. */
#define WHOLE(x)            ((int8_t)((x) > -127 ? (x) < 127 ? (x) : 127 : -127))
#define LONG(x)             ((int64_t)(x))
#define REAL(x)             ((float)(x))
#define WHOLES(from, n, to) EACH(from, n, to, WHOLE)
#define LONGS(from, n, to)  EACH(from, n, to, LONG)
#define REALS(from, n, to)  EACH(from, n, to, REAL)

NUMBER(f32, float, OVL_FLOAT, SAME, SAME)
NUMBER(bf16, uint16_t, OVL_BFLOAT16, ovl_bf16_row_of, ovl_bf16_row_values)
NUMBER(f16, uint16_t, OVL_FLOAT16, ovl_fp16_row_of, ovl_fp16_row_values)
NUMBER(f8, uint8_t, OVL_FLOAT8, ovl_e4m3_row_of, ovl_e4m3_row_values)
NUMBER(i8, int8_t, OVL_INT8, WHOLES, REALS)
NUMBER(i64, int64_t, OVL_INT64, LONGS, REALS)

#define CALLS(name_) .convert = convert_##name_, .values = values_##name_, .sum = sum_##name_, .name = #name_

const struct ovl_number ovl_numbers[OVL_NUMBERS] = {
    [OVL_F32] = {CALLS(f32), .bytes = 4, .dtype = OVL_FLOAT, .exact = 1 << 24, .rounding = 0x1p-24, .least = 0x1p-149,
                 .most = 0x1.fffffep127},
    [OVL_BF16] = {CALLS(bf16), .bytes = 2, .dtype = OVL_BFLOAT16, .own_op = true, .exact = 1 << 8, .rounding = 0x1p-8,
                  .least = 0x1p-133, .most = 0x1.fep127},
    [OVL_F16] = {CALLS(f16), .bytes = 2, .dtype = OVL_FLOAT16, .own_op = true, .exact = 1 << 11, .rounding = 0x1p-11,
                 .least = 0x1p-24, .most = 65504},
    [OVL_F8] = {CALLS(f8), .bytes = 1, .dtype = OVL_FLOAT8, .own_op = true, .exact = 1 << 4, .rounding = 0x1p-4,
                .least = 0x1p-9, .most = 448},
    [OVL_I8] = {CALLS(i8), .bytes = 1, .dtype = OVL_INT8, .exact = 127, .rounding = 0, .least = 1, .most = 127},
    [OVL_I64] = {CALLS(i64), .bytes = 8, .dtype = OVL_INT64, .exact = 1 << 24, .rounding = 0, .least = 1,
                 .most = 0x1p62},
};

const struct ovl_number *ovl_number_find(const char *name, size_t length)
{
    for (int i = 0; i < OVL_I64; i++)
        if (strlen(ovl_numbers[i].name) == length && strncmp(ovl_numbers[i].name, name, length) == 0)
            return &ovl_numbers[i];
    return NULL;
}

int ovl_number_types_parse(const char *text, struct ovl_number_types *types, struct ovl_error *err)
{
    static const enum ovl_numbers_of order[] = {OVL_OF_PARAMETERS, OVL_OF_GRADIENTS, OVL_OF_ACTIVATIONS};
    const char *at = text;
    for (size_t i = 0; i < OVL_NUMBERS_OF; i++) {
        size_t length = strcspn(at, ":");
        const struct ovl_number *row = ovl_number_find(at, length);
        if (!row)
            break;
        if (i == 0)
            *types = ovl_number_types_all(row);
        types->of[order[i]] = row;
        at += length;
        if (*at == '\0')
            return 0;
        at++;
    }
    return ovl_error_set(
        err, OVL_USAGE,
        "--dtype %s: give f32, bf16, f16, f8 or i8, or those of parameters, gradients and activations, "
        "such as bf16:f32:f8",
        text);
}

void ovl_number_types_text(const struct ovl_number_types *types, char text[OVL_NUMBER_TYPES_TEXT])
{
    const char *p = types->of[OVL_OF_PARAMETERS]->name, *g = types->of[OVL_OF_GRADIENTS]->name,
               *a = types->of[OVL_OF_ACTIVATIONS]->name;
    if (a != p)
        snprintf(text, OVL_NUMBER_TYPES_TEXT, "%s:%s:%s", p, g, a);
    else if (g != p)
        snprintf(text, OVL_NUMBER_TYPES_TEXT, "%s:%s", p, g);
    else
        snprintf(text, OVL_NUMBER_TYPES_TEXT, "%s", p);
}
