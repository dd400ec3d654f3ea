/* How often the verdicts of `ovl compare` are wrong, and how often they find what is there: simulated families of
   cells, judged by the functions that `ovl compare` calls. scripts/check/verdicts runs it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/families.h"
#include "tests/sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = FAMILY_MOST_CELLS };

static const double sigma = 0.01, bound = 5.5;

static const struct {
    bool paired;
    size_t launches;
} designs[] = {{true, 12}, {true, 14}, {false, 10}, {false, 12}};

static int families;
static double margin;
static uint64_t seed;

static struct family_counts judge(const struct family_truth *t)
{
    return families_judge(t, families, ++seed);
}

static double percent(int n)
{
    return 100.0 * n / families;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* All cells at the margin; none; one. Returns whether a rate is over the bound where it counts. */
static bool print_errors(struct family_truth t)
{
    t.changed = CELLS;
    struct family_counts all = judge(&t);
    t.changed = 0;
    struct family_counts none = judge(&t);
    t.changed = 1;
    struct family_counts one = judge(&t);
    double rate[] = {percent(most(all.false_regressed, one.false_regressed)),
                     percent(most(none.false_improved, one.false_improved)),
                     percent(most(all.false_ok, one.false_ok)),
                     percent(most(most(all.low_wrong, none.low_wrong), one.low_wrong)),
                     percent(most(most(all.high_wrong, none.high_wrong), one.high_wrong)),
                     percent(one.passed)};
    double worst = fmax(fmax(rate[0], rate[1]), fmax(rate[2], rate[5]));
    bool counts = t.shape != LAUNCH_SKEWED, over = counts && worst > bound;
    printf("%2zu %-7s %-7s 1:%.0f %10.2f %9.2f %9.2f %10.2f %9.2f %9.2f %9d%s\n", t.launches,
           t.paired ? "pairs" : "a side", launch_shape_names[t.shape], t.new_sigma / t.old_sigma, rate[0], rate[1],
           rate[2], rate[3], rate[4], rate[5], all.contradicted + none.contradicted + one.contradicted,
           over ? "  OVER" : "");
    return over;
}

static bool errors(void)
{
    bool over = false;
    printf(
        "\nErrors, in %% of families: at least one label that is false, at least one end of an interval on the wrong "
        "side of\nthe truth. Each the worst of three families: all %d cells just at the margin, none of them, or one "
        "of "
        "them, the others\nunchanged. gate: passes although one cell is at the margin. denied: families with an "
        "interval "
        "that denies its label.\nWanted: labels and gate at most %.1f %%, but for skewed launches, which are shown "
        "only.\n\n",
        CELLS, bound);
    printf("launches   shape   spread REGRESSED  IMPROVED        OK  lower end upper end      gate    denied\n");
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++)
        for (int shape = 0; shape < LAUNCH_SHAPES; shape++)
            for (int spread = 1; spread <= 3; spread += 2)
                over |= print_errors((struct family_truth){.cells = CELLS,
                                                           .launches = designs[d].launches,
                                                           .paired = designs[d].paired,
                                                           .shape = (enum launch_shape)shape,
                                                           .old_sigma = sigma,
                                                           .new_sigma = spread * sigma,
                                                           .change = margin,
                                                           .margin = margin});
    return over;
}

static struct family_truth normal(bool paired, size_t launches, double spread, double change)
{
    return (struct family_truth){.cells = CELLS,
                                 .launches = launches,
                                 .paired = paired,
                                 .old_sigma = spread,
                                 .new_sigma = spread,
                                 .changed = change != 0,
                                 .change = change,
                                 .margin = margin};
}

static bool powers(void)
{
    bool missed = false;
    printf("\nPower, in %% of families of %d cells, normal launches.\n"
           "unchanged: no cell changed, spread between launches 1.5 %%. Wanted with 12 pairs: 90 %% all OK.\n"
           "one worse: one cell 12 %% slower, the others unchanged, spread 2 %%. Wanted with 12 pairs: REGRESSED in 80 "
           "%%.\n\n"
           "launches    unchanged: all OK  gate passes    one worse: REGRESSED\n",
           CELLS);
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        struct family_truth same = normal(designs[d].paired, designs[d].launches, 0.015, 0),
                            worse = normal(designs[d].paired, designs[d].launches, 0.02, log(1.12));
        struct family_counts a = judge(&same), b = judge(&worse);
        printf("%2zu %-7s %19.2f %12.2f %23.2f\n", designs[d].launches, designs[d].paired ? "pairs" : "a side",
               percent(a.all_ok), percent(a.passed), percent(b.first_regressed));
        missed |= d == 0 && (percent(a.all_ok) < 90 || percent(a.passed) < 90 || percent(b.first_regressed) < 80);
    }
    return missed;
}

int sim_verdicts(int argc, char **argv)
{
    families = argc > 1 ? atoi(argv[1]) : 10000;
    margin = log1p(0.05);
    if (families < 1) {
        fputs("verdicts: give the number of families\n", stderr);
        return 3;
    }
    printf(
        "Verdicts over %d simulated families of %d cells, margin 0.05: 95 %% of such rates are within %.2f points of "
        "the truth\nwhere that is 5 %%.\n",
        families, CELLS, 196 * sqrt(0.05 * 0.95 / families));
    bool over = errors(), missed = powers();
    printf("\n%s\n", over || missed ? "A figure is not met." : "Every figure is met.");
    return over || missed;
}
