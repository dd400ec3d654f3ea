/* An allreduce of gradients whose pieces travel compressed: how it packs and adds them, and how far its result may be
   from the exact sum. A vector has a piece for each rank, which adds it up. Pure: no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_LOSSY_LOSSY_H
#define OVL_APPS_TRAIN_LOSSY_LOSSY_H

#include "base/error.h"
#include "kernels/compress.h"

struct ovl_lossy {
    const struct ovl_compressor *compressor; /* NULL: none */
    float bound;                             /* the largest error of a value in one compression, where it is bounded */
};

/* "none", "szx:EB", "fp16" or "bf16". -1 and OVL_USAGE. */
int ovl_lossy_parse(const char *text, struct ovl_lossy *l, struct ovl_error *err);

/* Each of `ranks` values that are not below 0 is compressed once, and their sum once. Their exact sum s is missed by
   absolute + relative * s at most. */
struct ovl_lossy_error {
    double absolute, relative;
};
struct ovl_lossy_error ovl_lossy_error(const struct ovl_lossy *l, int ranks);

/* The largest error of a sum of values of any sign that were rounded to single precision before they were compressed.
   `magnitudes` is the exact sum of their magnitudes. */
double ovl_lossy_error_of(const struct ovl_lossy *l, int ranks, double magnitudes);

/* -1 and OVL_USAGE where the compressed sum of `ranks` values of up to `most` would not be finite. */
int ovl_lossy_check_range(const struct ovl_lossy *l, int ranks, double most, struct ovl_error *err);

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
   expands 2 S, and sends 2 S (P - 1) / P to others, as an uncompressed one by reduce-scatter and allgather does. */
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
