/* Histories whose truth is known, looked at as `ovl history` does: how often a change is found where it is, and how
   often one that is none. For the unit tests and for `make changes`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_UNIT_HISTORIES_H
#define OVL_TESTS_UNIT_HISTORIES_H

#include "tests/unit/families.h"

enum { HISTORY_MOST_LAUNCHES = 400 };

struct history_truth {
    size_t points, before, after; /* launches of each point: before + after */
    enum launch_shape shape;      /* of standard deviation 1 */
    double shift; /* of the first point after `before` launches; the others never change. 0: neither does the first */
};

/* In how many histories this happened. */
struct history_counts {
    int found;       /* the first point has a change within one launch of its place */
    int false_alarm; /* a point has a change that is none: any of one that never changes, more than one of the first */
};

/* The same seed gives the same launches everywhere. -1 when there is no memory. */
int histories_judge(const struct history_truth *truth, int histories, uint64_t seed, struct history_counts *counts);

#endif
