/* Prints what jobs of 4 to RANKS virtual ranks say of a coupled operation, of which nothing can be hidden. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/virtual_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the samples of C and T, how many have no value. */
static double unused(const struct ovl_loop_result *r)
{
    size_t none = 0, blocks = r->samples[0].blocks;
    for (size_t b = 0; b < blocks; b++)
        none += isnan(r->samples[0].max[OVL_COMM][b]) + isnan(r->samples[0].max[OVL_TOTAL][b]);
    return (double)none / (2 * (double)blocks);
}

static void row(int ranks, double operation_us, size_t blocks)
{
    struct virtual_job job = {
        .ranks = ranks,
        .operation = 1e3 * operation_us,
        .coupled = true,
        .unit = 2,
        .read = 25,
        .offset = 1e9,
        .rate = 20e-6,
        .hop = 2000,
        .tick_chance = 2.5e-4,
        .tick = 2000,
        .seed = (uint64_t)ranks,
    };
    struct ovl_loop loop = {
        .modes = 1,
        .warmup = 3,
        .stop = {blocks, blocks, 2, 1e9},
        .seed = 1,
        .ratio = 1,
        .fixed_seconds = NAN,
    };
    struct ovl_loop_result result;
    struct ovl_error err;
    struct ovl_estimate hidden;
    if (virtual_job_run(&job, &loop, &result, &err) != 0 ||
        ovl_overlap_estimate(&result.samples[0], OVL_HIDDEN, 20 * loop.clock_read, 1, &hidden) != 0) {
        fprintf(stderr, "many_ranks: no memory\n");
        exit(5);
    }
    printf("%8d%10g%10.2f%10.2f\n", ranks, operation_us, 100 * hidden.value, 100 * unused(&result));
    fflush(stdout);
    ovl_loop_result_free(&result);
}

int main(int argc, char **argv)
{
    static const double operations_us[] = {20, 100, 1000};
    int most = argc == 2 ? atoi(argv[1]) : 0;
    if (most < 4 || most > 10000) {
        fprintf(stderr, "Usage: many_ranks RANKS, 4 to 10000\n");
        return 3;
    }
    for (int ranks = 4; ranks <= most; ranks = ranks == 4 ? 10 : 10 * ranks)
        for (size_t o = 0; o < sizeof operations_us / sizeof *operations_us; o++)
            row(ranks, operations_us[o], 60);
    return 0;
}
