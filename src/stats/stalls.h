/* Some launches of the new side stall, though most are well: the signed ranks of pairs, which ask for the middle of the
   differences, let that pass. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_STALLS_H
#define OVL_STATS_STALLS_H

#include <stdbool.h>
#include <stddef.h>

/* The level of one question; who asks several divides it. */
#define OVL_STALLS_LEVEL 0.05

/* What is a change where nobody gives a margin, by logarithms: 5 %. */
#define OVL_STALLS_MARGIN 0.05

/* So many margins make a pair differ by far, so that old launches a little slower do not stand for new ones many times
   as slow. */
enum { OVL_STALLS_FAR = 10 };

/* Of n pairs of losses (more is worse): how many are worse by more than twice the margin, where they outnumber those on
   the other side beyond chance, by the exact one-sided test of signs at 4 %: 5 against 0, 7 against 1; or where among
   pairs that differ by far they do so at 1 %: 7 against 0, 10 against 1. Else 0. On the other side are those that are
   better by as much; or, where the new side is better in the middle, as far from that middle as the worse ones: a gain
   of most launches makes up for no stall. The margin is 0 or more. */
size_t ovl_stalls_count(const double *old, const double *new, size_t n, double margin);

/* How many of n values are above `most`. */
size_t ovl_stalls_above(const double *x, size_t n, double most);

/* Are `after` slow launches of `new` ones more than chance takes from the same lot as `before` of `old` ones, by
   Fisher's exact test at the level `below`? */
bool ovl_stalls_more(size_t before, size_t old, size_t after, size_t new, double below);

#endif
