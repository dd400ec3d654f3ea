/* Some launches of the new side stall, though most are well: the signed ranks of pairs, which ask for the middle of the
   differences, let that pass. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_STALLS_H
#define OVL_TOOL_COMPARE_STALLS_H

#include <stdbool.h>
#include <stddef.h>

/* Of n pairs of losses (more is worse): how many are worse by more than twice the margin, where they outnumber those
   that are better by as much beyond chance, by the exact one-sided test of signs at 5 %: 5 against 0, 7 against 1, else
   0. The margin is 0 or more. */
size_t ovl_stalls_count(const double *old, const double *new, size_t n, double margin);

/* Are `after` slow launches of `new` ones more than chance takes from the same lot as `before` of `old` ones, by
   Fisher's exact test at 5 %? */
bool ovl_stalls_more(size_t before, size_t old, size_t after, size_t new);

#endif
