/* What is known of a cell from the others of its run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record.h"

#include <math.h>
#include <string.h>

static double median_total(const struct ovl_cell *cell)
{
    struct ovl_summary s;
    return ovl_stats_summarise(cell->samples.max[OVL_TOTAL], cell->samples.blocks, &s) == 0 ? s.median : NAN;
}

/* From the samples where they were read. */
static double total_of(const struct ovl_cell *cell)
{
    return cell->samples.blocks > 0 ? median_total(cell) : cell->summary[OVL_TOTAL].median;
}

const struct ovl_cell *ovl_run_host_beside(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_cell *quickest = NULL;
    for (size_t c = 0; c < run->cell_count; c++) {
        const struct ovl_cell *host = &run->cells[c];
        if (strcmp(host->mode, "host") == 0 && strcmp(host->block_group, cell->block_group) == 0 &&
            (!quickest || total_of(host) < total_of(quickest)))
            quickest = host;
    }
    return quickest;
}

double ovl_run_offload_efficiency(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_cell *host = strcmp(cell->mode, "dpu") == 0 ? ovl_run_host_beside(run, cell) : NULL;
    return host ? median_total(host) / median_total(cell) : NAN;
}
