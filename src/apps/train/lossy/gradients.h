/* Gradients that are compressed: drawn ones, which are like those of networks, or those of a file. Other ones at each
   rank, and in each sample. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_LOSSY_GRADIENTS_H
#define OVL_APPS_TRAIN_LOSSY_GRADIENTS_H

#include "apps/train/lossy/lossy.h"

#include <stdint.h>

/* Of no file: the gradients are drawn, by Laplace's distribution about 0 with a mean size of 1, up to about 16.6, and
   their fractions have all bits of single precision. */
struct ovl_gradients {
    float *file; /* NULL: drawn */
    size_t count;
    double most; /* the largest size of one */
};

/* Reads numbers of single precision, as they lie in the memory of this machine. -1 with *err: OVL_ENVIRONMENT where the
   file cannot be read, OVL_WRONG_DATA with the place that is damaged; then there is nothing to free. */
int ovl_gradients_read(struct ovl_gradients *g, const char *file, struct ovl_error *err);
void ovl_gradients_free(struct ovl_gradients *g);

/* -1 and OVL_USAGE where a file has fewer than `largest` numbers, which is how many the largest message has. */
int ovl_gradients_fit(const struct ovl_gradients *g, const char *file, size_t largest, struct ovl_error *err);

/* A rank's gradients from `first` on. Those of a file follow each other from a place on that key and rank give. */
void ovl_gradients_fill(const struct ovl_gradients *g, float *to, size_t n, size_t first, uint64_t key, int rank);

/* How many of the sums that a rank got are further from the exact ones than `l` allows, or are no numbers; *largest
   becomes the largest difference where that was less. Up to OVL_GRADIENTS_LOOKED ranks each looks at all n; of more
   each looks at that share of them, other ones with another key, so that each sum is looked at by as many. */
enum { OVL_GRADIENTS_LOOKED = 8 };
size_t ovl_gradients_misses(const struct ovl_gradients *g, const struct ovl_lossy *l, const float *got, size_t n,
                            uint64_t key, int rank, int ranks, double *largest);

#endif
