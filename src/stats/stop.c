/* When to stop taking blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stop.h"

#include <math.h>

size_t ovl_stop_next_look(const struct ovl_stop *stop, size_t blocks)
{
    size_t least = stop->values > stop->least ? stop->values : stop->least;
    size_t next = blocks < least ? least : blocks + (blocks + 1) / 2;
    return next < stop->most ? next : stop->most;
}

static size_t values_of(const struct ovl_samples *s, enum ovl_quantity q)
{
    return ovl_samples_joint(s, s->max, 1U << q, q).blocks;
}

bool ovl_stop_reached(const struct ovl_stop *stop, const struct ovl_samples *s, double least, uint64_t seed)
{
    if (values_of(s, OVL_COMM) < stop->values || values_of(s, OVL_TOTAL) < stop->values)
        return false;
    if (stop->percent == 0)
        return true;
    if (ovl_samples_joint(s, s->max, ovl_derived_rows[OVL_HIDDEN].terms, OVL_TOTAL).blocks < OVL_STOP_BLOCKS_WANTED)
        return false;
    struct ovl_summary t = ovl_stats_summarise_series(s->max[OVL_TOTAL], s->blocks);
    if (!((t.ci_high - t.ci_low) / 2 <= stop->percent / 100 * t.median))
        return false;
    struct ovl_estimate hidden = ovl_overlap_estimate(s, OVL_HIDDEN, least, seed);
    return isnan(hidden.value) || (hidden.ci_high - hidden.ci_low) / 2 <= stop->percent / 100;
}
