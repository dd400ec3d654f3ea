/* Nights of which `ovl history --last` says whether their launches are unlike all before, with launches of known truth.
   For the unit tests and for `make last`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_NIGHTS_H
#define OVL_TESTS_SIM_NIGHTS_H

#include <stddef.h>
#include <stdint.h>

/* Of standard deviation 1: normal; Student's with 3 degrees of freedom; each launch like the one before by 0.5 (AR(1));
   19 of 20 normal, and one of standard deviation 3 times that. */
enum night_shape { NIGHT_NORMAL, NIGHT_T3, NIGHT_AR, NIGHT_MIXTURE, NIGHT_SHAPES };
extern const char *const night_shape_names[NIGHT_SHAPES];

enum { NIGHT_MOST_CELLS = 100, NIGHT_MOST_LAUNCHES = 200 };

struct night_truth {
    size_t cells, before; /* launches before the last, of each cell */
    enum night_shape shape;
    double shift; /* of the last launch of the first cell */
};

/* In how many nights a cell is called worse that is not shifted, and in how many the first one, which is. */
struct night_counts {
    int false_alarm, found;
};

/* The same seed gives the same launches everywhere. */
struct night_counts nights_judge(const struct night_truth *t, int nights, uint64_t seed);

#endif
