/* Rows of complex numbers from where they lie so far apart to where they lie otherwise. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/pack.h"

#include <string.h>

/* A complex number as it is scaled: whole. */
typedef double pair __attribute__((vector_size(16), may_alias));

static void scaled(const pair *restrict from, pair *restrict to, size_t count, double scale)
{
    for (size_t i = 0; i < count; i++)
        to[i] = scale * from[i];
}

void ovl_pack_rows(const double complex *from, size_t from_row, double complex *to, size_t to_row, size_t rows,
                   size_t count, double scale)
{
    for (size_t r = 0; r < rows; r++, from += from_row, to += to_row)
        if (scale == 1)
            memcpy(to, from, count * sizeof *to);
        else
            scaled((const pair *)from, (pair *)to, count, scale);
}
