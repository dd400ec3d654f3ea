/* `ovl validate`: what each rank exposes of T besides its own work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"
#include "tool/validate/state.h"

#include <math.h>

enum { RECENT = 63 }; /* as many W of a rank as its T is held against (bench/loop_state.h) */

/* The median of a rank's last W is not above that of the slowest ranks' in the same blocks. Those of warm-up blocks,
   which are not kept, and dropped ones, may have been of any length. */
static double most_work(const double *work, size_t block, double warmup)
{
    double last[RECENT];
    size_t n = 0;
    for (size_t b = block + 1; b-- > 0 && n < RECENT; n++)
        last[n] = isnan(work[b]) ? INFINITY : work[b];
    for (double left = isnan(warmup) ? RECENT : warmup; n < RECENT && left > 0; left--)
        last[n++] = INFINITY;
    return ovl_stats_median(last, n);
}

void ovl_checking_own_exposed(struct ovl_checking *c, const json_t *options, const struct ovl_cell *cell)
{
    const json_t *told = json_object_get(options, "warmup");
    const struct ovl_samples *s = &cell->samples;
    double warmup = json_is_number(told) ? fmax(1, json_number_value(told)) : NAN; /* a driver takes one at least */
    for (size_t b = 0; b < s->blocks; b++) {
        double most = most_work(s->max[OVL_COMPUTE], b, warmup), total = s->max[OVL_TOTAL][b],
               exposed = s->max[OVL_OWN_EXPOSED][b], rounding = 1e-9 * total;
        double mean = s->mean[OVL_TOTAL][b], exposed_mean = s->mean[OVL_OWN_EXPOSED][b];
        if (exposed < total - most - rounding || exposed_mean < mean - most - rounding) {
            ovl_checking_problem(c,
                                 "/samples/own_exposed_seconds: %.6g in block %zu, and T is %.6g over the median of W",
                                 exposed, b, total - most);
            return;
        }
    }
}
