/* How often `ovl history --last` raises a false alarm in a night, and how often it finds a launch that is slower. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/nights.h"
#include "tests/sim/sim.h"
#include "tool/history/last.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int sim_last(int argc, char **argv)
{
    static const size_t cells[] = {1, 10, 100}, before[] = {20, 40, 100};
    int nights = argc > 1 ? atoi(argv[1]) : 5000;
    uint64_t seed = 0;
    bool missed = false;
    if (nights < 1) {
        fputs("last: give the number of nights\n", stderr);
        return 3;
    }
    printf(
        "False alarms of ovl history --last, %% of %d simulated nights a row in which the last launch of some cell is\n"
        "called worse, by Student's prediction interval and Holm's steps at the level %g; and how often a launch of\n"
        "one cell is found that is slower by so many standard deviations. Wanted: at most 2 %% of normal launches, "
        "less\n"
        "twice the standard error of such a rate more, which is %.2f; and 90 %% of 5 standard deviations found of 1 "
        "and 10\n"
        "cells.\n\n"
        "launches      cells before  false alarms %%    3 sd    5 sd   10 sd found %%\n",
        nights, OVL_LAST_ALPHA, 200 * sqrt(0.02 * 0.98 / nights));
    for (int shape = 0; shape < NIGHT_SHAPES; shape++)
        for (size_t c = 0; c < 3; c++)
            for (size_t b = 0; b < 3; b++) {
                static const double shifts[] = {0, 3, 5, 10};
                double found[4];
                for (int s = 0; s < 4; s++) {
                    const struct night_truth t = {cells[c], before[b], (enum night_shape)shape, shifts[s]};
                    struct night_counts n = nights_judge(&t, s == 0 ? nights : nights / 4 + 1, ++seed);
                    found[s] = s == 0 ? 100.0 * n.false_alarm / nights : 100.0 * n.found / (nights / 4 + 1);
                }
                bool bad = shape == NIGHT_NORMAL &&
                           (found[0] > 2 + 200 * sqrt(0.02 * 0.98 / nights) || (cells[c] <= 10 && found[2] < 90));
                missed |= bad;
                printf("%-12s %6zu %6zu %15.1f %7.1f %7.1f %7.1f%s\n", night_shape_names[shape], cells[c], before[b],
                       found[0], found[1], found[2], found[3], bad ? "   MISSED" : "");
            }
    printf("\n%s\n", missed ? "A figure is not met." : "Every figure is met.");
    return missed;
}
