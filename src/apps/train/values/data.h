/* The data of a training step: numbers whose sums are exact, and words that are moved. Each follows from a key, a rank
   and a place, so that any rank can check any other's; both are written about as fast as memory takes them, for writing
   gradients is part of the work. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_VALUES_DATA_H
#define OVL_APPS_TRAIN_VALUES_DATA_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number i of a rank among `ranks`: 0 to 255 drawn for the place, the same at all ranks, and 0 to 1023 for the rank,
   other ones at any 1024 ranks in a row; in each 16 places the next rank's in turn, so that no rank can tell another's
   numbers, or their sums, from its own and a few of the other's. The sum of up to 13,000 ranks is exact in single
   precision, whatever the order; a rank that is missing or comes twice is seen everywhere, and a contribution from
   another place or of other data nearly everywhere. More ranks need those of whole.h. */
enum { OVL_TRAIN_DATA_RANKS = 13000 };
void ovl_train_data_fill(float *to, size_t n, uint64_t key, int rank, int ranks);
/* Are these the sums of all ranks' numbers from `first` on? Every byte is looked at. */
bool ovl_train_data_sums(const float *got, size_t n, size_t first, uint64_t key, int ranks);
/* Words that are moved (ovl_rng_word). */
void ovl_train_data_words(uint32_t *to, size_t n, uint64_t key, int rank);
/* Those from `first` on. */
void ovl_train_data_words_from(uint32_t *to, size_t n, size_t first, uint64_t key, int rank);
bool ovl_train_data_moved(const uint32_t *got, size_t n, size_t first, uint64_t key, int rank);

/* What these words of a key and a rank follow from; and a word of these two. */
struct ovl_rng_words ovl_train_data_words_of(uint64_t key, int rank);
uint32_t ovl_train_data_drawn(uint64_t key, int rank);

#endif
