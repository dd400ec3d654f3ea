/* Prints what jobs of 4 to RANKS virtual ranks say of a coupled operation, of which nothing can be hidden. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/many_ranks.h"
#include "tests/sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* METHOD's bounds, the first for the form that is free of the extremes of many ranks; the slowest ranks' stands beside
   it. Ticks of a tenth of C and more cost samples by right. */
static const double hidden_most = 0.03, unused_most = 0.02, tick_counts = 0.1;

/* Prints a row; does it meet the bounds? */
static bool row(int ranks, double operation_us)
{
    struct virtual_job job = many_ranks_job(ranks, operation_us);
    struct ovl_cell cell;
    struct ovl_error err;
    if (many_ranks_cell(&job, 60, &cell, &err) != 0) {
        fprintf(stderr, "many_ranks: %s\n", err.text);
        exit(err.code);
    }
    double hidden = cell.derived[OVL_HIDDEN].value, own = cell.derived[OVL_HIDDEN_OWN].value,
           unused = many_ranks_unused(&cell);
    bool ok = strcmp(cell.status, "ok") == 0,
         missed = ok && (fabs(own) > hidden_most || (job.tick < tick_counts * job.operation && unused > unused_most));
    printf("%8d%9g%10.2f%10.2f%11.2f%11.2f  %s%s\n", ranks, operation_us, 100 * hidden, 100 * own, 100 * unused,
           1e6 * cell.late_median, cell.status, missed ? "   MISSED" : "");
    fflush(stdout);
    ovl_cell_free(&cell);
    return !missed;
}

int sim_many_ranks(int argc, char **argv)
{
    static const double operations_us[] = {20, 100, 1000};
    int most = argc == 2 ? atoi(argv[1]) : 0;
    bool met = true;
    if (most < 4 || most > 10000) {
        fprintf(stderr, "Usage: many_ranks RANKS, 4 to 10000\n");
        return 3;
    }
    printf("%8s%9s%10s%10s%11s%11s  %s\n", "ranks", "C us", "hidden", "own form", "unused %", "late us", "status");
    for (int ranks = 4; ranks <= most; ranks = ranks == 4 ? 10 : 10 * ranks)
        for (size_t o = 0; o < sizeof operations_us / sizeof *operations_us; o++)
            met = row(ranks, operations_us[o]) && met;
    return met ? 0 : 1;
}
