/* What a large job costs before its first byte moves: the schedule of each algorithm, and who serves whom. Prints;
 * judges nothing. Usage: sim costs [RANKS [RANKS-A-NODE [HOSTS]]] (default 10000 128 5000) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "tests/fake/large_job.h"
#include "tests/sim/schedule_cost.h"
#include "tests/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

static void print_schedules(int ranks, int each)
{
    static const size_t sizes[] = {64, 64 << 10};
    printf("schedules of %d ranks, %d on a node; temporary memory by %zu and %zu bytes a block\n\n", ranks, each,
           sizes[0], sizes[1]);
    printf("%-22s %-19s %7s %7s %7s %8s %10s %10s %7s\n", "operation", "algorithm", "steps", "rounds", "live", "KiB",
           "temp KiB", "temp KiB", "ms");
    for (const struct ovl_algorithm *a = ovl_algorithms; a->name; a++) {
        if (!ovl_algorithm_works(a, ranks))
            continue;
        struct schedule_cost small = schedule_cost(a, ranks, each, sizes[0]),
                             c = schedule_cost(a, ranks, each, sizes[1]);
        printf("%-22s %-19s %7zu %7zu %7zu %8.1f %10.1f %10.1f %7.2f\n", ovl_operations[a->operation].name, a->name,
               c.steps, c.rounds, c.live, (double)c.bytes / 1024, (double)small.temporary / 1024,
               (double)c.temporary / 1024, 1e3 * (c.seconds > small.seconds ? c.seconds : small.seconds));
    }
    const struct ovl_algorithm *chain = ovl_algorithm_find(OVL_IBCAST, "chain");
    struct schedule_cost c = schedule_cost(chain, ranks, each, (size_t)1 << 30);
    printf("%-22s %-19s %7zu %7zu %7zu %8.1f %10.1f %10.1f %7.2f\n", "ibcast of 1 GiB", chain->name, c.steps, c.rounds,
           c.live, (double)c.bytes / 1024, 0.0, (double)c.temporary / 1024, 1e3 * c.seconds);
}

static int print_map(const struct large_job *job, const struct ovl_dpu_map *dpus)
{
    struct ovl_job_map map;
    struct ovl_error err;
    int64_t begun = ovl_clock_ns();
    int rc = ovl_job_map_make(&map, job->process, job->processes, OVL_MAP_CYCLIC, dpus, &err);
    printf("who serves whom, %d hosts of %d ranks and as many DPUs, %s: %.1f ms\n", job->hosts, job->ranks,
           dpus ? "by a dpu-map" : "in their order", 1e-6 * (double)(ovl_clock_ns() - begun));
    if (rc != 0)
        fprintf(stderr, "%s\n", err.text);
    ovl_job_map_free(&map);
    return rc;
}

int sim_costs(int argc, char **argv)
{
    int ranks = argc > 1 ? atoi(argv[1]) : 10000, each = argc > 2 ? atoi(argv[2]) : 128,
        hosts = argc > 3 ? atoi(argv[3]) : 5000;
    if (ranks < 2 || each < 1 || each >= ranks || hosts < 1) {
        fprintf(stderr, "usage: sim costs [RANKS [RANKS-A-NODE [HOSTS]]]\n");
        return 3;
    }
    print_schedules(ranks, each);
    struct large_job job = large_job_make(hosts, 4);
    printf("\n");
    int rc = print_map(&job, NULL) | print_map(&job, &job.dpus);
    large_job_free(&job);
    return rc == 0 ? 0 : 1;
}
