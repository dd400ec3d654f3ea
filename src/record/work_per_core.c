/* What cores get done: work a second and core, by which modes that take cores are held against those that compute. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/cell.h"
#include "record/field.h"

#include <math.h>

/* A driver's units of all ranks, or an application's one problem. */
static double at(const struct ovl_cell *cell, double seconds)
{
    return (ovl_cell_solves(cell) ? 1 : cell->units * cell->ranks) / (seconds * cell->cores);
}

void ovl_cell_derive_work(struct ovl_cell *cell)
{
    const struct ovl_summary *t = &cell->summary[OVL_TOTAL];
    bool known = cell->cores > 0 && t->median > 0;
    cell->work_per_core = known ? (struct ovl_estimate){at(cell, t->median), at(cell, t->ci_high), at(cell, t->ci_low)}
                                : (struct ovl_estimate){NAN, NAN, NAN};
}

double ovl_cell_work_of(const struct ovl_run *run, const struct ovl_cell *cell)
{
    double total = ovl_stats_summarise(cell->samples.max[OVL_TOTAL], cell->samples.blocks).median;
    (void)run;
    return cell->cores > 0 && total > 0 ? at(cell, total) : NAN;
}
