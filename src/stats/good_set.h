/* The largest set of nodes in which no pair is bad: what is left without a smallest cover of the bad pairs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_GOOD_SET_H
#define OVL_STATS_GOOD_SET_H

#include <stdbool.h>
#include <stddef.h>

/* bad[k] are two different nodes below `nodes`; good[i] becomes whether node i is in the set. Of several largest sets
   one. false: the search, by branching on the node with the most bad pairs (Downey and Fellows, Parameterized
   Complexity, 1999, 3.1), was cut off; then the set has no bad pair all the same, but a larger one may exist. */
bool ovl_good_set(size_t nodes, const size_t (*bad)[2], size_t count, bool *good);

#endif
