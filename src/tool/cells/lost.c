/* Launches that a cell has lost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/lost.h"

#include <stdlib.h>

size_t ovl_lost_gone(const struct ovl_groups *groups, const struct ovl_group *group, size_t side)
{
    size_t gone = 0;
    if (side >= groups->record_count)
        return 0;
    for (size_t u = 0; u < groups->record[side]->unwritten_count; u++)
        gone += ovl_group_unwritten(group, side, &groups->record[side]->unwritten[u]);
    bool *owed = ovl_groups_lost(groups, group, side);
    for (size_t r = 0; r < groups->record[side]->run_count; r++)
        gone += owed[r];
    free(owed);
    return gone;
}

bool ovl_lost_many(const struct ovl_groups *groups, const struct ovl_group *group, size_t side,
                   ovl_launch_usable *usable, const void *with)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m), kept = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        kept += usable(&m[i], with);
        lost += !usable(&m[i], with) && !ovl_run_unended(m[i].run);
    }
    lost += ovl_lost_gone(groups, group, side);
    return 2 * lost > kept;
}

size_t ovl_lost_wrong(const struct ovl_group *group, size_t side)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m), wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += m[i].cell->validated == 0;
    return wrong;
}
