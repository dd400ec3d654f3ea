/* Prints how near plans come to their bounds in reality, with sleep for work, or how long plans take to make: `make
 * plans`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"
#include "tests/fake/random_plan.h"
#include "tests/sim/plan_in_sleeps.h"
#include "tests/sim/plan_times.h"
#include "tests/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Exit code 1 where a plan was quicker than its bound, or did not end. */
int sim_plans(int argc, char **argv)
{
    enum { RANDOM = 50 };
    const char *name;
    struct ovl_app_plan plan;
    struct ovl_app_machine m;
    struct ovl_rng rng = ovl_rng_seeded(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
    double ratios[RANDOM];
    int bad = 0;
    if (argc > 1 && strcmp(argv[1], "times") == 0)
        return print_plan_times();
    printf("# 4 processes, a thread each that carries what they send; one second of a plan is 4 ms, of a random one 1 "
           "ms\n");
    printf("%-24s%12s%12s%10s\n", "plan", "bound s", "T s", "T / bound");
    for (int i = 0; (name = plan_in_sleeps_tight(i, &plan, &m)); i++) {
        double bound = plan_in_sleeps_bounds(&plan, &m).bound, total = plan_in_sleeps(&plan, &m, 4e-3, 60);
        printf("%-24s%12.1f%12.1f%10.4f\n", name, bound, total, total / bound);
        bad += !(total >= bound);
    }
    for (int i = 0; i < RANDOM; i++) {
        struct random_plan p;
        random_plan_make(&p, &rng, 4, 5, false, i % 2);
        double bound = plan_in_sleeps_bounds(&p.plan, &p.machine).bound;
        double total = plan_in_sleeps(&p.plan, &p.machine, 1e-3, 60);
        ratios[i] = bound > 0 ? total / bound : 1;
        bad += !(total >= bound);
    }
    qsort(ratios, RANDOM, sizeof *ratios, by_value);
    printf("%-24s%34.4f, least %.4f, most %.4f\n", "50 random ones, median", ovl_stats_median(ratios, RANDOM),
           ratios[0], ratios[RANDOM - 1]);
    printf("%d plans were quicker than their bound or did not end\n", bad);
    return bad > 0;
}
