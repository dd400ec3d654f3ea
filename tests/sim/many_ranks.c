/* Cells of many virtual ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/many_ranks.h"
#include "record/derived/settle.h"

#include <math.h>
#include <stdio.h>

struct virtual_job many_ranks_job(int ranks, double operation_us)
{
    return (struct virtual_job){
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
}

int many_ranks_cell(const struct virtual_job *job, size_t blocks, struct ovl_cell *cell, struct ovl_error *err)
{
    const struct ovl_loop loop = {
        .modes = 1,
        .warmup = 3,
        .stop = {blocks, blocks, 100, 1e9, 0},
        .seed = 1,
        .ratio = 1,
        .fixed_seconds = NAN,
    };
    struct ovl_loop_result result;
    if (virtual_job_run(job, &loop, &result, err) != 0)
        return -1;
    ovl_cell_clear(cell);
    snprintf(cell->status, sizeof cell->status, "%s", result.status == OVL_LOOP_OK ? "ok" : "invalid");
    snprintf(cell->reason, sizeof cell->reason, "%s", result.reason);
    cell->ranks = job->ranks;
    cell->validated = -1;
    cell->clock_read_seconds = 1e-9 * job->read;
    cell->clock_residual = result.residual;
    cell->samples = result.samples[0];
    result.samples[0] = (struct ovl_samples){0};
    ovl_loop_result_free(&result);
    ovl_cell_derive(cell);
    ovl_cell_settle(cell, NULL);
    return 0;
}

double many_ranks_unused(const struct ovl_cell *cell)
{
    size_t none = 0, blocks = cell->samples.blocks;
    for (size_t b = 0; b < blocks; b++)
        none += isnan(cell->samples.max[OVL_COMM][b]) + isnan(cell->samples.max[OVL_TOTAL][b]);
    return (double)none / (2 * (double)blocks);
}
