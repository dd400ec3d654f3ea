/* Turning lines of complex numbers into columns and back, a few lines at a time so that they stay in the first cache.
   Pure copying: no MPI, no allocation, no I/O, no globals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_KERNELS_PACK_H
#define OVL_KERNELS_PACK_H

#include <complex.h>
#include <stddef.h>

/* Lines that are best turned together: 8 numbers side by side are two cache lines. */
enum { OVL_PACK_LINES = 8 };

/* From `lines` lines that begin `length` numbers apart, `points` numbers of each, side by side:
   to[p * stride + l] = from[l * length + p]. */
void ovl_pack_turn(const double complex *from, size_t length, size_t lines, size_t points, double complex *to,
                   size_t stride);

/* The way back, each number times `scale`: to[l * length + p] = scale * from[p * stride + l]. */
void ovl_pack_turn_back(const double complex *from, size_t stride, size_t lines, size_t points, double complex *to,
                        size_t length, double scale);

#endif
