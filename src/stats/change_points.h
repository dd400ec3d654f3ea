/* Change points of a series by E-divisive (Matteson and James, J. Am. Statist. Assoc. 109, 2014): where does the
   distribution of the values change, however often, and whatever it is? Of a segment with n values, that split is taken
   whose energy distance

       Q = m k / (m + k) (2 mean |x - y| - mean |x - x'| - mean |y - y'|),   m values x before it, k values y behind

   is the greatest (exponent 1, the paper's own), and it is a change point if none of 1 / level - 1 permutations of the
   segment has a split with as great a Q. Then both parts are looked at. What is left out of the paper: x and y are
   always the whole segment (its kappa is n). A mean is over all pairs, those of a value with itself too, so that
   places near an end are neither preferred nor avoided. And the values of a segment are limited to OVL_CHANGE_LIMIT
   standard deviations from its median, by their median absolute deviation: else a few values that are far off would be
   most of Q wherever they stand, in each permutation as well, and would hide a change of all values since.

   What is claimed holds for a series as a whole: a segment of k of its n values is tested at the level times k / n, so
   that a false change point anywhere has at most the level's probability, if values between changes are exchangeable:
   launches that follow each other must not depend on each other.

   A change has a place and a set of possible places. Both are looked for between its neighbours, where nothing else
   changes: the place is the split with the greatest Q, and of a change that was found as near to an end as is looked
   (OVL_CHANGE_LEAST), splits nearer to that end are tried too, so that two or three values behind it are not mixed with
   those before. A place is possible unless the change is shown not to be there: if it is, values before it can change
   places among each other, and so can those behind it, and the greatest Q is as great as before in more than
   OVL_CHANGE_DOUBT of such permutations. This is the permutation test of that place, turned into a confidence set; it
   needs no standard deviation and no distribution. As long as fewer than twice OVL_CHANGE_LEAST values are behind a
   change, its neighbours are always possible. tests/sim/print_changes.c counts how often the set holds the truth. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_CHANGE_POINTS_H
#define OVL_STATS_CHANGE_POINTS_H

#include <stddef.h>
#include <stdint.h>

/* The level at which all series of a history are judged together: strict, as a history is looked at again with each
   launch. */
#define OVL_CHANGE_ALPHA 0.01

/* The set of possible places misses the true one in so many cases, but for changes that are found by chance: of fewer
   launches, or smaller, than are mostly found. */
#define OVL_CHANGE_DOUBT 0.05

/* What is further from the median than so many standard deviations counts as so far. */
#define OVL_CHANGE_LIMIT 5

/* The least number of values in a segment when changes are looked for: a few outliers are no change. */
enum { OVL_CHANGE_LEAST = 4 };

struct ovl_change_point {
    size_t at;          /* index of the first value behind it */
    size_t first, last; /* the same of the first and the last possible place */
};

/* Finds the change points of x[0 .. n-1], in which there is no NaN, in their order, and returns how many; `found` has
   room for n / OVL_CHANGE_LEAST. The permutations follow from the seed, the same everywhere; all of them are drawn only
   where something changed, else they end with the first that has as great a Q (Besag and Clifford, Biometrika 78,
   1991). */
size_t ovl_change_points_find(const double *x, size_t n, double level, uint64_t seed, struct ovl_change_point *found);

/* The same, and beside it what is found in two parts, but for changes that may be where another one is already:
     - in x[since .. n-1]: levels that come and go hide each other in a whole series, as that split of A B A B which is
       the best has values of both levels on either side;
     - about `since`, from the last change before it to the first one behind it: where a change before `since` divides
       the series, the level that held at `since` is tested against the next one in a small part of a strict level, or
       not at all.
   Each part is searched at a quarter of the level, so that a false change point is found in half as many series more at
   most. A `since` of 0 or from n on adds nothing. `found` has room for 3 n / OVL_CHANGE_LEAST. */
size_t ovl_change_points_find_since(const double *x, size_t n, size_t since, double level, uint64_t seed,
                                    struct ovl_change_point *found);

/* The fewest values of which one change can be found at that level: 2 of all ways to divide them into halves are no
   less apart. */
size_t ovl_change_points_needed(double level);

#endif
