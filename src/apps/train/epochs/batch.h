/* The samples of a training: pictures of bytes, augmented as for CIFAR (He et al., CVPR 2016, 4.2): 4 pixels of padding
   at each side, a crop of the old size at random, flipped or not, as numbers of mean 0. All of it follows from source,
   epoch and number, so that whoever made a batch, any process can tell what is in it. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_EPOCHS_BATCH_H
#define OVL_APPS_TRAIN_EPOCHS_BATCH_H

#include <stddef.h>
#include <stdint.h>

struct ovl_batch {
    uint64_t source;       /* whose samples */
    uint64_t epoch, first; /* the number of the first sample in that epoch */
    size_t samples, bytes; /* of each before augmentation; a number each, then */
};

enum { OVL_BATCH_PADDING = 4 };

/* The side of the picture: the largest square of pixels of 3 bytes that the sample holds. What is left of the sample is
   neither cropped nor flipped. */
size_t ovl_batch_side(size_t bytes);

/* Sample `sample` to its place in `data`, by way of `raw`. */
void ovl_batch_make(const struct ovl_batch *b, size_t sample, uint8_t *raw, float *data);
/* How a sample is cropped, from (0, 0) to (8, 8), and whether it is flipped. */
void ovl_batch_draw(const struct ovl_batch *b, size_t sample, int *down, int *right, int *flipped);
/* The CRC of samples from `from` on, up to the one before `to`. */
uint32_t ovl_batch_crc(const struct ovl_batch *b, size_t from, size_t to, const float *data);
/* The CRC of 16 numbers of each of them, a cache line or two at a place that is drawn by source, epoch and number: what
   a rank looks at while the clock runs. Another sample is seen, and so is one that is not all there, but where the
   place is right by chance. */
uint32_t ovl_batch_spots(const struct ovl_batch *b, size_t from, size_t to, const float *data);

/* What slice `slice` of so many answers in validation by a key: a sum of products over its part of the weights, modulo
   2^32. A word that is another one changes it. */
uint32_t ovl_validation_answer(const uint32_t *weights, size_t words, uint32_t slice, uint32_t slices, uint64_t key);

#endif
