/* How the ranks of a cell started. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/starts.h"
#include "record/field.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>

/* One array per rank. */
static json_t *ranks_json(const double *values, size_t ranks, size_t blocks)
{
    json_t *all = json_array();
    for (size_t r = 0; r < ranks; r++) {
        json_t *one = json_array();
        for (size_t b = 0; b < blocks; b++) {
            double x = values[r * blocks + b];
            json_array_append_new(one, isnan(x) ? json_null() : json_real(x));
        }
        json_array_append_new(all, one);
    }
    return all;
}

int ovl_starts_room(uint64_t blocks, int ranks, struct ovl_error *err)
{
    /* C, W, B, T and how late each was, and what a block has without them. */
    const double bytes = 350 + 110.0 * ranks, most = floor(OVL_RECORD_LINE_MOST / bytes);
    if ((double)blocks <= most)
        return 0;
    return ovl_error_set(err, OVL_USAGE,
                         "--per-rank: a record has no room for %llu blocks of %d ranks in one cell; give at most %.0f "
                         "blocks by --iterations",
                         (unsigned long long)blocks, ranks, most);
}

void ovl_starts_fill(struct ovl_cell *cell, const struct ovl_loop_result *result, int mode,
                     const struct ovl_provenance *provenance)
{
    json_t *all = NULL;
    cell->clock_residual = result->residual;
    if (result->latest_rank >= 0) {
        cell->late_rank = result->latest_rank;
        snprintf(cell->late_host, sizeof cell->late_host, "%.63s",
                 ovl_provenance_node(provenance, result->latest_rank));
    }
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        const double *values = result->rank_samples[mode][q];
        if (!values)
            continue;
        if (!all)
            all = json_object();
        json_object_set_new(all, ovl_field_of_quantity((enum ovl_quantity)q)->name,
                            ranks_json(values, (size_t)provenance->ranks, cell->samples.blocks));
    }
    if (all)
        ovl_cell_set(cell, "rank_samples", all);
}
