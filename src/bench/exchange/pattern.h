/* Test data: every byte follows from a key (of the cell), a rank and its position there, so that any rank can check any
 * other's. What all ranks' numbers combine to follows from the key and the position alone, whatever the number of
 * ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_EXCHANGE_PATTERN_H
#define OVL_BENCH_EXCHANGE_PATTERN_H

#include "offload/coll/operation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the data are: bytes that are moved, or numbers that are combined, of so many ranks. */
struct ovl_pattern {
    bool numbers;
    enum ovl_dtype dtype; /* of the numbers, as the next */
    enum ovl_redop redop;
    int ranks;
    uint64_t key;
};

/* The numbers of a sum. A number is a base, common to all ranks and drawn for each element, and an offset >= 1.
   Ranks go in pairs: the offset of the first is drawn for the element and the pair, and both add up to a constant. So a
   sum takes one base and, if a rank is left without a partner, one offset.

   Numbers are whole and never negative, and no sum passes the limit of the type (127 for INT8, 32,767 for INT16, else
   2^24, which floats hold exactly; so 2^24 ranks at most), so no order of adding overflows or rounds. Small types have
   room for few numbers: ranks take turns, every TURNS-th one has a number > 0 in an element and the others have 0,
   where TURNS = ovl_pattern_turns().

   What is seen in any element where the rank has its turn: a contribution that is missing or comes twice. What is seen
   with a chance of 1 - 1/LEVELS in each element, and so in all but the shortest messages: a contribution in place of
   another rank's, a rank's or several ranks' contribution from another element or another key, a shifted sum. LEVELS is
   64 for floats up to 132,104 ranks; for INT8 32 with two ranks, 4 with 16 and at least 2 with any number.
   What is not seen: the contribution of a rank that has no turn in an INT8 message of fewer than TURNS elements; with
   more than 2^23 ranks, floats of another element; and in which order numbers were added, which is no fault.

   In a minimum, a maximum and a product few ranks count: for each element a rank is drawn that has the least or the
   largest number, of a product two ranks that have a factor over 1. So the loss of a rank is seen in those elements
   that drew it, and other elements' or keys' numbers nearly everywhere. No result passes 127. */

/* In so many elements of a sum, one after the other, each rank has its turn once. 1 for large types, and for INT8 up to
   42 ranks. */
int ovl_pattern_turns(enum ovl_dtype dtype, int ranks);

/* Fills `bytes` of the send buffer of `rank`, from its position 0. */
void ovl_pattern_fill(void *data, size_t bytes, struct ovl_pattern pattern, int rank);

/* Fills `data` so that every byte (or number) differs from what ovl_pattern_check wants with the same arguments. */
void ovl_pattern_spoil(void *data, size_t bytes, struct ovl_pattern pattern, int source, size_t source_offset);

struct ovl_pattern_fault {
    size_t position; /* byte in `data` */
    double got, wanted;
};

/* Compares `data` with what `source` holds from `source_offset` on; for numbers, with what all ranks combine
   to instead, at the same cost for any number of them. Returns 0, or -1 with the first fault. */
int ovl_pattern_check(const void *data, size_t bytes, struct ovl_pattern pattern, int source, size_t source_offset,
                      struct ovl_pattern_fault *fault);

#endif
