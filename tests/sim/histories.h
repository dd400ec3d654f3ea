/* Histories whose truth is known, looked at as `ovl history` does: how often a change is found where it is, and how
   often one that is none. For the unit tests and for `make changes`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_HISTORIES_H
#define OVL_TESTS_SIM_HISTORIES_H

#include "tests/sim/families.h"

enum { HISTORY_MOST_LAUNCHES = 400, HISTORY_MOST_NIGHTS = 30 };

/* By how much an outlier is slower: five times the time, where launches have a standard deviation of 1 %. */
#define HISTORY_OUTLIER 400

struct history_truth {
    size_t points, before, after; /* launches of each point: before + after */
    enum launch_shape shape;      /* of standard deviation 1 */
    size_t outliers;              /* so many of the launches before, of each point, are slow: spread evenly */
    double shift; /* of the first point after `before` launches; the others never change. 0: neither does the first */
};

/* In how many histories this happened. */
struct history_counts {
    int found;       /* the first point has a change within one launch of its place */
    int false_alarm; /* a point has a change that is none: any of one that never changes, more than one of the first */
    int any;         /* the first point, which changes, has a change in the direction of its shift */
    int fresh;       /* such a change may be at its place or later: it is new since then */
    int held;        /* such a change may be at its place */
    long places;     /* how many places it may be at, over all of them */
};

/* The job of each night: after `before` launches there is one more each night, truth->after of them, the first of which
   is the first of the shift, and each night the whole history is looked at. Counts the histories in which some night up
   to this one had a new change for the worse, since launch `since`: of any point. */
void histories_nights(const struct history_truth *truth, size_t since, int histories, uint64_t seed,
                      int failed[HISTORY_MOST_NIGHTS]);

/* The same seed gives the same launches everywhere. */
struct history_counts histories_judge(const struct history_truth *truth, int histories, uint64_t seed);

#endif
