/* Which cells carry a claim. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/status.h"
#include "cli/catalog.h"
#include "record/plausible.h"

#include <math.h>
#include <string.h>

bool ovl_cell_unchecked(const struct ovl_cell *cell)
{
    return cell->validated < 0 && ovl_benchmark_moves(cell->benchmark);
}

enum ovl_cell_noise ovl_cell_noise(const struct ovl_cell *cell)
{
    const double quiet = 0.01;
    const struct ovl_disturbance *d = &cell->disturbance;
    if (cell->steal_fraction > quiet)
        return OVL_STOLEN;
    if (d->throttled > 0)
        return OVL_THROTTLED;
    /* Who has too few cores waits for itself: that has a mark of its own. */
    return d->waited > quiet && (d->others > 0 || d->spare_cores >= 0) ? OVL_RIVALLED : OVL_QUIET;
}

bool ovl_cell_noisy(const struct ovl_cell *cell)
{
    return ovl_cell_noise(cell) != OVL_QUIET;
}

const char *ovl_cell_noise_text(enum ovl_cell_noise noise)
{
    static const char *const texts[] = {
        [OVL_QUIET] = NULL,
        [OVL_STOLEN] = "the hypervisor took time of the ranks' cores",
        [OVL_THROTTLED] = "a CPU quota stopped the ranks",
        [OVL_RIVALLED] = "something else ran on the ranks' cores",
    };
    return texts[noise];
}

/* Is an application's answer, called right, further off than its limit allows, or no number? */
static bool is_off(const struct ovl_cell *cell)
{
    bool checks = *cell->check_name || !isnan(cell->check_limit);
    return cell->validated > 0 && checks && !(cell->check_value <= cell->check_limit && cell->check_value >= 0);
}

bool ovl_cell_claims(const struct ovl_cell *cell)
{
    char why[OVL_PLAUSIBLE_WHY];
    return strcmp(cell->status, "invalid") != 0 && cell->unshaped <= 0 && strcmp(cell->placement, OVL_EMULATED) != 0 &&
           cell->validated != 0 && !is_off(cell) && ovl_cell_plausible(cell, why);
}
