/* How often `ovl history` finds a change where it is, and how often one that is none: simulated histories, looked at by
   the functions that it calls. `make changes` runs it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/change_points.h"
#include "tests/unit/histories.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int histories;
static uint64_t seed;

/* Prints a row; is a figure missed where it counts? */
static bool print_row(const struct history_truth *t, double found_least)
{
    struct history_counts n;
    if (histories_judge(t, histories, ++seed, &n) != 0) {
        fputs("changes: no memory\n", stderr);
        exit(5);
    }
    double found = 100.0 * n.found / histories, alarms = 100.0 * n.false_alarm / histories;
    bool missed = found < found_least || alarms > 5;
    printf("%6zu %4zu + %-4zu %-7s %5.1f", t->points, t->before, t->after, launch_shape_names[t->shape], t->shift);
    if (t->shift != 0)
        printf(" %9.1f", found);
    else
        printf(" %9s", "-");
    printf(" %13.1f%s\n", alarms, missed ? "   MISSED" : "");
    return missed;
}

int main(int argc, char **argv)
{
    static const struct {
        struct history_truth truth;
        double found_least;
    } rows[] = {
        {{.points = 1, .before = 20, .after = 20, .shift = 3}, 95},
        {{.points = 20, .before = 20, .after = 20, .shift = 3}, 95},
        {{.points = 1, .before = 20, .after = 20}, 0},
        {{.points = 20, .before = 20, .after = 20}, 0},
        {{.points = 1, .before = 100, .after = 100}, 0},
        {{.points = 1, .before = 20, .after = 20, .shift = 3, .shape = LAUNCH_T5}, 0},
        {{.points = 20, .before = 20, .after = 20, .shape = LAUNCH_T5}, 0},
        {{.points = 1, .before = 20, .after = 20, .shift = 3, .shape = LAUNCH_SKEWED}, 0},
        {{.points = 20, .before = 20, .after = 20, .shape = LAUNCH_SKEWED}, 0},
        {{.points = 1, .before = 40, .after = 5, .shift = 3}, 0},
        {{.points = 20, .before = 40, .after = 5, .shift = 3}, 0},
        {{.points = 1, .before = 20, .after = 20, .shift = 2}, 0},
        {{.points = 1, .before = 20, .after = 20, .shift = 1}, 0},
    };
    bool missed = false;
    histories = argc > 1 ? atoi(argv[1]) : 2000;
    if (histories < 1) {
        fputs("changes: give the number of histories\n", stderr);
        return 3;
    }
    printf(
        "Changes found in %d simulated histories a row, by E-divisive at the level %g for all points together.\n"
        "shift: in standard deviations between launches, of the first point only, from the first number of launches\n"
        "to the second. found: %% of histories with a change of that point within one launch of its place. false\n"
        "alarms: %% of histories with a change that is none, of any point. Wanted: 95 %% found of a shift of 3\n"
        "(normal launches, 20 + 20; twice the standard error of such a rate is %.1f), and at most 5 %% false alarms "
        "in\nevery row.\n\n"
        "points launches    shape   shift   found %%  false alarms %%\n",
        histories, OVL_CHANGE_ALPHA, 200 * sqrt(0.95 * 0.05 / histories));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        missed |= print_row(&rows[i].truth, rows[i].found_least);
    printf("\n%s\n", missed ? "A figure is not met." : "Every figure is met.");
    return missed;
}
