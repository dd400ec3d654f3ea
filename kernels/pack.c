/* Turning lines of complex numbers into columns and back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/pack.h"

/* A complex number as it is moved: whole. */
typedef double pair __attribute__((vector_size(16), may_alias));

/* Inlined with a constant number of lines where there are as many as there should be, so that the copies are unrolled.
 */
static inline __attribute__((always_inline)) void turn(const pair *restrict from, size_t length, size_t lines,
                                                       size_t points, pair *restrict to, size_t stride)
{
    for (size_t p = 0; p < points; p++)
        for (size_t l = 0; l < lines; l++)
            to[p * stride + l] = from[l * length + p];
}

static inline __attribute__((always_inline)) void turn_back(const pair *restrict from, size_t stride, size_t lines,
                                                            size_t points, pair *restrict to, size_t length,
                                                            double scale)
{
    for (size_t p = 0; p < points; p++)
        for (size_t l = 0; l < lines; l++)
            to[l * length + p] = scale * from[p * stride + l];
}

void ovl_pack_turn(const double complex *from, size_t length, size_t lines, size_t points, double complex *to,
                   size_t stride)
{
    if (lines == OVL_PACK_LINES)
        turn((const pair *)from, length, OVL_PACK_LINES, points, (pair *)to, stride);
    else
        turn((const pair *)from, length, lines, points, (pair *)to, stride);
}

void ovl_pack_turn_back(const double complex *from, size_t stride, size_t lines, size_t points, double complex *to,
                        size_t length, double scale)
{
    if (lines == OVL_PACK_LINES)
        turn_back((const pair *)from, stride, OVL_PACK_LINES, points, (pair *)to, length, scale);
    else
        turn_back((const pair *)from, stride, lines, points, (pair *)to, length, scale);
}
