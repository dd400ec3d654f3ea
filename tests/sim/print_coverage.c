/* Prints a table of how often intervals hold the truth, results/coverage.txt: cells of the real measuring loop on a
   virtual clock. 1 when a bound is missed after stopping: T and hidden_fraction held in at least 92 % of the cells with
   independent blocks, 90 % with r = 0.3, and widths of at most 1.15; of cells that end by time 94 %, with r = 0.6 90 %.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/coverage.h"
#include "tests/sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char head[] =
    "# How often the 95 % intervals of a cell hold the truth: cells of the real measuring loop on a virtual clock.\n"
    "#\n"
    "# noise     of all times: normal with sigma 2.5 % (5 % where one noise slows the whole block), skewed (a long "
    "tail of\n"
    "#           slow samples), or normal with one sample of twenty slower by 20 sigma\n"
    "# r         its autocorrelation from block to block, AR(1)\n"
    "# blocks    fixed, or stopped: 30 to 1,000 by the stopping rule with --ci 2, or timed: by that rule, and ended "
    "by\n"
    "#           --max-time at random after 15 to 60 (fewer carry the status few)\n"
    "# T %, hidden %   share of cells whose interval holds the true median of T, the true hidden_fraction\n"
    "# width     mean width over that of an ideal interval: 2 x 1.96 standard errors of the value, at as many blocks "
    "fixed\n"
    "#           beforehand, of as many other cells\n"
    "#\n";

static const char *const shapes[] = {
    [VIRTUAL_NORMAL] = "normal", [VIRTUAL_SKEWED] = "skewed", [VIRTUAL_OUTLIERS] = "outliers"};

/* Prints a row; does it meet the bounds that METHOD sets after stopping? */
static int row(const struct coverage_case *c, size_t cells, double covered_least, double width_most)
{
    struct coverage got = coverage_simulate(c, cells);
    char rule[32] = "stopped";
    if (c->fixed || c->timed)
        snprintf(rule, sizeof rule, c->fixed ? "fixed" : "timed");
    bool missed = got.total < covered_least || (!c->noise.common && got.hidden < covered_least) ||
                  got.total_width > width_most || (!c->noise.common && got.hidden_width > width_most);
    printf("%-9s%6.1f  %-8s%8.1f%9.2f%8.3f", shapes[c->noise.shape], c->noise.correlation, rule, got.blocks,
           100 * got.total, got.total_width);
    if (c->noise.common)
        printf("%10s%8s", "-", "-");
    else
        printf("%10.2f%8.3f", 100 * got.hidden, got.hidden_width);
    printf("%s%s\n", c->noise.common ? "   one noise for the whole block" : "", missed ? "   MISSED" : "");
    fflush(stdout);
    return missed;
}

int sim_coverage(int argc, char **argv)
{
    static const double correlations[] = {0, 0.3, 0.6};
    static const size_t fixed[] = {6, 7, 10, 15, 30};
    size_t cells = argc == 2 ? strtoul(argv[1], NULL, 10) : 10000;
    int missed = 0;
    if (cells < 100) {
        fprintf(stderr, "Usage: coverage [CELLS], at least 100\n");
        return 3;
    }
    fputs(head, stdout);
    printf("# %zu cells a row; one standard error of a share of 95 %% is %.2f points.\n#\n", cells,
           100 * sqrt(0.95 * 0.05 / (double)cells));
    printf("#%-8s%6s  %-8s%8s%9s%8s%10s%8s\n", "noise", "r", "blocks", "mean", "T %", "width", "hidden %", "width");
    for (int shape = VIRTUAL_NORMAL; shape <= VIRTUAL_OUTLIERS; shape++)
        for (size_t r = 0; r < 3; r++) {
            struct coverage_case c = {.noise = {.sigma = 0.025, .correlation = correlations[r]}};
            c.noise.shape = shape;
            for (size_t n = 0; n < sizeof fixed / sizeof *fixed; n++) {
                c.fixed = fixed[n];
                row(&c, cells, 0, 1e9);
            }
            c.fixed = 0;
            /* METHOD sets no bound for r = 0.6: such a cell is `drifting`. */
            missed |= row(&c, cells, r == 0 ? 0.92 : r == 1 ? 0.90 : 0, r < 2 ? 1.15 : 1e9);
            c.timed = true;
            missed |= row(&c, cells, r < 2 ? 0.94 : 0.90, 1e9);
            c.timed = false;
            c.noise.common = true;
            c.noise.sigma = 0.05;
            missed |= row(&c, cells, r == 0 ? 0.92 : r == 1 ? 0.90 : 0, r < 2 ? 1.15 : 1e9);
        }
    return missed;
}
