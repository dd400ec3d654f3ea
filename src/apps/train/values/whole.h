/* The data of a training step in numbers of any type: whole ones so small that all sums are exact, and patterns that
   are moved. As data.h, which has those of four bytes. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_VALUES_WHOLE_H
#define OVL_APPS_TRAIN_VALUES_WHOLE_H

#include "apps/train/values/numbers.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers of a rank among so many: of f32 and up to OVL_TRAIN_DATA_RANKS those of data.h; else what is drawn for the
   place, 1 or more, the same at all ranks, and one more for as many of them as is drawn, too, others at the next place.
   The sum over all ranks is not beyond row->exact, so it is exact, whatever the order; a rank that is missing is seen
   everywhere, and one that comes twice in place of another wherever their numbers differ. Of more ranks than half of
   row->exact only that many have a number at a place that is not 0, others at the next place. */
void ovl_train_whole_fill(const struct ovl_number *row, void *to, size_t n, uint64_t key, int rank, int ranks);
/* Are these the sums of all ranks' numbers from `first` on? Every byte is looked at. */
bool ovl_train_whole_sums(const struct ovl_number *row, const void *got, size_t n, size_t first, uint64_t key,
                          int ranks);

/* Patterns of 1 or 2 bytes that are moved. */
void ovl_train_pattern_fill(void *to, size_t n, size_t bytes, uint64_t key, int rank);
bool ovl_train_pattern_moved(const void *got, size_t n, size_t bytes, size_t first, uint64_t key, int rank);

#endif
