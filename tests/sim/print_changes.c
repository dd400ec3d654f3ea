/* How often `ovl history` finds a change where it is, how often one that is none, how often it says that a change is
   new, and in which night: simulated histories, looked at by the functions that it calls. `make changes` runs it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/change_points.h"
#include "tests/sim/histories.h"
#include "tests/sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int histories;
static uint64_t seed;

/* Prints a row; is a figure missed where it counts? */
static bool print_row(const struct history_truth *t, double found_least)
{
    struct history_counts n = histories_judge(t, histories, ++seed);
    double found = 100.0 * n.found / histories, alarms = 100.0 * n.false_alarm / histories;
    bool missed = found < found_least || alarms > 5;
    printf("%6zu %4zu + %-4zu %-7s %8zu %5.1f", t->points, t->before, t->after, launch_shape_names[t->shape],
           t->outliers, t->shift);
    if (t->shift != 0)
        printf(" %9.1f", found);
    else
        printf(" %9s", "-");
    printf(" %13.1f%s\n", alarms, missed ? "   MISSED" : "");
    return missed;
}

/* A change at the first launch behind --since is found, and new, or exit 0; and the set of its places holds it. The set
   is promised where most such changes are found: what is found of others is chosen by chance. */
static bool print_since(double shift, size_t after)
{
    const struct history_truth t = {.points = 1, .before = 30, .after = after, .shift = shift};
    struct history_counts n = histories_judge(&t, histories, ++seed);
    double all = histories, found = n.any;
    double error = sqrt(found * OVL_CHANGE_DOUBT * (1 - OVL_CHANGE_DOUBT));
    bool missed = found >= 0.5 * all && n.held < (1 - OVL_CHANGE_DOUBT) * found - 2 * error;
    printf("%5.0f %5zu %8.1f %13.1f %9.1f", shift, after, 100 * (all - found) / all, 100 * (found - n.fresh) / all,
           100 * (all - n.fresh) / all);
    if (n.any > 0)
        printf(" %8.1f %7.1f%s\n", 100 * n.held / found, (double)n.places / found, missed ? "   MISSED" : "");
    else
        printf(" %8s %7s\n", "-", "-");
    return missed;
}

static bool print_nights(size_t points, double shift)
{
    static const size_t shown[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 20, HISTORY_MOST_NIGHTS};
    const struct history_truth t = {.points = points, .before = 30, .after = HISTORY_MOST_NIGHTS, .shift = shift};
    int failed[HISTORY_MOST_NIGHTS], runs = histories / 4 > 0 ? histories / 4 : 1;
    histories_nights(&t, 20, runs, ++seed, failed);
    printf("%6zu %5.0f ", points, shift);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        printf(" %5.1f", 100.0 * failed[shown[i] - 1] / runs);
    bool missed = shift == 0 && failed[7] > 0.05 * runs;
    printf("%s\n", missed ? "   MISSED" : "");
    return missed;
}

static bool print_rows(void)
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
        {{.points = 1, .before = 40, .after = 20, .shift = 3, .outliers = 2}, 95},
        {{.points = 20, .before = 40, .after = 20, .shift = 3, .outliers = 2}, 95},
        {{.points = 1, .before = 40, .after = 10, .shift = 3, .outliers = 2}, 0},
        {{.points = 1, .before = 40, .after = 5, .shift = 3, .outliers = 2}, 0},
        {{.points = 1, .before = 40, .after = 40, .shift = 3, .outliers = 4}, 0},
        {{.points = 20, .before = 40, .after = 20, .outliers = 4}, 0},
        {{.points = 1, .before = 20, .after = 20, .shift = 2}, 0},
        {{.points = 1, .before = 20, .after = 20, .shift = 1}, 0},
    };
    bool missed = false;
    printf(
        "Changes found in %d simulated histories a row, by E-divisive at the level %g for all points together.\n"
        "shift: in standard deviations between launches, of the first point only, from the first number of launches\n"
        "to the second. found: %% of histories with a change of that point within one launch of its place. false\n"
        "alarms: %% of histories with a change that is none, of any point. outliers: so many of the launches before,\n"
        "of each point, are slower by %d standard deviations. Wanted: 95 %% found of a shift of 3 (normal launches,\n"
        "20 + 20, and 40 + 20 with 2 outliers; twice the standard error of such a rate is %.1f), and at most 5 %%\n"
        "false alarms in every row.\n\n"
        "points launches    shape outliers shift   found %%  false alarms %%\n",
        histories, OVL_CHANGE_ALPHA, HISTORY_OUTLIER, 200 * sqrt(0.95 * 0.05 / histories));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        missed |= print_row(&rows[i].truth, rows[i].found_least);
    return missed;
}

static bool print_all_since(void)
{
    static const double shifts[] = {1, 2, 3, 5};
    bool missed = false;
    printf(
        "\nA change at the first launch behind --since: one point of normal launches, 30 before the change and so "
        "many\n"
        "behind it, in %d histories a row. missed: %% of them in which no change for the worse is found. not new: in\n"
        "which it is found, and none of its possible places is at --since or later. exit 0: either. held: %% of the\n"
        "changes found whose possible places hold the true one; places: how many they are in the mean. Wanted: %g %%\n"
        "held, less twice its standard error, where half of the changes are found; where few are, chance has made\n"
        "them large.\n\n"
        "shift after missed %%     not new %%  exit 0 %%   held %%  places\n",
        histories, 100 - 100 * OVL_CHANGE_DOUBT);
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++)
        for (size_t after = 1; after <= 12; after++)
            missed |= print_since(shifts[i], after);
    return missed;
}

static bool print_all_nights(void)
{
    static const double shifts[] = {0, 1, 2, 3, 5, 50};
    bool missed = false;
    printf(
        "\nA job each night, with --since at launch 21: 30 launches, then one more each night, the first of which is\n"
        "the first of the shift of one point. %% of %d histories in which the job of this night or of one before it\n"
        "ended with 1. Without a shift each is a false alarm: at most 5 %% over 8 nights are wanted.\n\n"
        "points shift  night 1     2     3     4     5     6     7     8    12    20    30\n",
        histories / 4 > 0 ? histories / 4 : 1);
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        missed |= print_nights(1, shifts[i]);
        missed |= print_nights(20, shifts[i]);
    }
    return missed;
}

/* Is the last change of levels that follow each other, 25 standard deviations up and down, found where it is? */
static bool finds_last(const size_t length[4], struct ovl_rng *rng, double level, bool since)
{
    double x[HISTORY_MOST_LAUNCHES];
    struct ovl_change_point found[3 * HISTORY_MOST_LAUNCHES / OVL_CHANGE_LEAST];
    size_t n = 0;
    for (size_t part = 0; part < 4; part++)
        for (size_t i = 0; i < length[part]; i++)
            x[n++] = launch_value(rng, LAUNCH_NORMAL) + (part % 2 ? 25 : 0);
    size_t count = ovl_change_points_find_since(x, n, since ? length[0] + length[1] : 0, level, 1, found);
    for (size_t i = 0; i < count; i++)
        if (found[i].at == n - length[3])
            return true;
    return false;
}

static bool print_all_levels(void)
{
    static const size_t lengths[][4] = {{30, 15, 15, 20}, {20, 10, 10, 12}, {20, 20, 20, 20}, {10, 10, 10, 10}};
    const int runs = histories / 10 + 1;
    bool missed = false;
    printf("\nLevels that come and go: so many launches of one, so many 25 standard deviations slower, as before, and "
           "slower\n"
           "again, of one point among 4. found: %% of %d histories in which the last change is found at its place by\n"
           "E-divisive in all launches, and with --since at the first launch that was mended. Wanted: 95 %% so.\n\n"
           "   launches           all %%  --since %%\n",
           runs);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        int found[2] = {0, 0};
        for (int since = 0; since < 2; since++) {
            struct ovl_rng rng = ovl_rng_seeded(++seed);
            for (int h = 0; h < runs; h++)
                found[since] += finds_last(lengths[l], &rng, OVL_CHANGE_ALPHA / 4, since);
        }
        printf("%4zu %4zu %4zu %4zu     %8.1f  %8.1f\n", lengths[l][0], lengths[l][1], lengths[l][2], lengths[l][3],
               100.0 * found[0] / runs, 100.0 * found[1] / runs);
        missed |= found[1] < 0.95 * runs;
    }
    return missed;
}

int sim_changes(int argc, char **argv)
{
    histories = argc > 1 ? atoi(argv[1]) : 2000;
    if (histories < 1) {
        fputs("changes: give the number of histories\n", stderr);
        return 3;
    }
    bool missed = print_rows();
    missed |= print_all_since();
    missed |= print_all_nights();
    missed |= print_all_levels();
    printf("\n%s\n", missed ? "A figure is not met." : "Every figure is met.");
    return missed;
}
