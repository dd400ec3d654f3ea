/* Families of cells whose truth is known, judged as `ovl compare` judges them: how often a claim is wrong, and how
 * often a right one is made. For the unit tests and for scripts/check/verdicts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_FAMILIES_H
#define OVL_TESTS_SIM_FAMILIES_H

#include "base/rng.h"
#include "stats/family.h"

#include <stdint.h>

/* Values of launches: normal; Student's with 5 degrees of freedom; lognormal, skewed as times are. All have standard
   deviation 1, and are centred at the median. */
enum launch_shape { LAUNCH_NORMAL, LAUNCH_T5, LAUNCH_SKEWED, LAUNCH_SHAPES };
extern const char *const launch_shape_names[LAUNCH_SHAPES];

/* The value of one launch. */
double launch_value(struct ovl_rng *rng, enum launch_shape shape);

enum { FAMILY_MOST_CELLS = 100, FAMILY_MOST_LAUNCHES = 24 };

struct family_truth {
    size_t cells, launches;
    bool paired;
    enum launch_shape shape;
    double old_sigma, new_sigma; /* between launches, as logarithms */
    size_t changed; /* the first so many cells are changed by `change`, a logarithm; the others not at all */
    double change, margin;
};

/* In how many families this happened to at least one cell, or to all of them. */
struct family_counts {
    int false_regressed, false_ok, false_improved; /* a label against the truth of its cell; IMPROVED says OK too */
    int low_wrong, high_wrong;                     /* the truth is below a lower end; above an upper end */
    int contradicted;                              /* an interval denies its label */
    int first_regressed;                           /* the first cell is REGRESSED */
    int all_ok;                                    /* every label is OK or IMPROVED */
    int passed;                                    /* the gate passes: every cell does */
};

/* Judges so many families; the same seed gives the same launches everywhere. */
struct family_counts families_judge(const struct family_truth *truth, int families, uint64_t seed);

#endif
