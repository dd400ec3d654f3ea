/* An allreduce of gradients that travel compressed, or as numbers of two bytes: how they are packed, and how far a
   result may be from the exact sum. Of a compressor a vector has a piece for each rank, which adds it up. Pure: no MPI.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_LOSSY_LOSSY_H
#define OVL_APPS_TRAIN_LOSSY_LOSSY_H

#include "apps/train/values/numbers.h"
#include "kernels/compress.h"

#include <stdbool.h>

/* One of these, or none: */
struct ovl_lossy {
    const struct ovl_compressor *compressor; /* pieces are compressed; or */
    const struct ovl_number *halves;         /* means are numbers of two bytes, which one allreduce adds up */
    float bound;                             /* of a compressor: the largest error of a value */
};

static inline bool ovl_lossy_on(const struct ovl_lossy *l)
{
    return l->compressor || l->halves;
}

/* "none", "szx:EB", "fp16" or "bf16". -1 and OVL_USAGE. */
int ovl_lossy_parse(const char *text, struct ovl_lossy *l, struct ovl_error *err);

/* The exact sum of values of `ranks` is missed by absolute + relative * s at most, where s is the sum of their sizes. A
   compressor rounds each value once, and the sum. Halves are rounded once, and in each of up to ranks - 1 additions, in
   whatever order, by their unit roundoff u: (1 + u)^ranks (N. Higham, Accuracy and Stability of Numerical Algorithms,
   2002, 4.2); below the normal numbers a sum is exact. */
struct ovl_lossy_error {
    double absolute, relative;
};
struct ovl_lossy_error ovl_lossy_error(const struct ovl_lossy *l, int ranks);

/* The same of values that were rounded to single precision before, of which `sizes` is the sum of the sizes. */
double ovl_lossy_error_of(const struct ovl_lossy *l, int ranks, double sizes);

/* -1 and OVL_USAGE where a mean of values of up to `most` may not be finite. `what` has them. */
int ovl_lossy_check_range(const struct ovl_lossy *l, double most, const char *what, struct ovl_error *err);

/* Halves: means of `ranks` values from their sums, and back. */
void ovl_lossy_to_means(const struct ovl_lossy *l, const float *from, size_t n, int ranks, void *to);
void ovl_lossy_of_means(const struct ovl_lossy *l, const void *from, size_t n, int ranks, float *to);

/* Compressed pieces, one of each rank: bytes[r] from data + at[r] on. */
struct ovl_lossy_pieces {
    unsigned char *data;
    int *bytes, *at;
};

/* Compresses pieces of so many values, which follow each other, one behind the other. Returns all bytes. */
size_t ovl_lossy_pack(const struct ovl_lossy *l, const float *from, const int *counts, int ranks,
                      const struct ovl_lossy_pieces *to);

/* Expands `ranks` pieces of n values and adds them in order, in double precision. `sum` gets the result, of which all
   are NaN where a piece is damaged; `scratch` has n values. */
void ovl_lossy_add(const struct ovl_lossy *l, const struct ovl_lossy_pieces *from, int ranks, size_t n, double *scratch,
                   float *sum);

/* Expands a piece of n values; NaN where it is damaged. */
void ovl_lossy_expand(const struct ovl_lossy *l, const unsigned char *from, int bytes, float *to, size_t n);

/* What compression cost a rank and what it saved: each of its allreduces of S bytes at P ranks compresses S + S / P and
   expands 2 S, or makes halves of S and S of them, and sends 2 S (P - 1) / P to others, as an uncompressed one by
   reduce-scatter and allgather does. */
struct ovl_lossy_cost {
    double raw_bytes, pack_seconds, expanded_bytes, expand_seconds;
    double sent_raw_bytes, sent_packed_bytes; /* to other ranks: without and with compression */
};

/* sent_raw_bytes / sent_packed_bytes. NaN where nothing was sent, as at one rank. */
double ovl_lossy_ratio(const struct ovl_lossy_cost *c);

/* Bytes a second of a link that takes as long for the bytes saved as compression takes; on a slower one it pays. NaN
   where no byte was saved. */
double ovl_lossy_break_even(const struct ovl_lossy_cost *c);

#endif
