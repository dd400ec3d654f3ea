/* The overlap that other suites print of the same samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/overlap.h"

#include <math.h>

double ovl_overlap_omb_of(double total, double inner, double comm)
{
    return comm > 0 && !isnan(total - inner) ? fmax(0, 100 - 100 * (total - inner) / comm) : NAN;
}

double ovl_overlap_omb(const struct ovl_samples *s)
{
    return ovl_overlap_omb_of(ovl_stats_mean(s->mean[OVL_TOTAL], s->blocks),
                              ovl_stats_mean(s->mean[OVL_INNER], s->blocks),
                              ovl_stats_mean(s->mean[OVL_COMM], s->blocks));
}

double ovl_overlap_imb(const struct ovl_samples *s, const struct ovl_slowest *slowest)
{
    double t = slowest->total, w = slowest->inner, c = slowest->comm;
    if (isnan(slowest->rank)) {
        t = ovl_stats_mean(s->max[OVL_TOTAL], s->blocks);
        w = ovl_stats_mean(s->max[OVL_INNER], s->blocks);
        c = ovl_stats_mean(s->max[OVL_COMM], s->blocks);
    }
    double longer = fmax(c, w);
    return longer > 0 && !isnan(c + w - t) ? fmin(100, fmax(0, 100 * (c + w - t) / longer)) : NAN;
}
