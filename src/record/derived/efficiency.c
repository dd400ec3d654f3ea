/* How much longer the host takes than its workers, with an interval. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/efficiency.h"

#include <math.h>

static double median_of(const struct ovl_samples *samples)
{
    return ovl_stats_summarise(samples->max[OVL_TOTAL], samples->blocks).median;
}

/* Host mode's T stands where B does. */
static double quicker(const double median[OVL_QUANTITIES])
{
    return median[OVL_BLOCKING] / median[OVL_TOTAL];
}

struct ovl_estimate ovl_cell_offload_efficiency(const struct ovl_cell *dpu, const struct ovl_samples *host)
{
    const struct ovl_derived_row row = {.of = quicker, .terms = 1U << OVL_BLOCKING | 1U << OVL_TOTAL};
    struct ovl_samples both = dpu->samples;
    struct ovl_estimate e = {NAN, NAN, NAN};
    both.max[OVL_BLOCKING] = host->max[OVL_TOTAL];
    if (host->blocks == both.blocks)
        e = ovl_overlap_estimate_row(&both, &row, 0, ovl_cell_seed(dpu));
    e.value = median_of(host) / median_of(&dpu->samples);
    return e;
}
