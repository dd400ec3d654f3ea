/* Runs jobs of many seeds on the bed of the unit tests, and prints those that do not end well. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/bed.h"
#include "tests/sim/join_cost.h"
#include "tests/sim/pipeline_cost.h"
#include "tests/sim/pipeline_times.h"
#include "tests/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe(const struct bed_job *job)
{
    static const char *const paths[] = {"direct", "staged", "remote"};
    printf("  %d ranks, %d workers, %s, %d buffers and %d small ones, %d requests, %d tags, eager %zu, window %d%s\n",
           job->ranks, job->workers, paths[job->path], job->limits.large, job->limits.small, job->limits.requests,
           job->limits.tags, job->limits.eager, job->window, job->strict ? ", strict" : "");
    for (int o = 0; o < job->ops; o++)
        printf("  operation %d: %s %s of %zu numbers%s, root %d, team %d of %d\n", o,
               ovl_operations[job->deal[o].operation].name, job->deal[o].algorithm ? job->deal[o].algorithm->name : "",
               job->deal[o].count, job->deal[o].in_place ? " in place" : "", job->deal[o].root, job->team[o],
               job->members[job->team[o]]);
    for (int r = 0; r < job->ranks; r++) {
        printf("  rank %d, worker %d, node %d%s:", r, job->worker[r], job->node[r], job->late[r] ? ", late" : "");
        for (int a = 0; a < job->actions[r]; a++)
            printf(" %s%d", job->action[r][a].wait ? "w" : "p", job->action[r][a].op);
        printf("\n");
    }
}

static int try_orders(uint64_t most)
{
    static struct bed_job job;
    uint64_t all = 0;
    for (int path = 0; path < BED_PATHS; path++)
        for (int o = OVL_IALLTOALL; o < OVL_OPERATIONS; o++) {
            uint64_t orders;
            bed_opposite_orders(&job, (enum bed_path)path, 1, (enum ovl_operation)o);
            struct bed_result x = bed_run_all(&job, most, &orders);
            all += orders;
            printf("%-16s path %d: %llu orders%s%s %s\n", ovl_operations[o].name, path, (unsigned long long)orders,
                   orders == most ? ", and more there are" : "", x.end == BED_FINE ? "" : ": not fine,", x.text);
            if (x.end != BED_FINE)
                return 1;
        }
    printf("%llu orders of two operations at two workers, all fine\n", (unsigned long long)all);
    return 0;
}

static void print_costs(void)
{
    static const int ranks[] = {128, 1000, 10000};
    printf("%8s%9s%12s%12s%12s%12s%12s%12s%14s\n", "ranks", "workers", "rank KiB", "node MiB", "worker MiB",
           "eager MiB", "plan MiB", "build ms", "alltoall MiB");
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        struct cost c = cost_of(ranks[i]);
        const double mib = 1 << 20;
        printf("%8d%9d%12.0f%12.1f%12.1f%12.1f%12.2f%12.2f%14.1f\n", c.ranks, c.workers, c.rank_shared / 1024,
               c.node_shared / mib, c.base / mib, c.eager / mib, c.schedule / mib, c.build_ms, c.alltoall / mib);
    }
}

int sim_bed(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "cost") == 0) {
        print_costs();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "times") == 0)
        return print_times();
    if (argc == 2 && strcmp(argv[1], "joins") == 0)
        return print_joins();
    static struct bed_job job;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 0,
             bad = 0;
    unsigned broken = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    if (argc == 3 && strcmp(argv[1], "orders") == 0)
        return try_orders(strtoull(argv[2], NULL, 10));
    if (argc < 2 || seeds == 0) {
        fprintf(stderr, "Usage: pipeline SEEDS [FIRST [RULES]]\n"
                        "       pipeline orders MOST\n"
                        "       pipeline cost\n"
                        "       pipeline times\n"
                        "       pipeline joins\n"
                        "Run jobs of so many seeds; RULES to break: 1 for R1, 2 for R2, 4 for R3, 8 for R4.\n"
                        "Or try every order of arrival of two operations, up to MOST of them.\n"
                        "Or print what ranks and workers cost as the job grows, beside message buffers.\n"
                        "Or print what posts and tests take, with a worker on a core of its own.\n"
                        "Or print what it takes to join a worker to all others.\n");
        return 3;
    }
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        bed_job_of(&job, seed);
        job.broken = broken;
        struct bed_result x = bed_run(&job, seed);
        if (x.end == BED_FINE)
            continue;
        printf("seed %llu %s: %s\n", (unsigned long long)seed, x.end == BED_HANGS ? "hangs" : "is wrong", x.text);
        if (bad++ == 0)
            describe(&job);
    }
    printf("%llu of %llu seeds do not end well\n", (unsigned long long)bad, (unsigned long long)seeds);
    return bad > 0;
}
