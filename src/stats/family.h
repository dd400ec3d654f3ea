/* Verdicts over a family of cells, from plain numbers: one value a launch and cell. What is claimed of a cell holds for
   all cells together, each kind of claim with 95 %: that it is REGRESSED, that it is OK or IMPROVED, that the true
   change is above the lower end of its interval, below the upper end.

   The adjustment is that of Holm (Scand. J. Statist. 6, 1979) made to agree with intervals (Strassburger and Bretz,
   Statist. Med. 27, 2008; Guilbaud, Biometr. J. 50, 2008). Of m cells, let a be those at or beyond the margin in truth.
   Each of them may be called OK at level alpha (m + a) / (2 m a), and of each of the others the upper end may be wrong
   at level alpha / (2 m); these levels sum up to alpha whatever a is, and for a = 0 each end may have alpha / m. So
   cells step down as Holm's do (a is at most the number of cells that are left), half of the level being kept for the
   ends of the intervals. REGRESSED and lower ends are the same thing turned round. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_FAMILY_H
#define OVL_STATS_FAMILY_H

#include "stats/launch_test.h"

/* The level of every claim. */
#define OVL_FAMILY_ALPHA 0.05

/* Without pairs no test holds at such small levels with fewer launches a side. */
enum { OVL_FAMILY_LEAST_UNPAIRED = 10 };

enum ovl_verdict {
    OVL_VERDICT_REGRESSED,
    OVL_VERDICT_INCONCLUSIVE,
    OVL_VERDICT_OK,
    OVL_VERDICT_IMPROVED,
    OVL_VERDICTS
};

struct ovl_family_cell {
    const double *old, *new; /* n losses each (more is worse): pairs by index, or as many of either side */
    size_t n;
    double margin;             /* the shift from which on the cell is worse than is allowed */
    struct ovl_evidence least; /* p values are at least these: of another measure, which must agree; else 0 */

    /* what is found */
    struct ovl_evidence p; /* of the cell alone */
    double p_worse;        /* p.worse among all cells: REGRESSED when below alpha */
    double p_within;       /* p.within among all cells: OK when below alpha */
    struct ovl_shift shift;
    enum ovl_verdict verdict;
    bool passes; /* the cell's own test refutes "at or beyond the margin": that all cells do so is a claim at level
                    alpha for any number of cells (intersection-union; Berger, Technometrics 24, 1982) */
};

/* The tests by number of launches, made once each. Start with {.paired = ...}. */
struct ovl_family_tests {
    bool paired;
    struct ovl_launch_test **test;
    size_t count;
};

/* The test for n pairs, or n launches a side. */
const struct ovl_launch_test *ovl_family_test(struct ovl_family_tests *tests, size_t n);
void ovl_family_tests_free(struct ovl_family_tests *tests);

/* Judges the cells as one family. */
void ovl_family_judge(struct ovl_family_tests *tests, struct ovl_family_cell *cell, size_t count);

/* The level of the first step, which decides whether one cell can be REGRESSED at all. */
double ovl_family_first_level(size_t count);

#endif
