/* How often the intervals of cells that the real measuring loop took on a virtual clock hold the truth. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_COVERAGE_H
#define OVL_TESTS_SIM_COVERAGE_H

#include "tests/fake/virtual_stage.h"

struct coverage_case {
    struct virtual_noise noise; /* without generator and state */
    size_t fixed;               /* blocks; 0: 30 to 1,000 by the stopping rule with --ci 2 */
    bool timed; /* by that rule, but for an end of --max-time at random, after 15 to 60 blocks: fewer are no claim */
};

/* Widths are mean widths over 2 x 1.96 standard errors of the value, at as many blocks fixed beforehand; the standard
   errors are those of a second set of cells. */
struct coverage {
    double blocks;        /* mean */
    double total, hidden; /* share of cells whose interval holds the true median of T, the true hidden_fraction */
    double total_width, hidden_width;
};

struct coverage coverage_simulate(const struct coverage_case *c, size_t cells);

#endif
