/* Guidelines of which something is lost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/lost.h"
#include "tool/cells/metric.h"
#include "tool/cells/owed.h"
#include "tool/guidelines/guidelines.h"

#include <math.h>
#include <string.h>

static bool usable(const struct ovl_member *m, const void *unused)
{
    (void)unused;
    struct ovl_error none;
    return ovl_metric_of(ovl_metric_find("comm_seconds", &none), m).value > 0;
}

/* Cells with wrong data, and of which too many launches are lost: the lucky ones say nothing. */
static void find_cells(struct ovl_guidelines *g, const struct ovl_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct ovl_cell *cell = groups->group[i].member[0].cell;
        g->wrong += ovl_lost_wrong(&groups->group[i], 0) > 0;
        if (!cell->problem && !isnan(cell->size_bytes) && !ovl_group_gave_work(groups, &groups->group[i]))
            g->lost += ovl_lost_many(groups, &groups->group[i], 0, usable, NULL);
    }
}

/* Is there a cell of the job of that launch, or a reason why none is asked for? */
static bool is_known(const struct ovl_groups *groups, const struct ovl_unwritten *u, bool filtered)
{
    bool benchmark = false;
    for (size_t i = 0; i < groups->count; i++) {
        if (ovl_group_unwritten(&groups->group[i], 0, u))
            return true;
        benchmark = benchmark || strcmp(groups->group[i].member->cell->benchmark, u->benchmark) == 0;
    }
    return filtered && *u->benchmark && !benchmark;
}

/* A job that left no cell is on no side of a guideline. */
static void find_gone(struct ovl_guidelines *g, const struct ovl_groups *groups, bool filtered)
{
    const struct ovl_record *all = groups->record[0];
    for (size_t u = 0; u < all->unwritten_count; u++)
        if (!is_known(groups, &all->unwritten[u], filtered) && g->gone++ == 0)
            g->gone_first = all->unwritten[u].file;
}

void ovl_guidelines_find_lost(struct ovl_guidelines *g, const struct ovl_groups *groups, bool filtered)
{
    find_cells(g, groups);
    find_gone(g, groups, filtered);
}
