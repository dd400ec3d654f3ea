/* Rows of complex numbers from where they lie so far apart to where they lie otherwise. Pure copying: no MPI, no
   allocation, no I/O, no globals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_KERNELS_PACK_H
#define OVL_KERNELS_PACK_H

#include <complex.h>
#include <stddef.h>

/* `rows` rows of `count` numbers each, times `scale`: to[r * to_row + i] = scale * from[r * from_row + i]. */
void ovl_pack_rows(const double complex *from, size_t from_row, double complex *to, size_t to_row, size_t rows,
                   size_t count, double scale);

#endif
