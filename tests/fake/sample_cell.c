/* A cell with made-up samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/sample_cell.h"
#include "base/rng.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>

void sample_cell(struct ovl_cell *c, const char *run_id, double size, size_t blocks)
{
    static const double base[OVL_QUANTITIES] = {10e-6, 9e-6, 8e-6, 14e-6, 1e-6, 0,    4e-6, 9e-6,
                                                5e-6,  5e-8, 5e-8, 5e-8,  5e-8, 9e-6, 5e-8};
    struct ovl_rng rng = ovl_rng_seeded(5);
    ovl_cell_clear(c);
    snprintf(c->run_id, sizeof c->run_id, "%s", run_id);
    snprintf(c->benchmark, sizeof c->benchmark, "ialltoall");
    snprintf(c->mode, sizeof c->mode, "host");
    snprintf(c->datatype, sizeof c->datatype, "MPI_CHAR");
    snprintf(c->compute_kind, sizeof c->compute_kind, "fma");
    snprintf(c->engine, sizeof c->engine, "mpi");
    snprintf(c->placement, sizeof c->placement, "host");
    snprintf(c->skew, sizeof c->skew, "none");
    snprintf(c->block_group, sizeof c->block_group, "%s/0", run_id);
    snprintf(c->status, sizeof c->status, "ok");
    c->size_bytes = size;
    c->ranks = 2;
    c->units = 4000;
    c->ratio = 1;
    c->workers = 0;
    c->test_calls = 0;
    c->rotate = 1;
    c->validated = 1;
    c->clock_read_seconds = 2.2377689e-8;
    c->bootstrap_seed = 123456789012;
    c->start_spread_seconds = 1.1e-8;
    c->cpu_thread_seconds = 2e-5;
    c->cpu_process_seconds = 2e-5;
    ovl_samples_make(&c->samples, blocks);
    c->samples.blocks = blocks;
    for (int q = 0; q < OVL_QUANTITIES; q++)
        for (size_t b = 0; b < blocks; b++) {
            double x = base[q] * (1 + 1e-3 * (double)(ovl_rng_next(&rng) % 100) / 3);
            c->samples.max[q][b] = b % 9 == 4 && q == OVL_BLOCKING ? NAN : x;
            c->samples.mean[q][b] = 0.97 * x;
        }
    ovl_cell_round(c);
    ovl_cell_derive(c);
}

json_t *sample_run_line(const char *run_id)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "record", "run", "schema", OVL_RECORD_SCHEMA, "run_id", run_id,
                     "benchmark", "ialltoall");
}

json_t *sample_end_line(const char *run_id, int cells)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:s}", "record", "end", "run_id", run_id, "status", "complete", "cells",
                     cells, "finished", "2026-01-01T00:00:00Z");
}
