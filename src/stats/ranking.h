/* Places of more than two sides by their launches, from plain numbers: which sides are worse than which beyond chance,
   and how far each is from one of them. stats/launch_test.h has the tests. What is said of places holds for all sides
   of one ranking with 95 %, and so do the intervals; of several rankings each stands for itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_RANKING_H
#define OVL_STATS_RANKING_H

#include "stats/launch_test.h"

struct ovl_ranking_side {
    const double *value; /* a loss for each launch (more is worse); NaN: that launch has none */

    /* what is found */
    size_t n;               /* pairs with the reference, or launches a side; 0: nothing can be said */
    struct ovl_shift shift; /* from the reference to it, of losses; of the reference 0, 0, 0 */
    size_t first, last;     /* the places, from 1, that it may have */
};

struct ovl_ranking {
    struct ovl_ranking_side *side;
    size_t count;
    size_t launches;  /* of each side: how many values it has room for */
    size_t reference; /* the side that others are held against; `count`: the best by its median, which becomes it */
    bool named;       /* before anybody saw the launches */
    bool paired;      /* launch i of one side and of another were taken in turns: pairs */
    double
        margin; /* of pairs: who is better in the middle and stalls by that (stats/stalls.h) is not better; 0: nobody */
};

/* Finds it. The side that is i-th has i - 1 better ones; a place is ruled out where the test of a pair of sides, by
   Holm's steps over all pairs of them (Scand. J. Statist. 6, 1979), says so at the level alpha. The
   intervals have Bonferroni's level over the sides, and over all pairs of them where the reference was not
   named before. Without pairs there must be OVL_FAMILY_LEAST_UNPAIRED launches a side (stats/family.h); of the side
   that has more those count that are evenly spaced in the order of their values. */
void ovl_ranking_make(struct ovl_ranking *r);

/* The fewest pairs, or launches a side, with which so many sides can have places of their own. */
size_t ovl_ranking_needed(size_t sides, bool paired);

#endif
