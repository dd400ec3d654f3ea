/* Some launches of the new side stall, though most are well: the signed ranks of pairs, which ask for the middle of the
   differences, let that pass. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_STALLS_H
#define OVL_TOOL_COMPARE_STALLS_H

#include <stdbool.h>
#include <stddef.h>

/* So many margins make a pair differ by far, so that old launches a little slower do not stand for new ones many times
   as slow. */
enum { OVL_STALLS_FAR = 10 };

/* Of n pairs of losses (more is worse): how many are worse by more than twice the margin, where they outnumber those
   that are better by as much beyond chance, by the exact one-sided test of signs at 4 %: 5 against 0, 7 against 1; or
   where among pairs that differ by far they do so at 1 %: 7 against 0, 10 against 1. Else 0. The margin is 0 or more.
 */
size_t ovl_stalls_count(const double *old, const double *new, size_t n, double margin);

/* Are `after` slow launches of `new` ones more than chance takes from the same lot as `before` of `old` ones, by
   Fisher's exact test at 5 %? */
bool ovl_stalls_more(size_t before, size_t old, size_t after, size_t new);

#endif
