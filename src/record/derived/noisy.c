/* Which cells are noisy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/noisy.h"

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
