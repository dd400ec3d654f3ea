/* `ovl validate`: samples of each rank (--per-rank), of which the cell's own are the largest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/validate/state.h"

#include <math.h>

/* The largest over ranks in that block; NAN where some rank has none. */
static double largest(const json_t *ranks, size_t block)
{
    double most = -INFINITY;
    const json_t *rank;
    size_t r;
    json_array_foreach(ranks, r, rank) {
        const json_t *one = json_array_get(rank, block);
        if (!json_is_number(one))
            return NAN;
        most = fmax(most, json_number_value(one));
    }
    return most;
}

void ovl_checking_rank_samples(struct ovl_checking *c, const json_t *head, const json_t *line,
                               const struct ovl_cell *cell)
{
    static const struct {
        const char *name;
        enum ovl_quantity quantity;
    } of[] = {{"comm_seconds", OVL_COMM}, {"compute_seconds", OVL_COMPUTE}, {"total_seconds", OVL_TOTAL}};
    const json_t *all = json_object_get(line, "rank_samples");
    if (!json_is_true(json_object_get(json_object_get(head, "options"), "per_rank")) || cell->samples.blocks == 0)
        return;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const json_t *ranks = json_object_get(all, of[i].name);
        const double *max = cell->samples.max[of[i].quantity];
        if (json_array_size(ranks) != (size_t)cell->ranks) {
            ovl_checking_problem(c, "/rank_samples/%s: of %zu ranks, and the option per_rank asks for %.0f", of[i].name,
                                 json_array_size(ranks), cell->ranks);
            continue;
        }
        for (size_t b = 0; b < cell->samples.blocks; b++)
            if (!isnan(max[b]) && !(fabs(largest(ranks, b) - max[b]) <= 1e-9 * max[b])) {
                ovl_checking_problem(c, "/rank_samples/%s: %.12g in block %zu, and the slowest rank took %.12g",
                                     of[i].name, largest(ranks, b), b, max[b]);
                break;
            }
    }
}
