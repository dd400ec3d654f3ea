/* Test data: every byte follows from a key (of the cell), a rank and its position there, so that any rank can check any
 * other's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_PATTERN_H
#define OVL_BENCH_PATTERN_H

#include <stddef.h>
#include <stdint.h>

enum ovl_pattern_kind {
    OVL_PATTERN_BYTES,
    OVL_PATTERN_FLOAT, /* whole numbers 0..7, whose sums are exact */
    OVL_PATTERN_INT8,  /* whole numbers so small that the sum over all ranks stays under 128 */
};

/* Fills `bytes` of the send buffer of `rank`, from its position 0. `ranks` bounds the numbers of OVL_PATTERN_INT8. */
void ovl_pattern_fill(void *data, size_t bytes, enum ovl_pattern_kind kind, uint64_t key, int rank, int ranks);

/* Fills `data` so that every byte (or number) differs from what ovl_pattern_check wants with the same arguments. */
void ovl_pattern_spoil(void *data, size_t bytes, enum ovl_pattern_kind kind, uint64_t key, int source,
                       size_t source_offset);

struct ovl_pattern_fault {
    size_t position; /* byte in `data` */
    double got, wanted;
};

/* Compares `data` with what `source` holds from `source_offset` on; for numbers, with the sum over all `ranks` instead.
   Returns 0, or -1 with the first fault. */
int ovl_pattern_check(const void *data, size_t bytes, enum ovl_pattern_kind kind, uint64_t key, int source, int ranks,
                      size_t source_offset, struct ovl_pattern_fault *fault);

#endif
